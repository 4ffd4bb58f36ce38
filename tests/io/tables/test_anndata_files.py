"""Files and folders of AnnData, read and written by the program."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from typer.testing import CliRunner

from graphwell.cli.app import app
from graphwell.errors import OptionError
from graphwell.io.tables import open_table
from graphwell.io.tables.anndata_files import _n_rows, usual_representation
from graphwell.memory import limited_to

anndata = pytest.importorskip("anndata", reason="anndata is not installed")
h5py = pytest.importorskip("h5py", reason="h5py is not installed")
pytest.importorskip("zarr", reason="zarr is not installed")
pytestmark = pytest.mark.filterwarnings("ignore:Writing zarr v2")


@pytest.fixture
def cells():
    """Two groups of cells that only the representation tells apart."""
    rng = np.random.default_rng(0)
    truth = np.repeat(["T", "B"], 20)
    made = anndata.AnnData(
        sparse.random_array((40, 200), density=0.1, rng=rng, format="csr", dtype=np.float32)
    )
    made.obsm["X_pca"] = 9.0 * (truth == "T")[:, None] + rng.normal(size=(40, 3))
    made.obs["n_counts"] = rng.integers(1, 1000, 40)
    made.obs["truth"] = truth
    made.obs["known"] = pd.Categorical(
        np.where(np.arange(40) % 20 < 3, truth, None), categories=["T", "B", "NK"]
    )
    made.uns["where"] = "here"
    return made


def classify(*arguments, code=0):
    done = CliRunner().invoke(app, ["classify", *map(str, arguments), "--label", "known", "--jobs", "1"])
    assert done.exit_code == code, done.output
    return done


def test_columns_have_their_types_and_names(cells, tmp_path):
    cells.obs["level"] = pd.array([1, None] * 20, dtype="Int64")
    cells.obs["good"] = np.arange(40) % 2 == 0
    cells.write_h5ad(tmp_path / "cells.h5ad")
    table = open_table(tmp_path / "cells.h5ad")
    assert table.names == (
        "obs_names", "n_counts", "truth", "known", "level", "good", "X_pca0", "X_pca1", "X_pca2",
    )  # fmt: skip
    assert table.usual_features == ("X_pca0", "X_pca1", "X_pca2")
    assert table.column("obs_names").tolist() == [str(i) for i in range(40)]
    assert table.column("n_counts").dtype.kind == "i"
    assert table.column("known").tolist()[:4] == ["T", "T", "T", ""]
    np.testing.assert_array_equal(table.column("level")[:2], [1, np.nan])
    assert table.column("good").dtype == bool
    np.testing.assert_array_equal(table.column("X_pca1"), cells.obsm["X_pca"][:, 1])


def test_the_program_labels_cells_by_their_representation(cells, tmp_path):
    cells.write_h5ad(tmp_path / "cells.h5ad")
    output = tmp_path / "labelled.h5ad"
    done = classify(tmp_path / "cells.h5ad", "-o", output, "--truth", "truth", "--id", "obs_names", "--json")
    told = json.loads(done.stdout)
    assert told["features"] == ["X_pca0", "X_pca1", "X_pca2"]
    after = anndata.read_h5ad(output)
    assert (after.obs["graphwell_label"].astype(str) == after.obs["truth"].astype(str)).all()
    assert after.obs["graphwell_label"].cat.categories.tolist() == ["T", "B"]
    assert after.obs["graphwell_given"].sum() == 6
    assert after.uns["where"] == "here"
    assert (after.X != cells.X).nnz == 0
    classify(output, "-o", tmp_path / "again.h5ad")
    assert list(anndata.read_h5ad(tmp_path / "again.h5ad").obs) == list(after.obs)


def test_features_that_are_named_are_used_instead(cells, tmp_path):
    cells.write_h5ad(tmp_path / "cells.h5ad")
    done = classify(
        tmp_path / "cells.h5ad", "-o", tmp_path / "out.csv", "--features", "n_counts,X_pca0", "--json"
    )
    assert json.loads(done.stdout)["features"] == ["n_counts", "X_pca0"]


def test_a_table_of_another_format_becomes_an_anndata(tmp_path):
    (tmp_path / "in.csv").write_text("x,z,known\n1,1,a\n2,1,\n8,2,\n9,2,b\n")
    classify(tmp_path / "in.csv", "-o", tmp_path / "out.h5ad", "--set", "n_neighbors=1")
    after = anndata.read_h5ad(tmp_path / "out.h5ad")
    assert after.obs["graphwell_label"].tolist() == ["a", "a", "b", "b"]
    assert after.obs["x"].tolist() == [1, 2, 8, 9]
    assert after.var_names.tolist() == ["x", "z"]
    assert after.X.tolist() == [[1, 1], [2, 1], [8, 2], [9, 2]]


@pytest.mark.parametrize("kind", [sparse.csr_matrix, pd.DataFrame])
def test_representations_of_other_kinds(cells, tmp_path, kind):
    matrix = cells.obsm["X_pca"]
    cells.obsm["X_pca"] = (
        kind(matrix) if kind is not pd.DataFrame else kind(matrix, index=cells.obs_names, columns=list("abc"))
    )
    cells.write_h5ad(tmp_path / "cells.h5ad")
    np.testing.assert_array_equal(open_table(tmp_path / "cells.h5ad").column("X_pca2"), matrix[:, 2])


def test_what_is_no_anndata_is_refused(cells, tmp_path):
    path = tmp_path / "cells.h5ad"
    path.write_bytes(b"\x89HDF and no more")
    with pytest.raises(ValueError, match="damaged or something else"):
        open_table(path)
    with h5py.File(path, "w") as file:
        file["x"] = [1, 2]
    with pytest.raises(ValueError, match="is no file of AnnData: it has no obs and var"):
        open_table(path)
    del cells.obsm["X_pca"]
    cells.write_h5ad(path)
    with pytest.raises(ValueError, match=r"cells\.h5ad: It is not clear what to compare cells by"):
        open_table(path)


def test_a_representation_that_does_not_fit_is_refused_unread(cells, tmp_path):
    cells.write_h5ad(tmp_path / "cells.h5ad")
    with limited_to(1000), pytest.raises(OptionError, match="of memory, more than the 1 kB allowed"):
        open_table(tmp_path / "cells.h5ad")


@pytest.mark.filterwarnings("ignore:Writing zarr v2")
@pytest.mark.parametrize("suffix", [".h5ad", ".zarr"])
def test_the_graph_of_scanpy_is_used_where_nothing_else_is_asked_for(cells, tmp_path, suffix):
    """The graph joins each cell of one half to its twin of the other, against all distances."""
    pytest.importorskip("zarr", reason="zarr is not installed")
    twins = np.arange(40) % 20
    cells.obsp["connectivities"] = sparse.csr_matrix((twins[:, None] == twins).astype(float) - np.eye(40))
    cells.obs["known"] = pd.Categorical(np.where(np.arange(40) < 20, np.where(twins < 9, "T", "B"), None))
    path = tmp_path / f"cells{suffix}"
    cells.write_h5ad(path) if suffix == ".h5ad" else cells.write_zarr(path)
    done = classify(path, "-o", tmp_path / "out.csv")
    told = " ".join(done.output.split())
    assert f"compared by the graph in cells{suffix}; --features names columns" in told
    labels = pd.read_csv(tmp_path / "out.csv")["graphwell_label"]
    assert labels.tolist() == np.where(twins < 9, "T", "B").tolist()
    asked = ["classify", str(path), "--label", "known", "--jobs", "1", "--set", "n_neighbors=5"]
    asked += ["-o", str(tmp_path / "out.csv")]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code < 2, done.output
    assert "compared by the graph" not in " ".join(done.output.split())


@pytest.mark.parametrize("suffix", [".h5ad", ".zarr"])
@pytest.mark.filterwarnings("ignore:Writing zarr v2")
def test_names_of_cells_as_pandas_3_has_them(cells, tmp_path, suffix):
    before, after = tmp_path / f"cells{suffix}", tmp_path / f"labelled{suffix}"
    write = {".h5ad": cells.write_h5ad, ".zarr": cells.write_zarr}[suffix]
    for frame in (cells.obs, cells.var):
        frame.index = pd.Index(pd.array([f"name {i}" for i in range(len(frame))], dtype="string"))
    cells.obs["note"] = pd.array(["seen", None] * 20, dtype="string")
    with anndata.settings.override(allow_write_nullable_strings=True):
        write(before, convert_strings_to_categoricals=False)
    classify(before, "-o", after)
    labelled = {".h5ad": anndata.read_h5ad, ".zarr": anndata.read_zarr}[suffix](after)
    assert (labelled.obs["graphwell_label"].astype(str) == cells.obs["truth"].to_numpy()).all()
    assert labelled.obs_names.tolist() == cells.obs_names.tolist()
    assert labelled.obs["note"].isna().sum() == 20


def test_names_of_cells_in_numbered_categories_are_counted(cells, tmp_path):
    cells.var.index = pd.CategoricalIndex([f"gene {i % 100}" for i in range(200)])
    with h5py.File(tmp_path / "cells.h5ad", "w") as stored:
        anndata.io.write_elem(stored, "var", cells.var)
        assert not hasattr(stored["var"][stored["var"].attrs["_index"]], "shape")
        assert _n_rows(stored["var"]) == 200


# ---------------------------------------------------------------------------------------- folders of Zarr


@pytest.fixture
def folder(tmp_path):
    """Two groups of cells, in a folder."""
    rng = np.random.default_rng(0)
    truth = np.repeat(["T", "B"], 20)
    made = anndata.AnnData(rng.random((40, 60), dtype=np.float32))
    made.obsm["X_pca"] = 9.0 * (truth == "T")[:, None] + rng.normal(size=(40, 3))
    made.obs["truth"] = pd.Categorical(truth)
    made.obs["known"] = pd.Categorical(np.where(np.arange(40) % 20 < 3, truth, None))
    made.write_zarr(tmp_path / "cells.zarr")
    return tmp_path / "cells.zarr"


def test_cells_are_labelled_and_everything_else_stays(folder, tmp_path):
    told = json.loads(classify(folder, "-o", tmp_path / "out.zarr", "--truth", "truth", "--json").stdout)
    assert told["features"] == ["X_pca0", "X_pca1", "X_pca2"]
    before, after = anndata.read_zarr(folder), anndata.read_zarr(tmp_path / "out.zarr")
    assert (after.obs["graphwell_label"].astype(str) == after.obs["truth"].astype(str)).all()
    assert "graphwell_label" not in before.obs
    np.testing.assert_array_equal(after.X, before.X)
    done = classify(folder, "-o", tmp_path / "out.zarr", code=2)
    assert "is there already; name a new folder" in " ".join(done.stderr.split())


def test_from_and_to_other_formats(folder, tmp_path):
    classify(folder, "-o", tmp_path / "out.csv")
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
def test_broken_folders_are_told_in_a_sentence(folder, how, words):
    broken(folder, how)
    with pytest.raises((ValueError, MemoryError), match=words):
        open_table(folder)


def test_without_the_library(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(ImportError, match=r"need zarr.*graphwell\[zarr\]"):
        open_table(folder)


@pytest.mark.parametrize(
    ("obsm", "variables", "has_X", "expected"),
    [
        (["X_scVI", "X_pca"], 9999, True, "X_pca"),
        (["X_scVI", "X_umap", "graphwell_scores"], 9999, False, "X_scVI"),
        (["X_umap"], 50, True, "X"),
        ([], 1, True, "X"),
    ],
)
def test_what_cells_are_compared_by(obsm, variables, has_X, expected):
    assert usual_representation(obsm, variables, has_X) == expected


@pytest.mark.parametrize(
    ("obsm", "variables", "has_X", "told"),
    [
        (["X_a", "X_b"], 10, True, "obsm has X_a, X_b; keep one"),
        ([], 51, True, "there are 51 variables"),
        ([], 10, False, "there are 10 variables"),
    ],
)
def test_where_it_is_not_clear_the_choice_is_left_to_the_user(obsm, variables, has_X, told):
    with pytest.raises(ValueError, match=told):
        usual_representation(obsm, variables, has_X)
