"""Cells of AnnData in folders of Zarr, read and written by the program."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from graphwell.cli.app import app
from graphwell.io.tables.registry import read_table

anndata = pytest.importorskip("anndata", reason="anndata is not installed")
pytest.importorskip("zarr", reason="zarr is not installed")
pytestmark = pytest.mark.filterwarnings("ignore:Writing zarr v2")


@pytest.fixture
def cells(tmp_path):
    """Two groups of cells, in a folder."""
    rng = np.random.default_rng(0)
    truth = np.repeat(["T", "B"], 20)
    made = anndata.AnnData(rng.random((40, 60), dtype=np.float32))
    made.obsm["X_pca"] = 9.0 * (truth == "T")[:, None] + rng.normal(size=(40, 3))
    made.obs["truth"] = pd.Categorical(truth)
    made.obs["known"] = pd.Categorical(np.where(np.arange(40) % 20 < 3, truth, None))
    made.write_zarr(tmp_path / "cells.zarr")
    return tmp_path / "cells.zarr"


def classify(*arguments, code=0):
    done = CliRunner().invoke(app, ["classify", *map(str, arguments), "--label", "known", "--jobs", "1"])
    assert done.exit_code == code, done.output
    return done


def test_cells_are_labelled_and_everything_else_stays(cells, tmp_path):
    told = json.loads(classify(cells, "-o", tmp_path / "out.zarr", "--truth", "truth", "--json").stdout)
    assert told["features"] == ["X_pca0", "X_pca1", "X_pca2"]
    before, after = anndata.read_zarr(cells), anndata.read_zarr(tmp_path / "out.zarr")
    assert (after.obs["graphwell_label"].astype(str) == after.obs["truth"].astype(str)).all()
    assert "graphwell_label" not in before.obs
    np.testing.assert_array_equal(after.X, before.X)
    done = classify(cells, "-o", tmp_path / "out.zarr", code=2)
    assert "is there already; name a new folder" in " ".join(done.stderr.split())


def test_from_and_to_other_formats(cells, tmp_path):
    classify(cells, "-o", tmp_path / "out.csv")
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 41
    (tmp_path / "in.csv").write_text("x,z,known\n1,1,a\n2,1,\n8,2,\n9,2,b\n")
    classify(tmp_path / "in.csv", "-o", tmp_path / "made.zarr", "--set", "n_neighbors=1")
    assert anndata.read_zarr(tmp_path / "made.zarr").obs["graphwell_label"].tolist() == ["a", "a", "b", "b"]


def broken(path: Path, how: str) -> None:
    (path / ".zmetadata").unlink()  # a list of all that follows
    if how == "no obs":
        (path / "obs").rename(path.parent / "obs")
    elif how == "truncated":
        piece = path / "obsm" / "X_pca" / "0.0"
        piece.write_bytes(piece.read_bytes()[:400])
    else:
        described = path / "obsm" / "X_pca" / ".zarray"
        described.write_text(json.dumps({**json.loads(described.read_text()), "shape": [40 * 10**9, 3]}))


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("no obs", "is no file of AnnData: it has no obs and var"),
        ("truncated", "cannot be read as a folder of Zarr: it is damaged"),
        ("huge", "needs about"),
    ],
)
def test_broken_folders_are_told_in_a_sentence(cells, how, words):
    broken(cells, how)
    with pytest.raises((ValueError, MemoryError), match=words):
        read_table(cells)


def test_without_the_library(cells, monkeypatch):
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(ImportError, match=r"need zarr.*graphwell\[zarr\]"):
        read_table(cells)
