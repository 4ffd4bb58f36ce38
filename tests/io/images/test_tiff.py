"""TIFF pictures."""

import numpy as np
import pytest
from PIL import Image

from graphwell.io.images.registry import read_image
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


def saved(path, pages):
    first, *others = (Image.fromarray(page) for page in pages)
    first.save(path, save_all=True, append_images=others)
    return path


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.float32])
def test_grey_pages_of_one_size_are_a_volume(tmp_path, kind):
    pages = np.arange(24).reshape(2, 3, 4).astype(kind)
    found = FORMAT.read(saved(tmp_path / "pages.tif", pages), 100)
    scale = 1 if kind is np.float32 else np.iinfo(kind).max
    np.testing.assert_allclose(found[..., 0], np.moveaxis(pages, 0, -1) / scale, atol=1e-7)
    with pytest.raises(ValueError, match="more than the 20 allowed"):
        FORMAT.read(tmp_path / "pages.tif", 20)
    with pytest.raises(ValueError, match="holds 2 pictures; save the one you want"):
        read_image(tmp_path / "pages.tif")


@pytest.mark.parametrize("second", [GREY[:2], np.stack([GREY] * 3, axis=2)])
def test_other_pages_are_refused(tmp_path, second):
    with pytest.raises(ValueError, match="holds 2 pictures that are no volume"):
        FORMAT.read(saved(tmp_path / "pages.tif", [GREY, second]), 100)
