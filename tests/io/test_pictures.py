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
from graphwell.io.images import read_image, read_placement, suffix_for, write_values
from graphwell.io.pictures import Placement

GREY = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20
COLOR = np.stack([GREY, 255 - GREY, GREY // 2], axis=2)
RNG = np.random.default_rng(0)
DEEP = RNG.integers(0, 65536, (5, 6, 3)).astype(np.uint16)
PLACE = {"crs": "EPSG:32632", "transform": rasterio.Affine(10, 0, 5e5, 0, -10, 5e6)}


@pytest.mark.parametrize(
    ("field", "suffixes"),
    [
        ("image", ".png, .jpg, .jpeg, .tif, .tiff, .npy, .npz, .nii, .nii.gz or .zarr"),
        ("seeds", ".png, .jpg, .jpeg, .tif, .tiff, .npy, .npz, .txt, .csv, .json, .nii, .nii.gz or .zarr"),
        ("output", ".png, .tif, .tiff, .npy, .nii or .nii.gz"),
        ("overlay", ".png, .jpg, .jpeg, .tif or .tiff"),
    ],
)
def test_each_option_takes_what_will_do(field, suffixes):
    with pytest.raises(OptionError) as caught:
        suffix_for(Path("a.gif"), field)
    assert str(caught.value) == f"{field} a.gif: the name must end in {suffixes}."


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("cut.png", slice(0, 2000), "damaged, truncated or something else"),
        ("renamed.jpg", slice(None), "cannot be read as a JPEG picture"),
        ("text.tif", b"hello", "cannot be read as a TIFF picture"),
        ("a.tif", b"II*\0", "cannot be read as a TIFF picture"),
        ("a.tif", b"II*\0\xff\xff\xff\xff", "cannot be read as a TIFF picture"),
        ("a.tif", b"II+\0\x08\0", "cannot be read as a TIFF picture"),
        ("empty.png", b"", "is empty"),
        ("text.npy", b"hello", "cannot be read as a .npy file"),
        ("picture.gif", slice(None), "the name must end in .png"),
    ],
)
def test_damaged_files_are_refused_in_a_sentence(tmp_path, name, content, words):
    Image.fromarray(RNG.integers(0, 255, (64, 64, 3), dtype=np.uint8)).save(tmp_path / "whole.png")
    whole = (tmp_path / "whole.png").read_bytes()
    (tmp_path / name).write_bytes(whole[content] if isinstance(content, slice) else content)
    with pytest.raises(ValueError, match=words):
        read_image(tmp_path / name)


@pytest.mark.parametrize("name", ["grey.png", "color.png", "grey.tif", "color.TIFF"])
def test_8_bit_pictures(tmp_path, name):
    pixels = GREY if name.startswith("grey") else COLOR
    Image.fromarray(pixels).save(tmp_path / name)
    np.testing.assert_allclose(read_image(tmp_path / name, 12), pixels / 255, atol=1e-6)
    with pytest.raises(ValueError, match="4 x 3 = 12 pixels, more than the 11 allowed"):
        read_image(tmp_path / name, max_pixels=11)


@pytest.mark.parametrize("name", ["a.png", "a.tif"])
@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_opacity_counts_where_there_is_some(tmp_path, name, kind):
    colors, most = COLOR.astype(kind), np.iinfo(kind).max
    for shown in (most, 0):
        pixels = np.dstack([colors, np.full(GREY.shape, most, dtype=kind)])
        pixels[0, :, 3] = shown
        if name == "a.tif":
            tifffile.imwrite(tmp_path / name, pixels, photometric="rgb", extrasamples=[2])
        else:
            (tmp_path / name).write_bytes(imagecodecs.png_encode(pixels))
        seen = read_image(tmp_path / name)
        assert seen.shape == (3, 4, 4 if shown == 0 else 3)
        np.testing.assert_allclose(seen[1:, :, :3], COLOR[1:] / most, atol=1e-6)
        assert (seen[0] == 0).all() == (shown == 0)


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


@pytest.mark.parametrize("orientation", range(1, 9))
def test_the_orientation_of_a_camera_is_followed(tmp_path, orientation):
    shallow = Image.fromarray((DEEP >> 8).astype(np.uint8))
    exif = shallow.getexif()
    exif[274] = orientation
    shallow.save(tmp_path / "shallow.png", exif=exif)
    tifffile.imwrite(
        tmp_path / "deep.tif", DEEP, photometric="rgb", extratags=[(274, 3, 1, orientation, True)]
    )
    turned = np.asarray(ImageOps.exif_transpose(shallow))
    np.testing.assert_array_equal(read_image(tmp_path / "deep.tif") >> 8, turned)
    np.testing.assert_allclose(read_image(tmp_path / "shallow.png"), turned / 255, atol=1e-6)


def test_a_bomb_of_a_picture_is_refused_by_its_declared_size(tmp_path):
    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0)
    body = b"".join(
        struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d))
        for k, d in [(b"IHDR", header), (b"IDAT", zlib.compress(b"\0" * 100)), (b"IEND", b"")]
    )
    (tmp_path / "bomb.png").write_bytes(b"\x89PNG\r\n\x1a\n" + body)
    with pytest.raises(ValueError, match=r"60000 x 60000 = 3,600,000,000 pixels.*max_pixels"):
        read_image(tmp_path / "bomb.png")
    with tifffile.TiffWriter(tmp_path / "a.tif", bigtiff=True) as file:
        file.write(np.zeros((16, 16, 3), np.uint16), photometric="rgb", tile=(16, 16))
    content = bytearray((tmp_path / "a.tif").read_bytes())
    for tag in (256, 257):  # width and height
        at = content.index(tag.to_bytes(2, "little"))
        content[at + 2 : at + 4] = (4).to_bytes(2, "little")
        content[at + 12 : at + 16] = (200_000).to_bytes(4, "little")
    (tmp_path / "a.tif").write_bytes(bytes(content))
    with pytest.raises(ValueError, match="more than the 100,000,000 allowed"):
        read_image(tmp_path / "a.tif")


def test_16_bits_a_colour_of_png_are_kept_with_the_library(tmp_path, monkeypatch):
    content = imagecodecs.png_encode(DEEP)
    for length in (10, 26, len(content) // 2):
        (tmp_path / "deep.png").write_bytes(content[:length])
        with pytest.raises(ValueError, match="cannot be read as a PNG picture"):
            read_image(tmp_path / "deep.png")
    (tmp_path / "deep.png").write_bytes(content)
    np.testing.assert_allclose(read_image(tmp_path / "deep.png"), DEEP / 65535, atol=1e-6)
    with pytest.raises(ValueError, match="more than the 29 allowed"):
        read_image(tmp_path / "deep.png", 29)
    monkeypatch.setattr("graphwell.io.pictures.find_spec", lambda name: None)
    with pytest.warns(UserWarning, match=r"16 bits a colour, of which 8 are read.*graphwell\[images\]"):
        np.testing.assert_allclose(read_image(tmp_path / "deep.png"), DEEP / 65535, atol=1 / 200)


@pytest.mark.parametrize("compression", [None, "lzw", "deflate"])
def test_16_bits_a_colour_of_tiff_are_kept(tmp_path, compression):
    tifffile.imwrite(tmp_path / "a.tif", DEEP, photometric="rgb", compression=compression)
    np.testing.assert_array_equal(read_image(tmp_path / "a.tif"), DEEP)
    content = (tmp_path / "a.tif").read_bytes()
    for share in (0.1, 0.5, 0.9) if compression == "deflate" else ():
        (tmp_path / "a.tif").write_bytes(content[: int(share * len(content))])
        with pytest.raises(ValueError, match=r"cannot be read as a TIFF picture: it is damaged"):
            read_image(tmp_path / "a.tif")


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.float32])
def test_grey_pages_of_one_size_are_a_volume(tmp_path, kind):
    pages = np.arange(24).reshape(2, 3, 4).astype(kind)
    first, second = map(Image.fromarray, pages)
    first.save(tmp_path / "pages.tif", save_all=True, append_images=[second])
    np.testing.assert_array_equal(
        read_image(tmp_path / "pages.tif", volumes=True)[..., 0], np.moveaxis(pages, 0, -1)
    )
    with pytest.raises(ValueError, match="more than the 20 allowed"):
        read_image(tmp_path / "pages.tif", 20, volumes=True)
    with pytest.raises(ValueError, match="holds 2 pictures; save the one you want"):
        read_image(tmp_path / "pages.tif")


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


def test_channels_and_slices_of_plain_looking_files(tmp_path):
    four = RNG.integers(0, 255, (6, 7, 4)).astype(np.uint8)
    for name, kind, shown in (("a.tif", "unassalpha", 1 / 255), ("b.tif", "unspecified", 1)):
        tifffile.imwrite(tmp_path / name, four, photometric="rgb", extrasamples=[kind])
        np.testing.assert_allclose(read_image(tmp_path / name)[..., 3], four[..., 3] * shown, atol=1e-6)
    stack = RNG.integers(0, 255, (3, 6, 7)).astype(np.uint8)
    for axes, channels in (("CYX", (6, 7, 3)), ("ZYX", (6, 7, 3, 1))):
        tifffile.imwrite(tmp_path / "a.tif", stack, imagej=True, metadata={"axes": axes})
        assert read_image(tmp_path / "a.tif", volumes=True).shape == channels


def test_a_volume_of_a_microscope(tmp_path):
    values = RNG.integers(0, 255, (2, 4, 5, 6)).astype(np.uint8)
    sizes = {"PhysicalSizeX": 500, "PhysicalSizeXUnit": "nm", "PhysicalSizeY": 0.5, "PhysicalSizeZ": 2}
    tifffile.imwrite(tmp_path / "a.ome.tif", values, metadata={"axes": "CZYX", **sizes})
    found = read_image(tmp_path / "a.ome.tif", volumes=True)
    np.testing.assert_array_equal(found, values.transpose(2, 3, 1, 0))
    assert read_placement(tmp_path / "a.ome.tif").spacing == (0.5, 0.5, 2)
    tifffile.imwrite(tmp_path / "b.ome.tif", np.zeros((3, 5, 6), np.uint8), metadata={"axes": "TYX"})
    with pytest.raises(ValueError, match="has the axes t, y, x; save one picture"):
        read_image(tmp_path / "b.ome.tif")


@pytest.mark.parametrize("sizes", [{"PhysicalSizeX": 0.0}, {"PhysicalSizeX": 2, "PhysicalSizeXUnit": "ly"}])
def test_sizes_that_cannot_be_tell_no_spacing(tmp_path, sizes):
    described = {"axes": "YX", "PhysicalSizeY": 1, **sizes}
    tifffile.imwrite(tmp_path / "a.ome.tif", DEEP[..., 0], metadata=described)
    assert read_placement(tmp_path / "a.ome.tif") is None


def raster(path, bands, **more):
    shape = {"count": len(bands), "height": bands.shape[1], "width": bands.shape[2], "dtype": bands.dtype}
    with rasterio.open(path, "w", driver="GTiff", **shape, **PLACE, **more) as file:
        file.write(bands)
    return path


def test_labels_lie_where_the_picture_lies(tmp_path):
    path = raster(tmp_path / "a.tif", GREY[None])
    np.testing.assert_allclose(read_image(path), GREY / 255, atol=1e-6)
    labels = np.where(GREY < 100, 2, np.where(GREY < 200, 7, -1))
    with (tmp_path / "labels.tif").open("wb") as file:
        colors = {2: (255, 0, 0), 7: (0, 0, 255)}
        write_values(labels, None, colors, read_placement(path), tmp_path / "labels.tif", file)
    with rasterio.open(tmp_path / "labels.tif") as file:
        assert (file.crs, file.transform, file.nodata) == (PLACE["crs"], PLACE["transform"], 255)
        np.testing.assert_array_equal(file.read(1, masked=True).filled(99), np.where(labels < 0, 99, labels))
        assert file.colormap(1)[7] == (0, 0, 255, 255)


@pytest.mark.parametrize(
    ("values", "kind", "nodata"),
    [(np.array([[300, -1]]), "uint16", 65535), (np.array([[0.25, 1.0]]), "float32", None)],
)
def test_many_classes_and_real_numbers_lie_there_too(tmp_path, values, kind, nodata):
    placement = Placement(None, (".tif",), {33550: (2.0, 2.0, 0.0), 33922: (0.0, 0.0, 0.0, 9.0, 8.0, 0.0)})
    path = tmp_path / "a.tif"
    with path.open("wb") as file:
        write_values(values, None, {300: (1, 2, 3)}, placement, path, file)
    with rasterio.open(path) as file:
        assert (file.dtypes, file.nodata) == ((kind,), nodata)
        assert file.transform == rasterio.Affine(2, 0, 9, 0, -2, 8)
        np.testing.assert_array_equal(file.read(1), np.where(values < 0, nodata, values))
    with pytest.raises(OptionError, match="classes up to 65,534"):
        write_values(np.array([[70_000]]), None, {}, placement, path, None)


@pytest.mark.parametrize("tag", [(33550, 2, None, "x", True), (34735, 12, 2, (1.0, -1.0), True)])
def test_a_garbled_georeference_says_nothing(tmp_path, tag):
    tifffile.imwrite(tmp_path / "a.tif", GREY, extratags=[tag])
    assert read_placement(tmp_path / "a.tif") is None


@pytest.mark.parametrize("nodata", [-9999, float("nan")])
def test_points_without_data_are_masked(tmp_path, nodata):
    cube = RNG.random((6, 5, 7)).astype(np.float32)
    cube[:, 0, 0], cube[2, 1, 1], cube[:, 4, 4] = nodata, -9999, np.nan
    found = read_image(raster(tmp_path / "a.tif", cube, nodata=nodata))
    assert found.shape == (5, 7, 6)
    assert np.argwhere(found.mask.any(axis=-1)).tolist() == [[0, 0], [4, 4]]
    np.testing.assert_array_equal(found[1, 2], cube[:, 1, 2])


def test_without_the_library(tmp_path, monkeypatch):
    tifffile.imwrite(tmp_path / "deep.tif", DEEP, photometric="rgb")
    tifffile.imwrite(tmp_path / "plain.tif", COLOR, photometric="rgb")
    monkeypatch.setitem(sys.modules, "tifffile", None)
    with pytest.raises(ImportError, match=r"need tifffile.*graphwell\[images\]"):
        read_image(tmp_path / "deep.tif")
    assert read_placement(tmp_path / "deep.tif") is None
    assert read_image(tmp_path / "plain.tif").shape == COLOR.shape
