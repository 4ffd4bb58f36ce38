"""How far a long job is, and how it is ended: cancelled by a flag, or by Ctrl-C.

Progress is one function, silent unless the caller gives another. A linear system is solved far below those
who know what it is solved for: it calls `tell`, and whoever has asked for that by `listening` hears it.

Ctrl-C ends the program with 130 (SIGTERM: 143) and without a traceback, whatever it is doing. Before a
command begins nothing is open that would have to be closed, so the process simply ends. After that
`KeyboardInterrupt` is raised, and raised again where it fell into code that cannot pass it on.
"""

import _thread
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Timer, current_thread, main_thread

# Told the name of the stage and the share of it that is done, or None where that cannot be said.
# A new name means that the stages before are over.
Progress = Callable[[str, float | None], object]


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


# ---------------------------------------------------------------------------------------- Ctrl-C

# Exit codes of a program that ended by Ctrl-C, and by SIGTERM.
INTERRUPTED, TERMINATED = 130, 143
SIGNALS = (signal.SIGINT, signal.SIGTERM)
# Seconds until a swallowed interrupt is repeated: time to leave the code that swallowed it.
PAUSE = 0.05
_terminated = False


def end_at_once() -> None:
    """Let Ctrl-C end the process on the spot, unless the caller's signals are handled otherwise already."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def raise_again() -> None:
    """Let Ctrl-C raise `KeyboardInterrupt` once more, so that what is open gets closed."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, _terminate)
        sys.unraisablehook = _repeat_interrupt


def work_is_over() -> None:
    """Let no late signal turn the end of a run into something else: its files and its code stand."""
    if sys.unraisablehook is _repeat_interrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let signals wait until the block is over, and a moment longer: the work may be over by then."""
    if sys.unraisablehook is not _repeat_interrupt or current_thread() is not main_thread():
        yield
        return
    came: list[int] = []
    before = {one: signal.signal(one, lambda number, _: came.append(number)) for one in SIGNALS}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        for number in came[:1]:
            later = Timer(PAUSE, _thread.interrupt_main, (number,))
            later.daemon = True
            later.start()


def exit_code() -> int:
    """130, or 143 where SIGTERM was the reason."""
    return TERMINATED if _terminated else INTERRUPTED


def end_process() -> None:
    """End by an interrupt. Inside `exec` it would make Python kill itself by the signal instead."""
    with suppress(AttributeError, OSError, ValueError):  # closed, or nobody reads any more
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(exit_code())


def _end(*_: object) -> None:
    os._exit(INTERRUPTED)


def _terminate(*_: object) -> None:
    """Close what is open, as after Ctrl-C."""
    global _terminated
    _terminated = True
    raise KeyboardInterrupt


def _repeat_interrupt(lost: "sys.UnraisableHookArgs") -> None:
    """Callbacks and finalisers cannot raise: Python would print the exception and go on."""
    if lost.exc_type is KeyboardInterrupt:
        Timer(PAUSE, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(lost)
