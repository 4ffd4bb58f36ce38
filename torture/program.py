"""Runs of the program in folders of their own, what they leave behind, and what they end with."""

import atexit
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from graphwell import datasets
from graphwell.datasets.strokes import write_example
from torture.attack import Lost, patience

Run: TypeAlias = "subprocess.Popen[bytes]"
CODES = {0, 1, 2, 130, 143}
TABLE = ["classify", "table.npz", "--label", "y", "--jobs", "1"]
COMMANDS = {
    "classify": [*TABLE, "--set", "models=none"],
    "thorough": TABLE,
    "segment": ["segment", "pictures/image.png", "--seeds", "pictures/seeds.png", "--jobs", "1"],
}
ENDINGS = {"classify": ".npz", "thorough": ".npz", "segment": ".npy"}
GIVEN = ("table.npz", "pictures", "tmp")
WATCHED = """
import atexit, os, signal, sys
touches, at, sent = 0, *map(int, os.environ.pop("TORTURE").split())
def look(event, given):
    global touches
    if event in ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "fcntl.flock"):
        if "torture-" in os.path.abspath(str(given[0])):
            touches += 1
            if touches == at:
                os.kill(os.getpid(), sent)
sys.addaudithook(look)
atexit.register(lambda: sys.stderr.write(f"{touches} touches"))
from graphwell.__main__ import main
main()
"""
"""The program; a signal hits it at some moment at which it is about to touch a file, not one of Python's."""


def all_outputs(kind: str) -> list[str]:
    """Options for everything that such a run can write."""
    return ["--masks", "masks"] if kind == "segment" else ["--report", "page.html"]


def drawn_kind(rng: random.Random) -> str:
    """A kind of run; the one that compares metrics is rare, since it takes seconds."""
    return rng.choices(("classify", "segment", "thorough"), (12, 6, 1))[0]


@cache
def source() -> Path:
    """A folder with a table and a picture."""
    folder = Path(tempfile.mkdtemp(prefix="torture-"))
    folder.chmod(0o755)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "tmp").mkdir()
    X, truth = datasets.make_three_moons(200, dim=4, random_state=0)
    np.savez(folder / "table.npz", X=X, y=datasets.sample_labels(truth, 10, random_state=0))
    write_example(folder / "pictures")
    return folder


@cache
def whole(kind: str) -> bytes:
    """What a whole run writes."""
    end(start(kind, source(), f"whole-{kind}"), expected={0})
    return (source() / f"whole-{kind}{ENDINGS[kind]}").read_bytes()


@cache
def usual(kind: str) -> tuple[float, int]:
    """Seconds that a run takes, and how often it touches a file."""
    whole(kind)  # compiles
    folder, began = fresh(), time.monotonic()
    said = end(start(kind, folder, "out", at=(0, signal.SIGKILL)), expected={0})
    seconds = time.monotonic() - began
    shutil.rmtree(folder)
    return seconds, int(said.split()[-2])


def start(
    kind: str, folder: Path, out: str, *options: str, at: tuple[int, int] | None = None, **popen: Any
) -> Run:
    """Begin a run as a shell does; its output has the given name without an ending.

    `at` is the touch of a file at which a signal hits it, and which one.
    """
    program = ["-m", "graphwell"] if at is None else ["-c", WATCHED]
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(folder / "tmp")}
    environment |= {} if at is None else {"TORTURE": f"{at[0]} {int(at[1])}"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(
        [sys.executable, *program, *COMMANDS[kind], "-o", f"{out}{ENDINGS[kind]}", *options],
        **{"cwd": folder, "env": os.environ | environment, "start_new_session": True, **pipes, **popen},
    )


def hurt(kind: str, folder: Path, sent: signal.Signals, rng: random.Random, *options: str) -> Run:
    """Run, and send a signal: at a random time, or at a random moment at which a file is touched."""
    seconds, touches = usual(kind)
    if rng.random() < 0.5:
        return start(kind, folder, "out", *options, at=(rng.randint(1, touches), sent))
    process = start(kind, folder, "out", *options)
    try:
        process.wait(timeout=rng.uniform(0.1, 1.1 * seconds))
    except subprocess.TimeoutExpired:
        process.send_signal(sent)
    return process


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


def survive(work: Callable[..., object], *arguments: Any) -> None:
    """Do something in a fork, which may change its mounts and its user; what is lost there is lost here."""
    with get_context("fork").Pool(1) as pool:
        pool.apply(work, arguments)


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
