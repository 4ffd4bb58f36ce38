"""Vector comparisons against plain loops."""

import numpy as np
import pytest
from numba import njit

from graphwell.graph.lanes import INSERTED, LANES, at_most, insert, lowest_bit, places_at_most


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


@njit
def inserted(values, names, value, name):
    insert(values, names, value, name)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("parts", [1, 3])
def test_values_are_inserted_as_by_sorting_and_the_later_of_equals_comes_last(parts, kind):
    rng, size = np.random.default_rng(parts), parts * INSERTED
    values, names = np.full(1 + size, np.inf, dtype=np.float32), np.full(1 + size, -1, dtype=kind)
    values[0] = -np.inf
    given = rng.integers(0, 30, size=4 * size).astype(np.float32)
    for name, value in enumerate(given):
        inserted(values, names, value, kind(name))
    order = np.argsort(given, kind="stable")[:size]
    np.testing.assert_array_equal(values[1:], given[order])
    np.testing.assert_array_equal(names[1:], order)
    assert (values[0], names[0]) == (-np.inf, -1)
