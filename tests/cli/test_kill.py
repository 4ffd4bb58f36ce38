"""A run that is killed and started again ends with exactly the file of one that was not."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from graphwell import datasets

pytestmark = pytest.mark.slow


def start(folder, out="out.npz", *options):
    command = [sys.executable, "-m", "graphwell", "classify", "moons.npz", "--label", "y", "-o", out]
    options = ["--start", "nearest", "--jobs", "1", *options]  # quick, apart from the descent
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
    rng = np.random.default_rng()
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
