"""Classes by name, and colours as text."""

import pytest

from graphwell.io.images.drawings.base import Drawing, color_of
from graphwell.io.images.raster import Raster


def test_numbers_are_given_in_the_order_of_the_names():
    drawing = Drawing(Raster((2, 3)))
    assert [drawing.number_of(name) for name in ("b", "a", "b", 7)] == [0, 1, 0, 2]
    assert drawing.names == ["b", "a", "7"]


def test_another_size_is_refused():
    drawing = Drawing(Raster((2, 3)))
    drawing.check_size(3, 2)
    with pytest.raises(ValueError, match="drawn on a picture of 2 x 3, but the image has 3 x 2"):
        drawing.check_size(2, 3)


@pytest.mark.parametrize("text", ["ff0000", "#ff00", "#zzzzzz", "red", ""])
def test_what_is_no_colour_is_refused(text):
    with pytest.raises(ValueError, match=r"a colour must look|non-hexadecimal"):
        color_of(text)
