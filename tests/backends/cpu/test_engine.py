"""The engine of the CPU against the reference."""

import numpy as np
import pytest
from hypothesis import given, settings

from graphwell import Graph
from graphwell.backends.base import Backend, Engine
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.backends.cpu.layout import Packing
from graphwell.solve.problem import Balance, Problem
from graphwell.solve.reference import ReferenceEngine
from tests.helpers import problems, random_graph, start_of


def test_rows_that_no_label_reaches_are_told_the_prior():
    graph = Graph.from_affinity([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    problem = Problem(graph, np.array([1, -1, -1]), 2)
    scores = np.array([[0.0, 2.0], [1.0, 3.0], [5.0, 0.0]])
    prior, classes = np.array([0.3, 0.7]), np.array(["a", "b"])
    rows = Backend().read_rows(np.eye(3), "euclidean")
    found = (Engine(), np.array([1, 1, 0]), scores, np.arange(2))
    told = Backend().answers(rows, problem, *found, classes, prior)
    assert told.labels.tolist() == ["b", "b", "b"]
    np.testing.assert_allclose(told.distributions, [[0, 1], [0.25, 0.75], [0.3, 0.7]])
    assert told.reachable.tolist() == [True, True, False]
    assert not told.predictor.takes_features
    nowhere = np.zeros(3, dtype=bool)
    assert told.predictor.least_certain(3, nowhere, nowhere)[0] == 2


@pytest.mark.parametrize("beyond_the_paper", [False, True])
def test_double_precision_gives_the_bits_of_the_reference(beyond_the_paper):
    @settings(max_examples=60, deadline=None)
    @given(problems(beyond_the_paper=beyond_the_paper))
    def check(case):
        problem, rng = case
        start = start_of(problem, rng)
        expected = ReferenceEngine(problem.graph).sweep(problem, start, 1.1, 0.05, 25)
        found = NumbaEngine(problem.graph, dtype=np.float64).sweep(problem, start, 1.1, 0.05, 25)
        np.testing.assert_array_equal(found.state.labels, expected.state.labels)
        rounding = 1e-10 if beyond_the_paper else 0  # masses are counted in fixed point
        np.testing.assert_allclose(found.state.offsets, expected.state.offsets, rtol=0, atol=rounding)
        assert found.label_changes == expected.label_changes
        assert beyond_the_paper or found.energy == pytest.approx(expected.energy, rel=1e-12, abs=1e-12)

    check()


@pytest.mark.parametrize("balance", [None, Balance(0.3, np.full(3, 1 / 3))])
def test_sweeps_of_any_number_of_threads_have_the_same_bits(monkeypatch, balance):
    from graphwell.backends.cpu import engine as numba_

    monkeypatch.setattr(numba_, "ENTRIES_PER_THREAD", 1)
    rng = np.random.default_rng(4)
    graph = random_graph(rng, 1200, 0.01)
    labels = np.where(rng.random(1200) < 0.1, rng.integers(3, size=1200), -1)
    problem = Problem(graph, labels, 3, balance=balance, implicit=True)
    start = start_of(problem, rng)
    one, *others = (NumbaEngine(graph, n_jobs=n).sweep(problem, start, 0.9, 0.2, 25) for n in (1, 2, 3, 8))
    for other in others:
        np.testing.assert_array_equal(other.state.labels, one.state.labels)
        np.testing.assert_array_equal(other.state.offsets, one.state.offsets)
        assert (other.energy, other.label_changes) == (one.energy, one.label_changes)


def test_a_column_is_solved_alone_as_it_is_beside_others():
    rng = np.random.default_rng(4)
    graph = random_graph(rng, 60, 0.2)
    engine, scaling = NumbaEngine(graph), np.where(rng.random(60) < 0.2, 0.0, 0.9)
    b = rng.normal(size=(60, 9)).astype(np.float32)
    together = engine.solve(scaling, b.copy())
    alone = [engine.solve(scaling, b[:, [c, c]].copy()) for c in range(9)]
    for c, one in enumerate(alone):
        np.testing.assert_array_equal(together.x[:, c], one.x[:, 0])
    assert together.iterations == max(one.iterations for one in alone)
    expected = np.linalg.solve(np.eye(60) - scaling[:, None] * graph.S.toarray() * scaling, b.astype(float))
    np.testing.assert_allclose(together.x, expected, atol=2e-3 * np.abs(expected).max())


@pytest.mark.parametrize("n_classes", [1, 2, 64, 65, 5000, 100_000, 2**21])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_word_holds_every_class_and_r(n_classes, dtype):
    packing = Packing.of(n_classes, np.dtype(dtype))
    offsets = np.linspace(-0.5, 0.5, 8, endpoint=False).astype(dtype)
    words = packing.pack(np.full(8, n_classes - 1), offsets)
    assert (packing.labels(words) == n_classes - 1).all()
    r = (words & ((1 << packing.shift) - 1)) / 2.0**packing.shift
    np.testing.assert_array_equal(r, 0.5 - np.abs(offsets.astype(float)))
    assert packing.shift >= 15
