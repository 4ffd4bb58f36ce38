"""The start of graphs without features."""

import numpy as np
import pytest
from scipy import sparse

from graphwell import Graph
from graphwell.layout.smooth import smooth_map


def chain(n):
    """A path of n vertices."""
    return Graph(sparse.csr_array(np.eye(n, k=1) + np.eye(n, k=-1)))


def test_neighbours_differ_less_than_others():
    places = smooth_map(chain(40))
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert steps.max() < 0.5 * np.linalg.norm(places.max(axis=0) - places.min(axis=0))
    assert np.abs(places.mean(axis=0)).max() < 1e-10


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_vertices_have_places(n):
    places = smooth_map(chain(n))
    assert places.shape == (n, 2)
    assert np.isfinite(places).all()
