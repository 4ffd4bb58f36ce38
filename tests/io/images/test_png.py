"""PNG pictures."""

import struct
import zlib

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from graphwell.io.images.png import FORMAT


def test_16_bits_keep_their_depth(tmp_path):
    deep = np.array([[0, 1, 2], [3, 40000, 65535]], dtype=np.uint16)
    Image.fromarray(deep).save(tmp_path / "deep.png")
    np.testing.assert_allclose(FORMAT.read(tmp_path / "deep.png", 100), deep / 65535, atol=1e-7)


def test_colours_come_back_exactly(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 255, (5, 6, 4), dtype=np.uint8)
    with (tmp_path / "a.png").open("wb") as file:
        FORMAT.write_colors(pixels, file)
    np.testing.assert_array_equal(FORMAT.read_colors(tmp_path / "a.png", 100), pixels)
    assert FORMAT.keeps_labels


def png_of_declared_size(width, height):
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(b"\0" * 100)), (b"IEND", b"")]
    body = b"".join(
        struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in parts
    )
    return b"\x89PNG\r\n\x1a\n" + body


def test_a_bomb_is_refused_by_its_declared_size(tmp_path):
    (tmp_path / "bomb.png").write_bytes(png_of_declared_size(60_000, 60_000))
    with pytest.raises(ValueError, match=r"60000 x 60000 = 3,600,000,000 pixels.*max_pixels"):
        FORMAT.read(tmp_path / "bomb.png", 100_000_000)


DEEP = np.random.default_rng(0).integers(0, 65536, (5, 6, 4)).astype(np.uint16)


def encoded(values):
    return imagecodecs.png_encode(np.ascontiguousarray(values))


@pytest.mark.parametrize("channels", [2, 3, 4])
def test_16_bits_a_colour_are_kept(tmp_path, channels):
    (tmp_path / "deep.png").write_bytes(encoded(DEEP[..., :channels]))
    found = FORMAT.read(tmp_path / "deep.png", 100)
    shares = DEEP[..., :channels] / 65535
    opacity = shares[..., -1:] if channels != 3 else 1
    seen = shares * np.where(np.arange(channels) == channels - 1, 1, opacity) if channels != 3 else shares
    np.testing.assert_allclose(found, seen, atol=1e-6)


def test_16_bits_a_colour_without_the_library(tmp_path, monkeypatch):
    (tmp_path / "deep.png").write_bytes(encoded(DEEP[..., :3]))
    monkeypatch.setattr("graphwell.io.images.png.find_spec", lambda name: None)
    with pytest.warns(UserWarning, match=r"16 bits a colour, of which 8 are read.*graphwell\[images\]"):
        np.testing.assert_allclose(
            FORMAT.read(tmp_path / "deep.png", 100), DEEP[..., :3] / 65535, atol=1 / 200
        )


def test_a_truncated_deep_picture_is_told_in_a_sentence(tmp_path):
    content = encoded(DEEP)
    for length in (10, 26, len(content) // 2):
        (tmp_path / "deep.png").write_bytes(content[:length])
        with pytest.raises(ValueError, match="cannot be read as a PNG picture"):
            FORMAT.read(tmp_path / "deep.png", 100)
    (tmp_path / "deep.png").write_bytes(content)
    with pytest.raises(ValueError, match="more than the 29 allowed"):
        FORMAT.read(tmp_path / "deep.png", 29)
