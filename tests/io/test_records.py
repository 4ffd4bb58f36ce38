"""Tables in `.npz` files, lines of JSON, and spreadsheets."""

import datetime
import json
import sys
import zipfile

import numpy as np
import openpyxl
import pytest

import graphwell as gw
from graphwell.errors import OptionError
from graphwell.io import records
from graphwell.io.images import read_image
from graphwell.io.tables import open_table
from graphwell.memory import limited_to
from tests.io import helpers


def labelled(source, like, labels, suffix=None):
    return helpers.labelled(source, helpers.new_columns(like, labels), suffix)


# ------------------------------------------------------------------------------------------ .npy and .npz


@pytest.mark.parametrize(("dtype", "none"), [(np.int64, -1), (np.float64, np.nan)])
def test_labels_that_are_numbers_stay_numbers_and_arrays_go_back_as_they_came(tmp_path, dtype, none):
    arrays = {"X": np.eye(5), "y": np.array([0, 1, 2, 0, 1]).astype(dtype), "pairs": np.zeros((2, 2))}
    np.savez(tmp_path / "in.npz", **arrays)
    assert list(gw.read_table(tmp_path / "in.npz")) == ["X0", "X1", "X2", "X3", "X4", "y"]
    after = np.load(labelled(tmp_path / "in.npz", "y", ["0", "2", "", "0", "1"]))
    assert after["graphwell_label"].dtype == dtype
    np.testing.assert_array_equal(after["graphwell_label"], np.array([0, 2, none, 0, 1]))
    np.testing.assert_array_equal(after["pairs"], arrays["pairs"])
    assert list(after)[:4] == ["X", "y", "pairs", "graphwell_label"]


def test_an_archive_with_a_broken_directory_is_refused(tmp_path):
    np.savez(tmp_path / "in.npz", X=np.eye(3))
    content = (tmp_path / "in.npz").read_bytes()
    (tmp_path / "in.npz").write_bytes(content.replace(b"PK\x01\x02", b"PK\x01\x03"))
    with pytest.raises(ValueError, match=r"in\.npz"):
        open_table(tmp_path / "in.npz")


@pytest.mark.parametrize("shape", [(10**12,), (10**6, 10**6), (2**62, 4)])
def test_a_header_that_declares_more_than_there_is(tmp_path, shape):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("X.npy", helpers.npy_of_declared_shape(shape))
    with pytest.raises(ValueError, match="damaged, truncated"):
        gw.read_table(tmp_path / "a.npz")


def test_the_wrong_ending_is_pointed_out(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.eye(2))
    np.save(tmp_path / "b.npy", np.eye(2))
    for source, wrong, words in (("a.npz", "a.npy", r"to \.npz"), ("b.npy", "b.npz", r"to \.npy")):
        (tmp_path / source).rename(tmp_path / wrong)
        with pytest.raises(ValueError, match=f"rename it {words}"):
            read_image(tmp_path / wrong)


def test_numbers_stay_numbers_and_the_rest_becomes_text(tmp_path):
    columns = {"n": [1, 2], "x": [0.5, np.nan], "s": ["a", ""], "raw": [b"\xc3\xa4", b"b"], "c": [1j, 2j]}
    np.savez(tmp_path / "t.npz", X=np.zeros((2, 1)), **columns)
    frame = gw.read_table(tmp_path / "t.npz")
    assert [frame[name].dtype.kind for name in columns] == ["i", "f", "O", "O", "O"]
    assert frame["raw"].tolist() == ["ä", "b"]
    assert frame["c"].tolist() == ["1j", "2j"]
    assert frame["s"].isna().tolist() == [False, True]


# ------------------------------------------------------------------------------------------ lines of JSON


def lines_of(tmp_path, *lines):
    path = tmp_path / "in.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


def objects_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_cells_of_json_have_their_types_and_missing_ones_are_missing(tmp_path):
    table = open_table(
        lines_of(
            tmp_path,
            {"a": 1, "b": 1.5, "c": True, "d": "x", "e": 1, "v": [1, 2], "w": [1], "z": ["a"]},
            "",
            {"a": 2, "b": None, "c": False, "d": None, "e": "two", "v": [3, 4.5], "w": [1, 2], "z": ["b"]},
            {"a": 3, "c": True, "f": {"g": [1]}, "v": [5, 6], "w": [1]},
        )
    )
    assert table.names == ("a", "b", "c", "d", "e", "v0", "v1", "w", "z", "f")
    assert table.column("a").dtype == np.int64
    np.testing.assert_array_equal(table.column("b"), [1.5, np.nan, np.nan])
    assert table.column("c").tolist() == [True, False, True]
    assert table.column("d").tolist() == ["x", "", ""]
    assert table.column("e").tolist() == ["1", "two", ""]
    assert table.column("v1").tolist() == [2, 4.5, 6]
    assert table.column("w").tolist() == ["[1]", "[1, 2]", "[1]"]
    assert table.column("f").tolist() == ["", "", '{"g": [1]}']


def test_objects_go_back_as_they_came_and_labels_have_the_type_of_the_given_ones(tmp_path):
    rows = [{"x": [0.25], "label": 3, "graphwell_label": "old"}, {"x": [1], "note": {"of": None}}, {"x": [2]}]
    after = objects_of(labelled(lines_of(tmp_path, *rows), "label", ["3", "3", ""]))
    assert [row["graphwell_label"] for row in after] == [3, 3, None]
    assert [{key: row[key] for key in row if not key.startswith("graphwell")} for row in after] == [
        {"x": [0.25], "label": 3},
        {"x": [1], "note": {"of": None}},
        {"x": [2]},
    ]


@pytest.mark.parametrize(("given", "text"), [(1.0, "1"), (True, "true"), ("01", "01"), (2.5, "2.5")])
def test_labels_of_any_type_come_back_as_they_were(tmp_path, given, text):
    path = lines_of(tmp_path, {"x": 1, "label": given}, {"x": 2, "label": given})
    after = objects_of(labelled(path, "label", [text, text]))
    assert [row["graphwell_label"] for row in after] == [given, given]


def test_odd_characters_and_huge_numbers_do_no_harm(tmp_path):
    huge = "1" + 400 * "0"
    path = lines_of(tmp_path, f'{{"a": "\\ud800", "b": 1e999, "c": {2**80}, "d": -{huge}}}')
    assert gw.read_table(path).iloc[0].tolist() == ["?", np.inf, str(2**80), f"-{huge}"]
    assert labelled(path, "a", ["?"]).stat().st_size


# ------------------------------------------------------------------------------------------- spreadsheets


def sheet_of(tmp_path, *rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "in.xlsx")
    return tmp_path / "in.xlsx"


def test_cells_of_a_sheet_have_their_types(tmp_path):
    when = datetime.datetime(2024, 3, 31)
    path = sheet_of(
        tmp_path,
        ["count", "size", "yes", "name", "day", "mixed", None],
        [1, 0.5, True, "a", when, 1],
        [None] * 6,
        [2, None, False, None, when.replace(hour=12), "two"],
        [3, 2, True, None, datetime.time(9, 30), datetime.date(2024, 4, 1)],
    )
    table = open_table(path)
    assert table.names == ("count", "size", "yes", "name", "day", "mixed")
    assert table.column("count").tolist() == [1, 2, 3]
    np.testing.assert_array_equal(table.column("size"), [0.5, np.nan, 2])
    assert table.column("yes").tolist() == [True, False, True]
    assert table.column("name").tolist() == ["a", "", ""]
    assert table.column("day").tolist() == ["2024-03-31", "2024-03-31 12:00:00", "09:30:00"]
    assert table.column("mixed").tolist() == ["1", "two", "2024-04-01"]


def test_formulas_whose_values_nobody_saved_are_told(tmp_path):
    path = sheet_of(tmp_path, ["x", "twice"], [1, "=2*A2"], [2, "=2*A3"], [None, 3])
    words = r"cell B2: a formula whose value is not in the file \(2 such cells\)"
    with pytest.raises(ValueError, match=words):
        gw.read_table(path)
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    sheet = parts["xl/worksheets/sheet1.xml"]
    saved = sheet.replace(b"2*A2</f><v />", b"2*A2</f><v>2</v>").replace(
        b'<c r="B3"><f>2*A3</f><v />', b'<c r="B3" t="str"><f>2*A3</f><v></v>'
    )
    with zipfile.ZipFile(path, "w") as book:  # as a spreadsheet saves it; the second result is no text
        for name, part in parts.items():
            book.writestr(name, saved if part is sheet else part)
    assert gw.read_table(path)["twice"].fillna(0).tolist() == [2, 0, 3]


def test_text_is_never_taken_for_a_formula(tmp_path):
    (tmp_path / "in.csv").write_text("x,=name\n1,=1+1\n,b\x07\n")
    sheet = openpyxl.load_workbook(labelled(tmp_path / "in.csv", "=name", ["=1+1", ""], ".xlsx")).active
    assert [[cell.value for cell in row] for row in sheet.iter_rows()] == [
        ["x", "=name", "graphwell_label", "graphwell_score", "graphwell_reachable", "graphwell_given"],
        [1, "=1+1", "=1+1", 0.5, True, False],
        [None, "b?", None, 0.5, True, False],
    ]
    assert {cell.data_type for row in sheet.iter_rows(max_col=3) for cell in row} == {"s", "n"}


def test_files_that_do_not_fit_are_refused(tmp_path, monkeypatch):
    path = sheet_of(tmp_path, ["a"], *[[7]] * 2000)
    with limited_to(100_000), pytest.raises(OptionError, match="of memory, more than the 100 kB allowed"):
        gw.read_table(path)
    (tmp_path / "in.jsonl").write_text('{"a": 1}\n' * 1000)
    with limited_to(10_000), pytest.raises(OptionError, match="needs about 90 kB of memory"):
        gw.read_table(tmp_path / "in.jsonl")
    monkeypatch.setattr(records, "MOST_ROWS", 2000)
    with pytest.raises(OptionError, match="room for 1,999 rows"):
        labelled(path, "a", ["7"] * 2000)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match=r"graphwell\[xlsx\]"):
        gw.read_table(path)
