"""Locally scaled weights, by hand and where scales vanish."""

import numpy as np

from graphwell import Graph
from graphwell.graph.weights import WEIGHT_FLOOR, index_dtype, kernel, locally_scaled, symmetric_affinity


def test_weights_by_hand():
    # Points 0, 1, 3: each has one neighbour; scales are 1, 1, 2.
    graph = Graph.from_features([[0.0], [1.0], [3.0]], n_neighbors=1, scale_neighbor=1)
    far = np.exp(-4 / 2)
    expected = [[0, np.exp(-1), 0], [np.exp(-1), 0, far], [0, far, 0]]
    np.testing.assert_allclose(graph.W.toarray(), expected)


def test_duplicates_get_weight_one_and_no_nan():
    rng = np.random.default_rng(3)
    X = np.repeat(rng.normal(size=(8, 20)), 15, axis=0)
    graph = Graph.from_features(X, n_neighbors=5, scale_neighbor=5)
    assert np.isfinite(graph.W.data).all()
    assert (graph.W.data > 0).all()
    assert graph.W[0, :15].toarray().max() == 1.0
    assert np.isfinite(graph.S.data).all()
    assert (graph.W.diagonal() == 0).all()


def test_far_away_points_keep_their_edges():
    X = np.vstack([np.random.default_rng(4).normal(size=(30, 3)), [[1e12, 0, 0]]])
    graph = Graph.from_features(X, n_neighbors=3, scale_neighbor=3)
    assert len(graph.isolated) == 0
    assert graph.W.data.min() >= WEIGHT_FLOOR
    assert (graph.S.data > 0).all()


def test_an_edge_that_either_chose_is_there_once():
    W = symmetric_affinity(np.array([[1], [2], [1]]), np.array([[0.5], [0.25], [0.25]]))
    np.testing.assert_allclose(W.toarray(), [[0, 0.5, 0], [0.5, 0, 0.25], [0, 0.25, 0]])
    assert W.has_sorted_indices


def test_the_kernel_is_one_at_no_distance_and_falls():
    tau = np.array([[1.0]])
    assert kernel(np.array([[0.0]]), tau, tau).tolist() == [[1.0]]
    assert kernel(np.array([[2.0]]), tau, tau)[0, 0] < kernel(np.array([[1.0]]), tau, tau)[0, 0]


def test_scales_are_distances_to_a_neighbour():
    indices, distances = np.array([[1, 2], [0, 2], [1, 0]]), np.array([[1.0, 3.0], [1.0, 2.0], [2.0, 3.0]])
    chosen, weights, tau = locally_scaled(indices, distances, 1, 2)
    assert tau.tolist() == [3.0, 2.0, 3.0]
    assert chosen.tolist() == [[1], [0], [1]]
    np.testing.assert_allclose(weights.ravel(), np.exp([-1 / 6, -1 / 6, -4 / 6]), rtol=1e-6)


def test_indices_are_as_wide_as_they_must_be():
    assert index_dtype(100, 1000) is np.int32
    assert index_dtype(100, 2**31) is np.int64
