"""Parquet files, whole and in parts."""

import datetime
import sys

import numpy as np
import pandas as pd
import pytest

from graphwell.errors import OptionError
from graphwell.io import parquet
from graphwell.io.parquet import read_columns, read_part, row_groups
from graphwell.io.tables import open_table, write_table
from tests.io.helpers import labelled, new_columns


@pytest.mark.parametrize(
    ("rows_per_part", "like", "labels", "wanted"),
    [
        (parquet.ROWS_PER_PART, "level", ["1", "2", "", "1", "2"], [1, 2, None, 1, 2]),
        (2, "kind", [*"uvuvu"], [*"uvuvu"]),
    ],
)
def test_a_table_keeps_its_types(tmp_path, monkeypatch, rows_per_part, like, labels, wanted):
    monkeypatch.setattr(parquet, "ROWS_PER_PART", rows_per_part)
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


@pytest.fixture
def folder(tmp_path):
    """Ten rows in two files."""
    for number in range(2):
        rows = pd.DataFrame({"x": np.arange(5) + 5 * number, "label": [*"aabb", None]})
        rows.to_parquet(tmp_path / f"{number}.parquet", row_group_size=2)
    return tmp_path


def test_a_folder_is_cut_into_parts_of_whole_row_groups(folder, monkeypatch):
    assert [part.n_rows for part in row_groups(folder)] == [5, 5]
    monkeypatch.setattr(parquet, "ROWS_PER_PART", 3)
    parts = row_groups(folder)
    assert [(part.path.name, part.groups, part.n_rows) for part in parts] == [
        ("0.parquet", (0, 1), 4),
        ("0.parquet", (2,), 1),
        ("1.parquet", (0, 1), 4),
        ("1.parquet", (2,), 1),
    ]
    assert read_part(parts[2], ["x"]).column("x").tolist() == [5, 6, 7, 8]
    assert read_columns(folder, parts, ["x"]).column("x").tolist() == list(range(10))


def test_files_that_disagree_are_named(folder):
    pd.DataFrame({"x": [1]}).to_parquet(folder / "2.parquet")
    with pytest.raises(ValueError, match=r"2\.parquet has no column 'label', which other files"):
        read_columns(folder, row_groups(folder), ["label"])
    pd.DataFrame({"x": ["one"], "label": ["a"]}).to_parquet(folder / "2.parquet")
    with pytest.raises(ValueError, match="disagree about the types of x"):
        read_columns(folder, row_groups(folder), ["x"])


def test_columns_of_all_parts_have_a_type_that_holds_them_and_words_are_categories(folder):
    pd.DataFrame({"x": [0.5], "label": [None]}).to_parquet(folder / "2.parquet")
    frame = read_columns(folder, row_groups(folder), ["x", "label"]).frame
    assert frame["x"].tolist() == [*range(10), 0.5]
    assert isinstance(frame["label"].dtype, pd.CategoricalDtype)
    assert frame["label"].astype(object).fillna("").tolist() == [*"aabb", "", *"aabb", "", ""]


def test_a_folder_without_rows_is_refused(tmp_path):
    with pytest.raises(OptionError, match=r"^table .* is a folder without any file") as caught:
        row_groups(tmp_path)
    assert caught.value.field == "table"
    pd.DataFrame({"x": []}).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="a header but no rows"):
        row_groups(tmp_path)


def test_without_pyarrow_the_message_says_how_to_get_it(tmp_path, monkeypatch):
    pd.DataFrame({"x": [1]}).to_parquet(tmp_path / "t.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'pip install "graphwell\[parquet\]"'):
        open_table(tmp_path / "t.parquet")
