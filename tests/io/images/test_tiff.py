"""TIFF pictures."""

import numpy as np
import pytest
import rasterio
from PIL import Image

from graphwell.errors import OptionError
from graphwell.io.images.base import Placement
from graphwell.io.images.registry import read_image, read_placement, write_placed
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


@pytest.mark.parametrize("second", [GREY[:2], np.stack([GREY] * 3, axis=2), np.stack([GREY] * 2, axis=2)])
def test_other_pages_are_refused(tmp_path, second):
    with pytest.raises(ValueError, match="holds 2 pictures that are no volume"):
        FORMAT.read(saved(tmp_path / "pages.tif", [GREY, second]), 100)


def test_labels_lie_where_the_picture_lies(tmp_path):
    place = {"crs": "EPSG:32632", "transform": rasterio.Affine(10, 0, 5e5, 0, -10, 5e6)}
    with rasterio.open(
        tmp_path / "a.tif", "w", width=4, height=3, count=1, dtype="uint8", driver="GTiff", **place
    ) as file:
        file.write(GREY, 1)
    placement = read_placement(tmp_path / "a.tif")
    np.testing.assert_allclose(read_image(tmp_path / "a.tif"), GREY / 255, atol=1e-6)
    labels = np.where(GREY < 100, 2, np.where(GREY < 200, 7, -1))
    with (tmp_path / "labels.tif").open("wb") as file:
        write_placed(labels, {2: (255, 0, 0), 7: (0, 0, 255)}, placement, tmp_path / "labels.tif", file)
    with rasterio.open(tmp_path / "labels.tif") as file:
        assert (file.crs, file.transform, file.nodata) == (place["crs"], place["transform"], 255)
        np.testing.assert_array_equal(file.read(1, masked=True).filled(99), np.where(labels < 0, 99, labels))
        assert file.colormap(1)[7] == (0, 0, 255, 255)


def test_many_classes_and_real_numbers_lie_there_too(tmp_path):
    placement = Placement("TIFF", {33550: (2.0, 2.0, 0.0), 33922: (0.0, 0.0, 0.0, 9.0, 8.0, 0.0)})
    for name, values, kind, nodata in (
        ("many.tif", np.array([[300, -1]]), "uint16", 65535),
        ("real.tif", np.array([[0.25, 1.0]]), "float32", None),
    ):
        with (tmp_path / name).open("wb") as file:
            write_placed(values, {300: (1, 2, 3)}, placement, tmp_path / name, file)
        with rasterio.open(tmp_path / name) as file:
            assert (file.dtypes, file.nodata) == ((kind,), nodata)
            assert file.transform == rasterio.Affine(2, 0, 9, 0, -2, 8)
            np.testing.assert_array_equal(file.read(1), np.where(values < 0, nodata, values))
    with pytest.raises(OptionError, match="classes up to 65,534"):
        FORMAT.write_placed(np.array([[70_000]]), {}, placement, None)
