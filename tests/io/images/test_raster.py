"""The rasteriser, held to slow obvious versions."""

from itertools import pairwise

import numpy as np
import pytest

from graphwell.io.images.raster import ERASED, Raster

SHAPE = (23, 31)
MIDDLES = np.stack(np.meshgrid(np.arange(SHAPE[1]) + 0.5, np.arange(SHAPE[0]) + 0.5), axis=-1)


def distance_to(start, end):
    """From the middle of each pixel to a piece of a line."""
    along = end - start
    share = np.clip((MIDDLES - start) @ along / max(along @ along, 1e-300), 0, 1)
    return np.linalg.norm(MIDDLES - start - share[..., None] * along, axis=-1)


def covered_by_stroke(points, width):
    pieces = list(pairwise(points)) or [(points[0], points[0])]
    return np.min([distance_to(start, end) for start, end in pieces], axis=0) <= width / 2


def inside_polygon(points):
    """The even-odd rule, one ray for each pixel."""
    found = np.zeros(SHAPE, dtype=bool)
    for (x0, y0), (x1, y1) in zip(points, np.roll(points, -1, axis=0), strict=True):
        for row, column in np.ndindex(SHAPE):
            x, y = column + 0.5, row + 0.5
            if (y0 <= y) != (y1 <= y) and x >= x0 + (y - y0) * (x1 - x0) / (y1 - y0):
                found[row, column] ^= True
    return found


def random_points(seed, n):
    rng = np.random.default_rng(seed)
    return rng.uniform((-8, -8), (SHAPE[1] + 8, SHAPE[0] + 8), (n, 2))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("width", [1.0, 2.5, 9.0])
def test_a_stroke_covers_what_is_near_its_line(seed, width):
    points = random_points(seed, 1 + seed % 4)
    raster = Raster(SHAPE)
    raster.stroke(points, 3, width)
    marked = raster.classes == 3
    wanted = covered_by_stroke(points, width)
    corners = np.floor(points).astype(int)
    held = [tuple(c[::-1]) for c in corners if 0 <= c[0] < SHAPE[1] and 0 <= c[1] < SHAPE[0]]
    for place in held:  # the pixel that holds a point is marked in any case
        wanted[place] = True
    np.testing.assert_array_equal(marked, wanted)


@pytest.mark.parametrize("seed", range(8))
def test_a_polygon_covers_what_is_inside(seed):
    points = random_points(seed, 3 + seed)
    raster = Raster(SHAPE)
    raster.polygon(points, 2)
    np.testing.assert_array_equal(raster.classes == 2, inside_polygon(points))


def test_a_thin_line_has_no_gap():
    for slope in np.linspace(0, 1, 11):
        raster = Raster((40, 40))
        raster.stroke([(0.0, 2.0), (40.0, 2.0 + 36 * slope)], 0, 0.1)
        assert (raster.classes == 0).any(axis=0).all()


def test_a_click_marks_its_pixel_wherever_it_falls():
    for point in [(3.0, 4.0), (3.01, 4.99), (3.5, 4.5)]:
        raster = Raster(SHAPE)
        raster.stroke([point], 0, 1)
        assert raster.classes[4, 3] == 0


def test_a_tiny_polygon_marks_one_pixel():
    raster = Raster(SHAPE)
    raster.polygon([(5.1, 6.1), (5.2, 6.1), (5.2, 6.2)], 0)
    assert np.argwhere(raster.classes == 0).tolist() == [[6, 5]]


def test_shapes_outside_mark_nothing():
    raster = Raster(SHAPE)
    raster.stroke([(-50.0, -50.0), (-20.0, 400.0)], 0, 5)
    raster.polygon([(100, 100), (120, 100), (110, 110)], 0)
    raster.mask(np.ones((3, 3), dtype=bool), 0, top=-3, left=30)
    assert (raster.classes == -1).all()


def test_later_shapes_cover_earlier_ones_and_erasers_clear():
    raster = Raster((1, 5))
    raster.polygon([(0, 0), (5, 0), (5, 1), (0, 1)], 0)
    raster.mask(np.array([[True, False, True]]), 1, left=1)
    raster.stroke([(4.5, 0.5)], ERASED, 1)
    assert raster.classes.tolist() == [[0, 1, 0, 1, -1]]


@pytest.mark.parametrize("points", [[], [1, 2], [[1, 2, 3]], [[np.nan, 1]], [["a", "b"]], [[1, np.inf]]])
def test_what_are_no_points_is_refused(points):
    with pytest.raises(ValueError, match=r"points must be a list|could not convert"):
        Raster(SHAPE).stroke(points, 0)
