"""Colours as numbers, and colours for classes without one."""

import numpy as np

from graphwell.io.images.colors import packed, palette_color, unpacked


def test_packing_goes_both_ways():
    rgb = np.random.default_rng(0).integers(0, 256, (5, 4, 3))
    np.testing.assert_array_equal(unpacked(packed(rgb)), rgb)


def test_every_class_has_a_colour_of_its_own():
    assert len({palette_color(number) for number in range(200)}) == 200
