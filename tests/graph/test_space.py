"""The nearest row inside or outside a group: against all distances."""

import numpy as np
import pytest

from graphwell.graph import space as module
from graphwell.graph.space import Points


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_far_from_the_origin_and_blocks_of_any_size(monkeypatch, dtype):
    rng = np.random.default_rng(1)
    points = (rng.normal(size=(50, 3)) + 1e4).astype(dtype)
    groups = np.arange(50) % 5
    whole = Points(points).nearest(points, groups, groups, inside=False)
    monkeypatch.setattr(module, "DISTANCES_AT_ONCE", 70)
    np.testing.assert_array_equal(Points(points).nearest(points, groups, groups, inside=False), whole)
    distance = np.linalg.norm(points[:, None].astype(float) - points[None], axis=2)
    distance[groups[:, None] == groups] = np.inf
    np.testing.assert_array_equal(whole[0], distance.argmin(axis=1))
    np.testing.assert_allclose(whole[1], distance.min(axis=1))


def test_nothing_outside_or_no_points_at_all():
    found, apart = Points(np.zeros((2, 1))).nearest(
        np.zeros((1, 1)), np.array([0]), np.array([0, 0]), inside=False
    )
    assert found.tolist() == [-1]
    assert np.isinf(apart).all()
    found, _ = Points(np.zeros((0, 1))).nearest(
        np.zeros((1, 1)), np.array([0]), np.zeros(0, int), inside=True
    )
    assert found.tolist() == [-1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_inside_a_group_only_its_own_points_count(dtype):
    rng = np.random.default_rng(2)
    points = rng.normal(size=(600, 4)).astype(dtype)
    points[100:110] = points[100]
    groups, of = rng.integers(5, size=600), rng.integers(5, size=40)
    rows = points[rng.integers(600, size=40)]
    found, apart = Points(points).nearest(rows, of, groups, inside=True)
    distance = np.linalg.norm(rows[:, None].astype(float) - points[None], axis=2)
    distance[groups != of[:, None]] = np.inf
    np.testing.assert_array_equal(found, distance.argmin(axis=1))
    np.testing.assert_allclose(apart, distance.min(axis=1), atol=1e-12)
