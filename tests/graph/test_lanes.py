"""Vector comparisons against plain loops."""

import numpy as np
import pytest
from numba import njit

from graphwell.graph.lanes import LANES, at_most, lowest_bit, places_at_most


@njit
def masked(values, first, bound):
    return at_most(values, first, bound)


@njit
def lowest(mask):
    return lowest_bit(mask)


@njit
def placed(values, bound, places):
    return places_at_most(values, bound, places)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_mask_has_a_bit_for_each_value_within_the_bound(dtype):
    values = np.random.default_rng(0).integers(-3, 4, size=3 * LANES).astype(dtype)
    values[LANES + 2 : LANES + 5] = np.nan, np.inf, -np.inf
    for first in (0, 5, LANES, 2 * LANES):
        for bound in (-4.0, 0.0, 3.0, np.inf, np.nan):
            expected = sum(1 << lane for lane in range(LANES) if values[first + lane] <= bound)
            assert masked(values, first, dtype(bound)) == expected


@pytest.mark.parametrize("place", [0, 1, 7, LANES - 1])
def test_the_lowest_bit_is_found_below_others(place):
    assert lowest(1 << place) == place
    assert lowest((1 << place) | (1 << LANES - 1)) == place


@pytest.mark.parametrize("size", [0, 1, LANES - 1, LANES, LANES + 1, 200])
def test_places_are_those_of_a_plain_comparison(size):
    values = np.random.default_rng(size).normal(size=size).astype(np.float32)
    values[::7] = np.nan
    for bound in (-9, 0.0, 0.5, np.inf):
        places = np.full(size, -1, dtype=np.int32)
        count = placed(values, np.float32(bound), places)
        np.testing.assert_array_equal(places[:count], np.flatnonzero(values <= bound))
