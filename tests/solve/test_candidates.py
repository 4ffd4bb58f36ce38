"""Figures of labellings, by hand."""

import numpy as np
import pytest

from graphwell import Graph
from graphwell.backends import find_backend
from graphwell.solve.problem import Problem
from graphwell.solve.select import measured_candidates, ranked, treated_alike


def test_a_candidate_counts_the_labels_that_its_neighbours_overrule(backend):
    graph = backend.place(Graph.from_affinity(np.ones((3, 3)) - np.eye(3)))
    problem = Problem(graph, backend.asarray(np.array([0, -1, -1])), 2)
    labellings = {"start": np.array([0, 1, 1]), "descent": np.array([0, 0, 0])}
    start, descent = measured_candidates(problem, backend.engine(graph), labellings, np.zeros(2), "start")
    assert start.overruled == 1
    assert start.energy == pytest.approx(4 / 6)
    assert start.normalised_cut == pytest.approx(2 / 2 + 2 / 4)
    assert start.chosen
    assert (descent.energy, descent.normalised_cut, descent.overruled, descent.chosen) == (0, 0, 0, False)


def test_figures_do_not_depend_on_the_labellings_measured_beside():
    rng = np.random.default_rng(0)
    weights = np.triu(rng.random((12, 12)), 1)
    problem = Problem(Graph.from_affinity(weights + weights.T), np.array([0, 1, 2] + 9 * [-1]), 3)
    labellings = {name: rng.integers(3, size=12) for name in "abc"}
    engine = find_backend("cpu").engine(problem.graph)
    together = measured_candidates(problem, engine, labellings, np.ones(3), "b")
    for candidate, (name, labels) in zip(together, labellings.items(), strict=True):
        (alone,) = measured_candidates(problem, engine, {name: labels}, np.ones(3), "b")
        assert candidate.energy == pytest.approx(alone.energy)
        assert candidate.normalised_cut == pytest.approx(alone.normalised_cut)
        assert (candidate.overruled, candidate.chosen) == (alone.overruled, alone.chosen)


def test_a_label_without_neighbours_is_overruled_by_nobody():
    graph = Graph.from_affinity([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    problem = Problem(graph, np.array([0, -1, 1]), 2)
    (found,) = measured_candidates(
        problem, find_backend("cpu").engine(graph), {"start": np.array([0, 0, 1])}, np.ones(2), ""
    )
    assert found.overruled == 0


def test_many_labellings_of_many_classes_do_not_overflow():
    labels = np.arange(2000) % 1000
    groups, first = treated_alike(8 * [labels], np.zeros(2000, dtype=bool))
    assert len(first) == 1000
    assert (groups[:1000] == groups[1000:]).all()


@pytest.mark.parametrize("largest", [3, 50, 10_000])
def test_ranks_are_those_of_sorted_codes(largest):
    codes = np.random.default_rng(largest).integers(largest, size=200)
    np.testing.assert_array_equal(ranked(codes), np.unique(codes, return_inverse=True)[1])
    groups, first = treated_alike([codes % 5, codes % 3], codes == codes[0])
    for group, vertex in enumerate(first):
        assert vertex == np.flatnonzero(groups == group)[0]
