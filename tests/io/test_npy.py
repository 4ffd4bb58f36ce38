"""Array files that may hold anything."""

import numpy as np
import pytest

from graphwell.io.npy import load_npy, load_npz


def test_arrays_come_back(tmp_path):
    np.save(tmp_path / "a.npy", np.eye(2))
    np.savez(tmp_path / "b.npz", X=np.eye(2), y=np.arange(2))
    np.testing.assert_array_equal(load_npy(tmp_path / "a.npy"), np.eye(2))
    assert sorted(load_npz(tmp_path / "b.npz")) == ["X", "y"]


@pytest.mark.parametrize(("load", "kind"), [(load_npy, ".npy"), (load_npz, ".npz")])
@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"PK\x03\x04", b"\x93NUMPY\x01\x00"])
def test_other_bytes_are_one_sentence(tmp_path, load, kind, content):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(ValueError, match=f"cannot be read as a {kind} file"):
        load(tmp_path / "x")


def test_pickles_are_never_opened(tmp_path):
    np.save(tmp_path / "a.npy", np.array([{}], dtype=object))
    with pytest.raises(ValueError, match=r"cannot be read as a \.npy file"):
        load_npy(tmp_path / "a.npy")


def test_a_missing_file_stays_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_npy(tmp_path / "missing.npy")


def test_the_wrong_ending_is_pointed_out(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.eye(2))
    (tmp_path / "a.npz").rename(tmp_path / "a.npy")
    with pytest.raises(ValueError, match=r"rename it to \.npz"):
        load_npy(tmp_path / "a.npy")
    np.save(tmp_path / "b.npy", np.eye(2))
    (tmp_path / "b.npy").rename(tmp_path / "b.npz")
    with pytest.raises(ValueError, match=r"rename it to \.npy"):
        load_npz(tmp_path / "b.npz")
