"""Layers on which nothing was found."""

import numpy as np

from graphwell.io.images.layers import Layer, no_paints


def test_no_pixel_has_a_paint_and_all_that_was_changed_is_left():
    changed = np.array([[True, False, True]])
    found = no_paints(Layer(np.array([[1, 0, 2]]), changed, None), clear=False)
    assert found.places.tolist() == [[-1, -1, -1]]
    assert (len(found.colors), found.mixed, found.left, found.clear) == (0, 0, 2, False)
