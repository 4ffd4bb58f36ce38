"""Which result is kept."""

from dataclasses import replace

import numpy as np
import pytest

from graphwell import Graph, Status
from graphwell.backends import State, find_backend
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.solve.fit import Recipe, fit, prepare
from graphwell.solve.problem import Problem
from graphwell.solve.run import Run
from graphwell.solve.select import (
    accepts,
    candidates_of,
    communities_start,
    labels_agree,
    measured_candidates,
    not_contradicted,
    presence,
    ranked,
    select,
    several_clusters,
    support,
    swallowed,
    treated_alike,
    votes,
)
from graphwell.solve.sizes import balance_for, holding_balance
from tests.helpers import chain, clusters, first_labels


def prepared_case(sizes, per_class, **options):
    graph, truth = clusters(sizes)
    problem = Problem(graph, first_labels(truth, per_class), len(sizes), **options)
    return prepare(find_backend("cpu"), problem, Recipe(), np.random.default_rng(0)), truth


def test_a_good_descent_is_accepted_and_a_swallowed_class_is_not():
    prepared, truth = prepared_case([80, 80], 2)
    assert select(prepared, State(truth.astype(np.int32), np.zeros(160))) is None
    one = State(np.zeros(160, dtype=np.int32), np.zeros(160))
    assert select(prepared, one) is Status.HELD_BACK


def test_far_more_even_classes_than_the_labels_say_give_way_to_the_communities():
    prepared, truth = prepared_case([400, 20], 5)
    half = State((np.arange(420) % 2).astype(np.int32), np.zeros(420))
    assert select(prepared, half) is Status.COMMUNITIES_KEPT
    start = communities_start(prepared)
    assert (start.state.labels == truth).mean() > 0.98
    chosen = [c.name for c in candidates_of(prepared, half, Status.COMMUNITIES_KEPT) if c.chosen]
    assert chosen == ["communities"]


@pytest.mark.parametrize("per_class", [19, 20])
def test_many_labels_need_no_coarse_level(per_class):
    prepared, _ = prepared_case([80, 80], per_class)
    assert (prepared.coarse is not None) == (per_class < 20)


def test_bounds_of_the_sizes_are_kept():
    graph, truth = clusters([80, 80], spread=3.0)
    bounds = np.array([[0.0, 0.7], [1.0, 1.0]])
    problem = Problem(graph, first_labels(truth, 1), 2, size_bounds=bounds)
    found = fit(find_backend("cpu"), problem, Recipe(), Run(), np.random.default_rng(0)).result.labels
    assert (found == 1).mean() > 0.55


def test_a_start_that_the_labels_refute_is_not_kept():
    graph, truth = clusters([150, 50])
    labels = np.full(200, -1)
    labels[[0, 1, 2, 3, 4, 150]] = truth[[0, 1, 2, 3, 4, 150]]
    prepared = prepare(find_backend("cpu"), Problem(graph, labels, 2), Recipe(), np.random.default_rng(0))
    nothing = np.zeros(200, dtype=np.int32)
    nothing[150] = 1
    start = replace(prepared.start, state=State(nothing, np.zeros(200)))
    shares = np.eye(2)[nothing]
    prepared = replace(prepared, start=start, coarse=replace(prepared.coarse, shares=shares))
    assert select(prepared, State(truth.astype(np.int32), np.zeros(200))) is None


def test_a_start_that_is_uneven_gets_no_pressure_towards_even_classes():
    problem = Problem(chain(1.0), np.array([0, 1]), 2)
    assert balance_for(problem, np.array([50, 50])).strength == pytest.approx(0.3)
    assert 0 < balance_for(problem, np.array([60, 40])).strength < 0.3
    assert balance_for(problem, np.array([90, 10])) is None


def test_given_shares_are_pressed_for_whatever_the_start():
    problem = Problem(chain(1.0), np.array([0, 1]), 2, class_shares=np.array([0.9, 0.1]))
    assert balance_for(problem, np.array([10, 90])).shares.tolist() == [0.9, 0.1]


def test_labels_that_agree_with_their_neighbours_let_the_result_stand():
    graph, truth = clusters([40, 40])
    problem = Problem(graph, first_labels(truth, 5), 2)
    assert accepts(problem, NumbaEngine(problem.graph), State(truth, np.zeros(80)), np.array([40, 40]))
    assert not accepts(
        problem, NumbaEngine(problem.graph), State(1 - truth, np.zeros(80)), np.array([40, 40])
    )


def test_a_result_in_which_one_class_swallowed_another_does_not_stand():
    graph, _ = clusters([40, 40])
    problem = Problem(graph, np.where(np.arange(80) == 0, 0, -1), 2)
    assert not accepts(
        problem, NumbaEngine(problem.graph), State(np.zeros(80, dtype=int), np.zeros(80)), np.array([40, 40])
    )


def test_few_labels_may_be_overruled_if_they_stand_for_few_vertices():
    given = np.repeat([0, 1], 50)
    few_wrong, many_wrong = given.copy(), given.copy()
    few_wrong[:5] = 1  # each of the 50 labels of class 0 stands for 10 of its 500 vertices
    many_wrong[:20] = 1
    sizes = np.array([500, 500])
    assert labels_agree(given, few_wrong, sizes)
    assert not labels_agree(given, many_wrong, sizes)


def test_presence_votes_and_support_by_hand():
    graph = chain(1.0)
    problem, engine = Problem(graph, np.array([0, -1]), 2), NumbaEngine(graph, dtype=np.float64)
    state = State(np.array([0, 1]), np.array([0.1, -0.3]))
    np.testing.assert_allclose(presence(problem, engine, state), [[0.4, 0], [0, 0.2]], atol=1e-7)
    np.testing.assert_allclose(votes(problem, engine, state), [[0, 0.2], [0.4, 0]], atol=1e-7)
    np.testing.assert_allclose(support(problem, engine, state), [[0.4, 0.2], [0.4, 0.2]], atol=1e-7)


def test_of_few_labels_more_may_be_overruled_than_of_many():
    graph = Graph.from_affinity(1 - np.eye(200))
    engine = find_backend("cpu").engine(graph)
    for given, allowed in ((2, 1), (6, 2), (102, 13)):
        labels = np.full(200, -1)
        labels[:given] = np.arange(given) % 2
        problem = Problem(graph, labels, 2)
        # All vertices are linked: every label hears a clear majority, so half of the labels are overruled.
        state = State(np.zeros(200, dtype=np.int32), np.zeros(200))
        assert not_contradicted(problem, engine, state) == (given // 2 <= allowed)


def test_an_uneven_start_holds_the_sizes_of_the_coarse_solution(backend):
    graph = backend.place(Graph.from_affinity(1 - np.eye(4)))
    problem = Problem(graph, backend.asarray(np.array([0, 1, -1, -1])), 2)
    engine, first = backend.engine(graph), backend.asarray(np.array([0, 1, 1, 1]))
    held = holding_balance(problem, engine, first, even=0.0)
    np.testing.assert_allclose(held.shares, [0.25, 0.75])
    np.testing.assert_allclose(holding_balance(problem, engine, first, even=1.0).shares, 0.5)


def test_too_even_and_swallowed_are_told_apart():
    graph = Graph.from_affinity(1 - np.eye(10))
    problem = Problem(graph, np.arange(10) % 2, 2)
    uneven, even, one = np.array([9, 1]), np.array([5, 5]), np.array([10, 0])
    assert several_clusters(problem, even, uneven)
    assert not several_clusters(problem, uneven, even)
    assert swallowed(one, even)
    assert not swallowed(even, uneven)


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
