"""Picture files of every kind."""

import struct
import zlib

import numpy as np
import pytest
from graphwell.io.images.read import read_image
from PIL import Image

GREY = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20
COLOR = np.stack([GREY, 255 - GREY, GREY // 2], axis=2)


@pytest.mark.parametrize("suffix", [".png", ".tif", ".TIFF"])
def test_8_bit_pictures(tmp_path, suffix):
    for name, pixels in (("grey", GREY), ("color", COLOR)):
        path = tmp_path / f"{name}{suffix}"
        Image.fromarray(pixels).save(path)
        np.testing.assert_allclose(read_image(path), pixels / 255, atol=1e-6)


@pytest.mark.parametrize("suffix", [".png", ".tif"])
def test_16_bit_pictures_keep_their_depth(tmp_path, suffix):
    deep = np.array([[0, 1, 2], [3, 40000, 65535]], dtype=np.uint16)
    Image.fromarray(deep).save(tmp_path / f"deep{suffix}")
    np.testing.assert_allclose(read_image(tmp_path / f"deep{suffix}"), deep / 65535, atol=1e-7)


def test_real_numbers_in_a_tiff(tmp_path):
    real = np.array([[0.5, -2.0], [1e6, 3.0]], dtype=np.float32)
    Image.fromarray(real).save(tmp_path / "real.tif")
    np.testing.assert_array_equal(read_image(tmp_path / "real.tif"), real)


def test_jpeg_and_its_orientation(tmp_path):
    tall = np.zeros((40, 20, 3), dtype=np.uint8)
    tall[:20] = 255
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter, clockwise
    Image.fromarray(tall).save(tmp_path / "turned.jpg", exif=exif, quality=95)
    turned = read_image(tmp_path / "turned.jpg")
    assert turned.shape == (20, 40, 3)
    assert turned[:, :15].mean() < 0.1
    assert turned[:, 25:].mean() > 0.9


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


def test_arrays(tmp_path):
    spectrum = np.random.default_rng(0).random((3, 4, 50))
    np.save(tmp_path / "a.npy", spectrum)
    np.savez(tmp_path / "one.npz", anything=spectrum)
    np.savez(tmp_path / "two.npz", image=spectrum, other=np.zeros(3))
    for name in ("a.npy", "one.npz", "two.npz"):
        np.testing.assert_array_equal(read_image(tmp_path / name), spectrum)
    np.savez(tmp_path / "unclear.npz", a=spectrum, b=spectrum)
    with pytest.raises(ValueError, match="must hold one array, or one called 'image'; it holds a, b"):
        read_image(tmp_path / "unclear.npz")
    np.save(tmp_path / "flat.npy", np.zeros(5))
    with pytest.raises(ValueError, match="must have the shape"):
        read_image(tmp_path / "flat.npy")


def png_of_declared_size(width, height):
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(b"\0" * 100)), (b"IEND", b"")]
    body = b"".join(
        struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in parts
    )
    return b"\x89PNG\r\n\x1a\n" + body


def npy_of_declared_shape(shape):
    import io

    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bomb.png", png_of_declared_size(60_000, 60_000)),
        ("bomb.npy", npy_of_declared_shape((60_000, 60_000))),
        ("bomb.npy", npy_of_declared_shape((60_000, 60_000, 3))),
    ],
)
def test_a_bomb_is_refused_by_its_declared_size(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=r"60000 x 60000 = 3,600,000,000 pixels.*--max-pixels"):
        read_image(tmp_path / name)


def test_an_array_of_absurd_depth_is_refused(tmp_path):
    (tmp_path / "deep.npy").write_bytes(npy_of_declared_shape((10, 10, 10**15)))
    with pytest.raises(ValueError, match="too large"):
        read_image(tmp_path / "deep.npy")


def test_a_file_of_several_pictures_is_refused(tmp_path):
    pages = [Image.fromarray(GREY), Image.fromarray(255 - GREY)]
    pages[0].save(tmp_path / "pages.tif", save_all=True, append_images=pages[1:])
    with pytest.raises(ValueError, match="holds 2 pictures"):
        read_image(tmp_path / "pages.tif")


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
