"""Forks of this process: what was imported and compiled here need not be again."""

import fcntl
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable

from torture.attack import Lost, NotPossibleHere, patience

NOT_POSSIBLE = 77
LATE = (signal.SIGINT, signal.SIGTERM)
"""Signals that wait until a fork has made itself ready for them."""


class Fork:
    """A function in a process and session of its own, with the face of a `subprocess.Popen`.

    Parameters
    ----------
    work : callable
        What it does; signals reach it once it calls `ready`, and it ends with what is returned.
    """

    def __init__(self, work: Callable[[], int | None]) -> None:
        self._said, told = os.pipe()
        fcntl.fcntl(told, fcntl.F_SETPIPE_SZ, 1 << 20)
        self.returncode: int | None = None
        sys.stdout.flush()
        signal.pthread_sigmask(signal.SIG_BLOCK, LATE)
        self.pid = os.fork()
        if self.pid == 0:
            _live(work, told)
        os.close(told)
        ready()

    def poll(self) -> int | None:
        """Return the exit code, a signal as a negative number; None while it runs."""
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if ended else None
        return self.returncode

    def wait(self, timeout: float) -> int:
        """Wait for the end."""
        until = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired("fork", timeout)
            time.sleep(0.002)
        return code

    def communicate(self, timeout: float = 120) -> tuple[bytes, bytes]:
        """Wait for the end; return what was said on both outputs, as that of errors."""
        self.wait(timeout)
        os.set_blocking(self._said, False)  # somebody who was left behind may hold the other end
        with os.fdopen(self._said, "rb") as said:
            return b"", said.read() or b""

    def send_signal(self, sent: int) -> None:
        """Send a signal while it runs."""
        if self.poll() is None:
            os.kill(self.pid, sent)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


def ready() -> None:
    """Let signals in."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, LATE)


def survive(work: Callable[[], object]) -> None:
    """Do something in a fork; what is lost there is lost here."""
    fork = Fork(lambda: _told(work))
    said = fork.communicate(patience(120))[1].decode("utf-8", "replace")
    if fork.returncode == NOT_POSSIBLE:
        raise NotPossibleHere(said.strip())
    if fork.returncode:
        raise Lost(f"the fork ended with {fork.returncode}: {' '.join(said.split())[-400:]}")


def _told(work: Callable[[], object]) -> int:
    ready()
    try:
        work()
    except NotPossibleHere as reason:
        print(reason)
        return NOT_POSSIBLE
    return 0


def _live(work: Callable[[], int | None], said: int) -> None:
    """The life of a fork, which never returns."""
    code = 3
    try:
        os.setsid()
        for own, other in ((0, os.open(os.devnull, os.O_RDONLY)), (1, said), (2, said)):
            os.dup2(other, own)
        sys.stdout = os.fdopen(1, "w", closefd=False)
        sys.stderr = os.fdopen(2, "w", errors="backslashreplace", closefd=False)
        code = work() or 0
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)
