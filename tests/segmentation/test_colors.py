"""Colours as the eye compares them."""

import numpy as np
import pytest

from graphwell.segmentation.colors import is_color, to_lab


@pytest.mark.parametrize(
    ("rgb", "lab"),
    [
        ((0, 0, 0), (0, 0, 0)),
        ((1, 1, 1), (100, 0, 0)),
        ((1, 0, 0), (53.24, 80.09, 67.20)),
        ((0, 0, 1), (32.30, 79.19, -107.86)),
    ],
)
def test_known_colours(rgb, lab):
    found = to_lab(np.array([[rgb]], dtype=np.float32))
    np.testing.assert_allclose(100 * found[0, 0], lab, atol=0.05)


def test_opacity_stays_and_other_pictures_are_not_colours():
    values = np.random.default_rng(0).random((70, 3, 4)).astype(np.float32)
    assert (to_lab(values)[..., 3] == values[..., 3]).all()
    assert is_color(values)
    assert not is_color(values[..., :2])
    assert not is_color(-values)
