"""Columns and their roles."""

from pathlib import Path

import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.io.tables.cells import text_column
from graphwell.io.tables.text import Dialect, TextTable
from graphwell.jobs.columns import Roles, find_column, listed, named_columns, read_features


def table(**columns):
    made = {name: text_column(cells) for name, cells in columns.items()}
    return TextTable(Path("t.csv"), tuple(made), len(next(iter(made.values()))), Dialect(), made)


def test_numeric_columns_without_another_role_are_features():
    made = table(label=["1", "2"], x=["0.5", "1e3"], name=["ab", "c"], y=["", "-2"], none=["", "NA"])
    found = read_features(made, Roles("label"))
    assert found.names == ("x", "y")
    np.testing.assert_array_equal(found.X, [[0.5, np.nan], [1000, -2]])
    assert tuple(map(str, found.notes)) == (
        "Not used as features, since they hold text: name.",
        "Not used as features, since they hold no value: none.",
    )


def test_an_index_column_is_not_taken_for_a_feature():
    made = table(**{"": ["0", "1", "2"], "number": ["7", "8", "9"], "x": ["1", "5", "2"]})
    found = read_features(made, Roles("label"))
    assert found.names == ("number", "x")
    assert "has no name: column 1" in str(found.notes[0])
    assert "just counts the rows: number; drop leaves" in str(found.notes[1])


def test_columns_asked_for_must_be_numbers():
    made = table(x=["1"] * 700 + ["two", "three"], y=["1"] * 702)
    assert read_features(made, Roles("label", features=("y", "y"))).names == ("y",)
    with pytest.raises(ValueError, match=r"t\.csv, row 701: the feature 'x' is 'two', which is no number"):
        read_features(made, Roles("label", features=("y", "x")))


def test_a_table_without_features_says_what_it_has():
    with pytest.raises(ValueError, match=r"no numeric column .* only text in a"):
        read_features(table(a=["x", "y"], b=["1", "2"]), Roles("b"))
    with pytest.raises(ValueError, match="with a decimal comma, decimal=',' would read a"):
        read_features(table(a=["1,5", "2,5"]), Roles("label"))
    commas = read_features(table(a=["1,5", "2"]), Roles("label", decimal=","))
    np.testing.assert_array_equal(commas.X, [[1.5], [2]])


def test_close_names_are_suggested():
    with pytest.raises(ValueError, match=r"^label lable: t\.csv has no such column; did you mean 'label'"):
        find_column(table(label=["a"], x=["1"]), "lable", "label")
    with pytest.raises(ValueError, match="its columns are aaaa, bbbb"):
        find_column(table(aaaa=["a"], bbbb=["1"]), "zz", "label")
    assert listed([str(i) for i in range(12)]) == "0, 1, 2, 3, 4, 5, 6, 7 and 4 more"


def test_every_name_is_checked_under_its_own_field():
    made = table(label=["a"], x=["1"], name=["n"], truth=["a"])
    roles = Roles("label", row_id="name", truth="truth", drop=("x",))
    assert named_columns(made, roles) == ("label", "name", "truth")
    for wrong, field in [
        (Roles("z"), "label"),
        (Roles("label", row_id="z"), "row_id"),
        (Roles("label", truth="z"), "truth"),
        (Roles("label", drop=("z",)), "drop"),
        (Roles("label", features=("label",)), "features"),
        (Roles("label", features=("x",), drop=("x",)), "features"),
    ]:
        with pytest.raises(OptionError) as caught:
            named_columns(made, wrong)
        assert caught.value.field == field


def test_a_decimal_point_is_a_point_or_a_comma():
    with pytest.raises(OptionError, match=r"^decimal must be a point or a comma, got ';'"):
        Roles("label", decimal=";")
