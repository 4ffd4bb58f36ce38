"""Folders of Zarr, opened with care."""

import json
import sys

import numpy as np
import pytest
import zarr

from graphwell.errors import OptionError
from graphwell.io.zarr_store import opened_zarr


def test_arrays_and_groups_are_opened(tmp_path):
    zarr.save(tmp_path / "one.zarr", np.arange(3))
    with opened_zarr(tmp_path / "one.zarr") as stored:
        assert stored[...].tolist() == [0, 1, 2]


def test_code_in_a_store_is_never_run(tmp_path):
    folder = tmp_path / "bad.zarr"
    folder.mkdir()
    codec = {"id": "pickle", "protocol": 5}
    described = {
        "zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<i8", "order": "C", "fill_value": 0,
        "compressor": None, "filters": [codec],
    }  # fmt: skip
    (folder / ".zarray").write_text(json.dumps(described))
    (folder / "0").write_bytes(b"cos\nsystem\n(S'touch " + str(tmp_path / "ran").encode() + b"'\ntR.")
    with (
        pytest.raises(OptionError, match="holds Python objects, which are never unpickled"),
        opened_zarr(folder),
    ):
        pass
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("content", ["", "{", "[1]"])
def test_other_folders_are_told_in_a_sentence(tmp_path, content):
    (tmp_path / "a.zarr").mkdir()
    (tmp_path / "a.zarr" / "zarr.json").write_text(content)
    with (
        pytest.raises(ValueError, match="cannot be read as a folder of Zarr: it is damaged"),
        opened_zarr(tmp_path / "a.zarr"),
    ):
        pass


def test_without_the_library(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(ImportError, match=r"need zarr.*graphwell\[zarr\]"), opened_zarr(tmp_path):
        pass
