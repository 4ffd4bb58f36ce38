"""What a table is."""

from pathlib import Path

import numpy as np
import pytest

from graphwell.io.tables.base import NEW_NAMES, NewColumns, check_table, with_new_columns
from graphwell.io.tables.cells import text_column
from graphwell.io.tables.text import Dialect, TextTable


def table(*names, n_rows=2):
    columns = {name: text_column(["x"] * n_rows) for name in names}
    return TextTable(Path("t.csv"), names, n_rows, Dialect(), columns)


def test_names_must_differ_and_rows_must_be_there():
    check_table(table("a", "b"))
    with pytest.raises(ValueError, match=r"t\.csv has 2 columns named 'a'; give each column its own name"):
        check_table(table("a", "b", "a"))
    with pytest.raises(ValueError, match="a header but no rows; there is nothing to label"):
        check_table(table("a", n_rows=0))


def test_new_columns_come_last_and_replace_old_ones():
    new = NewColumns("a", text_column(["p", "q"]), np.ones(2), *np.ones((2, 2), bool))
    columns = with_new_columns(table("graphwell_label", "a"), new)
    assert list(columns) == ["a", *NEW_NAMES[:4]]
    assert columns["graphwell_label"].tolist() == ["p", "q"]
