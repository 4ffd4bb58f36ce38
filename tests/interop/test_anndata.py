"""Cells of AnnData, labelled in place."""

import numpy as np
import pytest
from scipy import linalg, sparse

import graphwell as gw

anndata = pytest.importorskip("anndata", reason="anndata is not installed")
pandas = pytest.importorskip("pandas", reason="pandas is not installed")

CLASSES = ("T cell", "B cell", "NK")
PER_CLASS = 30


@pytest.fixture
def cells():
    """Three groups of cells with five labels each; the categories are not in the order of the alphabet."""
    rng = np.random.default_rng(0)
    truth = np.repeat(CLASSES, PER_CLASS)
    X = rng.normal(size=(len(truth), 60)).astype(np.float32)
    made = anndata.AnnData(X)
    centers = {name: 8.0 * number for number, name in enumerate(CLASSES)}
    made.obsm["X_pca"] = np.array([centers[name] for name in truth])[:, None] + rng.normal(
        size=(len(truth), 3)
    )
    made.obs["truth"] = truth
    known = np.where(np.arange(len(truth)) % PER_CLASS < 5, truth, None)
    made.obs["known"] = pandas.Categorical(known, categories=[*CLASSES, "never seen"])
    return made


def right(cells, key="graphwell"):
    return (cells.obs[key].astype(str) == cells.obs["truth"]).mean()


def test_labels_scores_and_provenance_are_written(cells, tmp_path):
    clf = gw.annotate(cells, "known", random_state=0)
    assert right(cells) == 1
    assert cells.obs["graphwell"].cat.categories.tolist() == list(CLASSES)
    assert cells.obs["graphwell_score"].between(0, 1).all()
    assert cells.obs["graphwell_given"].sum() == 15
    assert cells.obsm["graphwell_scores"].shape == (90, 3)
    told = cells.uns["graphwell"]
    assert told["params"] == {"known": "known", "use_rep": "X_pca", "random_state": 0}
    assert told["classes"].tolist() == sorted(CLASSES) == clf.classes_.tolist()
    assert told["status"] == clf.result_.status.value
    cells.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert again.obs["graphwell"].tolist() == cells.obs["graphwell"].tolist()
    assert again.uns["graphwell"]["params"]["use_rep"] == "X_pca"


def test_the_graph_of_scanpy_is_used_where_there_is_one(cells):
    """The graph joins cells otherwise than their representation would."""
    n = cells.n_obs
    ring = sparse.diags_array([np.ones(n - 1)], offsets=[1], shape=(n, n))
    cells.obsp["connectivities"] = (ring + ring.T).tocsr().astype(np.float32)
    clf = gw.annotate(cells, "known", key_added="ring")
    assert clf.graph_.n_edges == n - 1
    assert cells.uns["ring"]["params"]["obsp"] == "connectivities"
    other = gw.annotate(cells, "known", use_rep="X_pca", random_state=0)
    assert other.graph_.n_edges > n
    assert right(cells) == 1


def test_another_representation_is_found_or_named(cells):
    cells.obsm["X_scVI"] = cells.obsm["X_pca"].copy()
    cells.obsm["X_umap"] = np.zeros((cells.n_obs, 2))
    del cells.obsm["X_pca"]
    gw.annotate(cells, "known", random_state=0)
    assert cells.uns["graphwell"]["params"]["use_rep"] == "X_scVI"
    cells.obsm["X_other"] = cells.obsm["X_scVI"]
    with pytest.raises(ValueError, match="obsm has X_scVI, X_other; name one with use_rep"):
        gw.annotate(cells, "known")
    del cells.obsm["X_scVI"], cells.obsm["X_other"]
    with pytest.raises(ValueError, match="there are 60 variables"):
        gw.annotate(cells, "known")


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, sparse.csc_array])
def test_few_genes_are_compared_as_they_are(cells, kind):
    few = anndata.AnnData(kind(cells.obsm["X_pca"].astype(np.float32)), obs=cells.obs)
    gw.annotate(few, "known", random_state=0)
    assert few.uns["graphwell"]["params"]["use_rep"] == "X"
    assert right(few) == 1


def test_a_view_becomes_a_copy_and_the_whole_stays_as_it_was(cells):
    half = cells[::2]
    with pytest.warns(UserWarning, match="adata is a view"):
        gw.annotate(half, "known", random_state=0)
    assert not half.is_view
    assert right(half) == 1
    assert "graphwell" not in cells.obs
    assert "graphwell" not in cells.uns


def test_cells_in_a_file_are_labelled_in_memory(cells, tmp_path):
    cells.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    gw.annotate(backed, "known", random_state=0)
    assert right(backed) == 1
    gw.annotate(backed, "known", key_added="by genes", use_rep="X", random_state=0)
    with pytest.raises(ValueError, match=r"give adata\.to_memory"):
        gw.annotate(backed[:30], "known")
    backed.file.close()


@pytest.mark.parametrize("kind", [object, "string", "int", "named"])
def test_labels_of_other_kinds(cells, kind):
    how = {"unknown": "Unknown"} if kind == "named" else {}
    if kind == "named":
        cells.obs["known"] = cells.obs["known"].cat.add_categories("Unknown").fillna("Unknown")
        cells.obs_names = ["cell"] * cells.n_obs  # equal names do no harm
    elif kind == "int":
        cells.obs["known"] = np.where(cells.obs["known"].isna(), -1, cells.obs["known"].cat.codes)
        cells.obs["truth"] = cells.obs["truth"].map({name: str(i) for i, name in enumerate(CLASSES)})
    else:
        cells.obs["known"] = cells.obs["known"].astype(kind)
    gw.annotate(cells, "known", random_state=0, **how)
    assert right(cells) == 1
    assert cells.obs["graphwell_given"].sum() == 15


def test_cells_that_no_label_reaches_have_none(cells):
    joined = sparse.csr_array(linalg.block_diag(np.ones((60, 60)), np.ones((30, 30))))
    cells.obsp["connectivities"] = joined
    cells.obs["known"] = cells.obs["known"].where(cells.obs["truth"] != "NK")
    with pytest.warns(gw.UnreachableWarning):
        gw.annotate(cells, "known", random_state=0)
    lost = cells.obs["truth"] == "NK"
    assert cells.obs.loc[lost, "graphwell"].isna().all()
    assert cells.obs.loc[lost, "graphwell_score"].isna().all()
    assert not cells.obs.loc[~lost, "graphwell"].isna().any()
    assert cells.uns["graphwell"]["n_unreachable"] == 30


def test_colours_are_kept_where_every_category_is_a_class(cells):
    cells.uns["known_colors"] = np.array(["red", "green", "blue", "grey"])
    gw.annotate(cells, "known", random_state=0)
    assert "graphwell_colors" not in cells.uns
    cells.obs["known"] = cells.obs["known"].cat.remove_unused_categories()
    cells.uns["known_colors"] = np.array(["red", "green", "blue"])
    gw.annotate(cells, "known", random_state=0)
    assert cells.uns["graphwell_colors"].tolist() == ["red", "green", "blue"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"known": "cell_type"}, "obs has no column 'cell_type'; it has truth, known"),
        ({"known": "known", "key_added": "known"}, "give another name"),
        ({"known": "known", "use_rep": "X_umap"}, "obsm has no 'X_umap'; it has X_pca"),
    ],
)
def test_wrong_names_are_told_before_the_work(cells, arguments, told):
    with pytest.raises(ValueError, match=told):
        gw.annotate(cells, **arguments)
    assert list(cells.uns) == []
    with pytest.raises(ValueError, match="annotate takes an AnnData, got ndarray"):
        gw.annotate(np.eye(3), "known")
