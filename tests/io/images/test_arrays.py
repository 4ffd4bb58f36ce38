"""Arrays that are pictures or classes."""

import io
from pathlib import Path

import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.io.images.arrays import as_classes, as_picture, check_shapes, declared_shape

PATH = Path("a.npy")


@pytest.mark.parametrize("values", [np.zeros(5), np.zeros((1, 2, 3, 4, 5)), np.full((2, 2), "a"), [[1j]]])
def test_what_is_no_picture_is_refused(values):
    with pytest.raises(ValueError, match=r"a\.npy must (have the shape|hold real numbers)"):
        as_picture(PATH, np.asarray(values))


@pytest.mark.parametrize("values", [np.zeros((2, 2)), np.full((2, 2), -2), np.full((2, 2), 2**40)])
def test_what_holds_no_classes_is_refused(values):
    with pytest.raises(OptionError, match=r"^seeds a\.npy must hold") as caught:
        as_classes(PATH, values)
    assert caught.value.field == "seeds"


def test_classes_are_wide_integers():
    assert as_classes(PATH, np.array([[-1, 4]], dtype=np.int8)).dtype == np.int64


def test_shapes_are_read_from_headers_and_measured():
    file = io.BytesIO()
    np.save(file, np.zeros((30, 40)))
    file.seek(0)
    assert declared_shape(file) == (30, 40)
    check_shapes(PATH, [(30, 40), (5,)], 1200)
    with pytest.raises(OptionError, match="40 x 30 = 1,200 pixels") as caught:
        check_shapes(PATH, [(30, 40)], 1199)
    assert caught.value.field == "max_pixels"
