"""The page on data from other libraries: every example on it runs."""

import doctest
from pathlib import Path

import pytest

import graphwell as gw

PAGE = Path(__file__).parents[2] / "docs" / "interop.md"
LIBRARIES = ("anndata", "pandas", "polars", "networkx", "igraph", "xarray", "sknetwork")


def test_every_example_runs():
    for library in LIBRARIES:
        pytest.importorskip(library, reason=f"{library} is not installed")
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=flags)
    assert tried > 10
    assert failed == 0


def test_fit_says_what_to_give_in_place_of_a_graph_object():
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    with pytest.raises(ValueError, match=r"networkx\.to_scipy_sparse_array\(X\.to_undirected"):
        gw.DiffuseInterfaceClassifier(models=None).fit(networkx.DiGraph([(0, 1)]), [0, -1])
