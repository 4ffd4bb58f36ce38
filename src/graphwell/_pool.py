"""numba's thread pool, entered by one caller at a time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numba

_POOL = threading.RLock()


@contextmanager
def threads(number: int) -> Iterator[None]:
    """Hold the pool, with at most this many threads: two callers must not enter it at once."""
    with _POOL:
        before = numba.get_num_threads()
        numba.set_num_threads(min(number, int(numba.config.NUMBA_NUM_THREADS)))
        try:
            yield
        except SystemError as error:  # what numba makes of Ctrl-C inside a kernel
            if isinstance(error.__cause__, KeyboardInterrupt):
                raise KeyboardInterrupt from None
            raise
        finally:
            numba.set_num_threads(before)
