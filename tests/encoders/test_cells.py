"""Columns of every library."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from graphwell.encoders.kinds import ColumnCells, column_names, is_frame

DAY = datetime.date(2024, 3, 31)


def frame():
    return pd.DataFrame(
        {
            "float": np.array([1.5, np.nan], dtype=np.float32),
            "int": pd.array([1, None], dtype="Int64"),
            "bool": [True, False],
            "maybe": pd.array([True, None], dtype="boolean"),
            "text": ["a", None],
            "string": pd.array(["b", pd.NA], dtype="string"),
            "category": pd.Categorical(["x", None]),
            "code": pd.Categorical([3, 1]),
            "time": pd.to_datetime(["2024-03-31 12:00", None]),
            "zone": pd.to_datetime(["2024-03-31 12:00+02:00", "2024-03-31 12:00+02:00"]),
            "span": pd.to_timedelta(["1D", "12h"]),
            "date": [DAY, None],
            "decimal": [Decimal("1.5"), None],
            "mixed": [1, "a"],
        }
    )


def test_every_type_of_pandas_is_read():
    cells = ColumnCells(frame())
    found = {name: (column.values.dtype.kind, column.declared) for name, column in cells.items()}
    text, time = ("T", None), ("M", None)
    assert found == {
        "float": ("f", None), "int": ("f", None), "bool": ("b", "boolean"), "maybe": ("f", "boolean"),
        "text": text, "string": text, "category": ("T", "category"), "code": ("T", "category"),
        "time": time, "zone": time, "span": ("f", None), "date": time, "decimal": ("f", None), "mixed": text,
    }  # fmt: skip
    assert cells["float"].values.dtype == np.float32
    assert cells["span"].values.tolist() == [1.0, 0.5]
    assert str(cells["zone"].values.astype("datetime64[s]")[0]) == "2024-03-31T10:00:00"
    assert cells["mixed"].text.tolist() == ["1", "a"]
    missing = {name for name, column in cells.items() if column.missing.tolist() == [False, True]}
    assert missing == {
        "float", "int", "maybe", "text", "string", "category", "time", "date", "decimal",
    }  # fmt: skip


def test_polars_and_arrow_are_read_alike():
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    plain = {"x": [1.5, None], "n": [1, 2], "b": [True, None], "t": ["a", None], "d": [DAY, None]}
    for made in (polars.DataFrame(plain), pyarrow.table(plain), pyarrow.RecordBatch.from_pydict(plain)):
        assert is_frame(made)
        cells = ColumnCells(made)
        assert {name: column.values.dtype.kind for name, column in cells.items()} == {
            "x": "f", "n": "i", "b": "f", "t": "T", "d": "M",
        }  # fmt: skip
        assert cells["b"].declared == "boolean"
        assert [name for name in cells if cells[name].missing.tolist() == [False, True]] == [
            "x",
            "b",
            "t",
            "d",
        ]
    declared = ColumnCells(polars.DataFrame({"c": ["u", "v"]}, schema={"c": polars.Categorical}))[
        "c"
    ].declared
    assert declared == "category"
    assert (
        ColumnCells(pyarrow.table({"c": pyarrow.array(["u"]).dictionary_encode()}))["c"].declared
        == "category"
    )


def test_words_that_say_nothing_are_missing():
    cells = ColumnCells({"x": ["a", " ", "NA", "?", "None", "n/a", "nan", "0"]})["x"]
    assert cells.missing.tolist() == [False] + 6 * [True] + [False]


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (
            pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])),
            "names of 2 levels",
        ),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "several columns named 'a'"),
        (pd.DataFrame({"a": [[1, 2], [3]]}), "'a' holds values of the type list; each cell must be one"),
        (pd.DataFrame({"a": [1j, 2]}), "'a' holds complex numbers"),
    ],
)
def test_tables_of_other_things_get_one_sentence(made, words):
    with pytest.raises(ValueError, match=words):
        dict(ColumnCells(made))


def test_arrays_are_no_frames():
    assert not any(map(is_frame, (np.eye(2), [[1]], {"a": [1]}, pd.Series([1]), None)))
    assert column_names(pd.DataFrame(np.eye(2))) == ("0", "1")


def test_some_cells_as_text_are_those_of_all():
    for cells in ColumnCells(frame()).values():
        if cells.values.dtype.kind != "M":
            for rows in (np.array([True, False]), np.array([False, True])):
                assert cells.text_of(rows).tolist() == cells.text[rows].tolist()
