"""Which colours are paints, step by step."""

import numpy as np

from graphwell.io.images.layers import Layer
from graphwell.io.images.paint_search import MOST_CLASSES, PaintSearch

RED, BLUE, BETWEEN = 0xFF0000, 0x0000FF, 0x800000
BLACK = np.zeros(3, dtype=int)


def search(colors, ground=BLACK, **how):
    colors = np.array(colors)
    return PaintSearch(Layer(colors, colors > 0, ground, **how))


def colors_of(found):
    return [tuple(found.names[kind].astype(int).tolist()) for kind in found.taken]


def block(color):
    """A flat spot with a mixed edge: half of the colour over black."""
    return [[color] * 4 + [BETWEEN]] * 4


def test_a_flat_spot_is_a_paint_and_its_edge_is_explained():
    found = search(block(RED))
    found.take_flat_spots()
    assert colors_of(found) == [(255, 0, 0)]
    assert found.explained.all()
    assert not found.is_endless()


def test_a_thin_stroke_is_a_paint_where_no_mixture_explains_it():
    found = search([[RED] * 5] * 4 + [[0] * 5, [BLUE] * 5])
    found.take_flat_spots()
    assert not found.explained.all()
    found.take_unexplained()
    assert sorted(colors_of(found)) == [(0, 0, 255), (255, 0, 0)]
    assert found.explained.all()


def test_without_a_ground_nothing_is_mixed_with_it():
    found = search(block(RED), ground=None)
    found.take_flat_spots()
    assert not found.explained.all()


def test_a_photograph_is_endless():
    rng = np.random.default_rng(0)
    shades = rng.integers(1, 2**24, MOST_CLASSES + 1)
    found = search(np.kron(shades[None], np.ones((3, 3), dtype=int)), ground=None)
    found.take_flat_spots()
    assert found.is_endless()
