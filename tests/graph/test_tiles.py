"""Tiles of products against NumPy's."""

import numpy as np
import pytest
from numba import njit

from graphwell.graph.lanes import LANES
from graphwell.graph.tiles import TILE_POINTS, TILE_ROWS, compare_tile, pack


@njit
def compared(rows, points, packed, lengths, apart):
    width = pack(points, len(points), packed, lengths)
    for first in range(0, len(rows), TILE_ROWS):
        for block in range(width // TILE_POINTS):
            compare_tile(rows, first, packed, block, lengths, apart[first : first + TILE_ROWS])
    return width


def tiles_of(rows, points):
    """What all tiles say together, with the lanes that fill up the last block."""
    width = -(-len(points) // LANES) * LANES
    packed = np.full((width // TILE_POINTS, points.shape[1], TILE_POINTS), np.nan, dtype=np.float32)
    lengths = np.full(width, np.nan, dtype=np.float32)
    lengths[: len(points)] = (points**2).sum(axis=1)
    apart = np.full((len(rows), width), np.nan, dtype=np.float32)
    assert compared(rows, points, packed, lengths, apart) == width
    return apart


@pytest.mark.parametrize("d", [1, 7, 50])
@pytest.mark.parametrize("n_points", [1, LANES - 1, LANES, 3 * LANES + 5])
def test_tiles_are_squared_distances_less_the_length_of_the_row(d, n_points):
    rng = np.random.default_rng(d * n_points)
    rows = rng.normal(size=(3 * TILE_ROWS, d)).astype(np.float32)
    points = rng.normal(size=(n_points, d)).astype(np.float32)
    apart = tiles_of(rows, points)
    exact = ((rows[:, None].astype(float) - points) ** 2).sum(axis=2) - (rows.astype(float) ** 2).sum(axis=1)[
        :, None
    ]
    np.testing.assert_allclose(apart[:, :n_points], exact, atol=1e-4)
    assert (apart[:, n_points:] == np.inf).all()


def test_a_value_does_not_depend_on_the_rows_and_points_around_it():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(2 * TILE_ROWS, 20)).astype(np.float32)
    points = rng.normal(size=(2 * LANES, 20)).astype(np.float32)
    turned = tiles_of(np.ascontiguousarray(rows[::-1]), np.ascontiguousarray(points[::-1]))
    np.testing.assert_array_equal(turned[::-1, ::-1], tiles_of(rows, points))


def test_what_is_no_number_is_infinitely_far():
    rows, points = np.ones((TILE_ROWS, 3), dtype=np.float32), np.ones((4, 3), dtype=np.float32)
    rows[1, 2], points[2, 0], points[3, 1] = np.nan, np.inf, np.nan
    with np.errstate(invalid="ignore"):
        apart = tiles_of(rows, points)
    assert (apart[1] == np.inf).all()
    assert (apart[0, 2:] == np.inf).all()
    np.testing.assert_array_equal(apart[0, :2], [-3.0, -3.0])
