"""Distances in double precision to candidates of a search."""

import numpy as np

from graphwell.graph.distances import distances_to, nearest_first
from tests.helpers import brute_force


def test_distances_are_those_of_numpy_for_any_number_of_threads():
    rng = np.random.default_rng(0)
    rows, points = rng.normal(size=(30, 7)), rng.normal(size=(50, 7))
    indices = rng.integers(50, size=(30, 4)).astype(np.int32)
    expected = np.linalg.norm(rows[:, None] - points[indices], axis=2)
    for n_threads in (1, 2):
        np.testing.assert_allclose(distances_to(rows, points, indices, n_threads), expected)


def test_candidates_come_back_nearest_first():
    points = np.random.default_rng(1).normal(size=(40, 5))
    every = np.tile(np.arange(40, dtype=np.int32), (40, 1))
    indices, distances = nearest_first(points, points, every, 6, 2)
    np.testing.assert_allclose(distances[:, 1:], brute_force(points, 5))
    np.testing.assert_array_equal(indices[:, 0], np.arange(40))
