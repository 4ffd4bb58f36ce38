"""Exact searches against brute force."""

import numpy as np
import pytest

from graphwell.graph import neighbors
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
