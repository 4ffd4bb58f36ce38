"""The page of the bridges: every example on it runs."""

import doctest
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "bridges.md"
LIBRARIES = ("anndata", "pandas", "polars", "networkx", "igraph", "xarray", "sknetwork")


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_page_names_the_library(library):
    assert f"import {library}" in PAGE.read_text() or f", {library}" in PAGE.read_text()


def test_every_example_runs():
    for library in LIBRARIES:
        pytest.importorskip(library, reason=f"{library} is not installed")
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=flags)
    assert tried > 10
    assert failed == 0
