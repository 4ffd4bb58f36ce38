"""Regions that contrast cuts off."""

import numpy as np
import pytest

from graphwell.backends.registry import find_pixels
from graphwell.segmentation.grid import Grid
from graphwell.segmentation.regions import Regions
from graphwell.segmentation.seeds import Seeds

SHAPE = (12, 30)


def striped(pieces=None):
    """Stripes of ten columns, the outer two alike."""
    grid = Grid(SHAPE, 3.0, find_pixels("cpu"), pieces=pieces)
    values = np.repeat([0.0, 1.0, 0.01], 10) * np.ones((SHAPE[0], 1))
    return Regions(grid, grid.pads(values[None].astype(np.float32)), 0.1)


def spoken(regions, row, column):
    codes = np.full(SHAPE, -1)
    codes[row, column] = 0
    return regions.spoken_for(Seeds.of(codes))[regions.of_points]


def test_regions_end_at_contrast():
    regions = striped()
    assert len(np.unique(regions.of_points)) == 3
    assert sorted(regions.sizes[regions.sizes > 0].tolist()) == [120, 120, 120]


@pytest.mark.parametrize(("column", "wanted"), [(5, [True, False, True]), (15, [False, True, False])])
def test_a_seed_speaks_for_its_region_and_those_of_its_colour(column, wanted):
    found = spoken(striped(), 4, column)
    assert (found == np.repeat(wanted, 10)).all()


def test_colours_do_not_speak_across_a_mask():
    pieces = np.repeat([0, 0, 1], 10) * np.ones((SHAPE[0], 1), dtype=int)
    assert (spoken(striped(pieces), 4, 5) == np.repeat([True, False, False], 10)).all()


def test_later_seeds_are_heard_anew():
    regions = striped()
    first, second = spoken(regions, 4, 5), spoken(regions, 4, 15)
    assert (first != second).all()
