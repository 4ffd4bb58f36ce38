"""Rows of features as rows whose Euclidean distance is the metric."""

import numpy as np
import pytest
from scipy import sparse

from graphwell import Graph
from graphwell.graph.features import FeatureMap, check_metric


def test_cosine_ignores_the_length_of_rows():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 15))
    scaled = X * rng.uniform(0.1, 10, size=(50, 1))
    one, other = (Graph.from_features(A, metric="cosine").W.toarray() for A in (X, scaled))
    np.testing.assert_allclose(one, other, rtol=1e-6)


def test_sparse_features_give_the_graph_of_the_dense_ones():
    X = sparse.random_array((150, 60), density=0.2, rng=np.random.default_rng(0), format="csr")
    np.testing.assert_allclose(
        Graph.from_features(X).W.toarray(), Graph.from_features(X.toarray()).W.toarray()
    )


def test_wide_sparse_features_are_projected_and_keep_their_clusters():
    rng = np.random.default_rng(6)
    topics = rng.random((3, 500)) < 0.05
    X = sparse.csr_array(np.repeat(topics, 40, axis=0) * rng.poisson(1.0, (120, 500)))
    graph = Graph.from_features(X, metric="cosine")
    topic = np.repeat(np.arange(3), 40)
    edges = graph.W.tocoo()
    assert (topic[edges.row] == topic[edges.col]).mean() > 0.98
    assert graph.affinity_to(X[:5]).shape == (5, 120)


def test_the_squared_distance_of_unit_rows_is_twice_the_cosine_distance():
    X = np.random.default_rng(0).normal(size=(2, 6))
    a, b = FeatureMap.fit(X, "cosine")(X)
    cosine = 1 - X[0] @ X[1] / np.linalg.norm(X[0]) / np.linalg.norm(X[1])
    assert ((a - b) ** 2).sum() == pytest.approx(2 * cosine)


def test_dense_rows_are_not_copied():
    X = np.random.default_rng(0).normal(size=(5, 3))
    assert FeatureMap.fit(X, "euclidean")(X) is X
    assert FeatureMap("euclidean")(np.arange(6).reshape(3, 2)).dtype == np.float64


def test_an_unknown_metric_is_refused():
    with pytest.raises(ValueError, match="metric must be one of euclidean, cosine, precomputed; got 'l7'"):
        check_metric("l7", also=("precomputed",))


def test_columns_whose_projection_does_not_fit_into_memory_are_refused_before_it_is_taken():
    X = sparse.csr_array((60, 2**40))
    with pytest.raises(ValueError, match=r"1,099,511,627,776 columns, and to project them takes about"):
        FeatureMap.fit(X, "euclidean")
