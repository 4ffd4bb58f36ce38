"""Runs that are watched, ended, and go on."""

import os
import threading

import numpy as np
import pytest

from graphwell import Annealed, CancelledError, DiffuseInterfaceClassifier, Fixed, Graph
from graphwell.backends import State
from graphwell.io.arrays import checksum_of
from graphwell.progress import heartbeat, tell
from graphwell.solve.descent import Step
from graphwell.solve.fit import Run
from graphwell.solve.problem import Problem
from tests.helpers import chain

STEP = Step(1, 4, 1.0, 2.0, 3, State(np.array([0, 1]), np.zeros(2)))


def saved(run):
    return run.saved(Problem(chain(1.0), np.array([0, 1]), 2), Fixed(), np.asarray)


def test_a_cancelled_run_ends_at_the_next_heartbeat():
    cancel = threading.Event()
    run = Run(cancel=cancel)
    with run.watched(), run.stage("start"):
        heartbeat()
        tell(0.5)
        assert saved(run)[0](STEP) is None
        cancel.set()
        with pytest.raises(CancelledError, match="The run was cancelled"):
            heartbeat()
        with pytest.raises(CancelledError):
            tell(0.5)
    heartbeat()
    with pytest.raises(CancelledError):
        saved(run)[0](STEP)


SCHEDULE = Annealed(2.0, 0.3, sweeps=10)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(3), 150)
    graph = Graph.from_features(rng.normal(size=(450, 4)) + 1.8 * np.eye(4)[truth])
    return graph, np.where(rng.random(450) < 0.05, truth, -1)


def classifier(**parameters):
    return DiffuseInterfaceClassifier(**{"schedule": SCHEDULE, "random_state": 0, "n_jobs": 1, **parameters})


def interrupted(data, path, at_step=2, **parameters):
    def stop(step):
        if step.number == at_step:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        classifier(**parameters).fit(*data, callback=stop, checkpoint=path)


def assert_same_run(one, other):
    np.testing.assert_array_equal(one.transduction_, other.transduction_)
    np.testing.assert_array_equal(one.label_distributions_, other.label_distributions_)
    np.testing.assert_array_equal(one.result_.offsets, other.result_.offsets)
    for name in ("energies", "epsilons", "label_changes", "n_sweeps", "status"):
        assert getattr(one.result_, name) == getattr(other.result_, name)


@pytest.mark.parametrize(("start", "at_steps"), [("nearest", [3, 4, 12]), ("random", [1]), ("random", [19])])
def test_an_interrupted_run_goes_on_to_the_same_bits(data, tmp_path, start, at_steps):
    path = tmp_path / "run.checkpoint"
    for step in at_steps:
        interrupted(data, path, step, start=start)
    seen = []
    resumed = classifier(start=start, n_jobs=2, verbose=False).fit(  # the number of threads may change
        *data, callback=lambda step: seen.append(step.number), checkpoint=str(path)
    )
    assert seen == list(range(at_steps[-1] + 1, 20))
    assert_same_run(resumed, classifier(start=start).fit(*data))
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"fidelity": 5.0}, "fidelity was 30.0 there and is 5.0 here"),
        ({"schedule": Fixed(1.0)}, "schedule was"),
        ({"start": "random"}, "start was auto there and is random here"),
        ({"random_state": 1}, "random_state was 0 there and is 1 here"),
        ({"step_size": 0.02, "fidelity": 5.0}, "fidelity was .* step_size was"),
    ],
)
def test_other_parameters_are_refused_by_name(data, tmp_path, parameters, words):
    interrupted(data, tmp_path / "run")
    before = (tmp_path / "run").read_bytes()
    with pytest.raises(ValueError, match=f"belongs to another run: {words}"):
        classifier(**parameters).fit(*data, checkpoint=tmp_path / "run")
    assert (tmp_path / "run").read_bytes() == before


def test_other_labels_and_other_rows_are_refused(data, tmp_path):
    graph, y = data
    interrupted(data, tmp_path / "run")
    other = y.copy()
    other[np.flatnonzero(y >= 0)[0]] = -1
    with pytest.raises(ValueError, match="another run: the known labels differ"):
        classifier().fit(graph, other, checkpoint=tmp_path / "run")
    with pytest.raises(ValueError, match=r"another run: .*the graph differs"):
        classifier().fit(graph.sharpened(2), y, checkpoint=tmp_path / "run")


@pytest.mark.parametrize("seed", [None, np.random.default_rng(0), True])
def test_a_run_that_could_not_be_repeated_is_refused(data, tmp_path, seed):
    with pytest.raises(ValueError, match="checkpoint needs an integer random_state"):
        classifier(random_state=seed).fit(*data, checkpoint=tmp_path / "run")


N = 450
FORGERIES = {
    "truncated": lambda whole: whole[: len(whole) // 3],
    "flipped": lambda whole: whole[:999] + bytes([whole[999] ^ 1]) + whole[1000:],
    "text": lambda whole: b"hello",
    "labels too high": {"labels": np.full(N, 3, dtype=np.int32)},
    "negative labels": {"labels": np.full(N, -5, dtype=np.int32)},
    "too few labels": {"labels": np.zeros(3, dtype=np.int32)},
    "offsets that are not finite": {"offsets": np.full(N, np.nan, dtype=np.float32)},
    "no step": {"energies": np.zeros(0), "label_changes": np.zeros(0, dtype=np.int64)},
    "energies in no array": {"energies": np.array(1.0)},
    "a fingerprint of nothing": {"fingerprint": np.array("{}")},
    "labels without their checksum": {"labels": np.zeros(N, dtype=np.int32), "checksum": None},
}


def forged(path, changed):
    """Rewrite a checkpoint, with an honest checksum as somebody would who knows its format."""
    if callable(changed):
        path.write_bytes(changed(path.read_bytes()))
        return
    with np.load(path) as file:
        arrays, checksum = {**file, **changed}, file["checksum"]
    if "checksum" not in changed:
        checksum = np.array(checksum_of({k: v for k, v in arrays.items() if k != "checksum"}))
    with path.open("wb") as file:
        np.savez(file, **{**arrays, "checksum": checksum})


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_damaged_or_forged_file_is_refused_before_any_work(data, tmp_path, forgery):
    interrupted(data, tmp_path / "run")
    forged(tmp_path / "run", FORGERIES[forgery])
    steps = []
    with pytest.raises(ValueError, match="damaged or no checkpoint; remove it"):
        classifier().fit(*data, checkpoint=tmp_path / "run", callback=steps.append)
    assert steps == []


def test_a_file_of_a_later_version_is_refused(data, tmp_path):
    interrupted(data, tmp_path / "run")
    forged(tmp_path / "run", {"format": np.array(2)})
    with pytest.raises(ValueError, match=r"written by a later graphwell \(format 2\); update"):
        classifier().fit(*data, checkpoint=tmp_path / "run")


def test_two_runs_cannot_share_a_file_and_no_link_is_followed(data, tmp_path):
    def begin_another(step):
        with pytest.raises(ValueError, match=f"checkpoint .*run is in use by process {os.getpid()} on"):
            classifier().fit(*data, checkpoint=tmp_path / "run")
        return True

    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / ".run.tmp").symlink_to(victim)
    classifier().fit(*data, checkpoint=tmp_path / "run", callback=begin_another)
    assert victim.read_text() == "precious"
    assert {path.name for path in tmp_path.iterdir()} <= {"run", "victim", ".run.tmp"}
