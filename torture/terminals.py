"""Odd surroundings: closed outputs, readers that go away, dumb terminals, locales, names and deep folders."""

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from torture.attack import Attack
from torture.program import check_same, end, fresh, furnish, start, start_anew

SURROUNDINGS: tuple[dict[str, str], ...] = (
    {}, {"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"TERM": "dumb"},
    {"COLUMNS": "1"}, {"COLUMNS": "0"}, {"COLUMNS": "x"}, {"NO_COLOR": "1"}, {"FORCE_COLOR": "1"},
    {"PYTHONIOENCODING": "ascii"}, {"TZ": "Nowhere/Land"}, {"HOME": "/nonexistent"},
    {"TMPDIR": "/nonexistent"},
)  # fmt: skip
NAMES = ("out", "-out", "a\nb", "a b", "\x1b[31m", "é", "\udcff", "x" * 240, "..out", "%s{}", "--help")

STREAMS = ("stdin", "stdout", "stderr")


def attempt(seed: int) -> None:
    """Run in one such place; the output must be there and whole."""
    rng = random.Random(seed)
    kind = rng.choice(("classify", "segment"))
    folder = _deep(rng)
    if seed % 5:
        _in_fork(kind, folder, rng)
    else:
        _anew(kind, folder, rng)
    shutil.rmtree(folder)


def _deep(rng: random.Random) -> Path:
    """A folder with an odd name, some levels below another."""
    if rng.random() < 0.5:
        return fresh()
    top = fresh()
    names = [
        rng.choice([name for name in NAMES if not name.startswith("x")]) for _ in range(rng.randint(1, 30))
    ]
    folder = top.joinpath(*names)
    folder.mkdir(parents=True)
    furnish(folder)
    return folder


def _in_fork(kind: str, folder: Path, rng: random.Random) -> None:
    """Names and variables that a run reads by itself, and outputs that are closed."""
    name, set_to, closed = (
        rng.choice(NAMES),
        rng.choice(SURROUNDINGS),
        rng.choice(((), (1,), (2,), (1, 2), (0, 1, 2))),
    )

    def before() -> None:
        os.environ.update(set_to)
        for descriptor in closed:
            os.close(descriptor)
            setattr(sys, STREAMS[descriptor], None)  # as Python does that is begun without it

    given = f"./{name}" if name.startswith("-") else name
    end(start(kind, folder, given, before=before), expected={0})
    check_same(folder, name, kind)


def _anew(kind: str, folder: Path, rng: random.Random) -> None:
    """What only a new process sees: locales, and readers that go away at once."""
    environment = {**os.environ, **rng.choice(SURROUNDINGS), "PYTHONPATH": os.pathsep.join(sys.path)}
    reader: Any = rng.choice((subprocess.PIPE, subprocess.DEVNULL, _gone()))
    options = ["--json"] if rng.random() < 0.3 else []
    process = start_anew(kind, folder, "out", *options, env=environment, stdout=reader)
    end(process, expected={0} if reader in (subprocess.PIPE, subprocess.DEVNULL) else {0, 1})
    check_same(folder, "out", kind)


def _gone() -> int:
    """The end of a pipe that nobody reads."""
    read, write = os.pipe()
    os.close(read)
    return write


ATTACK = Attack(
    "terminals", "closed outputs, gone readers, locales, odd names, deep folders", attempt, count=100
)
