"""TIFF pictures."""

import numpy as np
import pytest
from PIL import Image

from graphwell.io.images.tiff import FORMAT

GREY = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20


def test_16_bits_keep_their_depth(tmp_path):
    deep = np.array([[0, 1, 2], [3, 40000, 65535]], dtype=np.uint16)
    Image.fromarray(deep).save(tmp_path / "deep.tif")
    np.testing.assert_allclose(FORMAT.read(tmp_path / "deep.tif", 100), deep / 65535, atol=1e-7)


def test_real_numbers_stay_as_they_are(tmp_path):
    real = np.array([[0.5, -2.0], [1e6, 3.0]], dtype=np.float32)
    Image.fromarray(real).save(tmp_path / "real.tif")
    np.testing.assert_array_equal(FORMAT.read(tmp_path / "real.tif", 100), real)


def test_a_file_of_several_pictures_is_refused(tmp_path):
    pages = [Image.fromarray(GREY), Image.fromarray(255 - GREY)]
    pages[0].save(tmp_path / "pages.tif", save_all=True, append_images=pages[1:])
    with pytest.raises(ValueError, match="holds 2 pictures"):
        FORMAT.read(tmp_path / "pages.tif", 100)
