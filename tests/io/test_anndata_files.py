"""Files of AnnData, read and written by the program."""

import json
import sys

import anndata
import h5py
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from typer.testing import CliRunner

import graphwell as gw
from graphwell.cli.app import app
from graphwell.errors import OptionError
from graphwell.io.tables import open_table
from graphwell.memory import limited_to


@pytest.fixture
def cells():
    """Two groups of cells that only the representation tells apart."""
    rng = np.random.default_rng(0)
    truth = np.repeat(["T", "B"], 20)
    counts = sparse.random_array((40, 200), density=0.1, rng=rng, format="csr", dtype=np.float32)
    made = anndata.AnnData(counts)
    made.obsm["X_pca"] = 9.0 * (truth == "T")[:, None] + rng.normal(size=(40, 3))
    made.obs["n_counts"] = rng.integers(1, 1000, 40)
    made.obs["truth"] = truth
    known = np.where(np.arange(40) % 20 < 3, truth, None)
    made.obs["known"] = pd.Categorical(known, categories=["T", "B", "NK"])
    made.uns["where"] = "here"
    return made


def saved(cells, path, **how):
    cells.write_h5ad(path, **how)
    return path


def classify(*arguments, code=0):
    done = CliRunner().invoke(app, ["classify", *map(str, arguments), "--label", "known", "--jobs", "1"])
    assert done.exit_code == code, done.output
    return done


def test_columns_have_their_types_and_names(cells, tmp_path):
    cells.obs["level"] = pd.array([1, None] * 20, dtype="Int64")
    table = open_table(saved(cells, tmp_path / "cells.h5ad"))
    assert table.names == ("obs_names", "n_counts", "truth", "known", "level", "X_pca0", "X_pca1", "X_pca2")
    assert table.usual_features == ("X_pca0", "X_pca1", "X_pca2")
    assert table.column("obs_names").tolist() == [str(i) for i in range(40)]
    assert table.column("n_counts").dtype.kind == "i"
    assert table.column("known").tolist()[:4] == ["T", "T", "T", ""]
    np.testing.assert_array_equal(table.column("level")[:2], [1, np.nan])
    np.testing.assert_array_equal(table.column("X_pca1"), cells.obsm["X_pca"][:, 1])


def test_cells_are_labelled_by_their_representation_and_everything_else_stays(cells, tmp_path):
    path, output = saved(cells, tmp_path / "cells.h5ad"), tmp_path / "out.h5ad"
    done = classify(path, "-o", output, "--truth", "truth", "--id", "obs_names", "--json")
    assert json.loads(done.stdout)["features"] == ["X_pca0", "X_pca1", "X_pca2"]
    after = anndata.read_h5ad(output)
    assert (after.obs["graphwell_label"].astype(str) == after.obs["truth"].astype(str)).all()
    assert after.obs["graphwell_label"].cat.categories.tolist() == ["T", "B"]
    assert after.obs["graphwell_given"].sum() == 6
    assert after.uns["where"] == "here"
    assert (after.X != cells.X).nnz == 0
    classify(output, "-o", tmp_path / "again.h5ad", "--features", "n_counts,X_pca0")
    assert list(anndata.read_h5ad(tmp_path / "again.h5ad").obs) == list(after.obs)


def test_from_and_to_other_formats(cells, tmp_path):
    classify(saved(cells, tmp_path / "cells.h5ad"), "-o", tmp_path / "out.csv")
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 41
    (tmp_path / "in.csv").write_text("x,z,known\n1,1,a\n2,1,\n8,2,\n9,2,b\n")
    classify(tmp_path / "in.csv", "-o", tmp_path / "made.h5ad", "--set", "n_neighbors=1")
    after = anndata.read_h5ad(tmp_path / "made.h5ad")
    assert after.obs["graphwell_label"].tolist() == ["a", "a", "b", "b"]
    assert after.obs["x"].tolist() == [1, 2, 8, 9]
    assert after.var_names.tolist() == ["x", "z"]
    assert after.X.tolist() == [[1, 1], [2, 1], [8, 2], [9, 2]]


@pytest.mark.parametrize("kind", [sparse.csr_matrix, pd.DataFrame])
def test_representations_of_other_kinds(cells, tmp_path, kind):
    matrix = cells.obsm["X_pca"]
    named = {"index": cells.obs_names, "columns": list("abc")} if kind is pd.DataFrame else {}
    cells.obsm["X_pca"] = kind(matrix, **named)
    found = gw.read_table(saved(cells, tmp_path / "cells.h5ad"))
    np.testing.assert_array_equal(found["X_pca2"], matrix[:, 2])


def test_the_graph_of_scanpy_is_used_where_nothing_else_is_asked_for(cells, tmp_path):
    """The graph joins each cell of one half to its twin of the other, against all distances."""
    twins = np.arange(40) % 20
    cells.obsp["connectivities"] = sparse.csr_matrix((twins[:, None] == twins).astype(float) - np.eye(40))
    cells.obs["known"] = pd.Categorical(np.where(np.arange(40) < 20, np.where(twins < 9, "T", "B"), None))
    path = saved(cells, tmp_path / "cells.h5ad")
    told = " ".join(classify(path, "-o", tmp_path / "out.csv").output.split())
    assert "compared by the graph in cells.h5ad; --features names columns" in told
    labels = pd.read_csv(tmp_path / "out.csv")["graphwell_label"]
    assert labels.tolist() == np.where(twins < 9, "T", "B").tolist()
    done = classify(path, "--set", "n_neighbors=5", "-o", tmp_path / "out.csv")
    assert "compared by the graph" not in " ".join(done.output.split())


def test_names_of_cells_as_pandas_3_has_them(cells, tmp_path):
    for frame in (cells.obs, cells.var):
        frame.index = pd.Index(pd.array([f"name {i}" for i in range(len(frame))], dtype="string"))
    cells.obs["note"] = pd.array(["seen", None] * 20, dtype="string")
    with anndata.settings.override(allow_write_nullable_strings=True):
        path = saved(cells, tmp_path / "cells.h5ad", convert_strings_to_categoricals=False)
    classify(path, "-o", tmp_path / "out.h5ad")
    after = anndata.read_h5ad(tmp_path / "out.h5ad")
    assert (after.obs["graphwell_label"].astype(str) == cells.obs["truth"].to_numpy()).all()
    assert after.obs_names.tolist() == cells.obs_names.tolist()
    assert after.obs["note"].isna().sum() == 20


def test_what_is_no_anndata_is_refused(cells, tmp_path, monkeypatch):
    path = tmp_path / "cells.h5ad"
    path.write_bytes(b"\x89HDF and no more")
    with pytest.raises(ValueError, match=r"as an \.h5ad file: it is damaged"):
        gw.read_table(path)
    with h5py.File(path, "w") as file:
        file["x"] = [1, 2]
    with pytest.raises(ValueError, match="is no file of AnnData: it has no obs and var"):
        gw.read_table(path)
    saved(cells, path)
    with limited_to(1000), pytest.raises(OptionError, match="of memory, more than the 1 kB allowed"):
        gw.read_table(path)
    del cells.obsm["X_pca"]
    cells.var.index = pd.CategoricalIndex([f"gene {i % 100}" for i in range(200)])
    saved(cells, path)
    with pytest.raises(ValueError, match=r"cells\.h5ad: It is not clear what to compare cells by.*200 var"):
        gw.read_table(path)
    monkeypatch.setitem(sys.modules, "anndata", None)
    with pytest.raises(ImportError, match=r"need anndata.*graphwell\[anndata\]"):
        gw.read_table(path)
