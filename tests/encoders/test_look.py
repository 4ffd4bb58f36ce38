"""What kind of column it is."""

import numpy as np
import pytest

from graphwell.encoders.kinds import ColumnCells, look_at


def look(cells, **options):
    return look_at(ColumnCells({"x": cells})["x"], **options)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "2.5", ""], "number"),
        (["1,5", "2"], "number"),
        (["1"] * 39 + ["47,2?"], "number"),
        (["1"] * 18 + ["a", "b"], "category"),
        (["1", "2", "3"] * 4 + ["unknown"] * 5, "number"),
        (["1", "2", "3"] + ["unknown"] * 5, "category"),
        (["02139", "10001"] * 5, "category"),
        (["yes", "No", "", "yes"], "boolean"),
        (["true"] * 3, "boolean"),
        (["red", "blue"] * 3, "category"),
        (["m", "f", "m", "f"], "category"),
        ([f"word {i}" for i in range(40)], "text"),
        ([f"word {i % 35}" for i in range(400)], "text"),
        (["2024-03-31", "2024-04-01", ""], "date"),
        (["", "NA"], "empty"),
        (np.array([1, 2]), "number"),
        (np.array([True, False]), "boolean"),
        (np.array(["2024-01-01"], dtype="datetime64[D]"), "date"),
        (np.array([np.nan, np.nan]), "empty"),
    ],
)
def test_kinds(cells, kind):
    assert look(cells).kind == kind


def test_cells_of_another_kind_are_missing_and_named():
    found = look(["1"] * 39 + ["x"])
    assert (found.bad.tolist(), int(found.missing.sum())) == ([39], 1)
    assert np.isnan(found.values[39])


def test_a_kind_can_be_wanted():
    assert look(["1", "2"], wanted="category").values.tolist() == ["1", "2"]
    found = look(["1", "x", "y"], wanted="number")
    assert (found.kind, found.bad.tolist()) == ("number", [1, 2])


def test_numbers_keep_their_precision():
    values = np.array([0.1, 0.2], dtype=np.float32)
    assert look(values).values.dtype == np.float32
    np.testing.assert_array_equal(look(values).values, values)
