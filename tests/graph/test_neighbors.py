"""Exact searches against brute force."""

import numpy as np
import pytest

from graphwell import Graph
from graphwell.graph import cells, neighbors
from graphwell.graph.cells import CellSearch
from graphwell.graph.neighbors import FlatSearch, KDTreeSearch, build_search, neighbors_of_all
from tests.helpers import brute_force


@pytest.mark.parametrize("search", [KDTreeSearch, FlatSearch])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_exact_searches_find_the_nearest_points(search, dtype):
    points = np.random.default_rng(0).normal(size=(200, 10)).astype(dtype)
    indices, distances = neighbors_of_all(search(points), 7)
    np.testing.assert_allclose(distances, brute_force(points, 7), rtol=1e-6)
    assert (indices != np.arange(200)[:, None]).all()


@pytest.mark.parametrize("search", [KDTreeSearch, FlatSearch])
def test_a_point_is_never_its_own_neighbour_among_many_duplicates(search):
    points = np.repeat(np.random.default_rng(1).normal(size=(3, 10)), 40, axis=0)
    indices, distances = neighbors_of_all(search(points), 5)
    assert (indices != np.arange(120)[:, None]).all()
    assert (distances == 0).all()
    assert all(len(set(row)) == 5 for row in indices.tolist())


def test_the_search_is_chosen_by_dimension_and_size(monkeypatch):
    rng = np.random.default_rng(4)
    assert isinstance(build_search(rng.normal(size=(50, 8)), 3), KDTreeSearch)
    assert isinstance(build_search(rng.normal(size=(50, 9)), 3), FlatSearch)
    monkeypatch.setattr(neighbors, "EXACT_UP_TO", 1000)
    points = rng.normal(size=(1500, 9))
    assert isinstance(build_search(points, 3), CellSearch)
    assert not isinstance(build_search(points, 3, exact=True), CellSearch)


@pytest.mark.parametrize("dimension", [4, 12])
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_points_that_change_while_they_are_searched_get_a_sentence(dimension, value):
    """Another thread may write into the features; what is checked first is not what is compared."""
    X = np.random.default_rng(0).normal(size=(2000, dimension))

    def spoil(stage, share):
        if share == 0:  # the points have been checked, and a tree of them is built
            X[::3] = value

    if dimension <= 8:  # small enough to be copied
        expected = Graph.from_features(X.copy()).fingerprint
        assert Graph.from_features(X, progress=spoil, n_jobs=1).fingerprint == expected
        return
    with pytest.raises(ValueError, match="X was changed while the graph was built"):
        Graph.from_features(X, progress=spoil, n_jobs=1)


@pytest.mark.parametrize("value", [np.nan, -np.inf, 1e300])
@pytest.mark.parametrize("moment", [0, 3, 6])
def test_cells_of_points_that_change_lead_nowhere(monkeypatch, value, moment):
    X = np.random.default_rng(0).normal(size=(3000, 12))
    beats = iter(range(10**6))

    def spoil():
        if next(beats) == moment:
            X[::7] = value

    for module in (neighbors, cells):
        monkeypatch.setattr(module, "heartbeat", spoil)
    with pytest.raises(ValueError, match="X was changed while the graph was built"):
        Graph.from_features(X, exact=False, n_jobs=1)
