"""The graph: weights by hand, symmetry, and what can go wrong in data."""

import pickle

import numpy as np
import pandas as pd
import pytest

from graphwell import Graph


def test_each_row_is_joined_to_its_nearest_rows_and_to_those_that_chose_it():
    X = np.random.default_rng(1).normal(size=(80, 20))
    graph = Graph.from_features(X, n_neighbors=5, scale_neighbor=3)
    distance = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    chosen = np.zeros((80, 80), dtype=bool)
    np.put_along_axis(chosen, np.argsort(distance, axis=1)[:, :5], True, axis=1)
    np.testing.assert_array_equal(graph.W.toarray() > 0, chosen | chosen.T)
    tau = np.sort(distance, axis=1)[:, 2]
    expected = np.exp(-(distance**2) / np.outer(tau, tau))
    rows, columns = np.nonzero(chosen | chosen.T)
    np.testing.assert_allclose(graph.W.toarray()[rows, columns], expected[rows, columns])


def test_features_far_from_the_origin_lose_nothing():
    X = np.random.default_rng(5).normal(size=(200, 20))
    near, far = Graph.from_features(X), Graph.from_features(X + 1e6)
    assert (near.W != 0).nnz == (far.W != 0).nnz
    np.testing.assert_allclose(near.W.toarray(), far.W.toarray(), atol=1e-6)


@pytest.mark.parametrize("kind", ["list", "frame", "float32", "read-only"])
def test_any_table_of_numbers_is_accepted(kind):
    X = np.random.default_rng(7).normal(size=(30, 4)).astype(np.float32).astype(float)
    frozen = X.copy()
    frozen.flags.writeable = False
    given = {
        "list": X.tolist(),
        "frame": pd.DataFrame(X),
        "float32": X.astype(np.float32),
        "read-only": frozen,
    }
    np.testing.assert_allclose(
        Graph.from_features(given[kind]).W.toarray(), Graph.from_features(X).W.toarray(), rtol=1e-5
    )


def test_the_graph_cannot_be_changed():
    graph = Graph.from_affinity([[0, 1], [1, 0]])
    with pytest.raises(AttributeError):
        graph.W = None
    for array in (graph.W.data, graph.S.data, graph.degrees, graph.components):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5


@pytest.mark.parametrize("dimension", [3, 20])
def test_a_graph_survives_pickling(dimension):
    rng = np.random.default_rng(11)
    graph = Graph.from_features(rng.normal(size=(60, dimension)))
    copy = pickle.loads(pickle.dumps(graph))
    new = rng.normal(size=(5, dimension))
    np.testing.assert_array_equal(copy.affinity_to(new).toarray(), graph.affinity_to(new).toarray())


def test_other_neighbours_give_the_graph_of_other_neighbours():
    X = np.random.default_rng(0).normal(size=(150, 5))
    fewer = Graph.from_features(X).with_neighbors(5)
    np.testing.assert_allclose(fewer.W.toarray(), Graph.from_features(X, n_neighbors=5).W.toarray())


def test_internals_are_not_public():
    for name in ("asarray", "on_host", "unsharpened"):
        assert not hasattr(Graph, name)
        assert not hasattr(Graph.from_affinity([[0, 1], [1, 0]]), name)


def test_a_dask_array_is_not_fetched_silently():
    da = pytest.importorskip("dask.array")
    with pytest.raises(ValueError, match=r"works on one machine, and X is a Dask array; give X\.compute\(\)"):
        Graph.from_features(da.ones((5, 2)))
