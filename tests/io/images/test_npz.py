"""Pictures and classes in `.npz` files."""

import numpy as np
import pytest

from graphwell.io.images.npz import FORMAT


def test_the_only_array_or_the_one_of_the_right_name(tmp_path):
    spectrum = np.random.default_rng(0).random((3, 4, 50))
    np.savez(tmp_path / "one.npz", anything=spectrum)
    np.savez(tmp_path / "two.npz", image=spectrum, seeds=np.zeros((3, 4), int))
    for name in ("one.npz", "two.npz"):
        np.testing.assert_array_equal(FORMAT.read(tmp_path / name, 100), spectrum)
    assert (FORMAT.read_numbers(tmp_path / "two.npz", 100) == 0).all()
    np.savez(tmp_path / "unclear.npz", a=spectrum, b=spectrum)
    with pytest.raises(ValueError, match="must hold one array, or one called 'image'; it holds a, b"):
        FORMAT.read(tmp_path / "unclear.npz", 100)


def test_each_array_inside_is_measured_first(tmp_path):
    np.savez(tmp_path / "a.npz", image=np.zeros((2, 2)), other=np.zeros((30, 30)))
    with pytest.raises(ValueError, match="30 x 30 = 900 pixels, more than the 100 allowed"):
        FORMAT.read(tmp_path / "a.npz", 100)


def test_it_is_not_written():
    assert not FORMAT.keeps_labels
    assert not FORMAT.shows_pictures
