"""Lines of JSON."""

import json

import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.io.tables import NewColumns, open_table, write_table
from graphwell.io.tables.cells import text_column
from graphwell.memory import limited_to


def table_of(tmp_path, *lines):
    path = tmp_path / "in.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return open_table(path)


def written(tmp_path, table, like, labels):
    n = len(labels)
    found = NewColumns(like, text_column(labels), np.full(n, 0.5), np.ones(n, bool), np.zeros(n, bool))
    path = tmp_path / "out.jsonl"
    with path.open("wb") as file:
        write_table(table, found, path, file)
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_cells_have_their_types_and_missing_ones_are_missing(tmp_path):
    table = table_of(
        tmp_path,
        {"a": 1, "b": 1.5, "c": True, "d": "x", "e": 1},
        "",
        {"a": 2, "b": None, "c": False, "d": None, "e": "two"},
        {"a": 3, "c": True, "f": {"g": [1]}},
    )
    assert table.names == ("a", "b", "c", "d", "e", "f")
    assert table.column("a").dtype == np.int64
    np.testing.assert_array_equal(table.column("b"), [1.5, np.nan, np.nan])
    assert table.column("c").tolist() == [True, False, True]
    assert table.column("d").tolist() == ["x", "", ""]
    assert table.column("e").tolist() == ["1", "two", ""]
    assert table.column("f").tolist() == ["", "", '{"g": [1]}']


def test_lists_of_numbers_become_columns_if_all_are_of_one_length(tmp_path):
    table = table_of(tmp_path, {"x": [1, 2], "y": [1], "z": ["a"]}, {"x": [3, 4.5], "y": [1, 2], "z": ["b"]})
    assert table.names == ("x0", "x1", "y", "z")
    assert table.column("x1").tolist() == [2, 4.5]
    assert table.column("y").tolist() == ["[1]", "[1, 2]"]


def test_objects_go_back_as_they_came_and_labels_have_the_type_of_the_given_ones(tmp_path):
    rows = [{"x": [0.25], "label": 3, "graphwell_label": "old"}, {"x": [1], "note": {"of": None}}, {"x": [2]}]
    after = written(tmp_path, table_of(tmp_path, *rows), "label", ["3", "3", ""])
    assert [row["graphwell_label"] for row in after] == [3, 3, None]
    assert [{key: row[key] for key in row if not key.startswith("graphwell")} for row in after] == [
        {"x": [0.25], "label": 3},
        {"x": [1], "note": {"of": None}},
        {"x": [2]},
    ]


@pytest.mark.parametrize(("given", "text"), [(1.0, "1"), (True, "true"), ("01", "01"), (2.5, "2.5")])
def test_labels_of_any_type_come_back_as_they_were(tmp_path, given, text):
    table = table_of(tmp_path, {"x": 1, "label": given}, {"x": 2, "label": given})
    assert [row["graphwell_label"] for row in written(tmp_path, table, "label", [text, text])] == [given] * 2


def test_a_table_of_another_format_gets_types(tmp_path):
    (tmp_path / "in.csv").write_text("size,pet\n1.5,cat\n,\n")
    after = written(tmp_path, open_table(tmp_path / "in.csv"), "pet", ["cat", "cat"])
    assert after[1] == {
        "size": None, "pet": None, "graphwell_label": "cat", "graphwell_score": 0.5,
        "graphwell_reachable": True, "graphwell_given": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (['{"a": 1}', '{"a": 1'], "line 2: this is no JSON"),
        (['{"a": 1}', "[1]"], "line 2: a list, where each line must hold one object"),
        (["null"], "line 1: a null"),
        (["{}"], "no objects with keys"),
        (["", " "], "no objects with keys"),
        (["[" * 100_000], "line 1: this is no JSON"),
        (['{"x": [1, 2], "x0": 3}'], "2 columns named 'x0'"),
    ],
)
def test_what_is_no_table_is_told_with_its_line(tmp_path, lines, told):
    with pytest.raises(ValueError, match=told):
        table_of(tmp_path, *lines)


def test_odd_characters_and_huge_numbers_do_no_harm(tmp_path):
    table = table_of(tmp_path, '{"a": "\\ud800", "b": 1e999, "c": 123456789012345678901234567890}')
    assert table.column("a").tolist() == ["?"]
    assert table.column("b").tolist() == [np.inf]
    assert table.column("c").tolist() == [123456789012345678901234567890.0]
    assert written(tmp_path, table, "a", ["?"])


def test_a_file_that_does_not_fit_is_refused(tmp_path):
    (tmp_path / "in.jsonl").write_text('{"a": 1}\n' * 1000)
    with limited_to(10_000), pytest.raises(OptionError, match="needs about 90 kB of memory"):
        open_table(tmp_path / "in.jsonl")
