"""Cubes of MATLAB."""

import numpy as np
import pytest
from scipy.io import savemat

from graphwell.errors import OptionError
from graphwell.io.images.registry import read_image

CUBE = np.random.default_rng(0).normal(size=(4, 5, 7))


def test_the_only_array_or_the_one_called_image(tmp_path):
    path = tmp_path / "cube.mat"
    savemat(path, {"pines": CUBE, "title": "a field", "scale": 3.0})
    np.testing.assert_array_equal(read_image(path), CUBE)
    savemat(path, {"other": CUBE, "image": CUBE[..., 0]}, do_compression=True)
    np.testing.assert_array_equal(read_image(path), CUBE[..., 0])


def test_several_arrays_are_refused_by_name(tmp_path):
    path = tmp_path / "cube.mat"
    savemat(path, {"a": CUBE, "b": CUBE})
    with pytest.raises(OptionError, match="or one called image; it holds a, b"):
        read_image(path)
    savemat(path, {"title": "nothing"})
    with pytest.raises(OptionError, match="it holds none"):
        read_image(path)


def test_limits_are_kept_before_anything_is_read(tmp_path):
    savemat(tmp_path / "cube.mat", {"a": CUBE})
    with pytest.raises(OptionError, match="more than the 10 allowed"):
        read_image(tmp_path / "cube.mat", 10)


def test_damaged_and_newer_files_are_refused(tmp_path):
    path = tmp_path / "cube.mat"
    savemat(path, {"a": CUBE})
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(ValueError, match=r"cannot be read as a \.mat file"):
        read_image(path)
    path.write_bytes(b"MATLAB 7.3 MAT-file" + bytes(493) + b"\x89HDF\r\n")
    with pytest.raises(OptionError, match=r"version 7\.3; save it with -v7"):
        read_image(path)
    path.write_bytes(b"")
    with pytest.raises(ValueError, match="is empty"):
        read_image(path)
