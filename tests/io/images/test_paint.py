"""Paints, and the pixels that hold them."""

import numpy as np
import pytest

from graphwell.io.images.colors import packed
from graphwell.io.images.layers import Layer
from graphwell.io.images.paint import find_paints, snapped

RED, BLUE, GREEN = 0xFF0000, 0x0000FF, 0x00FF00
BLACK = np.zeros(3, dtype=int)
SIDE = 40


def layer(colors, ground=BLACK, **options):
    below = packed(np.asarray(ground))
    return Layer(np.asarray(colors), np.asarray(colors) != below, ground, **options)


def names(found):
    return [f"{color:06x}" for color in found.colors]


def soft_edges(ground, paint=(255, 0, 0), other=(0, 0, 255)):
    """Two disks whose opacity falls off over several pixels."""
    y, x = np.indices((SIDE, 2 * SIDE))
    pixels = np.broadcast_to(np.asarray(ground, dtype=float), (SIDE, 2 * SIDE, 3))
    for column, color in ((20, paint), (60, other)):
        opacity = np.clip((14 - np.hypot(x - column, y - 20)) / 6, 0, 1)[..., None]
        pixels = pixels * (1 - opacity) + opacity * np.array(color)
    return np.round(pixels).astype(int)


def test_a_rare_colour_by_itself_was_painted():
    picture = np.zeros((30, 30), dtype=np.int64)
    picture[:10, :20], picture[25, 25] = RED, GREEN
    assert names(find_paints(layer(picture))) == ["00ff00", "ff0000"]


def test_a_mixture_between_two_colours_was_not_painted():
    row = np.array([[RED] * 100 + [0x800080] + [BLUE] * 100])
    found = find_paints(layer(row))
    assert names(found) == ["0000ff", "ff0000"]
    assert found.places[0, 100] == -1


def test_a_mixture_by_itself_was_painted():
    picture = np.zeros((30, 30), dtype=np.int64)
    picture[:10, :20], picture[20, 5:25] = RED, 0x800000
    assert names(find_paints(layer(picture))) == ["800000", "ff0000"]


@pytest.mark.parametrize("ground", [(0, 0, 0), (255, 255, 255), (90, 200, 140)])
def test_soft_edges_are_marked_where_the_paint_is_most(ground):
    pixels = soft_edges(ground)
    found = find_paints(layer(packed(pixels), np.array(ground)))
    assert found.clear
    assert names(found) == ["0000ff", "ff0000"]
    y, x = np.indices((SIDE, 2 * SIDE))
    far = np.hypot(x - 20, y - 20)
    assert (found.places[far < 10.9] == 1).all()
    assert (found.places[(far > 11.1) & (x < 40)] == -1).all()


def test_soft_edges_over_a_picture():
    ground = np.random.default_rng(0).integers(40, 200, (SIDE, 2 * SIDE, 3))
    pixels = soft_edges(ground)
    found = find_paints(Layer(packed(pixels), (pixels != ground).any(axis=2), ground))
    assert found.clear
    assert names(found) == ["0000ff", "ff0000"]
    assert 340 < (found.places == 0).sum() < 420


def test_a_transparent_ground_has_no_mixtures():
    picture = np.zeros((30, 30), dtype=np.int64)
    picture[:10, :20], picture[20:, :20] = RED, 0x800000
    found = find_paints(Layer(picture, picture > 0, None))
    assert names(found) == ["800000", "ff0000"]
    assert found.left == 0


def test_nothing_changed_nothing_painted():
    found = find_paints(layer(np.zeros((5, 5), dtype=np.int64)))
    assert found.clear
    assert (found.places == -1).all()
    assert len(found.colors) == 0


def test_noise_is_not_clear():
    noise = packed(np.random.default_rng(0).integers(0, 256, (SIDE, SIDE, 3)))
    found = find_paints(layer(noise))
    assert not found.clear
    assert len(found.colors) == 0


def test_snapped_pixels_go_to_the_nearest_paint_or_the_ground():
    picture = np.array([[RED, 0xF00010, 0x100000, 0]])
    plain = find_paints(layer(np.array([[RED] * 4])))
    found = snapped(layer(picture), plain)
    assert found.places.tolist() == [[0, 0, -1, -1]]
    assert (found.mixed, found.left) == (2, 1)
