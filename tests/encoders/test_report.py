"""Why columns are left out."""

import numpy as np
import pytest

from graphwell.encoders.kinds import ColumnCells, look_at
from graphwell.encoders.report import (
    column_note,
    grouped,
    left_out,
    looks_like_truth,
    numbers_the_rows,
    recodes_labels,
)
from graphwell.io.tables.cells import text_column

LABELS = text_column(["a", "b", "", "a", "b", "a", ""])


def truth(cells, name="kind", names=(), labels=LABELS):
    return looks_like_truth(name, dict.fromkeys(names), ColumnCells({"x": cells})["x"], labels)


def test_a_column_that_repeats_the_labels_looks_like_the_truth():
    assert "equals the labels" in truth(["a", "b", "c", "a", "b", "a", "b"])
    assert "equals the labels" in truth(["A", "b ", "c", "a", "b", "a", "b"])
    assert truth(["a", "b", "c", "a", "b", "b", "b"]) is None
    assert truth(list("aaaaaaa"), labels=text_column(["a"] * 7)) is None
    numbers = text_column(["1", "2", "1.0", "", "2", "1"])
    assert "equals the labels" in truth(np.array([1.0, 2, 1, 5, 2, 1]), labels=numbers)
    few = text_column(["a", "b", "a", "b"])
    assert truth(["a", "b", "a", "b"], labels=few) is None
    assert truth(["a"], labels=None) is None


@pytest.mark.parametrize("name", ["truth", "Target", "CLASS", "label", "y_true", "Ground Truth", "y"])
def test_a_name_may_say_that_a_column_is_the_truth(name):
    assert truth(list("uvwxyz1"), name) == "its name says that it is the truth"


def test_y_beside_x_is_a_coordinate():
    assert truth(list("uvwxyz1"), "y", ("X", "y")) is None
    assert truth(list("uvwxyz1"), "yield") is None


def numbers(cells, name="x"):
    column = ColumnCells({"x": cells})["x"]
    return numbers_the_rows(name, look_at(column), column)


def test_counters_and_identifiers_are_told_from_features():
    shuffled = np.random.default_rng(0).permutation(20)
    assert numbers(np.arange(1, 21)) == "it counts the rows"
    assert numbers(shuffled) == "it counts the rows"
    assert numbers(np.append(shuffled[:-1], shuffled[0])) is None
    assert numbers(shuffled**2) is None
    assert numbers(shuffled**2, "Patient ID") == "every row has its own"
    assert numbers(np.append(shuffled[1:] ** 2, 25), "Patient ID") is None
    assert numbers(np.arange(9)) is None
    assert numbers(np.arange(20) + 0.5) is None
    assert numbers([f"P{i:03}" for i in range(20)]) == "every row has its own"
    assert numbers([f"row number {i} of many" for i in range(40)]) == "every row has its own"
    assert numbers([f"{'ab'[i % 2]} {i} really long text {'x' * i}" for i in range(40)]) is None
    assert numbers([f"P{i // 2}" for i in range(80)]) is None


def test_a_code_of_the_labels_is_seen():
    labels = text_column(["a", "b", "c"] * 4 + ["", ""])
    code = lambda values: recodes_labels(ColumnCells({"x": values})["x"], labels)  # noqa: E731
    assert code(np.array([3, 1, 2] * 4 + [3, 3]))
    assert not code(np.array([3, 1, 2] * 4 + [3, 5]))
    assert not code(np.array([3, 1, 1] * 4 + [3, 3]))
    assert not code(np.array([3, 1, 2] * 3 + [3, 1, 3] + [2, 2]))
    assert not code(np.array([3, 1, 2] * 4 + [3, np.nan]))
    assert not recodes_labels(ColumnCells({"x": [1, 2, 3]})["x"], labels[:3])


def test_columns_with_the_same_fate_share_a_line():
    treatments = [
        left_out("a", "number", "as asked"),
        left_out("", "text", "as asked"),
        left_out("b", "number", "as asked"),
    ]
    assert grouped(treatments) == {
        ("number", "left out: as asked"): ["a", "b"],
        ("text", "left out: as asked"): ["(no name)"],
    }
    assert str(column_note(treatments[0])) == "The column 'a' was left out: as asked."
