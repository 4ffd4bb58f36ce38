"""What holds the descent back."""

import numpy as np
import pytest

from graphwell import Graph
from graphwell.backends import State, find_backend
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.solve.problem import Problem
from graphwell.solve.select import (
    accepts,
    balance_for,
    holding_balance,
    labels_agree,
    not_contradicted,
    presence,
    several_clusters,
    support,
    swallowed,
    votes,
)
from tests.helpers import chain, clusters, first_labels


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
