"""Which format a name asks for."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from graphwell.errors import OptionError
from graphwell.io.images.base import ImageFormat
from graphwell.io.images.registry import (
    FORMATS,
    format_for,
    read_image,
    write_image,
    write_numbers,
    writes_numbers,
)

GREY = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20


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


def test_numbers_or_a_picture(tmp_path):
    assert writes_numbers(Path("a.npy"))
    file = io.BytesIO()
    write_numbers(GREY, Path("a.npy"), file)
    file.seek(0)
    np.testing.assert_array_equal(np.load(file), GREY)
    with (tmp_path / "a.png").open("wb") as opened:
        write_image(GREY, tmp_path / "a.png", opened)
    np.testing.assert_allclose(read_image(tmp_path / "a.png"), GREY / 255, atol=1e-6)


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
