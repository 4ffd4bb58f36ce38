"""What marks were painted on."""

import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.io.images.ground import check_background, find_ground, shown_colors

SHAPE = (30, 40)


def marks(ground):
    """Two strokes, red and blue, opaque."""
    pixels = np.full((*SHAPE, 4), 255, dtype=np.uint8)
    pixels[..., :3] = ground
    pixels[3:6, 3:30, :3] = 255, 0, 0
    pixels[20:23, 3:30, :3] = 0, 0, 255
    return pixels


def photograph(seed=0):
    return np.random.default_rng(seed).integers(30, 220, (*SHAPE, 3)).astype(np.uint8)


def found(pixels, background="auto", picture=None, *, on_picture=False):
    return find_ground(pixels, background, picture, on_picture=on_picture)


def test_a_plain_ground_is_recognised():
    for color, name in (((0, 0, 0), "black"), ((255, 255, 255), "white"), ((10, 200, 30), "#0ac81e")):
        assert found(marks(color), picture=photograph()).name == name


def test_a_copy_of_the_picture_is_recognised():
    copy = np.clip(photograph().astype(int) + np.random.default_rng(1).integers(-9, 9, (*SHAPE, 3)), 0, 255)
    for ground in (photograph(), copy):
        assert found(marks(ground), picture=photograph()).name == "a copy of the picture"


def test_what_explains_more_is_taken():
    """A dark picture is nearly black, and yet a copy of it is no black ground; nor the other way round."""
    dark = photograph() // 20
    dark[:, 30:] = 200
    assert found(marks(dark), picture=dark).name == "a copy of the picture"
    assert found(marks((0, 0, 0)), picture=dark).name == "black"


def test_transparent_pixels_are_the_ground_unless_the_rest_is_the_picture():
    pixels = marks(photograph())
    pixels[:, 35:, 3] = 0
    assert found(pixels, picture=photograph()).name == "a copy of the picture"
    assert found(pixels, picture=photograph(5)).name == "transparent"


def test_half_transparent_strokes_count():
    pixels = marks((0, 0, 0))
    pixels[..., 3] = np.where(pixels[..., :3].any(axis=2), 120, 0)
    layer = found(pixels).below(pixels, exact=True)
    assert layer.changed.sum() == 2 * 3 * 27


def test_no_ground_is_refused():
    with pytest.raises(OptionError, match="no colour covers half of the marks"):
        found(marks(photograph(5)), picture=photograph())


def test_named_grounds():
    assert found(marks((9, 9, 9)), "white").colors.tolist() == [255, 255, 255]
    assert found(marks((9, 9, 9)), "#102030").colors.tolist() == [16, 32, 48]
    check_background("#fff")
    for wrong in ("#12", "snow", ""):
        with pytest.raises(OptionError, match="must be one of auto, transparent, black, white or a colour"):
            check_background(wrong)


def test_strokes_on_a_picture_need_one_with_colours():
    with pytest.raises(OptionError, match="needs a picture of 1, 3 or 4 channels"):
        found(marks((0, 0, 0)), picture=None, on_picture=True)


@pytest.mark.parametrize(
    ("picture", "first"),
    [
        (np.array([[0.2, 1.0]]), [51, 51, 51]),
        (np.array([[[255, 0, 9]]], dtype=np.uint8), [255, 0, 9]),
        (np.array([[65535]], dtype=np.uint16), [255, 255, 255]),
        (np.array([[[0.2, 0.4, 0.6, 0.5]]]), [51, 102, 153]),
    ],
)
def test_colours_as_an_editor_shows_them(picture, first):
    assert shown_colors(picture)[0, 0].tolist() == first


@pytest.mark.parametrize("picture", [np.zeros((2, 2, 7)), np.full((2, 2), -1.0), np.full((2, 2), 300.0)])
def test_what_no_editor_shows_has_no_colours(picture):
    assert shown_colors(picture) is None
