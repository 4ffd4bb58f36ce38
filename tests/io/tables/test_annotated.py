"""Cells of AnnData as a table."""

import sys

import numpy as np
import pytest

from graphwell.io.tables import annotated
from graphwell.io.tables.annotated import usual_representation

pytest.importorskip("anndata", reason="anndata is not installed")


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


def test_without_anndata_the_line_that_installs_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "anndata", None)
    with pytest.raises(ImportError, match=r"graphwell\[anndata\]"):
        annotated.require_anndata()


def test_values_of_numpy_are_plain():
    assert annotated._plain(np.int64(3)) == 3
    assert type(annotated._plain(np.int64(3))) is int
