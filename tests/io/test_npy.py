"""Array files that may hold anything."""

import io
import tracemalloc
import zipfile

import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.io.npy import load_npy, load_npz, read_sealed, write_sealed
from graphwell.memory import limited_to


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
    with pytest.raises(ValueError, match="holds Python objects, which are never unpickled; save text"):
        load_npy(tmp_path / "a.npy")
    np.savez(tmp_path / "b.npz", X=np.eye(2), y=np.array(["a", None], dtype=object))
    with pytest.raises(ValueError, match="the array 'y' holds Python objects"):
        load_npz(tmp_path / "b.npz")


def test_what_would_not_fit_is_refused_before_it_is_unpacked(tmp_path):
    np.savez_compressed(tmp_path / "bomb.npz", X=np.zeros((2_000_000, 5)))
    assert (tmp_path / "bomb.npz").stat().st_size < 10**6
    tracemalloc.start()
    with limited_to(50 * 10**6), pytest.raises(OptionError, match=r"bomb.npz needs about 160.0 MB of memory"):
        load_npz(tmp_path / "bomb.npz")
    assert tracemalloc.get_traced_memory()[1] < 10**7
    tracemalloc.stop()


@pytest.mark.parametrize("shape", [(10**12,), (10**6, 10**6), (2**62, 4)])
def test_a_header_that_declares_more_than_there_is(tmp_path, shape):
    content = io.BytesIO()
    np.lib.format.write_array_header_2_0(content, {"descr": "<f8", "fortran_order": False, "shape": shape})
    (tmp_path / "a.npy").write_bytes(content.getvalue())
    with zipfile.ZipFile(tmp_path / "b.npz", "w") as archive:
        archive.writestr("X.npy", content.getvalue())
    for load, name in ((load_npy, "a.npy"), (load_npz, "b.npz")):
        with pytest.raises(ValueError, match="damaged, truncated"):
            load(tmp_path / name)


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


def test_an_archive_with_a_checksum_comes_back_or_is_refused(tmp_path):
    path = tmp_path / "run"
    write_sealed(path, {"labels": np.array([2, 1])}, version=3)
    assert read_sealed(path, version=3)["labels"].tolist() == [2, 1]
    with pytest.raises(OptionError, match=r"later graphwell \(format 3\)"):
        read_sealed(path, version=2)
    whole = path.read_bytes()
    for damaged in (
        whole.replace(np.array([2, 1]).tobytes(), np.array([2, 2]).tobytes()),
        whole.replace(b"labels", b"labelz"),
        b"label,x",
    ):
        path.write_bytes(damaged)
        with pytest.raises(OptionError, match="damaged or no checkpoint"):
            read_sealed(path, version=3)
