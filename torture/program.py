"""Runs of the program in folders of their own, what they leave behind, and what they end with.

Most are forks of this process: what was imported and compiled here need not be again.
"""

import atexit
import fcntl
import io
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import chdir, redirect_stdout, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from graphwell import datasets
from graphwell.datasets.strokes import write_example
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


Run: TypeAlias = "Fork | subprocess.Popen[bytes]"
CODES = {0, 1, 2, 130, 143}
TABLE = ["classify", "table.npz", "--label", "y", "--jobs", "1"]
COMMANDS = {
    "classify": [*TABLE, "--set", "models=none"],
    "thorough": TABLE,
    "segment": ["segment", "pictures/image.png", "--seeds", "pictures/seeds.png", "--jobs", "1"],
}
ENDINGS = {"classify": ".npz", "thorough": ".npz", "segment": ".npy"}
GIVEN = ("table.npz", "pictures", "tmp")
ON_FILES = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "fcntl.flock")
"""What Python tells its audit hooks when it is about to touch a file."""


def all_outputs(kind: str) -> list[str]:
    """Options for everything that such a run can write."""
    return ["--masks", "masks"] if kind == "segment" else ["--report", "page.html", "--checkpoint", "run"]


def drawn_kind(rng: random.Random) -> str:
    """A kind of run; the one that compares metrics is rare, since it takes seconds."""
    return rng.choices(("classify", "segment", "thorough"), (12, 6, 1))[0]


@cache
def source() -> Path:
    """A folder with a table and a picture."""
    folder = Path(tempfile.mkdtemp(prefix="torture-"))
    folder.chmod(0o755)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # forks end without it
    (folder / "tmp").mkdir()
    X, truth = datasets.make_three_moons(200, dim=4, random_state=0)
    np.savez(folder / "table.npz", X=X, y=datasets.sample_labels(truth, 10, random_state=0))
    write_example(folder / "pictures", 0.1, 0, 0)
    return folder


@cache
def whole(kind: str) -> bytes:
    """What a whole run writes."""
    end(start_anew(kind, source(), f"whole-{kind}"), expected={0})
    return (source() / f"whole-{kind}{ENDINGS[kind]}").read_bytes()


@cache
def usual(kind: str) -> tuple[float, int]:
    """Seconds that a run in a fork takes, and how often it touches a file."""
    folder = fresh()
    began, touched = time.monotonic(), folder / "touched"
    end(start(kind, folder, "out", before=lambda: _count_touches(touched)), expected={0})
    found = time.monotonic() - began, int(touched.read_bytes().count(b"."))
    shutil.rmtree(folder)
    return found


def start(
    kind: str, folder: Path, out: str, *options: str, before: Callable[[], object] | None = None
) -> Fork:
    """Begin a run in a fork of this process; its output has the given name without an ending."""
    warm(kind)

    def work() -> None:
        from graphwell.__main__ import main
        from graphwell.progress import end_at_once

        tempfile.tempdir = str(folder / "tmp")
        sys.argv = ["graphwell", *COMMANDS[kind], "-o", f"{out}{ENDINGS[kind]}", *options]
        signal.signal(signal.SIGINT, signal.default_int_handler)
        end_at_once()
        if before is not None:
            before()
        ready()
        main()

    with chdir(folder):
        return Fork(work)


def start_anew(kind: str, folder: Path, out: str, *options: str, **popen: Any) -> "subprocess.Popen[bytes]":
    """Begin a run in a new process, as a shell does."""
    command = [sys.executable, "-m", "graphwell", *COMMANDS[kind], "-o", f"{out}{ENDINGS[kind]}", *options]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(folder / "tmp")}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(
        command, **{"cwd": folder, "env": environment, "start_new_session": True, **pipes, **popen}
    )


def hurt(kind: str, folder: Path, sent: signal.Signals, rng: random.Random, *options: str) -> Run:
    """Run, and send a signal: at a random time, or at a random moment at which a file is touched."""
    if rng.random() < 0.1:
        return _after(rng.uniform(0.1, 4), sent, start_anew(kind, folder, "out", *options))
    seconds, touches = usual(kind)
    if rng.random() < 0.5:
        return _after(rng.uniform(0, 1.1 * seconds), sent, start(kind, folder, "out", *options))
    moment = rng.randrange(touches)
    return start(kind, folder, "out", *options, before=lambda: _send_at_touch(moment, sent))


def end(process: Run, expected: set[int] = CODES) -> str:
    """Wait for a run; its code must be one of those expected, it says sentences, and leaves no process."""
    try:
        said = process.communicate(timeout=patience(60))[1].decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        process.kill()
        raise Lost("hung") from None
    if process.returncode not in expected:
        raise Lost(f"exit code {process.returncode}: {said[-300:]}")
    if "Traceback" in said:
        raise Lost(f"a traceback: {said[-300:]}")
    _check_gone(process.pid)
    return said


def fresh() -> Path:
    """A new folder with links to the table and the picture, and a folder for temporary files."""
    folder = Path(tempfile.mkdtemp(prefix="torture-"))
    furnish(folder)
    return folder


def furnish(folder: Path) -> None:
    """Put into a folder what a run needs."""
    for name in ("table.npz", "pictures"):
        (folder / name).symlink_to(source() / name)
    (folder / "tmp").mkdir()


def check_left(folder: Path, *allowed: str, killed: bool = False) -> None:
    """Nothing may be left but what is named, and unfinished files of a run that was killed."""
    for unfinished in folder.glob(".graphwell-*.tmp") if killed else ():
        shutil.rmtree(unfinished) if unfinished.is_dir() else unfinished.unlink()
    left = {path.name for path in folder.iterdir()} - {*GIVEN, *allowed}
    left |= {path.name for path in (folder / "tmp").iterdir()}
    if left:
        raise Lost(f"left behind: {', '.join(sorted(left))}")


def check_same(folder: Path, out: str, kind: str) -> None:
    """What a run wrote must be what a whole run writes, byte for byte."""
    if (folder / f"{out}{ENDINGS[kind]}").read_bytes() != whole(kind):
        raise Lost("other bytes than those of a whole run")


def _after(seconds: float, sent: signal.Signals, process: Run) -> Run:
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(sent)
    return process


@cache
def warm(kind: str) -> None:
    """Import and compile what a run needs, so that its forks need not."""
    from graphwell.cli.app import app

    page = [] if kind == "segment" else ["--report", "warm.html"]
    with chdir(source()), redirect_stdout(io.StringIO()), suppress(SystemExit):
        app([*COMMANDS[kind], "-o", f"warm{ENDINGS[kind]}", *page])


def _send_at_touch(moment: int, sent: signal.Signals) -> None:
    touches = itertools.count()

    def look(event: str, _: object) -> None:
        if event in ON_FILES and next(touches) == moment:
            os.kill(os.getpid(), sent)

    sys.addaudithook(look)


def _count_touches(path: Path) -> None:
    told = os.open(path, os.O_WRONLY | os.O_CREAT)
    sys.addaudithook(lambda event, _: os.write(told, b".") if event in ON_FILES else None)


def _check_gone(session: int) -> None:
    """No process of a run's session may outlive it by more than two seconds of an idle machine."""
    until = time.monotonic() + patience(2)
    while time.monotonic() < until:
        try:
            os.killpg(session, 0)
        except ProcessLookupError:
            return
        time.sleep(0.01)
    os.killpg(session, signal.SIGKILL)
    raise Lost("a process was left behind")
