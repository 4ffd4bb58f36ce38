"""The problem on graphs of communities."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy import linalg, sparse

from graphwell import Graph, Status
from graphwell._threads import ThreadPool
from graphwell.backends import find_backend
from graphwell.solve.coarse import (
    INITIAL_TEMPERATURES,
    CoarseGraph,
    CoarseSearch,
    annealed,
    claimed_shares,
    lowest_energy,
    refined,
    solve_coarse,
)
from graphwell.solve.fit import Recipe, Run, fit
from graphwell.solve.problem import Problem
from tests.helpers import clusters, columns_of, first_labels


def dense_energy(W, labels, evidence, pressure):
    volumes, total = W.sum(axis=1), W.sum()
    cut = (W * (labels[:, None] != labels[None, :])).sum() / total
    shares = np.array([volumes[labels == k].sum() for k in range(len(pressure))]) / total
    return cut + (pressure * shares**2).sum() - evidence[np.arange(len(labels)), labels].sum() / total


def tiny(seed, n=7, n_classes=3):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.6), 1)
    label_weights = np.eye(n, n_classes)
    return upper + upper.T, label_weights, 0.1 * rng.random((n, n_classes)), rng.random(n_classes)


def coarse(W, label_weights):
    n = len(label_weights)
    return CoarseGraph(np.arange(n), sparse.csr_array(W), label_weights, np.ones(n))


@pytest.mark.parametrize("seed", range(6))
def test_no_single_change_lowers_the_energy_that_is_told(seed):
    W, label_weights, evidence, pressure = tiny(seed)
    for temperature in INITIAL_TEMPERATURES:
        labels, found = annealed(coarse(W, label_weights), evidence, pressure, temperature)
        assert found == pytest.approx(dense_energy(W, labels, evidence, pressure))
        for vertex, other in itertools.product(range(7), range(3)):
            changed = labels.copy()
            changed[vertex] = other
            assert dense_energy(W, changed, evidence, pressure) >= found - 1e-12


def test_refining_moves_whole_parts_where_single_moves_are_stuck():
    triangles = np.kron(np.eye(4), 1 - np.eye(3)) + 0.4 * (np.eye(12, k=3) + np.eye(12, k=-3))
    evidence, pressure = np.zeros((12, 2)), np.full(2, 0.1)
    evidence[:3, 0] = evidence[9:, 1] = 9.0
    labels = np.repeat([0, 1, 0, 1], 3)
    for seed in range(5):
        parts = [np.random.default_rng(seed).permutation(4)[np.arange(12) // 3]]
        found, energy = refined(coarse(triangles, np.zeros((12, 2))), parts, evidence, pressure, labels)
        assert energy == pytest.approx(dense_energy(triangles, found, evidence, pressure))
        assert energy < dense_energy(triangles, labels, evidence, pressure)


def test_classes_of_very_different_size_lower_the_pressure():
    for counts, balanced in ((np.full(10, 12), 1), (np.array([60, 30, 8, 4, 4, 4, 4, 4, 4, 4]), 0)):
        W = linalg.block_diag(*[np.ones((n, n)) - np.eye(n) for n in counts])
        truth = np.repeat(np.arange(10), counts)
        graph = coarse(W, np.zeros((len(truth), 10)))
        search = CoarseSearch(graph, [graph], np.eye(10)[truth], np.ones(10, dtype=bool), ThreadPool(1))
        labels, _, found = lowest_energy(search, None)
        np.testing.assert_array_equal(labels, truth)
        assert found == balanced


def solved(problem, start):
    return solve_coarse(problem, find_backend("cpu").engine(problem.graph), start)


def test_a_class_without_a_label_gets_nothing_unless_its_size_is_given():
    graph, truth = clusters([60, 60, 60])
    labels, start = first_labels(truth, 2), np.tile([0.5, 0.5, 0.0], (180, 1))
    problem = Problem(graph, np.where(labels == 2, -1, labels), 3)
    assert solved(problem, start).labels.max() == 1
    sized = solved(replace(problem, class_shares=np.full(3, 1 / 3)), start)
    assert (sized.labels == 2).sum() == pytest.approx(60, abs=10)


def test_isolated_vertices_and_components_without_labels_do_no_harm():
    W = linalg.block_diag(*[np.ones((4, 4)) - np.eye(4)] * 3, np.zeros((2, 2)))
    labels = np.full(14, -1)
    labels[[0, 4]] = [0, 1]
    found = solved(Problem(Graph.from_affinity(W), labels, 2), np.zeros((14, 2)))
    assert found.labels[:8].tolist() == [0] * 4 + [1] * 4
    assert np.isfinite(found.scores).all()


CLASS_OF_CLUSTER = np.array([0, 0, 1, 0, 0, 1, 0, 0])


def two_classes_of_many_clusters(labels_of_cluster):
    """Eight clusters, of which two are of class 1, and so many labels in each cluster."""
    graph, cluster = clusters([60] * len(CLASS_OF_CLUSTER))
    truth, labels = CLASS_OF_CLUSTER[cluster], np.full(len(cluster), -1)
    for number, count in enumerate(labels_of_cluster):
        chosen = np.flatnonzero(cluster == number)[:count]
        labels[chosen] = truth[chosen]
    return graph, labels, truth


def test_clusters_far_apart_take_the_class_of_the_labels_in_them(backend):
    graph, labels, truth = two_classes_of_many_clusters([2] * 8)
    placed = backend.place(graph)
    problem = Problem(placed, backend.asarray(labels), 2)
    engine = backend.engine(placed)
    shares = columns_of(engine, claimed_shares(problem, engine))
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-6)
    assert (shares.argmax(axis=1) == truth).mean() > 0.99
    found = fit(backend, problem, Recipe(), Run(), np.random.default_rng(0))
    assert (found.engine.to_host(found.result.labels) == truth).mean() > 0.99
    assert found.result.status in (Status.SETTLED, Status.COMMUNITIES_KEPT, Status.HELD_BACK)


@pytest.mark.parametrize("labels_of_cluster", [[1, 0, 1, 0, 0, 0, 1, 1], [1, 1, 3, 1, 1, 3, 1, 1]])
def test_too_few_labels_or_equally_many_per_class_claim_nothing(labels_of_cluster):
    graph, labels, _ = two_classes_of_many_clusters(labels_of_cluster)
    assert claimed_shares(Problem(graph, labels, 2), find_backend("cpu").engine(graph)) is None
