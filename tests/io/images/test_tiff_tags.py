"""What a TIFF file says before its pixels are read."""

import numpy as np
import pytest
import tifffile

from graphwell.io.images.registry import read_image
from graphwell.io.images.tiff_tags import TiffTags, read_tags

GREY = np.zeros((6, 7), dtype=np.uint8)


def written(path, values, **options):
    tifffile.imwrite(path, values, **options)
    return read_tags(path)


@pytest.mark.parametrize("big", [False, True])
def test_which_pictures_are_plain(tmp_path, big):
    path = tmp_path / "a.tif"
    colors = np.zeros((6, 7, 3), dtype=np.uint8)
    assert written(path, GREY, bigtiff=big).is_plain
    assert written(path, GREY.astype(np.float32), bigtiff=big).is_plain
    assert written(path, colors, photometric="rgb", bigtiff=big).is_plain
    deep = written(path, colors.astype(np.uint16), photometric="rgb", bigtiff=big)
    assert not deep.is_plain
    assert deep.is_deep_color
    bands = written(
        path, np.zeros((6, 7, 5), dtype=np.uint8), photometric="minisblack", planarconfig="contig"
    )
    assert not bands.is_plain
    assert not bands.is_deep_color


def test_four_channels_are_plain_only_with_opacity(tmp_path):
    four = np.zeros((6, 7, 4), dtype=np.uint8)
    with_opacity = written(tmp_path / "a.tif", four, photometric="rgb", extrasamples=["unassalpha"])
    assert with_opacity.has_opacity
    assert with_opacity.is_plain
    infrared = written(tmp_path / "b.tif", four, photometric="rgb", extrasamples=["unspecified"])
    assert not infrared.has_opacity
    assert not infrared.is_plain


def test_microscopes_name_their_axes(tmp_path):
    stack = np.zeros((3, 6, 7), dtype=np.uint8)
    assert not written(tmp_path / "a.ome.tif", stack, metadata={"axes": "ZYX"}).is_plain
    assert not written(tmp_path / "b.tif", stack, imagej=True, metadata={"axes": "CYX"}).is_plain
    assert written(tmp_path / "c.tif", stack, imagej=True, metadata={"axes": "ZYX"}).is_plain


@pytest.mark.parametrize(("text", "value"), [("-9999", -9999), (" 0\0", 0), ("1e20", 1e20), ("none", None)])
def test_no_data(text, value):
    assert TiffTags({42113: text}, pages_follow=False).nodata == value


@pytest.mark.parametrize(
    "garbled",
    [
        {33550: b"x"},
        {33550: ("a", 1.0)},
        {34735: (1, -1)},
        {34735: (1, 70_000)},
        {34737: b"WGS"},
        {34737: "\xb5"},
    ],
)
def test_a_garbled_georeference_says_nothing(garbled):
    assert TiffTags(garbled, pages_follow=False).georeference == {}


def test_no_data_may_be_nan():
    assert np.isnan(TiffTags({42113: "nan"}, pages_follow=False).nodata)


@pytest.mark.parametrize(
    "content", [b"II*\0", b"II*\0\xff\xff\xff\xff", b"nothing of the kind", b"II+\0\x08\0"]
)
def test_other_bytes_are_told_in_a_sentence(tmp_path, content):
    path = tmp_path / "a.tif"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"cannot be read as a TIFF picture: it is damaged"):
        read_image(path)
