"""Ctrl-C ends the program with 130 and without a traceback, whatever it is doing.

Before a command begins nothing is open that would have to be closed, so the process simply ends. After that
`KeyboardInterrupt` is raised, and raised again where it fell into code that cannot pass it on.
"""

import _thread
import os
import signal
import sys
from threading import Timer

INTERRUPTED = 130
"""What a shell calls the end of a program by Ctrl-C."""
PAUSE = 0.05
"""Seconds until a swallowed interrupt is repeated: time to leave the code that swallowed it."""


def end_at_once() -> None:
    """Let Ctrl-C end the process on the spot, unless the caller's signals are handled otherwise already."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def raise_again() -> None:
    """Let Ctrl-C raise `KeyboardInterrupt` once more, so that what is open gets closed."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.unraisablehook = _repeat_interrupt


def end_process() -> None:
    """End with 130. An interrupt inside `exec` would make Python kill itself by the signal instead."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(INTERRUPTED)


def _end(*_: object) -> None:
    os._exit(INTERRUPTED)


def _repeat_interrupt(lost: "sys.UnraisableHookArgs") -> None:
    """Callbacks and finalisers cannot raise: Python would print the exception and go on."""
    if lost.exc_type is KeyboardInterrupt:
        Timer(PAUSE, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(lost)
