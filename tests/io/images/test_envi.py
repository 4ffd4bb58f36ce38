"""Cubes with a header of text."""

import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.io.images.registry import read_image

CUBE = np.random.default_rng(0).integers(0, 200, (4, 5, 7))
AXES = {"bsq": (2, 0, 1), "bil": (0, 2, 1), "bip": (0, 1, 2)}


def write(tmp_path, interleave="bip", kind="<u2", code=12, ending=".img", **changes):
    fields = {
        "description": "{\n a cube,\n lines = 99}",
        "samples": 5,
        "lines": 4,
        "bands": 7,
        "data type": code,
        "interleave": interleave,
        "byte order": 0,
        **changes,
    }
    path = tmp_path / "cube.hdr"
    path.write_text("ENVI\n" + "".join(f"{k} = {v}\n" for k, v in fields.items() if v is not None))
    offset = b"x" * int(fields.get("header offset", 0))
    path.with_suffix(ending).write_bytes(offset + CUBE.transpose(AXES[interleave]).astype(kind).tobytes())
    return path


@pytest.mark.parametrize("interleave", AXES)
@pytest.mark.parametrize(
    ("kind", "code", "order"), [("u1", 1, 0), ("<i2", 2, 0), (">f4", 4, 1), ("<f8", 5, 0), (">u2", 12, 1)]
)
def test_every_order_of_axes_and_bytes(tmp_path, interleave, kind, code, order):
    path = write(tmp_path, interleave, kind, code, **{"byte order": order, "header offset": 3})
    np.testing.assert_array_equal(read_image(path), CUBE)


@pytest.mark.parametrize("ending", ["", ".dat", ".raw", ".bsq"])
def test_the_numbers_lie_beside_the_header(tmp_path, ending):
    np.testing.assert_array_equal(read_image(write(tmp_path, ending=ending)), CUBE)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"lines": None}, "lacks a field or garbles it: 'lines'"),
        ({"data type": 6}, "lacks a field or garbles it"),
        ({"interleave": "bip", "samples": "many"}, "lacks a field or garbles it"),
        ({"lines": 0}, "without any pixel"),
        ({"lines": 40}, "declares 2,800 bytes of numbers, but cube.img holds 280"),
        ({"lines": 10**6, "samples": 10**6}, "more than the 100,000,000 allowed"),
    ],
)
def test_garbled_headers_are_refused(tmp_path, changes, words):
    with pytest.raises(OptionError, match=words):
        read_image(write(tmp_path, **changes))


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "a.hdr"
    path.write_text("#?RADIANCE\n")
    with pytest.raises(OptionError, match="is no ENVI header"):
        read_image(path)
    path.write_text("ENVI\nsamples = 2\nlines = 1\nbands = 1\ndata type = 1\ninterleave = bsq\n")
    with pytest.raises(OptionError, match="numbers of the cube are missing"):
        read_image(path)
