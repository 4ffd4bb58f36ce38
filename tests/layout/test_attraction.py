"""The pull of neighbours, held to a plain loop."""

import numpy as np
from scipy import sparse

from graphwell import Graph
from graphwell._thread_pool import ThreadPool
from graphwell.layout.attraction import attraction, shares_of_neighbors


def edge_by_edge(places, W):
    """The pull as it is defined."""
    W, pull = W.toarray(), np.zeros_like(places)
    for i in range(len(W)):
        for j in np.flatnonzero(W[i]):
            between = places[j] - places[i]
            pull[i] += W[i, j] / W[i].sum() * between / (1 + between @ between)
    return pull


def test_it_is_that_of_a_plain_loop():
    rng = np.random.default_rng(0)
    W = Graph.from_features(rng.normal(size=(80, 3)), n_neighbors=4).W
    places = rng.normal(0, 3, (80, 2))
    found = attraction(places, W, shares_of_neighbors(W), ThreadPool(2))
    assert np.allclose(found, edge_by_edge(places, W), atol=1e-6)


def test_a_vertex_without_neighbours_is_not_pulled():
    W = sparse.csr_array(np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, 0]]))
    places = np.array([[0.0, 0], [1, 0], [5, 5]])
    assert (attraction(places, W, shares_of_neighbors(W), ThreadPool(1))[2] == 0).all()


def test_shares_are_those_of_plain_affinities_whatever_the_sharpness():
    graph = Graph.from_features(np.random.default_rng(0).normal(size=(50, 3)))
    sharp = graph.sharpened(2.0)
    assert np.allclose(shares_of_neighbors(sharp.W, 0.5), shares_of_neighbors(graph.W), atol=1e-6)
