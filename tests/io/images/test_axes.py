"""Axes with names."""

from pathlib import Path

import numpy as np
import pytest

from graphwell.io.images.axes import arranged, check_places
from graphwell.io.images.base import RefusedError

HERE = Path("scan")
NUMBERS = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)


def test_every_number_keeps_its_place():
    found = arranged(HERE, NUMBERS, "czyx")
    assert found.shape == (4, 5, 3, 2)
    assert found[1, 4, 2, 0] == NUMBERS[0, 2, 1, 4]
    both = arranged(HERE, NUMBERS, "cyxc")
    assert both.shape == (3, 4, 10)
    assert both[2, 3].tolist() == [*NUMBERS[0, 2, 3], *NUMBERS[1, 2, 3]]


@pytest.mark.parametrize("names", ["tzyx", "zzyx", "czya", "cczz"])
def test_other_axes_are_refused(names):
    with pytest.raises(RefusedError, match="one picture or volume of one moment"):
        arranged(HERE, NUMBERS, names)


def test_points_are_counted_without_channels():
    check_places(HERE, (100, 4, 5), "cyx", 20)
    with pytest.raises(RefusedError, match="3 x 4 x 5 = 60 pixels, more than the 59 allowed"):
        check_places(HERE, (3, 4, 5), "zyx", 59)
