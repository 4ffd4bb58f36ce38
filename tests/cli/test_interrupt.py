"""Ctrl-C at any moment ends the program with 130, without a traceback and without a file.

A run that is killed and started again ends with exactly the file of one that was not.
"""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from graphwell import datasets

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


def start(folder, out="out.npz", *options):
    command = [sys.executable, "-m", "graphwell", "classify", "moons.npz", "--label", "y", "-o", out]
    options = ["--set", "start=nearest", "--jobs", "1", *options]  # quick, apart from the descent
    return subprocess.Popen(
        [*command, *options], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


@pytest.fixture
def moons(tmp_path):
    X, truth = datasets.make_three_moons(n_per_class=20_000, dim=4, random_state=0)
    np.savez(tmp_path / "moons.npz", X=X, y=datasets.sample_labels(truth, 20, random_state=0))
    return tmp_path


def steps_saved(folder):
    if not (folder / "run").exists():
        return 0
    with np.load(folder / "run") as saved:
        return len(saved["energies"])


def wait_until_it_saves_more(process, folder, before):
    while process.poll() is None and steps_saved(folder) <= before:
        time.sleep(0.002)


def test_killed_at_random_moments_it_ends_with_the_same_bytes(moons):
    rng = np.random.default_rng(0)
    whole = start(moons, "whole.npz")
    died_at = []
    for _ in range(2):
        process = start(moons, "out.npz", "--checkpoint", "run")
        wait_until_it_saves_more(process, moons, died_at[-1] if died_at else 0)
        time.sleep(rng.uniform(0, 0.02))
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL, "the run ended before it was killed"
        process.stderr.close()
        died_at.append(steps_saved(moons))
        assert not (moons / "out.npz").exists()
    with np.load(moons / "run") as saved:
        labels_when_killed = saved["labels"]
    resumed = start(moons, "out.npz", "--checkpoint", "run")
    assert (resumed.wait(), whole.wait()) == (0, 0), resumed.stderr.read()
    for process in (resumed, whole):
        process.stderr.close()
    assert 0 < died_at[0] < died_at[1] < steps_saved(moons)
    assert (moons / "out.npz").read_bytes() == (moons / "whole.npz").read_bytes()
    assert (labels_when_killed != np.load(moons / "out.npz")["graphwell_label"]).any()


def test_an_interrupt_ends_with_130_and_leaves_no_output(moons):
    process = start(moons, "out.npz", "--checkpoint", "run")
    wait_until_it_saves_more(process, moons, 0)
    process.send_signal(signal.SIGINT)
    error = process.communicate()[1].decode()
    assert process.returncode == 130
    assert error == "graphwell: interrupted.\n"
    assert {path.name for path in moons.iterdir()} == {"moons.npz", "run"}
