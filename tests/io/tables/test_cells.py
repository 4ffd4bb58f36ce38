"""Cells as numbers and as text."""

import numpy as np
import pytest

from graphwell.io.tables.cells import (
    as_numbers,
    as_text,
    first_that_is_no_number,
    is_missing,
    text_column,
    typed,
)


@pytest.mark.parametrize("cells", [["1_000"], ["0x10"], ["1,5"], ["one"], ["1 2"]])
def test_what_is_no_number_is_text(cells):
    assert as_numbers(text_column(cells)) is None
    assert first_that_is_no_number(text_column(["1", "2", *cells, "x"])) == 2


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "-2"], "i"),
        (["1", ""], "f"),
        (["1.0", "2"], "f"),
        (["01", "2"], "T"),
        (["", ""], "T"),
        (["inf"], "T"),
    ],
)
def test_text_becomes_numbers_where_nothing_is_lost(cells, kind):
    assert typed(text_column(cells)).dtype.kind == kind


def test_decimal_commas():
    np.testing.assert_array_equal(as_numbers(text_column(["1,5", "2", ""]), ","), [1.5, 2, np.nan])
    assert as_numbers(text_column(["1,5"])) is None


@pytest.mark.parametrize("cell", ["", " ", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null"])
def test_cells_that_say_nothing(cell):
    assert is_missing(text_column([cell, "x"])).tolist() == [True, False]


def test_numbers_as_text():
    assert as_text(np.array([2.0**60, 0.1, np.inf])).tolist() == ["1.152921504606847e+18", "0.1", "inf"]
    assert as_text(np.array([3, -1])).tolist() == ["3", "-1"]
