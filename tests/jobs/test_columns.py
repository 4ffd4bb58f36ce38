"""Columns and their roles."""

from pathlib import Path

import numpy as np
import pytest

from graphwell.io.tables.base import as_numbers, first_that_is_no_number, text_column, typed
from graphwell.io.tables.text import Dialect, TextTable
from graphwell.jobs.columns import (
    check_given,
    choose_features,
    find_column,
    listed,
    match_classes,
    read_classes,
)


def table(**columns):
    made = {name: text_column(cells) for name, cells in columns.items()}
    return TextTable(Path("t.csv"), tuple(made), len(next(iter(made.values()))), Dialect(), made)


def test_numeric_columns_without_another_role_are_features():
    made = table(label=["1", "2"], x=["0.5", "1e3"], name=["ab", "c"], y=["", "-2"], none=["", "NA"])
    found = choose_features(made, None, ["label"])
    assert found.names == ("x", "y")
    np.testing.assert_array_equal(found.X, [[0.5, np.nan], [1000, -2]])
    assert found.notes == (
        "Not used as features, since they hold text: name.",
        "Not used as features, since they hold no value: none.",
    )


def test_an_index_column_is_not_taken_for_a_feature():
    made = table(**{"": ["0", "1", "2"], "number": ["7", "8", "9"], "x": ["1", "5", "2"]})
    found = choose_features(made, None, [])
    assert found.names == ("number", "x")
    assert "has no name: column 1" in found.notes[0]
    assert "just counts the rows: number; --drop" in found.notes[1]


def test_columns_asked_for_must_be_numbers():
    made = table(x=["1"] * 700 + ["two", "three"], y=["1"] * 702)
    assert choose_features(made, ["y", "y"], []).names == ("y",)
    with pytest.raises(ValueError, match=r"t\.csv, row 701: the feature 'x' is 'two', which is no number"):
        choose_features(made, ["y", "x"], [])


def test_a_table_without_features_says_what_it_has():
    with pytest.raises(ValueError, match=r"no numeric column .* only text in a"):
        choose_features(table(a=["x", "y"], b=["1", "2"]), None, ["b"])
    with pytest.raises(ValueError, match="with a decimal comma, --decimal ',' would read a"):
        choose_features(table(a=["1,5", "2,5"]), None, [])
    np.testing.assert_array_equal(choose_features(table(a=["1,5", "2"]), None, [], ",").X, [[1.5], [2]])


def test_close_names_are_suggested():
    with pytest.raises(ValueError, match=r"--label lable: t\.csv has no such column; did you mean 'label'"):
        find_column(table(label=["a"], x=["1"]), "lable", "--label")
    with pytest.raises(ValueError, match="its columns are aaaa, bbbb"):
        find_column(table(aaaa=["a"], bbbb=["1"]), "zz", "--label")
    assert listed([str(i) for i in range(12)]) == "0, 1, 2, 3, 4, 5, 6, 7 and 4 more"


@pytest.mark.parametrize(
    ("cells", "unknown", "names", "codes"),
    [
        (["b", "", "a", "NA", " b "], (), ("a", "b"), [1, -1, 0, -1, 1]),
        (["10", "9", "", "x"], ("x",), ("9", "10"), [1, 0, -1, -1]),
        (["3", "-1", "4"], (), ("3", "4"), [0, -1, 1]),
        (["1", "-1", ""], (), ("-1", "1"), [1, 0, -1]),
        (["1", "-1", ""], ("-1",), ("1",), [0, -1, -1]),
        (["a", "-1", "b"], (), ("-1", "a", "b"), [1, 0, 2]),
    ],
)
def test_unknown_labels_are_told_from_known_ones(cells, unknown, names, codes):
    found = read_classes(table(label=cells), "label", unknown)
    assert found.names == names
    assert found.codes.tolist() == codes
    said = "-1 is a class" in " ".join(found.notes)
    assert said == (cells == ["1", "-1", ""] and not unknown)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["", "NA"], "no known label in column 'label'"),
        (["a", ""], "names a single class, 'a'"),
        ([str(i) for i in range(1500)], "names 1,500 classes on 1,500 rows; is it the column of labels"),
    ],
)
def test_labels_that_teach_nothing_are_refused(cells, words):
    made = table(label=cells)
    with pytest.raises(ValueError, match=words):
        check_given(made, "label", read_classes(made, "label"))


def test_truth_is_matched_by_value_and_may_know_more_classes():
    made = table(truth=["1", "2.0", "", "7"])
    matched = match_classes(read_classes(made, "truth"), ["1.0", "2.0"])
    assert matched.names == ("1.0", "2.0", "7")
    assert matched.codes.tolist() == [0, 1, -1, 2]


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
