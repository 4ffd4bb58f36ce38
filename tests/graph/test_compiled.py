"""Vector code against plain loops and NumPy; kernels run whether or not they can be kept on disc."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numba import njit

from graphwell.graph.compiled import (
    INSERTED,
    LANES,
    TILE_POINTS,
    TILE_ROWS,
    at_most,
    compare_tile,
    insert,
    lowest_bit,
    pack,
    places_at_most,
)


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


NOWHERE = """
from numba.core import caching
caching.CompileResultCacheImpl._locator_classes = []
"""
FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
"""
FIT = """
import warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    from graphwell.graph.compiled import compiled

    @compiled(nogil=True)
    def double(x):
        return 2 * x

    @compiled()
    def treble(x):
        return 3 * x

    print(double(21), treble(14), [str(warning.message) for warning in told])
"""


def run(code, folder):
    script = folder / "script.py"
    script.write_text(code)
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    return subprocess.run(
        [sys.executable, script], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize("where", [NOWHERE, FULL])
def test_without_a_folder_to_keep_them_in_kernels_run_and_say_so_once(tmp_path, where):
    ended = run(where + FIT, tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("42 42 [")
    assert ended.stdout.count("Compiled loops cannot be kept on disc") == 1


@pytest.mark.slow
def test_kept_kernels_are_used_again_and_damaged_ones_are_not(tmp_path):
    for damaged in (False, False, True):
        if damaged:
            for path in (tmp_path / "cache").rglob("*.nb?"):
                path.write_bytes(path.read_bytes()[:20])
        ended = run(FIT, tmp_path)
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout.startswith("42 42 [")
        assert ("cannot be kept" in ended.stdout) <= damaged
        assert list((tmp_path / "cache").rglob("*.nbc"))
