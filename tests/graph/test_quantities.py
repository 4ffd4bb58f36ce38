"""What follows from the affinities, held against its definition."""

import numpy as np
from scipy import sparse

from graphwell import Graph


def test_derived_matrices_agree_with_their_definitions():
    X = np.random.default_rng(0).normal(size=(60, 12))
    graph = Graph.from_features(X)
    W = graph.W.toarray().astype(float)
    D = W.sum(axis=1)
    np.testing.assert_allclose(W, W.T)
    np.testing.assert_allclose(graph.degrees, D)
    np.testing.assert_allclose(graph.S.toarray(), W / np.sqrt(np.outer(D, D)))
    np.testing.assert_allclose(graph.L.toarray(), np.diag(D) - W)
    np.testing.assert_allclose(graph.L_s.toarray(), np.eye(60) - W / np.sqrt(np.outer(D, D)))
    assert (np.diag(W) == 0).all()


def test_components_and_isolated_vertices_are_found():
    W = sparse.lil_array((6, 6))
    W[0, 1] = W[1, 0] = W[2, 3] = W[3, 2] = 1.0
    graph = Graph.from_affinity(W)
    assert graph.n_components == 4
    assert graph.isolated.tolist() == [4, 5]
    assert repr(graph) == "Graph(6 vertices, 2 edges, 4 components, 2 isolated vertices)"
    assert np.isfinite(graph.S.toarray()).all()


def test_indices_are_32_bit_and_memory_is_reported():
    graph = Graph.from_features(np.random.default_rng(8).normal(size=(100, 3)))
    assert graph.W.indices.dtype == graph.W.indptr.dtype == np.int32
    assert graph.nbytes == graph.W.nnz * 8 + 101 * 4


def test_the_nearest_source_is_that_of_the_shortest_way():
    W = np.zeros((4, 4))
    W[0, 1] = W[1, 0] = 1.0
    W[1, 2] = W[2, 1] = 0.25
    graph = Graph.from_affinity(W)
    assert graph.nearest(np.array([True, False, True, False])).tolist()[:3] == [0, 0, 2]
    assert graph.nearest(np.array([True, False, False, False]))[3] < 0
