"""Axes of images."""

import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.segmentation.axes import channels_last, relative_spacing, without_single_points


@pytest.mark.parametrize(
    ("shape", "axis", "wanted"),
    [
        ((4, 5), -1, (4, 5, 1)),
        ((4, 5), None, (4, 5, 1)),
        ((4, 5, 3), -1, (4, 5, 3)),
        ((4, 5, 3), None, (4, 5, 3, 1)),
        ((2, 4, 5, 6), 0, (4, 5, 6, 2)),
    ],
)
def test_channels_come_last(shape, axis, wanted):
    assert channels_last(np.zeros(shape), axis).shape == wanted


def test_a_mask_moves_with_its_values():
    image = np.ma.masked_less(np.arange(24).reshape(2, 3, 4), 5)
    assert (channels_last(image, 0).mask == np.moveaxis(image.mask, 0, -1)).all()


@pytest.mark.parametrize(("shape", "axis"), [((4, 5, 6, 2), None), ((4, 5, 6), 3), ((4, 5, 6), "last")])
def test_axes_that_are_none_are_refused(shape, axis):
    with pytest.raises(OptionError, match="channel_axis must be an axis of the image of shape"):
        channels_last(np.zeros(shape), axis)


@pytest.mark.parametrize("shape", [(), (5,), (2, 2, 2, 2, 2)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(ValueError, match="image must have the shape"):
        channels_last(np.zeros(shape), -1)


@pytest.mark.parametrize(
    "spacing", [(1, 1), 2.0, (1, 1, 0), (1, 1, float("nan")), ("a", "b", "c"), (1, -1, 1)]
)
def test_bad_spacing_is_refused(spacing):
    with pytest.raises(OptionError, match="spacing must be 3 positive numbers, one for each axis"):
        relative_spacing(spacing, (4, 5, 6))


@pytest.mark.parametrize("shape", [(4, 5, 6), (4, 1, 6), (1, 1, 6), (1, 1, 1), (1, 6), (4, 5)])
def test_spacing_and_shape_lose_the_same_axes(shape):
    for spacing in (None, (3.0, 4.0, 5.0)[: len(shape)]):
        found = relative_spacing(spacing, shape)
        assert len(found) == len(without_single_points(shape)) >= 2
        assert min(found) == 1
