"""Ctrl-C at any moment ends the program with 130, without a traceback and without a file."""

import os
import subprocess
import sys

import numpy as np
import pytest

INTERRUPTING_IMPORT = """
import builtins, os, signal, sys

def interrupting(name, *args, moment=sys.argv[1], real=builtins.__import__, **kwargs):
    if name == moment:
        os.kill(os.getpid(), signal.SIGINT)
    return real(name, *args, **kwargs)

builtins.__import__ = interrupting
"""
RUN = """
options = ["-o", "labels.npy", "--jobs", "1", "--quiet"]
sys.argv = ["graphwell", "segment", "image.npy", "--seeds", "seeds.npy", *options]
from graphwell.__main__ import main
main()
"""

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path):
    image = np.zeros((20, 30))
    image[:, 15:] = 1.0
    seeds = np.full(image.shape, -1)
    seeds[3, 3], seeds[3, 25] = 0, 1
    np.save(tmp_path / "image.npy", image)
    np.save(tmp_path / "seeds.npy", seeds)
    return tmp_path


def run(folder, code, *arguments):
    path = os.pathsep.join(sys.path)
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        ("typer", ""),  # before any command
        ("numba", "graphwell: interrupted.\n"),  # inside a command
        ("PIL", "graphwell: interrupted.\n"),
    ],
)
def test_an_interrupt_during_an_import(folder, moment, said):
    image = "image.npy"
    code = INTERRUPTING_IMPORT + RUN
    if moment == "PIL":  # imported when a picture is opened
        (folder / "image.png").write_bytes(b"x")
        code = code.replace(image, "image.png")
    finished = run(folder, code, moment)
    assert finished.returncode == 130, finished.stderr
    assert (finished.stdout, finished.stderr) == ("", said)
    assert not (folder / "labels.npy").exists()


WHILE_WRITING = """
import os, signal, sys
import graphwell.io.images

def write_values(*to, kind=sys.argv[1]):
    file = to[-1]
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), getattr(signal, kind))

graphwell.io.images.write_values = write_values
"""


@pytest.mark.parametrize(
    ("kind", "code", "said"), [("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "terminated")]
)
def test_a_signal_while_files_are_written_leaves_none(folder, kind, code, said):
    masks = RUN.replace('"--jobs"', '"--masks", "masks", "--jobs"')
    finished = run(folder, WHILE_WRITING + masks, kind)
    assert (finished.returncode, finished.stderr) == (code, f"graphwell: {said}.\n")
    assert {path.name for path in folder.iterdir()} == {"image.npy", "seeds.npy"}


IN_THE_DESCENT = """
import os, signal, sys
import graphwell.solve.descent

graphwell.solve.descent.heartbeat = lambda: os.kill(os.getpid(), signal.SIGINT)
"""


def test_an_interrupt_of_a_fit_ends_with_130_and_leaves_no_output(folder):
    finished = run(folder, IN_THE_DESCENT + RUN)
    assert (finished.returncode, finished.stderr) == (130, "graphwell: interrupted.\n")
    assert {path.name for path in folder.iterdir()} == {"image.npy", "seeds.npy"}
