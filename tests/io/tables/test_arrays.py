"""Columns that came as arrays."""

from pathlib import Path

import numpy as np
import pytest

from graphwell.io.tables.arrays import array_table, savable_columns, split_matrix
from graphwell.io.tables.base import NewColumns
from graphwell.io.tables.cells import text_column


def table(**columns):
    return array_table(Path("t.npz"), {name: np.asarray(c) for name, c in columns.items()}, {})


def test_a_matrix_becomes_columns():
    columns = split_matrix("X", np.arange(6).reshape(3, 2))
    assert {name: column.tolist() for name, column in columns.items()} == {"X0": [0, 2, 4], "X1": [1, 3, 5]}


def test_numbers_stay_numbers_and_the_rest_becomes_text():
    made = table(n=[1, 2], x=[0.5, np.nan], s=["a", "b"], raw=[b"\xc3\xa4", b"b"], c=[1j, 2j])
    assert made.column("n").dtype.kind == "i"
    assert made.column("x").dtype.kind == "f"
    assert made.column("s").tolist() == ["a", "b"]
    assert made.column("raw").tolist() == ["ä", "b"]
    assert made.column("c").tolist() == ["1j", "2j"]


def test_text_that_is_not_unicode_is_refused():
    wrong = np.frombuffer(np.array([0x7FFFFFFF], dtype=np.uint32).tobytes(), dtype="U1")
    with pytest.raises(ValueError, match="column 's' holds text that is not Unicode"):
        table(s=wrong).column("s")


def test_a_table_without_rows_is_refused():
    with pytest.raises(ValueError, match="no rows"):
        table(x=np.empty(0))


def test_what_is_saved_is_plain():
    new = NewColumns("y", text_column(["1", ""]), np.array([0.5, np.nan]), *np.ones((2, 2), bool))
    saved = savable_columns(table(x=[1, 2], y=[1, 3], s=["long name", ""]), new)
    assert {name: column.dtype.kind for name, column in saved.items()} == {
        "x": "i", "y": "i", "s": "U", "graphwell_label": "i",
        "graphwell_score": "f", "graphwell_reachable": "b", "graphwell_given": "b",
    }  # fmt: skip
    assert saved["graphwell_label"].tolist() == [1, -1]
