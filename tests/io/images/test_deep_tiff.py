"""TIFF pictures read by tifffile."""

import sys

import numpy as np
import pytest
import rasterio
import tifffile
from PIL import Image

from graphwell.io.images.deep_tiff import turned
from graphwell.io.images.registry import read_image, read_placement

RNG = np.random.default_rng(0)
DEEP = RNG.integers(0, 65536, (5, 6, 3)).astype(np.uint16)


@pytest.mark.parametrize("compression", [None, "lzw", "deflate"])
def test_16_bits_a_colour_are_kept(tmp_path, compression):
    tifffile.imwrite(tmp_path / "a.tif", DEEP, photometric="rgb", compression=compression)
    np.testing.assert_array_equal(read_image(tmp_path / "a.tif"), DEEP)


def test_opacity_counts(tmp_path):
    opacity = np.full((5, 6, 1), 65535, dtype=np.uint16)
    tifffile.imwrite(tmp_path / "a.tif", np.dstack([DEEP, opacity]), photometric="rgb", extrasamples=[2])
    np.testing.assert_allclose(read_image(tmp_path / "a.tif"), DEEP / 65535, atol=1e-6)
    opacity[0] = 0
    tifffile.imwrite(tmp_path / "a.tif", np.dstack([DEEP, opacity]), photometric="rgb", extrasamples=[2])
    found = read_image(tmp_path / "a.tif")
    assert found.shape == (5, 6, 4)
    assert (found[0] == 0).all()


def test_a_volume_of_a_microscope(tmp_path):
    values = RNG.integers(0, 255, (2, 4, 5, 6)).astype(np.uint8)
    sizes = {"PhysicalSizeX": 500, "PhysicalSizeXUnit": "nm", "PhysicalSizeY": 0.5, "PhysicalSizeZ": 2}
    tifffile.imwrite(tmp_path / "a.ome.tif", values, metadata={"axes": "CZYX", **sizes})
    found = read_image(tmp_path / "a.ome.tif", volumes=True)
    np.testing.assert_array_equal(found, values.transpose(2, 3, 1, 0))
    assert read_placement(tmp_path / "a.ome.tif").spacing == (0.5, 0.5, 2)


def test_a_picture_without_sizes_tells_no_spacing(tmp_path):
    tifffile.imwrite(tmp_path / "a.ome.tif", DEEP[..., 0], metadata={"axes": "YX"})
    assert read_image(tmp_path / "a.ome.tif").shape == (5, 6)
    assert read_placement(tmp_path / "a.ome.tif") is None


@pytest.mark.parametrize("sizes", [{"PhysicalSizeX": 0.0}, {"PhysicalSizeX": 2, "PhysicalSizeXUnit": "ly"}])
def test_sizes_that_cannot_be_tell_no_spacing(tmp_path, sizes):
    tifffile.imwrite(
        tmp_path / "a.ome.tif", DEEP[..., 0], metadata={"axes": "YX", "PhysicalSizeY": 1, **sizes}
    )
    assert read_placement(tmp_path / "a.ome.tif") is None


def test_times_are_refused(tmp_path):
    tifffile.imwrite(tmp_path / "a.ome.tif", np.zeros((3, 5, 6), np.uint8), metadata={"axes": "TYX"})
    with pytest.raises(ValueError, match="has the axes t, y, x; save one picture"):
        read_image(tmp_path / "a.ome.tif")


def test_smaller_copies_are_passed_over_and_others_refused(tmp_path):
    with tifffile.TiffWriter(tmp_path / "a.tif") as file:
        file.write(DEEP, photometric="rgb")
        file.write(DEEP[::2, ::2], photometric="rgb")
    np.testing.assert_array_equal(read_image(tmp_path / "a.tif"), DEEP)
    with tifffile.TiffWriter(tmp_path / "b.tif") as file:
        file.write(DEEP[::2, ::2], photometric="rgb")
        file.write(DEEP, photometric="rgb")
    with pytest.raises(ValueError, match="holds 2 pictures"):
        read_image(tmp_path / "b.tif")


@pytest.mark.parametrize("nodata", [-9999, float("nan")])
def test_points_without_data_are_masked(tmp_path, nodata):
    cube = RNG.random((6, 5, 7)).astype(np.float32)
    cube[:, 0, 0], cube[2, 1, 1], cube[:, 4, 4] = nodata, -9999, np.nan
    shape = {"width": 7, "height": 5, "count": 6, "dtype": "float32"}
    place = rasterio.Affine(10, 0, 5e5, 0, -10, 5e6)
    with rasterio.open(
        tmp_path / "a.tif", "w", nodata=nodata, transform=place, crs="EPSG:32632", **shape
    ) as file:
        file.write(cube)
    found = read_image(tmp_path / "a.tif")
    assert found.shape == (5, 7, 6)
    assert np.argwhere(found.mask.any(axis=-1)).tolist() == [[0, 0], [4, 4]]
    np.testing.assert_array_equal(found[1, 2], cube[:, 1, 2])


def test_a_camera_held_on_its_side(tmp_path):
    tifffile.imwrite(tmp_path / "a.tif", DEEP, photometric="rgb", extratags=[(274, 3, 1, 6, True)])
    np.testing.assert_array_equal(read_image(tmp_path / "a.tif"), np.rot90(DEEP, -1))


@pytest.mark.parametrize("orientation", range(1, 9))
def test_pictures_are_turned_as_pillow_turns_them(orientation):
    from PIL import ImageOps

    grey = np.arange(6, dtype=np.uint8).reshape(2, 3)
    picture = Image.fromarray(grey)
    picture.getexif()[274] = orientation
    np.testing.assert_array_equal(turned(grey, orientation), np.asarray(ImageOps.exif_transpose(picture)))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_truncated_files_are_told_in_a_sentence(tmp_path, share):
    tifffile.imwrite(tmp_path / "a.tif", DEEP, photometric="rgb", compression="deflate")
    content = (tmp_path / "a.tif").read_bytes()
    (tmp_path / "a.tif").write_bytes(content[: int(share * len(content))])
    with pytest.raises(ValueError, match=r"cannot be read as a TIFF picture: it is damaged"):
        read_image(tmp_path / "a.tif")


def test_huge_declared_sizes_are_refused_before_memory_is_asked_for(tmp_path):
    huge = {"shape": (200_000, 200_000, 3), "dtype": np.uint16}
    with tifffile.TiffWriter(tmp_path / "a.tif", bigtiff=True) as file:
        file.write(np.zeros((16, 16, 3), np.uint16), photometric="rgb", tile=(16, 16))
    content = bytearray((tmp_path / "a.tif").read_bytes())
    side = huge["shape"][0].to_bytes(4, "little")
    for tag in (256, 257):  # width and height
        at = content.index(tag.to_bytes(2, "little"))
        content[at + 2 : at + 4] = (4).to_bytes(2, "little")
        content[at + 12 : at + 16] = side
    (tmp_path / "a.tif").write_bytes(bytes(content))
    with pytest.raises(ValueError, match="more than the 100,000,000 allowed"):
        read_image(tmp_path / "a.tif")


def test_without_the_library(tmp_path, monkeypatch):
    tifffile.imwrite(tmp_path / "deep.tif", DEEP, photometric="rgb")
    five = np.zeros((5, 6, 5), np.uint8)
    tifffile.imwrite(tmp_path / "bands.tif", five, photometric="minisblack", planarconfig="contig")
    monkeypatch.setitem(sys.modules, "tifffile", None)
    monkeypatch.setattr("graphwell.io.images.deep_tiff.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"need tifffile.*graphwell\[images\]"):
        read_image(tmp_path / "bands.tif")
    assert read_placement(tmp_path / "deep.tif") is None
    with pytest.warns(UserWarning, match=r"16 bits a colour, of which 8 are read.*graphwell\[images\]"):
        np.testing.assert_allclose(read_image(tmp_path / "deep.tif"), DEEP / 65535, atol=1 / 200)
