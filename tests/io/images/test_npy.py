"""Pictures and classes in `.npy` files."""

import io

import numpy as np
import pytest

from graphwell.io.images.npy import FORMAT


def npy_of_declared_shape(shape):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return file.getvalue()


def test_any_number_of_channels(tmp_path):
    spectrum = np.random.default_rng(0).random((3, 4, 50))
    np.save(tmp_path / "a.npy", spectrum)
    np.testing.assert_array_equal(FORMAT.read(tmp_path / "a.npy", 100), spectrum)
    np.save(tmp_path / "flat.npy", np.zeros(5))
    with pytest.raises(ValueError, match="must have the shape"):
        FORMAT.read(tmp_path / "flat.npy", 100)


def test_numbers_come_back_as_they_were_written(tmp_path):
    classes = np.array([[3, -1], [0, 7]])
    with (tmp_path / "a.npy").open("wb") as file:
        FORMAT.write_numbers(classes, file)
    np.testing.assert_array_equal(FORMAT.read_numbers(tmp_path / "a.npy", 100), classes)


@pytest.mark.parametrize("shape", [(60_000, 60_000), (60_000, 60_000, 3)])
def test_a_bomb_is_refused_by_its_declared_size(tmp_path, shape):
    (tmp_path / "bomb.npy").write_bytes(npy_of_declared_shape(shape))
    with pytest.raises(ValueError, match=r"60000 x 60000 = 3,600,000,000 pixels.*max_pixels"):
        FORMAT.read(tmp_path / "bomb.npy", 100_000_000)


def test_an_array_of_absurd_depth_is_refused(tmp_path):
    (tmp_path / "deep.npy").write_bytes(npy_of_declared_shape((10, 10, 10**15)))
    with pytest.raises(ValueError, match="too large"):
        FORMAT.read(tmp_path / "deep.npy", 100_000_000)
