"""Pictures, volumes and classes in files: PNG, JPEG, TIFF, `.npy`, `.npz`, NIfTI, Zarr."""

import json
import struct
import sys
import zlib
from pathlib import Path

import imagecodecs
import nibabel
import numpy as np
import pytest
import rasterio
import tifffile
import zarr
from PIL import Image, ImageOps

from graphwell.errors import OptionError
from graphwell.io.images import read_image, read_placement, read_seeds, suffix_for, write_values
from tests.io.helpers import npy_of_declared_shape

GREY = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20
COLOR = np.stack([GREY, 255 - GREY, GREY // 2], axis=2)
RNG = np.random.default_rng(0)
DEEP = RNG.integers(0, 65536, (5, 6, 3)).astype(np.uint16)
PLACE = {"crs": "EPSG:32632", "transform": rasterio.Affine(10, 0, 5e5, 0, -10, 5e6)}
SCAN = RNG.random((4, 5, 6)).astype(np.float32)
AFFINE = np.array([[0.9, 0, 0, -40], [0, 0.9, 0, 30], [0, 0, 3, 7], [0, 0, 0, 1]])
STACK = RNG.random((2, 3, 4, 5)).astype(np.float32)


def written(values, path, colors=None, like=None):
    """The file of labels or scores, which lie where those of another file lie."""
    with path.open("wb") as file:
        write_values(values, None, colors or {}, None if like is None else read_placement(like), path, file)
    return path


@pytest.mark.parametrize(
    ("field", "suffixes"),
    [
        ("image", ".png, .jpg, .jpeg, .tif, .tiff, .npy, .npz, .nii, .nii.gz or .zarr"),
        ("seeds", ".png, .tif, .tiff, .npy, .npz, .json, .nii, .nii.gz or .zarr"),
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
        ("a.zarr", b"x", "is no folder, as its name promises"),
    ],
)
def test_damaged_files_are_refused_in_a_sentence(tmp_path, name, content, words):
    Image.fromarray(RNG.integers(0, 255, (64, 64, 3), dtype=np.uint8)).save(tmp_path / "whole.png")
    whole = (tmp_path / "whole.png").read_bytes()
    (tmp_path / name).write_bytes(whole[content] if isinstance(content, slice) else content)
    with pytest.raises(ValueError, match=words):
        read_image(tmp_path / name)


def png_of_declared_size(side):
    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(b"\0" * 100)), (b"IEND", b"")]
    body = [struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in chunks]
    return b"\x89PNG\r\n\x1a\n" + b"".join(body)


def tiff_of_declared_size(path, side):
    with tifffile.TiffWriter(path, bigtiff=True) as file:
        file.write(np.zeros((16, 16, 3), np.uint16), photometric="rgb", tile=(16, 16))
    content = bytearray(path.read_bytes())
    for tag in (256, 257):  # width and height
        at = content.index(tag.to_bytes(2, "little"))
        content[at + 2 : at + 4] = (4).to_bytes(2, "little")
        content[at + 12 : at + 16] = side.to_bytes(4, "little")
    return bytes(content)


def test_bombs_are_refused_by_their_declared_size(tmp_path):
    header = nibabel.Nifti1Header()
    header.set_data_shape((30_000, 30_000, 30_000))
    for name, content in {
        "a.png": png_of_declared_size(60_000),
        "a.tif": tiff_of_declared_size(tmp_path / "small.tif", 200_000),
        "a.npy": npy_of_declared_shape((60_000, 60_000)),
        "b.npy": npy_of_declared_shape((60_000, 60_000, 3)),
        "a.nii": header.binaryblock + bytes(100),
    }.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(OptionError, match=r"pixels, more than the 100,000,000 allowed.*max_pixels"):
            read_image(tmp_path / name, volumes=True)
    (tmp_path / "deep.npy").write_bytes(npy_of_declared_shape((10, 10, 10**15)))
    zarr.create_array(tmp_path / "deep.zarr", shape=(100, 100, 10**12), chunks=(100, 100, 1), dtype="u1")
    for name, words in {"deep.npy": "damaged, truncated", "deep.zarr": "needs about .* of memory"}.items():
        with pytest.raises(ValueError, match=words):
            read_image(tmp_path / name)
    np.savez(tmp_path / "a.npz", image=np.zeros((2, 2)), other=np.zeros((30, 30)))
    with pytest.raises(OptionError, match="30 x 30 = 900 pixels, more than the 100 allowed"):
        read_image(tmp_path / "a.npz", 100)


# ------------------------------------------------------------------------------------- PNG, JPEG and TIFF


@pytest.mark.parametrize("name", ["grey.png", "color.png", "grey.tif", "color.TIFF"])
def test_8_bit_pictures(tmp_path, name):
    pixels = GREY if name.startswith("grey") else COLOR
    Image.fromarray(pixels).save(tmp_path / name)
    np.testing.assert_allclose(read_image(tmp_path / name, 12), pixels / 255, atol=1e-6)
    with pytest.raises(ValueError, match="4 x 3 = 12 pixels, more than the 11 allowed"):
        read_image(tmp_path / name, max_pixels=11)


@pytest.mark.parametrize(("name", "kind"), [("a.png", np.uint8), ("a.tif", np.uint8), ("a.tif", np.uint16)])
def test_opacity_counts_where_there_is_some(tmp_path, name, kind):
    colors, most = COLOR.astype(kind), np.iinfo(kind).max
    for shown in (most, 0):
        pixels = np.dstack([colors, np.full(GREY.shape, most, dtype=kind)])
        pixels[0, :, 3] = shown
        if name == "a.tif":
            tifffile.imwrite(tmp_path / name, pixels, photometric="rgb", extrasamples=[2])
        else:
            Image.fromarray(pixels).save(tmp_path / name)
        found = read_image(tmp_path / name)
        assert found.shape == (3, 4, 4 if shown == 0 else 3)
        np.testing.assert_allclose(found[1:, :, :3], COLOR[1:] / most, atol=1e-6)
        assert (found[0] == 0).all() == (shown == 0)


def test_palettes_two_colours_16_bits_of_grey_and_real_numbers(tmp_path):
    Image.fromarray(COLOR).quantize(16).save(tmp_path / "palette.png")
    assert np.abs(read_image(tmp_path / "palette.png") - COLOR / 255).max() < 0.15
    Image.fromarray(GREY > 100).save(tmp_path / "two.png")
    np.testing.assert_array_equal(read_image(tmp_path / "two.png"), GREY > 100)
    deep = np.array([[0, 1, 2], [3, 40000, 65535]], dtype=np.uint16)
    for name in ("deep.png", "deep.tif"):
        Image.fromarray(deep).save(tmp_path / name)
        np.testing.assert_allclose(read_image(tmp_path / name), deep / 65535, atol=1e-7)
    real = np.array([[0.5, -2.0], [1e6, 3.0]], dtype=np.float32)
    Image.fromarray(real).save(tmp_path / "real.tif")
    np.testing.assert_array_equal(read_image(tmp_path / "real.tif", 100), real)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_the_orientation_of_a_camera_is_followed(tmp_path, orientation):
    shallow = Image.fromarray((DEEP >> 8).astype(np.uint8))
    exif = shallow.getexif()
    exif[274] = orientation
    shallow.save(tmp_path / "shallow.png", exif=exif)
    tag = (274, 3, 1, orientation, True)
    tifffile.imwrite(tmp_path / "deep.tif", DEEP, photometric="rgb", extratags=[tag])
    turned = np.asarray(ImageOps.exif_transpose(shallow))
    np.testing.assert_array_equal(read_image(tmp_path / "deep.tif") >> 8, turned)
    np.testing.assert_allclose(read_image(tmp_path / "shallow.png"), turned / 255, atol=1e-6)


def test_16_bits_a_colour_are_kept_in_tiff(tmp_path, monkeypatch):
    path = tmp_path / "deep.tif"
    tifffile.imwrite(path, DEEP, photometric="rgb", compression="deflate")
    whole = path.read_bytes()
    for share in (0.1, 0.5, 0.9):
        path.write_bytes(whole[: int(share * len(whole))])
        with pytest.raises(ValueError, match="cannot be read as a TIFF picture: it is damaged"):
            read_image(path)
    path.write_bytes(whole)
    with pytest.raises(ValueError, match="more than the 29 allowed"):
        read_image(path, 29)
    np.testing.assert_array_equal(read_image(path), DEEP)
    (tmp_path / "deep.png").write_bytes(imagecodecs.png_encode(DEEP))
    with pytest.warns(UserWarning, match="16 bits a colour, of which 8 are read; save it as TIFF"):
        np.testing.assert_allclose(read_image(tmp_path / "deep.png"), DEEP / 65535, atol=1 / 200)
    tifffile.imwrite(tmp_path / "plain.tif", COLOR, photometric="rgb")
    monkeypatch.setitem(sys.modules, "tifffile", None)
    with pytest.raises(ImportError, match=r"need tifffile.*graphwell\[images\]"):
        read_image(path)
    assert read_placement(path) is None
    assert read_image(tmp_path / "plain.tif").shape == COLOR.shape


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.float32])
def test_grey_pages_of_one_size_are_a_volume(tmp_path, kind):
    pages = np.arange(24).reshape(2, 3, 4).astype(kind)
    first, second = map(Image.fromarray, pages)
    first.save(tmp_path / "pages.tif", save_all=True, append_images=[second])
    found = read_image(tmp_path / "pages.tif", volumes=True)
    np.testing.assert_array_equal(found[..., 0], np.moveaxis(pages, 0, -1))
    with pytest.raises(ValueError, match="more than the 20 allowed"):
        read_image(tmp_path / "pages.tif", 20, volumes=True)
    with pytest.raises(ValueError, match="holds 2 pictures; save the one you want"):
        read_image(tmp_path / "pages.tif")


def test_pages_channels_and_slices_of_tiff(tmp_path):
    for name, sizes in (("a.tif", (1, 2)), ("b.tif", (2, 1))):
        with tifffile.TiffWriter(tmp_path / name) as file:
            for step in sizes:
                file.write(DEEP[::step, ::step], photometric="rgb")
    np.testing.assert_array_equal(read_image(tmp_path / "a.tif"), DEEP)  # a smaller copy follows
    with pytest.raises(ValueError, match="holds 2 pictures"):
        read_image(tmp_path / "b.tif")
    four = RNG.integers(0, 255, (6, 7, 4)).astype(np.uint8)
    for kind, shown in (("unassalpha", 1 / 255), ("unspecified", 1)):
        tifffile.imwrite(tmp_path / "c.tif", four, photometric="rgb", extrasamples=[kind])
        np.testing.assert_allclose(read_image(tmp_path / "c.tif")[..., 3], four[..., 3] * shown, atol=1e-6)
    stack = RNG.integers(0, 255, (3, 6, 7)).astype(np.uint8)
    for axes, channels in (("CYX", (6, 7, 3)), ("ZYX", (6, 7, 3, 1))):
        tifffile.imwrite(tmp_path / "d.tif", stack, imagej=True, metadata={"axes": axes})
        assert read_image(tmp_path / "d.tif", volumes=True).shape == channels


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
    for wrong in ({"PhysicalSizeX": 0.0}, {"PhysicalSizeX": 2, "PhysicalSizeXUnit": "ly"}):
        described = {"axes": "YX", "PhysicalSizeY": 1, **wrong}
        tifffile.imwrite(tmp_path / "c.ome.tif", DEEP[..., 0], metadata=described)
        assert read_placement(tmp_path / "c.ome.tif") is None


def raster(path, bands, **more):
    shape = {"count": len(bands), "height": bands.shape[1], "width": bands.shape[2], "dtype": bands.dtype}
    with rasterio.open(path, "w", driver="GTiff", **shape, **PLACE, **more) as file:
        file.write(bands)
    return path


@pytest.mark.parametrize(
    ("values", "kind", "nodata"),
    [
        (np.where(GREY < 100, 2, np.where(GREY < 200, 7, -1)), "uint8", 255),
        (np.array([[300, -1]]), "uint16", 65535),
        (np.array([[0.25, 1.0]]), "float32", None),
    ],
)
def test_labels_lie_where_the_picture_lies(tmp_path, values, kind, nodata):
    path = raster(tmp_path / "a.tif", GREY[None])
    np.testing.assert_allclose(read_image(path), GREY / 255, atol=1e-6)
    with rasterio.open(
        written(values, tmp_path / "labels.tif", {2: (255, 0, 0), 7: (0, 0, 255)}, path)
    ) as file:
        assert (file.crs, file.transform) == (PLACE["crs"], PLACE["transform"])
        assert (file.dtypes, file.nodata) == ((kind,), nodata)
        np.testing.assert_array_equal(file.read(1), np.where(values < 0, nodata, values))
        assert kind != "uint8" or file.colormap(1)[7] == (0, 0, 255, 255)
    with pytest.raises(OptionError, match="classes up to 65,534"):
        written(np.array([[70_000]]), tmp_path / "many.tif", like=path)


def test_a_garbled_georeference_goes_along_and_without_the_library_none_is_lost(tmp_path, monkeypatch):
    tag = (34735, 12, 2, (1.0, -1.0), True)
    tifffile.imwrite(tmp_path / "a.tif", GREY, extratags=[tag])
    written(GREY.astype(int), tmp_path / "labels.tif", like=tmp_path / "a.tif")
    with tifffile.TiffFile(tmp_path / "labels.tif") as file:
        assert file.pages[0].tags[34735].value == (1.0, -1.0)
        np.testing.assert_array_equal(file.asarray(), GREY)
    monkeypatch.setitem(sys.modules, "tifffile", None)
    with pytest.raises(ImportError, match=r"or a place need tifffile.*graphwell\[images\]"):
        read_placement(tmp_path / "a.tif")


@pytest.mark.parametrize("nodata", [-9999, float("nan")])
def test_points_without_data_are_masked(tmp_path, nodata):
    cube = RNG.random((6, 5, 7)).astype(np.float32)
    cube[:, 0, 0], cube[2, 1, 1], cube[:, 4, 4] = nodata, -9999, np.nan
    found = read_image(raster(tmp_path / "a.tif", cube, nodata=nodata))
    assert found.shape == (5, 7, 6)
    assert np.argwhere(found.mask.any(axis=-1)).tolist() == [[0, 0], [4, 4]]
    np.testing.assert_array_equal(found[1, 2], cube[:, 1, 2])


# ------------------------------------------------------------------------------------------ .npy and .npz


def test_arrays_of_any_number_of_channels(tmp_path):
    spectrum = RNG.random((3, 4, 50))
    np.save(tmp_path / "a.npy", spectrum)
    np.savez(tmp_path / "one.npz", anything=spectrum)
    np.savez(tmp_path / "two.npz", image=spectrum, seeds=np.zeros((3, 4), int))
    for name in ("a.npy", "one.npz", "two.npz"):
        np.testing.assert_array_equal(read_image(tmp_path / name, 100), spectrum)
    assert (read_seeds(tmp_path / "two.npz", (3, 4)).classes == 0).all()
    np.savez(tmp_path / "unclear.npz", a=spectrum, b=spectrum)
    with pytest.raises(ValueError, match="must hold one array, or one called image; it holds a, b"):
        read_image(tmp_path / "unclear.npz", 100)
    for wrong in (np.zeros(5), np.zeros((1, 2, 3, 4, 5)), np.full((2, 2), "a"), np.array([[1j]])):
        np.save(tmp_path / "wrong.npy", wrong)
        with pytest.raises(ValueError, match=r"wrong\.npy must (have the shape|hold real numbers)"):
            read_image(tmp_path / "wrong.npy")
    for save, name in ((np.save, "holes.npy"), (np.savez, "holes.npz")):
        save(tmp_path / name, np.array([[0.5, np.nan], [0.2, 0.1]]))
        assert read_image(tmp_path / name).mask.tolist() == [[False, True], [False, False]]
    classes = np.array([[3, -1], [0, 7]])
    back = read_seeds(written(classes, tmp_path / "labels.npy"), (2, 2)).classes
    np.testing.assert_array_equal(back, classes)


# -------------------------------------------------------------------------------------------------- NIfTI


def nifti(path, values=SCAN):
    nibabel.save(nibabel.Nifti1Image(values, AFFINE), path)
    return path


@pytest.mark.parametrize("name", ["scan.nii", "scan.nii.gz"])
def test_a_volume_and_where_it_lies(tmp_path, name):
    path = nifti(tmp_path / name)
    np.testing.assert_array_equal(read_image(path, volumes=True)[..., 0], SCAN)
    assert read_placement(path).spacing == pytest.approx((0.9, 0.9, 3))
    labels = np.where(SCAN < 0.5, 3, -1)
    back = nibabel.load(written(labels, tmp_path / f"labels_{name}", like=path))
    np.testing.assert_allclose(back.affine, AFFINE, atol=1e-6)
    np.testing.assert_array_equal(np.asarray(back.dataobj), np.where(labels < 0, 0, 3))
    back = nibabel.load(written(np.array([[[0, -1, 2]]]), tmp_path / f"zero_{name}"))
    assert np.asarray(back.dataobj).ravel().tolist() == [0, -1, 2]
    content = path.read_bytes()
    for share in (0.05, 0.5, 0.95):
        path.write_bytes(content[: int(share * len(content))])
        with pytest.raises(ValueError, match="cannot be read as a NIfTI picture: it is damaged, truncated"):
            read_image(path, volumes=True)


def test_channels_come_last_scales_are_applied_and_nan_is_masked(tmp_path, monkeypatch):
    image = nibabel.Nifti1Image((SCAN[..., None] * [100, 50]).astype(np.int16), AFFINE)
    image.header.set_slope_inter(0.5, 1)
    nibabel.save(image, tmp_path / "a.nii")
    found = read_image(tmp_path / "a.nii", volumes=True)
    assert found.shape == (4, 5, 6, 2)
    np.testing.assert_allclose(found, np.asarray(nibabel.load(tmp_path / "a.nii").dataobj), rtol=1e-6)
    holes = SCAN.copy()
    holes[1, 2, 3] = np.nan
    found = read_image(nifti(tmp_path / "a.nii", holes), volumes=True)
    assert np.argwhere(found.mask[..., 0]).tolist() == [[1, 2, 3]]
    path = nifti(tmp_path / "a.nii", np.zeros((2, 3, 4, 5, 6), np.uint8))
    with pytest.raises(ValueError, match=r"has the shape \(2, 3, 4, 5, 6\); a volume has three axes"):
        read_image(path, volumes=True)
    monkeypatch.setitem(sys.modules, "nibabel", None)
    with pytest.raises(ImportError, match=r"need nibabel.*graphwell\[nifti\]"):
        read_image(path)


@pytest.mark.parametrize("kind", [np.uint8, np.float32])
def test_marks_of_a_volume(tmp_path, kind):
    marks = np.zeros(SCAN.shape, dtype=kind)
    marks[0, 0, 0], marks[3, 4, 5] = 1, 2
    found = read_seeds(nifti(tmp_path / "marks.nii.gz", marks), SCAN.shape)
    np.testing.assert_array_equal(found.classes, np.where(marks == 0, -1, marks.astype(int)))
    assert set(found.names.values()) == {"1", "2"}
    with pytest.raises(OptionError, match="must hold integers with 0 for unknown, not float32"):
        read_seeds(nifti(tmp_path / "marks.nii"), SCAN.shape)


# --------------------------------------------------------------------------------------------------- Zarr


def ome(path, scale=(1, 2, 0.5, 0.5), version=3):
    root = zarr.open_group(path, mode="w", zarr_format=version)
    root.create_array("0", data=STACK)
    described = {
        "axes": [{"name": axis} for axis in "czyx"],
        "datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": list(scale)}]}],
    }
    root.attrs.update({"ome": {"multiscales": [described]}} if version == 3 else {"multiscales": [described]})
    return path


@pytest.mark.parametrize("version", [2, 3])
def test_an_image_of_ome(tmp_path, version):
    path = ome(tmp_path / "a.zarr", version=version)
    np.testing.assert_array_equal(read_image(path, volumes=True), STACK.transpose(2, 3, 1, 0))
    assert read_placement(path).spacing == (0.5, 0.5, 2)


@pytest.mark.parametrize("scale", [[1, 2, 0, 0.5], [1, 2, -1, 0.5], [1, 2, float("nan"), 1], [1]])
def test_a_spacing_that_cannot_be_is_none_and_garbled_descriptions_are_refused(tmp_path, scale):
    path = ome(tmp_path / "a.zarr", scale)
    if len(scale) > 1:
        assert read_placement(path) is None
    else:
        with pytest.raises(ValueError, match="cannot be read as a folder of Zarr"):
            read_placement(path)
    text = json.loads((path / "zarr.json").read_text())
    text["attributes"]["ome"]["multiscales"][0]["datasets"][0]["path"] = "nowhere"
    (path / "zarr.json").write_text(json.dumps(text))
    with pytest.raises(ValueError, match="cannot be read as a folder of Zarr"):
        read_image(path)


def test_plain_arrays_of_zarr(tmp_path):
    plain = STACK[0, 0].copy()
    plain[1, 1] = np.inf
    zarr.save(tmp_path / "a.zarr", plain)
    found = read_image(tmp_path / "a.zarr")
    assert type(found) is np.ndarray
    np.testing.assert_array_equal(found, plain)
    assert read_placement(tmp_path / "a.zarr") is None
    piece = next(p for p in (tmp_path / "a.zarr").rglob("*") if p.is_file() and p.suffix != ".json")
    piece.write_bytes(piece.read_bytes()[:-4])
    with pytest.raises(ValueError, match="cannot be read as a folder of Zarr: it is damaged"):
        read_image(tmp_path / "a.zarr")
    plain[1, 1] = np.nan
    zarr.save(tmp_path / "holes.zarr", plain)
    assert np.argwhere(read_image(tmp_path / "holes.zarr").mask).tolist() == [[1, 1]]
    seeds = np.full((4, 5), -1)
    seeds[0, 0], seeds[3, 3] = 0, 1
    zarr.save(tmp_path / "both.zarr", image=STACK[0, 0], seeds=seeds)
    np.testing.assert_array_equal(read_image(tmp_path / "both.zarr"), STACK[0, 0])
    np.testing.assert_array_equal(read_seeds(tmp_path / "both.zarr", (4, 5)).classes, seeds)
    zarr.save(tmp_path / "two.zarr", one=seeds, other=seeds)
    with pytest.raises(ValueError, match="must hold one array, or one called image; it holds one, other"):
        read_image(tmp_path / "two.zarr")
    for content in ("", "{", "[1]"):
        (tmp_path / "two.zarr" / "zarr.json").write_text(content)
        with pytest.raises(ValueError, match="cannot be read as a folder of Zarr: it is damaged"):
            read_image(tmp_path / "two.zarr")


def test_code_in_a_store_of_zarr_is_never_run(tmp_path):
    folder = tmp_path / "bad.zarr"
    folder.mkdir()
    described = {
        "zarr_format": 2, "shape": [1, 2], "chunks": [1, 2], "dtype": "<i8", "order": "C", "fill_value": 0,
        "compressor": None, "filters": [{"id": "pickle", "protocol": 5}],
    }  # fmt: skip
    (folder / ".zarray").write_text(json.dumps(described))
    (folder / "0.0").write_bytes(b"cos\nsystem\n(S'touch " + str(tmp_path / "ran").encode() + b"'\ntR.")
    with pytest.raises(OptionError, match="which are never unpickled"):
        read_image(folder)
    assert not (tmp_path / "ran").exists()
