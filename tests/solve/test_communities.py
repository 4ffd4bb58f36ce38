"""Aggregation and Louvain's method."""

import itertools
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from graphwell import Graph
from graphwell._threads import ThreadPool
from graphwell.backends import find_backend
from graphwell.backends.aggregation import merged_matrix
from graphwell.solve.communities import (
    Aggregates,
    aggregates_of,
    communities_in_background,
    joined_until,
    joined_vertices,
    levels_for,
    louvain,
    modularity,
)
from tests.helpers import clusters, first_labels, random_graph


def dense_modularity(W, community, resolution):
    degrees, total = W.sum(axis=1), W.sum()
    same = community[:, None] == community[None, :]
    return float(((W - resolution * np.outer(degrees, degrees) / total) * same).sum() / total)


def communities(W, resolution=1.0, seed=0):
    """Communities, numbered in the order in which they are met."""
    return as_met(louvain(sparse.csr_array(W), resolution, np.random.default_rng(seed)))


def as_met(groups):
    _, first, place = np.unique(groups, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place]


def aggregate(engine, most):
    return Aggregates(*joined_until(*joined_vertices(engine, most), most))


def engine_of(W):
    return find_backend("cpu").engine(Graph.from_affinity(W))


def random_affinity(n, density, seed):
    return random_graph(np.random.default_rng(seed), n, density).W.toarray().astype(float)


@pytest.mark.parametrize("seed", range(3))
def test_modularity_and_merging_are_those_of_dense_matrices(seed):
    W = random_affinity(15, 0.4, seed)
    community = np.random.default_rng(seed).permutation(np.arange(15) % 4)
    for resolution in (0.5, 4.0):
        found = modularity(sparse.csr_array(W), community, resolution)
        assert found == pytest.approx(dense_modularity(W, community, resolution))
    members = np.eye(4)[community]
    np.testing.assert_allclose(
        merged_matrix(sparse.csr_array(W), community).toarray(), members.T @ W @ members
    )


def test_aggregates_do_not_depend_on_the_numbering_of_the_vertices():
    W = random_affinity(300, 0.03, 1)
    order = np.random.default_rng(2).permutation(300)
    plain = aggregate(engine_of(W), most=60).members[order]
    permuted = aggregate(engine_of(W[np.ix_(order, order)]), most=60).members
    same = plain[:, None] == plain[None, :]
    np.testing.assert_array_equal(same, permuted[:, None] == permuted[None, :])


def test_the_best_of_all_partitions_of_a_tiny_graph_is_found():
    W = np.zeros((6, 6))
    for i, j in [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)]:
        W[i, j] = W[j, i] = 1.0
    every = (np.array(p) for p in itertools.product(range(3), repeat=6))
    best = max(dense_modularity(W, p, 1.0) for p in every)
    assert dense_modularity(W, communities(W), 1.0) == pytest.approx(best)


def test_communities_are_found_on_the_host_while_another_device_computes(monkeypatch):
    graph, truth = clusters([60, 60, 60])
    engine, labels, asked = find_backend("cpu").engine(graph), first_labels(truth, 2), []
    engine.xp = SimpleNamespace()  # as if it were another device
    heaviest, began = engine.heaviest, threading.Event()
    engine.heaviest = lambda: asked.append(threading.current_thread()) or heaviest()
    level = Aggregates.level
    monkeypatch.setattr(Aggregates, "level", lambda *which: began.set() or level(*which))
    with communities_in_background(labels, engine):
        assert began.wait(10)
    assert asked == [threading.main_thread()]
    monkeypatch.setattr("graphwell.solve.communities.louvain", None)  # nothing is left to find
    levels = levels_for(labels, aggregates_of(engine), ThreadPool(1))
    assert [len(community) for community, _ in levels] == 6 * [180]
    monkeypatch.setattr(Aggregates, "level", None)
    with pytest.raises(TypeError), communities_in_background(labels, engine):
        pass  # an error beside the start is raised
