"""Colours that were painted, and those that were not."""

import numpy as np

from graphwell.io.images.colors import nearest_painted, packed, painted_colors, palette_color, unpacked

RED, BLUE = 0xFF0000, 0x0000FF


def test_packing_goes_both_ways():
    rgb = np.random.default_rng(0).integers(0, 256, (5, 4, 3))
    np.testing.assert_array_equal(unpacked(packed(rgb)), rgb)


def test_every_class_has_a_colour_of_its_own():
    assert len({palette_color(number) for number in range(200)}) == 200


def test_a_mixture_between_two_colours_was_not_painted():
    row = np.array([[RED] * 100 + [0x800080] + [BLUE] * 100])
    assert painted_colors(row, row > 0, on_black=True).tolist() == [BLUE, RED]


def test_a_rare_colour_by_itself_was_painted():
    picture = np.zeros((30, 30), dtype=np.int64)
    picture[:10, :20], picture[25, 25] = RED, 0x00FF00
    assert painted_colors(picture, picture > 0, on_black=True).tolist() == [0x00FF00, RED]


def test_the_nearest_colour_may_be_the_ground():
    colors, painted = np.array([0xF00000, 0x100000]), np.array([RED])
    assert nearest_painted(colors, painted, on_black=True).tolist() == [RED, -1]
    assert nearest_painted(colors, painted, on_black=False).tolist() == [RED, RED]
