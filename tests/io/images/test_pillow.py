"""Pictures that Pillow reads."""

import numpy as np
import pytest
from PIL import Image

from graphwell.io.images.pillow import pillow_format
from graphwell.io.images.registry import read_image

GREY = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20
COLOR = np.stack([GREY, 255 - GREY, GREY // 2], axis=2)


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


def test_a_declaration_says_what_a_format_can_do():
    declared = pillow_format("BMP", (".bmp",), rank=9, exact=False)
    assert declared.holds_pictures
    assert declared.holds_seeds
    assert declared.shows_pictures
    assert not declared.keeps_labels
