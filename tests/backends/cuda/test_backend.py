"""Fits on a GPU are those of the CPU."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits

from graphwell import DiffuseInterfaceClassifier, Graph
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.backends.cuda import CudaEngine, CudaGraph
from graphwell.errors import BridgedWarning
from graphwell.solve.problem import Problem
from graphwell.solve.start import STARTS


def few(y, every=15):
    return np.where(np.arange(len(y)) % every == 0, y, -1)


@pytest.mark.parametrize("start", STARTS)
def test_starts_are_those_of_the_cpu(gpu, start):
    rng = np.random.default_rng(0)
    X, y = load_digits(return_X_y=True)
    graph = Graph.from_features(X)
    labels = np.where(rng.random(len(y)) < 0.05, y, -1)
    shares = np.bincount(y) / len(y)
    for class_shares in (None, shares):
        problem = Problem(graph, labels, 10, class_shares=class_shares)
        there = CudaGraph.of(graph)
        placed = Problem(there, gpu.asarray(labels), 10, class_shares=class_shares)
        expected = STARTS[start].find(problem, NumbaEngine(graph), np.random.default_rng(1)).state
        found = STARTS[start].find(placed, CudaEngine(there), np.random.default_rng(1)).state
        assert (found.labels.get() == expected.labels).mean() > 0.998
        assert (found.offsets.get() == expected.offsets).mean() > 0.998


@pytest.mark.parametrize("parameters", [{}, {"start": "nearest"}, {"start": "random"}, {"models": []}])
def test_a_fit_on_the_gpu_is_that_of_the_cpu(gpu, parameters):
    X, y = load_digits(return_X_y=True)
    given = {"models": None, "random_state": 0, **parameters}
    expected = DiffuseInterfaceClassifier(**given).fit(X, few(y))
    found = DiffuseInterfaceClassifier(device="cuda", **given).fit(X, few(y))
    assert isinstance(found.transduction_, np.ndarray)
    # A start and labels to hold out are drawn in the order of the rows on a GPU, of their content on the CPU.
    if parameters not in ({"start": "random"}, {"models": []}):
        assert (found.transduction_ == expected.transduction_).mean() > 0.998
        assert (found.predict(X[:50] + 0.1) == expected.predict(X[:50] + 0.1)).all()
    again = DiffuseInterfaceClassifier(device="cuda", **given).fit(X, few(y))
    np.testing.assert_array_equal(again.label_distributions_, found.label_distributions_)
    assert again.result_.energies == found.result_.energies


@pytest.mark.filterwarnings("ignore:27 of 1797 rows lie in 1 part")
def test_features_beside_a_graph(gpu):
    X, y = load_digits(return_X_y=True)
    W = Graph.from_features(X).W
    fits = [
        DiffuseInterfaceClassifier(metric="precomputed", models=models, device=device, random_state=0).fit(
            W, few(y), features=X
        )
        for models in (None, "auto")
        for device in ("cpu", "cuda")
    ]
    assert len({fit.tuning_.metric for fit in fits}) == 1
    same = [(one.transduction_ == other.transduction_).mean() for one, other in (fits[:2], fits[2:])]
    # Labels to hold out are drawn in the order of the rows on a GPU, of their content on the CPU.
    assert same[0] > 0.998
    assert same[1] > 0.97


def test_parts_without_a_label_are_joined_as_on_the_cpu(gpu):
    centres = np.random.default_rng(0).uniform(-1000, 1000, size=(12, 20))
    X = np.repeat(centres, 50, axis=0) + np.random.default_rng(1).standard_normal((600, 20))
    labels = np.full(600, -1)
    labels[[0, 60, 120]] = 0, 1, 2
    with pytest.warns(BridgedWarning):
        expected = DiffuseInterfaceClassifier(models=None).fit(X, labels)
    with pytest.warns(BridgedWarning):
        found = DiffuseInterfaceClassifier(models=None, device="cuda").fit(X, labels)
    np.testing.assert_array_equal(found.bridged_, expected.bridged_)
    np.testing.assert_array_equal(found.transduction_, expected.transduction_)


def test_a_fitted_classifier_can_be_stored_and_used_without_a_gpu(gpu):
    X, y = load_digits(return_X_y=True)
    found = DiffuseInterfaceClassifier(models=None, device="cuda", random_state=0).fit(X, few(y))
    stored = pickle.loads(pickle.dumps(found))
    assert type(stored.graph_) is Graph
    np.testing.assert_array_equal(stored.predict(X[:30]), found.predict(X[:30]))


def test_too_little_memory_is_said_in_figures(gpu, monkeypatch):
    monkeypatch.setattr("graphwell.backends.cuda._cupy.free_memory", lambda: 1_000_000)
    X, y = load_digits(return_X_y=True)
    with pytest.raises(MemoryError, match=r"about \d.* MB are needed and 1\.0 MB are free"):
        DiffuseInterfaceClassifier(models=None, device="cuda").fit(X, few(y))
