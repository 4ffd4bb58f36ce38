"""Spreadsheets of Excel."""

import datetime
import sys

import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.io.tables import NewColumns, open_table, write_table, xlsx
from graphwell.io.tables.cells import text_column
from graphwell.memory import limited_to

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")


def table_of(tmp_path, *rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "in.xlsx")
    return open_table(tmp_path / "in.xlsx")


def test_cells_have_their_types(tmp_path):
    when = datetime.datetime(2024, 3, 31)
    table = table_of(
        tmp_path,
        ["count", "size", "yes", "name", "day", "mixed", None],
        [1, 0.5, True, "a", when, 1],
        [None] * 6,
        [2, None, False, None, when.replace(hour=12), "two"],
        [3, 2, True, "=1+1", datetime.time(9, 30), datetime.date(2024, 4, 1)],
    )
    assert table.names == ("count", "size", "yes", "name", "day", "mixed")
    assert table.column("count").tolist() == [1, 2, 3]
    np.testing.assert_array_equal(table.column("size"), [0.5, np.nan, 2])
    assert table.column("yes").tolist() == [True, False, True]
    assert table.column("name").tolist() == ["a", "", ""]  # a formula that nobody has computed has no value
    assert table.column("day").tolist() == ["2024-03-31", "2024-03-31 12:00:00", "09:30:00"]
    assert table.column("mixed").tolist() == ["1", "two", "2024-04-01"]


def test_text_is_never_taken_for_a_formula(tmp_path):
    (tmp_path / "in.csv").write_text("x,=name\n1,=1+1\n,b\x07\n")
    n = 2
    found = NewColumns(
        "=name", text_column(["=1+1", ""]), np.full(n, np.inf), np.ones(n, bool), np.zeros(n, bool)
    )
    with (tmp_path / "out.xlsx").open("wb") as file:
        write_table(open_table(tmp_path / "in.csv"), found, tmp_path / "out.xlsx", file)
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx").active
    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [
        ["x", "=name", "graphwell_label", "graphwell_score", "graphwell_reachable", "graphwell_given"],
        [1, "=1+1", "=1+1", "inf", True, False],
        [None, "b?", None, "inf", True, False],
    ]
    assert {cell.data_type for row in sheet.iter_rows(max_col=3) for cell in row} == {"s", "n"}


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([], "nothing on its first sheet"),
        ([["a", "b"]], "a header but no rows"),
        ([["a", "a"], [1, 2]], "several columns named 'a'"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, rows, told):
    with pytest.raises(ValueError, match=told):
        table_of(tmp_path, *rows)


def test_another_file_is_told_from_a_spreadsheet(tmp_path):
    (tmp_path / "in.xlsx").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(ValueError, match="damaged, protected or something else"):
        open_table(tmp_path / "in.xlsx")


def test_a_sheet_that_does_not_fit_is_refused_before_it_is_unpacked(tmp_path):
    table_of(tmp_path, ["a"], *[[7]] * 2000)
    with limited_to(100_000), pytest.raises(OptionError, match="of memory, more than the 100 kB allowed"):
        open_table(tmp_path / "in.xlsx")


def test_more_rows_than_a_sheet_has_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(xlsx, "MOST_ROWS", 3)
    table = table_of(tmp_path, ["a"], [1], [2], [3])
    n = 3
    found = NewColumns("a", text_column(["1"] * n), np.ones(n), np.ones(n, bool), np.ones(n, bool))
    with (tmp_path / "out.xlsx").open("wb") as file, pytest.raises(OptionError, match="room for 2 rows"):
        write_table(table, found, tmp_path / "out.xlsx", file)


def test_without_openpyxl_the_line_that_installs_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r"graphwell\[xlsx\]"):
        xlsx.require_openpyxl()
