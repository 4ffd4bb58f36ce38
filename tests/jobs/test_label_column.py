"""Columns of labels."""

from pathlib import Path

import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.io.tables import Table
from graphwell.io.tables.cells import frame_of, text_column
from graphwell.jobs.label_column import (
    LabelColumn,
    agreement_hint,
    check_given,
    match_classes,
    read_label_column,
)


def table(**columns):
    made = {name: text_column(cells) for name, cells in columns.items()}
    return Table(Path("t.csv"), frame_of(made), None, made)


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
    found = read_label_column(table(label=cells), "label", unknown)
    assert found.names == names
    assert found.codes.tolist() == codes
    said = "-1 is a class" in " ".join(map(str, found.notes))
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
    with pytest.raises(OptionError, match=words) as caught:
        check_given(made, "label", read_label_column(made, "label"))
    assert caught.value.field == "label"


def test_fractions_are_no_classes():
    made = table(label=[str(i / 8) for i in range(40)])
    with pytest.raises(OptionError, match=r"holds 35 different fractions, such as 0\.125; classes are names"):
        check_given(made, "label", read_label_column(made, "label"))


def test_odd_names_of_classes_are_pointed_out():
    found = read_label_column(table(label=["cat", "?", "Cat", "dog", "x"]), "label", ("x",))
    assert [str(note) for note in found.notes] == [
        "'?' is a class in column 'label'; if it means unknown, give unknown=\"?\".",
        "The classes 'Cat' and 'cat' of column 'label' differ only in case or blanks; are they one class?",
    ]
    assert read_label_column(table(label=["cat", "?"]), "label", ("?",)).notes == ()


@pytest.mark.parametrize("word", ["?", "n/a", "unknown", "NaT", "none", "-", "TODO", "NA"])
def test_usual_spellings_are_unknown_unless_another_marker_is_named(word):
    made = table(label=["cat", word, "dog", f" {word} ", ""])
    found = read_label_column(made, "label")
    assert found.codes.tolist() == [0, -1, 1, -1, -1]
    assert [str(note) for note in found.notes] == [
        f'Taken for unknown labels: {word!r} (2 rows); unknown="" makes classes of all but empty ones.'
    ]
    kept = read_label_column(made, "label", ("",))
    assert (word in kept.names) == (word not in ("NA", "n/a"))  # those are missing cells of any column


def test_classes_of_minus_one_and_one_are_told_what_to_do():
    made = table(label=["1", "-1", "1", "-1"])
    with pytest.raises(OptionError, match='There -1 means unknown; if it is a class, give unknown=""'):
        check_given(made, "label", read_label_column(made, "label"))
    assert read_label_column(made, "label", ("",)).names == ("-1", "1")


def test_a_truth_that_never_agrees_gets_a_hint():
    made = table(label=["cat", "dog", ""], truth=["0", "1", "0"], other=["cat", "0", "1"])
    given = read_label_column(made, "label")
    (hint,) = agreement_hint(given, match_classes(read_label_column(made, "truth"), given.names))
    assert str(hint).startswith("truth never agrees with a given label: it says '0' and labels say 'cat';")
    assert agreement_hint(given, match_classes(read_label_column(made, "other"), given.names)) == []


def test_truth_is_matched_by_value_and_may_know_more_classes():
    made = table(truth=["1", "2.0", "", "7"])
    matched = match_classes(read_label_column(made, "truth"), ["1.0", "2.0"])
    assert matched.names == ("1.0", "2.0", "7")
    assert matched.codes.tolist() == [0, 1, -1, 2]


@pytest.mark.parametrize(
    ("n_names", "kind"), [(2, np.int8), (127, np.int8), (128, np.int16), (40_000, np.int32)]
)
def test_numbers_of_classes_in_few_bytes(n_names, kind):
    codes = np.array([-1, 0, n_names - 1])
    narrow = LabelColumn(tuple(map(str, range(n_names))), codes).narrow()
    assert narrow.codes.dtype == kind
    np.testing.assert_array_equal(narrow.codes, codes)
