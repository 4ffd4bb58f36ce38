"""Parquet files."""

import datetime
import sys

import numpy as np
import pandas as pd
import pytest

from graphwell.io import parquet
from graphwell.io.tables import open_table, write_table
from tests.io.helpers import labelled, new_columns


@pytest.mark.parametrize(
    ("rows_at_once", "like", "labels", "wanted"),
    [
        (parquet.ROWS_AT_ONCE, "level", ["1", "2", "", "1", "2"], [1, 2, None, 1, 2]),
        (2, "kind", [*"uvuvu"], [*"uvuvu"]),
    ],
)
def test_a_table_keeps_its_types(tmp_path, monkeypatch, rows_at_once, like, labels, wanted):
    monkeypatch.setattr(parquet, "ROWS_AT_ONCE", rows_at_once)
    data = pd.DataFrame({"x": [0.5, 1.5, np.nan, 3.5, 4.5]}).assign(
        when=datetime.datetime(2020, 1, 2),
        tags=[["a"], [], ["b", "c"], [], []],
        big=2**62 + np.arange(5),
        level=pd.Series([1, 2, None, 1, 2], dtype="Int64"),
        flag=[True, False, None, True, True],
        kind=pd.Categorical(["u", "v", "u", None, "v"]),
        narrow=np.array([1, np.nan, 3, 4, 5], dtype=np.float32),
        **{"a.b": range(5), "a": range(5, 10)},
    )
    data.to_parquet(tmp_path / "in.parquet", row_group_size=3)
    table = open_table(tmp_path / "in.parquet")
    assert table.column("when")[0].startswith("2020-01-02")
    assert table.column("kind").tolist() == ["u", "v", "u", "", "v"]
    np.testing.assert_array_equal(table.column("level"), [1, 2, np.nan, 1, 2])
    assert table.column("narrow").dtype == np.float32
    assert (table.column("a.b")[0], table.column("a")[0]) == (0, 5)
    after = pd.read_parquet(labelled(table.path, new_columns(like, labels)))
    pd.testing.assert_frame_equal(after[data.columns], data)
    assert [None if pd.isna(label) else label for label in after["graphwell_label"]] == wanted


def test_a_file_that_somebody_writes_meanwhile_is_told(tmp_path):
    pd.DataFrame({"x": [1, 2]}).to_parquet(tmp_path / "in.parquet")
    table = open_table(tmp_path / "in.parquet")
    pd.DataFrame({"x": [3, 4, 5]}).to_parquet(tmp_path / "in.parquet")
    out = tmp_path / "out.parquet"
    with out.open("wb") as file, pytest.raises(ValueError, match=r"in\.parquet was changed while"):
        write_table(table, new_columns("x", ["1", "2"]), out, file)


def test_without_pyarrow_the_message_says_how_to_get_it(tmp_path, monkeypatch):
    pd.DataFrame({"x": [1]}).to_parquet(tmp_path / "t.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'pip install "graphwell\[parquet\]"'):
        open_table(tmp_path / "t.parquet")
