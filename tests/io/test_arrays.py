"""Array files that may hold anything: `.npy`, `.npz`, folders of Zarr, archives with a checksum."""

import io
import json
import sys
import zipfile

import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.io.arrays import load_npy, load_npz, opened_zarr, read_sealed, write_sealed


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


def test_the_wrong_ending_is_pointed_out(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.eye(2))
    (tmp_path / "a.npz").rename(tmp_path / "a.npy")
    with pytest.raises(ValueError, match=r"rename it to \.npz"):
        load_npy(tmp_path / "a.npy")
    np.save(tmp_path / "b.npy", np.eye(2))
    (tmp_path / "b.npy").rename(tmp_path / "b.npz")
    with pytest.raises(ValueError, match=r"rename it to \.npy"):
        load_npz(tmp_path / "b.npz")
    with pytest.raises(FileNotFoundError):
        load_npy(tmp_path / "missing.npy")


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


def test_code_in_a_store_of_zarr_is_never_run(tmp_path):
    folder = tmp_path / "bad.zarr"
    folder.mkdir()
    described = {
        "zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<i8", "order": "C", "fill_value": 0,
        "compressor": None, "filters": [{"id": "pickle", "protocol": 5}],
    }  # fmt: skip
    (folder / ".zarray").write_text(json.dumps(described))
    (folder / "0").write_bytes(b"cos\nsystem\n(S'touch " + str(tmp_path / "ran").encode() + b"'\ntR.")
    with pytest.raises(OptionError, match="which are never unpickled"), opened_zarr(folder):
        pass
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("content", ["", "{", "[1]"])
def test_other_folders_are_refused_in_a_sentence(tmp_path, content, monkeypatch):
    (tmp_path / "a.zarr").mkdir()
    (tmp_path / "a.zarr" / "zarr.json").write_text(content)
    refused = pytest.raises(ValueError, match="cannot be read as a folder of Zarr: it is damaged")
    with refused, opened_zarr(tmp_path / "a.zarr"):
        pass
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(ImportError, match=r"need zarr.*graphwell\[zarr\]"), opened_zarr(tmp_path):
        pass
