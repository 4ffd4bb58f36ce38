"""Grey pictures of numbers."""

import numpy as np
import pytest

from graphwell.io.images.coded import coded_classes


def picture(numbers, size=10):
    """Each number in a square of so many pixels."""
    values = np.kron(np.asarray(numbers), np.ones((size, size))).astype(np.uint8)
    pixels = np.repeat(values[..., None], 4, axis=2)
    pixels[..., 3] = 255
    return pixels


def test_numbers_are_classes_and_255_is_unknown():
    found = coded_classes(picture([[0, 0, 2], [255, 1, 0]]))
    assert found.places[::10, ::10].tolist() == [[0, 0, 2], [-1, 1, 0]]
    assert found.colors.tolist() == [0, 0x010101, 0x020202]
    assert found.clear


def test_without_255_nothing_is_unknown_but_0():
    assert coded_classes(picture([[0, 1, 3]])).places[::10, ::10].tolist() == [[-1, 0, 1]]


def test_many_classes_and_gaps():
    numbers = np.arange(0, 62, 2)[None]
    found = coded_classes(picture(numbers))
    assert found.places[::10, ::10].tolist() == [list(range(-1, 30))]


@pytest.mark.parametrize(
    "numbers",
    [
        [[0, 255, 255]],  # black on white, or white on black
        [[0, 30, 255]],  # two greys
        [[0, 1, 200, 255]],
        [[7, 7, 7]],
        [list(range(100))],
    ],
)
def test_other_pictures_hold_no_numbers(numbers):
    assert coded_classes(picture(numbers)) is None


def test_a_dark_photograph_holds_no_numbers():
    dark = np.random.default_rng(0).poisson(9, (40, 60))
    assert coded_classes(picture(dark, size=1)) is None


def test_colours_and_opacity_are_no_numbers():
    for channel in range(1, 4):
        pixels = picture([[0, 1, 2, 255]])
        pixels[0, 1, channel] = 9
        assert coded_classes(pixels) is None
