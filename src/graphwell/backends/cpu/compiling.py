"""Telling that kernels are being compiled, so that the first run on a machine does not look like a hang."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from numba.core import event


class _OnceTold(event.Listener):
    """Calls a function when numba begins to compile; kernels that come from its cache do not count."""

    def __init__(self, tell: Callable[[], object]) -> None:
        self.tell = tell
        self.told = False

    def on_start(self, event: event.Event) -> None:
        if not self.told:
            self.told = True
            self.tell()

    def on_end(self, event: event.Event) -> None:
        """Nothing: the next stage speaks for itself."""


@contextmanager
def told_of_compiling(tell: Callable[[], object]) -> Iterator[None]:
    """Have a function called, once, if anything is compiled while the block runs."""
    listener = _OnceTold(tell)
    with event.install_listener("numba:run_pass", listener):
        yield


def cache_folder() -> Path | None:
    """Folder that the compiled sweeps are kept in; None where no folder can be written."""
    from graphwell.backends.cpu.systems import advance

    kept = getattr(advance._cache, "cache_path", None)
    return None if kept is None else Path(kept)
