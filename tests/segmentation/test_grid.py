"""Padded grids."""

import numpy as np
import pytest

from graphwell.backends.registry import find_pixels
from graphwell.segmentation.grid import Grid, offsets_within, window_around


@pytest.mark.parametrize("shape", [(4, 5), (1, 7), (3, 4, 5), (6,)])
@pytest.mark.parametrize("radius", [1, 1.5, 3])
def test_a_step_leads_to_the_neighbour(shape, radius):
    grid = Grid(shape, radius, find_pixels("cpu", 1))
    offsets = offsets_within(radius, (1.0,) * len(shape))
    offsets = offsets[len(offsets) // 2 :]
    point = tuple(side // 2 for side in shape)
    (place,) = grid.places(tuple(np.array([axis]) for axis in point))
    numbers = grid.pad(np.arange(1, np.prod(shape) + 1).reshape(shape))
    for step, offset in zip(grid.steps, offsets, strict=True):
        there = tuple(np.add(point, offset))
        inside = all(0 <= axis < side for axis, side in zip(there, shape, strict=True))
        assert numbers[place + step] == (1 + np.ravel_multi_index(there, shape) if inside else 0)
    assert (grid.steps > 0).all()


def test_padding_and_cropping_are_inverse():
    grid = Grid((3, 4), 2, find_pixels("cpu", 1))
    planes = np.arange(24.0).reshape(2, 3, 4)
    assert (grid.crop(grid.pads(planes)) == planes).all()
    assert grid.inside.sum() == 12
    assert grid.pad(planes[0], fill=-1).min() == -1


def test_offsets_are_those_of_a_disc():
    offsets = offsets_within(3, (1.0, 1.0))
    assert len(offsets) == 28
    assert (offsets == -offsets[::-1]).all()
    with pytest.raises(ValueError, match="radius must lie between 1 and 16 pixels"):
        offsets_within(0.5, (1.0, 1.0))


def test_a_window_holds_all_that_is_chosen_and_no_more():
    chosen = np.zeros((6, 7, 8), dtype=bool)
    engine = find_pixels("cpu", 1)
    assert window_around(chosen, engine) == (slice(0, 1),) * 3
    chosen[2, 3, 4], chosen[4, 3, 7] = True, True
    assert window_around(chosen, engine) == (slice(2, 5), slice(3, 4), slice(4, 8))
    assert window_around(chosen, engine, 2) == (slice(0, 6), slice(1, 6), slice(2, 8))
