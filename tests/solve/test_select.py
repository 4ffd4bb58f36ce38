"""Which result is kept, and the sizes that classes are pressed towards."""

from dataclasses import replace

import numpy as np
import pytest

from graphwell import DiffuseInterfaceClassifier, Graph, Status
from graphwell.backends import State, find_backend
from graphwell.datasets import sample_labels
from graphwell.solve.fit import Recipe, Run, fit, prepare
from graphwell.solve.problem import Problem
from graphwell.solve.select import (
    Prepared,
    communities_start,
    contradictions,
    labels_agree,
    select,
)
from graphwell.solve.sizes import balance_for, holding_balance
from graphwell.solve.start import Start
from tests.helpers import chain, clusters, first_labels


def prepared_case(sizes, per_class):
    graph, truth = clusters(sizes)
    problem = Problem(graph, first_labels(truth, per_class), len(sizes))
    return prepare(find_backend("cpu"), problem, Recipe(), np.random.default_rng(0)), truth


def test_a_good_descent_is_kept_and_a_swallowed_class_is_not():
    prepared, truth = prepared_case([80, 80], 2)
    good, one = (State(labels.astype(np.int32), np.zeros(160)) for labels in (truth, 0 * truth))
    assert select(prepared, good) is None
    assert select(prepared, one) is Status.HELD_BACK
    without = replace(prepared, coarse=None)
    assert select(without, good) is None
    assert select(without, one) is Status.HELD_BACK
    assert select(without, State((1 - truth).astype(np.int32), np.zeros(160))) is Status.HELD_BACK


def test_far_more_even_classes_than_the_labels_say_give_way_to_the_communities():
    prepared, truth = prepared_case([400, 20], 5)
    half = State((np.arange(420) % 2).astype(np.int32), np.zeros(420))
    assert select(prepared, half) is Status.COMMUNITIES_KEPT
    assert (communities_start(prepared).state.labels == truth).mean() > 0.98


def test_bounds_of_the_sizes_are_kept():
    graph, truth = clusters([80, 80], spread=3.0)
    bounds = np.array([[0.0, 0.7], [1.0, 1.0]])
    problem = Problem(graph, first_labels(truth, 1), 2, size_bounds=bounds)
    found = fit(find_backend("cpu"), problem, Recipe(), Run(), np.random.default_rng(0)).result.labels
    assert (found == 1).mean() > 0.55


def test_the_pressure_of_a_start_follows_how_even_it_is_and_given_shares_whatever_it_is():
    problem = Problem(chain(1.0), np.array([0, 1]), 2)
    assert balance_for(problem, np.array([50, 50])).strength == pytest.approx(0.3)
    assert 0 < balance_for(problem, np.array([60, 40])).strength < 0.3
    assert balance_for(problem, np.array([90, 10])) is None
    sized = replace(problem, class_shares=np.array([0.9, 0.1]))
    assert balance_for(sized, np.array([10, 90])).shares.tolist() == [0.9, 0.1]


def test_an_uneven_coarse_solution_holds_its_sizes(backend):
    graph = backend.place(Graph.from_affinity(1 - np.eye(4)))
    problem = Problem(graph, backend.asarray(np.array([0, 1, -1, -1])), 2)
    engine, first = backend.engine(graph), backend.asarray(np.array([0, 1, 1, 1]))
    held = holding_balance(problem, engine, first, balanced=0.0)
    np.testing.assert_allclose(held.shares, [0.25, 0.75])
    np.testing.assert_allclose(holding_balance(problem, engine, first, balanced=1.0).shares, 0.5)


def test_few_labels_may_be_overruled_and_of_few_more_than_of_many():
    # All vertices are linked: every label hears a clear majority, so half of the labels are overruled.
    graph = Graph.from_affinity(1 - np.eye(200))
    engine, state = find_backend("cpu").engine(graph), State(np.zeros(200, dtype=np.int32), np.zeros(200))
    for given, after_coarse, without in ((2, 1, 1), (6, 2, 1), (102, 13, 16)):
        labels = np.full(200, -1)
        labels[:given] = np.arange(given) % 2
        prepared = Prepared(Problem(graph, labels, 2), engine, Start(state))
        sizes = np.array([200, 0])
        assert labels_agree(replace(prepared, coarse="there"), state, sizes) == (given // 2 <= after_coarse)
        assert labels_agree(prepared, state, sizes) == (given // 2 <= without)


def test_a_candidate_counts_the_labels_that_its_neighbours_overrule(backend):
    W = np.ones((4, 4)) - np.eye(4)
    W[3] = W[:, 3] = 0.0  # a label without neighbours is overruled by nobody
    graph = backend.place(Graph.from_affinity(W))
    problem = Problem(graph, backend.asarray(np.array([0, -1, -1, 1])), 2)
    prepared = Prepared(problem, backend.engine(graph), Start(None))
    start, descent = contradictions(prepared, np.array([0, 1, 1, 1]), np.array([0, 0, 0, 1]))
    assert start == (1, pytest.approx(4 / 6))
    assert descent == (0, 0)


def test_classes_of_several_clusters_keep_the_coarse_level_from_many_labels(shared_data):
    """Ten digits in three classes: a cluster has few of the labels; from the start 6.3 % were wrong."""
    with np.load(shared_data / "uci" / "optdigits.npz") as file:
        X, truth = file["X"].astype(float), file["y"].astype(int) % 3
    known = sample_labels(truth, 20, random_state=1)
    found = DiffuseInterfaceClassifier(models=None, random_state=1).fit(X, known)
    assert (found.transduction_ != truth)[known < 0].mean() < 0.03
