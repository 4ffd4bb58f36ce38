"""PNG, JPEG and TIFF."""

import struct
import sys
import zlib
from pathlib import Path

import imagecodecs
import numpy as np
import pytest
import rasterio
import tifffile
from PIL import Image, ImageOps

from graphwell.errors import OptionError
from graphwell.io.images.base import ImageFormat, Placement
from graphwell.io.images.registry import FORMATS, format_for, read_image, read_placement, write_placed
from graphwell.io.images.tiff import TiffTags

GREY = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20


COLOR = np.stack([GREY, 255 - GREY, GREY // 2], axis=2)


RNG = np.random.default_rng(0)


DEEP = RNG.integers(0, 65536, (5, 6, 3)).astype(np.uint16)


@pytest.mark.parametrize(
    ("field", "suffixes"),
    [
        ("image", ".png, .jpg, .jpeg, .tif, .tiff, .npy, .npz, .nii, .nii.gz or .zarr"),
        ("seeds", ".png, .jpg, .jpeg, .tif, .tiff, .npy, .npz, .txt, .csv, .json, .nii, .nii.gz or .zarr"),
        ("output", ".png, .tif, .tiff, .npy, .nii or .nii.gz"),
        ("scores", ".png, .tif, .tiff, .npy, .nii or .nii.gz"),
        ("overlay", ".png, .jpg, .jpeg, .tif or .tiff"),
    ],
)
def test_each_option_takes_what_will_do(field, suffixes):
    with pytest.raises(OptionError) as caught:
        format_for(Path("a.gif"), field)
    assert str(caught.value) == f"{field} a.gif: the name must end in {suffixes}."


def test_a_toy_format_is_read_like_any_other(tmp_path):
    toy = ImageFormat(name="toy", suffixes=(".toy",), read=lambda path, most: np.zeros((2, most)))
    FORMATS.register(toy)
    (tmp_path / "a.toy").write_text("x")
    try:
        assert read_image(tmp_path / "a.toy", 5).shape == (2, 5)
        with pytest.raises(OptionError, match=r"\.npy, \.nii or \.nii\.gz\.$"):
            format_for(Path("a.toy"), "output")
    finally:
        FORMATS.forget("toy")


def test_the_limit_can_be_set(tmp_path):
    Image.fromarray(GREY).save(tmp_path / "a.png")
    assert read_image(tmp_path / "a.png", max_pixels=12).shape == (3, 4)
    with pytest.raises(ValueError, match="4 x 3 = 12 pixels, more than the 11 allowed"):
        read_image(tmp_path / "a.png", max_pixels=11)


def test_damaged_files_are_refused_in_a_sentence(tmp_path):
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (64, 64, 3), dtype=np.uint8)).save(
        tmp_path / "whole.png"
    )
    content = (tmp_path / "whole.png").read_bytes()
    for name, data, words in [
        ("cut.png", content[: len(content) // 2], "damaged, truncated or something else"),
        ("renamed.jpg", content, "cannot be read as a JPEG picture"),
        ("text.tif", b"hello", "cannot be read as a TIFF picture"),
        ("empty.png", b"", "is empty"),
        ("text.npy", b"hello", "cannot be read as a .npy file"),
        ("picture.gif", content, "the name must end in .png"),
    ]:
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ValueError, match=words):
            read_image(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        read_image(tmp_path / "missing.png")


@pytest.mark.parametrize("suffix", [".png", ".tif", ".TIFF"])
def test_8_bit_pictures(tmp_path, suffix):
    for name, pixels in (("grey", GREY), ("color", COLOR)):
        path = tmp_path / f"{name}{suffix}"
        Image.fromarray(pixels).save(path)
        np.testing.assert_allclose(read_image(path), pixels / 255, atol=1e-6)


def test_opacity_counts_where_there_is_some(tmp_path):
    opaque = np.dstack([COLOR, np.full(GREY.shape, 255, dtype=np.uint8)])
    Image.fromarray(opaque).save(tmp_path / "opaque.png")
    np.testing.assert_allclose(read_image(tmp_path / "opaque.png"), COLOR / 255, atol=1e-6)
    opaque[0, :, 3] = 0
    Image.fromarray(opaque).save(tmp_path / "seen.png")
    seen = read_image(tmp_path / "seen.png")
    assert seen.shape == (3, 4, 4)
    assert (seen[0] == 0).all()
    np.testing.assert_allclose(seen[1:, :, :3], COLOR[1:] / 255, atol=1e-6)


def test_palettes_and_black_and_white(tmp_path):
    Image.fromarray(COLOR).quantize(16).save(tmp_path / "palette.png")
    assert np.abs(read_image(tmp_path / "palette.png") - COLOR / 255).max() < 0.15
    Image.fromarray(GREY > 100).save(tmp_path / "two.png")
    np.testing.assert_array_equal(read_image(tmp_path / "two.png"), GREY > 100)


@pytest.mark.parametrize("name", ["deep.png", "deep.tif"])
def test_16_bits_of_grey_keep_their_depth(tmp_path, name):
    deep = np.array([[0, 1, 2], [3, 40000, 65535]], dtype=np.uint16)
    Image.fromarray(deep).save(tmp_path / name)
    np.testing.assert_allclose(read_image(tmp_path / name), deep / 65535, atol=1e-7)


def test_real_numbers_stay_as_they_are(tmp_path):
    real = np.array([[0.5, -2.0], [1e6, 3.0]], dtype=np.float32)
    Image.fromarray(real).save(tmp_path / "real.tif")
    np.testing.assert_array_equal(read_image(tmp_path / "real.tif", 100), real)


def test_the_orientation_of_a_camera_is_followed(tmp_path):
    tall = np.zeros((40, 20, 3), dtype=np.uint8)
    tall[:20] = 255
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter, clockwise
    Image.fromarray(tall).save(tmp_path / "turned.jpg", exif=exif, quality=95)
    turned = read_image(tmp_path / "turned.jpg")
    assert turned.shape == (20, 40, 3)
    assert turned[:, :15].mean() < 0.1
    assert turned[:, 25:].mean() > 0.9


def png_of_declared_size(width, height):
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(b"\0" * 100)), (b"IEND", b"")]
    body = b"".join(
        struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in parts
    )
    return b"\x89PNG\r\n\x1a\n" + body


def test_a_bomb_of_a_picture_is_refused_by_its_declared_size(tmp_path):
    (tmp_path / "bomb.png").write_bytes(png_of_declared_size(60_000, 60_000))
    with pytest.raises(ValueError, match=r"60000 x 60000 = 3,600,000,000 pixels.*max_pixels"):
        read_image(tmp_path / "bomb.png")


def deep_png(values):
    return imagecodecs.png_encode(np.ascontiguousarray(values))


@pytest.mark.parametrize("channels", [2, 3, 4])
def test_16_bits_a_colour_of_png_are_kept(tmp_path, channels):
    values = RNG.integers(0, 65536, (5, 6, channels)).astype(np.uint16)
    (tmp_path / "deep.png").write_bytes(deep_png(values))
    seen = values / 65535
    if channels != 3:
        seen[..., :-1] *= seen[..., -1:]
    np.testing.assert_allclose(read_image(tmp_path / "deep.png"), seen, atol=1e-6)


def test_16_bits_a_colour_of_png_without_the_library_and_truncated(tmp_path, monkeypatch):
    content = deep_png(DEEP)
    for length in (10, 26, len(content) // 2):
        (tmp_path / "deep.png").write_bytes(content[:length])
        with pytest.raises(ValueError, match="cannot be read as a PNG picture"):
            read_image(tmp_path / "deep.png")
    (tmp_path / "deep.png").write_bytes(content)
    with pytest.raises(ValueError, match="more than the 29 allowed"):
        read_image(tmp_path / "deep.png", 29)
    monkeypatch.setattr("graphwell.io.images.pillow.find_spec", lambda name: None)
    with pytest.warns(UserWarning, match=r"16 bits a colour, of which 8 are read.*graphwell\[images\]"):
        np.testing.assert_allclose(read_image(tmp_path / "deep.png"), DEEP / 65535, atol=1 / 200)


def saved(path, pages):
    first, *others = (Image.fromarray(page) for page in pages)
    first.save(path, save_all=True, append_images=others)
    return path


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.float32])
def test_grey_pages_of_one_size_are_a_volume(tmp_path, kind):
    pages = np.arange(24).reshape(2, 3, 4).astype(kind)
    found = read_image(saved(tmp_path / "pages.tif", pages), volumes=True)
    scale = 1 if kind is np.float32 else np.iinfo(kind).max
    np.testing.assert_allclose(found[..., 0], np.moveaxis(pages, 0, -1) / scale, atol=1e-7)
    with pytest.raises(ValueError, match="more than the 20 allowed"):
        read_image(tmp_path / "pages.tif", 20, volumes=True)
    with pytest.raises(ValueError, match="holds 2 pictures; save the one you want"):
        read_image(tmp_path / "pages.tif")


@pytest.mark.parametrize("second", [GREY[:2], np.stack([GREY] * 3, axis=2), np.stack([GREY] * 2, axis=2)])
def test_other_pages_are_refused(tmp_path, second):
    with pytest.raises(ValueError, match="holds 2 pictures that are no volume"):
        read_image(saved(tmp_path / "pages.tif", [GREY, second]))


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
        write_placed(np.array([[70_000]]), {}, placement, tmp_path / "many.tif", None)


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


@pytest.mark.parametrize("orientation", range(1, 9))
def test_deep_pictures_are_turned_as_pillow_turns_them(tmp_path, orientation):
    tags = [(274, 3, 1, orientation, True)]
    tifffile.imwrite(tmp_path / "deep.tif", DEEP, photometric="rgb", extratags=tags)
    picture = Image.fromarray((DEEP >> 8).astype(np.uint8))
    picture.getexif()[274] = orientation
    found = read_image(tmp_path / "deep.tif") >> 8
    np.testing.assert_array_equal(found, np.asarray(ImageOps.exif_transpose(picture)))


def test_without_the_library(tmp_path, monkeypatch):
    tifffile.imwrite(tmp_path / "deep.tif", DEEP, photometric="rgb")
    five = np.zeros((5, 6, 5), np.uint8)
    tifffile.imwrite(tmp_path / "bands.tif", five, photometric="minisblack", planarconfig="contig")
    monkeypatch.setitem(sys.modules, "tifffile", None)
    monkeypatch.setattr("graphwell.io.images.tiff.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"need tifffile.*graphwell\[images\]"):
        read_image(tmp_path / "bands.tif")
    assert read_placement(tmp_path / "deep.tif") is None
    with pytest.warns(UserWarning, match=r"16 bits a colour, of which 8 are read.*graphwell\[images\]"):
        np.testing.assert_allclose(read_image(tmp_path / "deep.tif"), DEEP / 65535, atol=1 / 200)


def test_channels_and_slices_of_plain_looking_files(tmp_path):
    four = RNG.integers(0, 255, (6, 7, 4)).astype(np.uint8)
    for name, kind, shown in (("a.tif", "unassalpha", 1 / 255), ("b.tif", "unspecified", 1)):
        tifffile.imwrite(tmp_path / name, four, photometric="rgb", extrasamples=[kind])
        np.testing.assert_allclose(read_image(tmp_path / name)[..., 3], four[..., 3] * shown, atol=1e-6)
    stack = RNG.integers(0, 255, (3, 6, 7)).astype(np.uint8)
    for axes, channels in (("CYX", (6, 7, 3)), ("ZYX", (6, 7, 3, 1))):
        tifffile.imwrite(tmp_path / "a.tif", stack, imagej=True, metadata={"axes": axes})
        assert read_image(tmp_path / "a.tif", volumes=True).shape == channels


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


@pytest.mark.parametrize(
    "content", [b"II*\0", b"II*\0\xff\xff\xff\xff", b"nothing of the kind", b"II+\0\x08\0"]
)
def test_other_bytes_are_told_in_a_sentence(tmp_path, content):
    path = tmp_path / "a.tif"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"cannot be read as a TIFF picture: it is damaged"):
        read_image(path)
