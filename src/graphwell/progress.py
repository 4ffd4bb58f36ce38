"""Telling how far a long job is: one function, silent unless the caller gives another.

A linear system is solved far below those who know what it is solved for. It calls `tell`, and whoever has
asked for that by `listening` hears it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

Progress = Callable[[str, float | None], object]
"""Told the name of the stage and the share of it that is done, or None where that cannot be said.

A new name means that the stages before are over.
"""


# The stage of that name, for people.
COMPILING = "compiling for this machine, once: about ten seconds"


def silent(stage: str, share: float | None) -> None:
    """Tell nobody."""


Told = Callable[[float], object]
_listener: ContextVar[Told | None] = ContextVar("listener", default=None)


@contextmanager
def listening(told: Told) -> Iterator[None]:
    """Have `told` called with the share that is done of each piece of work inside the block."""
    token = _listener.set(told)
    try:
        yield
    finally:
        _listener.reset(token)


class CancelledError(RuntimeError):
    """The run was cancelled; nothing came of it."""


_watchdog: ContextVar[Callable[[], object] | None] = ContextVar("watchdog", default=None)


@contextmanager
def watched(watchdog: Callable[[], object]) -> Iterator[None]:
    """Have `watchdog` called at every heartbeat inside the block; what it raises ends the work."""
    token = _watchdog.set(watchdog)
    try:
        yield
    finally:
        _watchdog.reset(token)


def heartbeat() -> None:
    """Called by long work at least twice a second, so that it can be ended."""
    watchdog = _watchdog.get()
    if watchdog is not None:
        watchdog()


def tell(share: float) -> None:
    """Tell whoever listens how far this piece of work is; 1 means that it is over."""
    heartbeat()
    told = _listener.get()
    if told is not None:
        told(share)


@contextmanager
def one_of(number: int, count: int) -> Iterator[None]:
    """Take what is told inside the block for one of so many equal parts of a piece of work."""
    told = _listener.get()
    if told is None:
        yield
        return
    with listening(lambda share: told((number + share) / count)):
        yield


def in_pieces(progress: Progress, stage: str, weights: Sequence[float]) -> Told:
    """Turn the shares of one piece of work after another into the share of the whole stage."""
    left = list(weights)
    whole = sum(left)

    def told(share: float) -> None:
        now = left[0] if left else 0.0
        progress(stage, min(1.0, 1.0 - (sum(left) - now * share) / whole))
        if share >= 1 and left:
            del left[0]

    return told
