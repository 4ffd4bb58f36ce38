"""Runs of the program in folders of their own, what they leave behind, and what they end with."""

import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from graphwell import datasets
from graphwell.datasets.strokes import write_example
from torture.attack import Lost

CODES = {0, 1, 2, 130, 143}


@cache
def source() -> Path:
    """A folder with a table and a picture, and what whole runs on them write."""
    folder = Path(tempfile.mkdtemp(prefix="torture-"))
    X, truth = datasets.make_three_moons(1500, dim=4, random_state=0)
    np.savez(folder / "table.npz", X=X, y=datasets.sample_labels(truth, 10, random_state=0))
    write_example(folder / "pictures", 0.1, 0, 0)
    for kind in ("classify", "segment"):
        end(start(kind, folder, f"whole-{kind}"), expected={0})
    return folder


def start(kind: str, folder: Path, out: str, *options: str, **popen: Any) -> subprocess.Popen:
    """Begin a run of the program; its output has the given name without an ending."""
    here = [sys.executable, "-m", "graphwell", kind]
    if kind == "classify":
        command = [*here, "table.npz", "--label", "y", "-o", f"{out}.npz", "--jobs", "1", *options]
    else:
        pictures = ["pictures/image.png", "--seeds", "pictures/seeds.png"]
        command = [*here, *pictures, "-o", f"{out}.npy", "--jobs", "1", *options]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    given: dict[str, Any] = {
        "cwd": folder,
        "env": environment,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        **popen,
    }
    return subprocess.Popen(command, **given)


def end(process: subprocess.Popen, expected: set[int] = CODES) -> str:
    """Wait for a run; its code must be one of those expected, and it says nothing but sentences."""
    try:
        _, error = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Lost("hung") from None
    said = error.decode("utf-8", "replace")
    if process.returncode not in expected:
        raise Lost(f"exit code {process.returncode}: {said[-300:]}")
    if "Traceback" in said:
        raise Lost(f"a traceback: {said[-300:]}")
    return said


def fresh() -> Path:
    """A new folder with links to the table and the picture."""
    folder = Path(tempfile.mkdtemp(prefix="torture-"))
    for name in ("table.npz", "pictures"):
        (folder / name).symlink_to(source() / name)
    return folder


def check_left(folder: Path, *allowed: str) -> None:
    """Nothing may be left but what is named."""
    left = {path.name for path in folder.iterdir()} - {"table.npz", "pictures", *allowed}
    if left:
        raise Lost(f"left behind: {', '.join(sorted(left))}")


def check_same(folder: Path, out: str, kind: str) -> None:
    """What a run wrote must be what a whole run writes, byte for byte."""
    ending = ".npz" if kind == "classify" else ".npy"
    if (folder / f"{out}{ending}").read_bytes() != (source() / f"whole-{kind}{ending}").read_bytes():
        raise Lost("other bytes than those of a whole run")
