"""Compiled loops that are kept on disc between runs where that is possible, and work where it is not."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache

from graphwell._warnings import warn_user

inner = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""Compiles what compiled functions alone call, without the code that calls from Python need."""

_told = False


class _Cache(FunctionCache):
    """Numba's cache, except that a full or damaged folder costs time and not the run."""

    def load_overload(self, *arguments: Any) -> Any:
        try:
            return super().load_overload(*arguments)
        except OSError as error:
            _tell(error)
        except Exception:  # whatever a damaged file raises: it is compiled anew, and the file replaced
            with suppress(OSError):
                self.flush()
        return None

    def save_overload(self, *arguments: Any) -> None:
        try:
            super().save_overload(*arguments)
        except OSError as error:
            _tell(error)


def seen(array: Any) -> Any:
    """The array as one that is only read: for both kinds numba would compile everything twice.

    Examples
    --------
    >>> import numpy as np
    >>> seen(np.zeros(1)).flags.writeable
    False
    """
    view = array.view()
    view.flags.writeable = False
    return view


def unsigned(array: Any) -> Any:
    """Whole numbers that are not negative, only to be read: with others, loops look at the sign of each.

    Examples
    --------
    >>> import numpy as np
    >>> unsigned(np.zeros(1, dtype=np.int32)).dtype
    dtype('uint32')
    """
    return seen(array.view(f"u{array.itemsize}"))


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function by numba when it is first called, and keep the result on disc.

    Examples
    --------
    >>> from graphwell.errors import in_python
    >>> compiled(nogil=True)(in_python)
    CPUDispatcher(<function in_python at ...>)
    """

    def decorate(function: Callable[..., Any]) -> Any:
        made = njit(no_cfunc_wrapper=True, **options)(function)
        try:
            made._cache = _Cache(function)
        except RuntimeError as error:  # no folder can be written, as in some containers
            _tell(error)
        return made

    return decorate


def _tell(error: Exception) -> None:
    """Say once why a run takes longer than it need."""
    global _told
    if not _told:
        _told = True
        warn_user(
            f"Compiled loops cannot be kept on disc ({str(error).rstrip('.')}); every run compiles them "
            "anew; set NUMBA_CACHE_DIR to a folder that can be written."
        )
