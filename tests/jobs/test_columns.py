"""Columns and their roles."""

from pathlib import Path

import numpy as np
import pytest

from graphwell.errors import OptionError
from graphwell.io.tables import Table
from graphwell.io.tables.cells import frame_of, text_column
from graphwell.jobs.columns import Roles, find_column, named_columns, read_features
from graphwell.jobs.label_column import read_label_column


def table(**columns):
    made = {name: text_column(cells) for name, cells in columns.items()}
    return Table(Path("t.csv"), frame_of(made), None, made)


def fates(found):
    return {fate.name: str(fate.became) for fate in found.fates}


def test_every_column_without_another_role_is_told_what_became_of_it():
    made = table(
        label=["1", "2"], x=["0.5", "1e3"], name=["ab", "c"], y=["", "-2"], none=["", "NA"], gone=["1", "2"]
    )
    found = read_features(made, Roles("label", row_id="name", drop=("gone",)), fill=False)
    assert found.names == ("x", "y")
    assert (found.outputs, found.kinds) == (("x", "y"), ("step", "step"))
    np.testing.assert_array_equal(found.X, [[0.5, np.nan], [1000, -2]])
    assert fates(found) == {
        "label": "the given labels",
        "x": "one feature",
        "name": "names of the rows",
        "y": "one feature; 1 missing",
        "none": "left out: it holds no value",
        "gone": "left out: as asked",
    }
    assert found.notes == ()


def test_columns_can_be_judged_without_their_matrix():
    made = table(label=["1", "2"], x=["0.5", "1e3"], kind=["a", "b"], none=["", "NA"])
    whole, judged = (read_features(made, Roles("label"), matrix=matrix) for matrix in (True, False))
    assert judged.X.shape == (0, whole.X.shape[1])
    assert (judged.names, judged.outputs, judged.kinds) == (whole.names, whole.outputs, whole.kinds)
    assert fates(judged) == fates(whole)


def test_missing_cells_are_filled_unless_they_are_kept():
    made = table(x=["0.5", "", "2.5"])
    np.testing.assert_array_equal(read_features(made, Roles("label")).X, [[0.5], [1.5], [2.5]])
    assert np.isnan(read_features(made, Roles("label"), fill=False).X[1, 0])


def test_a_column_that_repeats_the_labels_is_left_out_with_a_note():
    words = ["a", "b"] * 4
    made = table(label=[*words[:6], "", ""], kind=words, x=list("51728364"))
    given = read_label_column(made, "label")
    found = read_features(made, Roles("label"), given)
    assert found.names == ("x",)
    (note,) = found.notes
    assert str(note).startswith(
        "The column 'kind' was left out: it equals the labels wherever they are given;"
    )
    assert str(note).endswith("; features uses it after all.")
    assert read_features(made, Roles("label", features=("kind", "x")), given).names == ("kind", "x")


def test_a_cell_that_is_no_number_is_named():
    made = table(x=[str(i * i) for i in range(39)] + ["47,2?"])
    (note,) = read_features(made, Roles("label")).notes
    assert str(note) == "The column 'x': one feature; 39 of 40 cells are numbers; row 40 is '47,2?'."


def test_a_table_without_features_says_what_it_has():
    with pytest.raises(
        OptionError, match=r"t\.csv: There is no column .* a \(left out: it has one value only\)"
    ):
        read_features(table(a=["x", "x"], b=["1", "2"]), Roles("b"))
    with pytest.raises(
        OptionError, match=r"t\.csv: as_number a: the column holds no number; .* 'x'"
    ) as caught:
        read_features(table(a=["x", "y"], b=["1", "2"]), Roles("b", as_number=("a",)))
    assert caught.value.field == "as_number"


def test_decimal_commas_are_found_or_given():
    commas = read_features(table(a=["1,5", "2"]), Roles("label"))
    np.testing.assert_array_equal(commas.X, [[1.5], [2]])
    commas = read_features(table(a=["1,555", "2"]), Roles("label", decimal=","))
    np.testing.assert_array_equal(commas.X, [[1.555], [2]])


def test_close_names_are_suggested():
    with pytest.raises(ValueError, match=r"^label lable: t\.csv has no such column; did you mean 'label'"):
        find_column(table(label=["a"], x=["1"]), "lable", "label")
    with pytest.raises(ValueError, match="its columns are aaaa, bbbb"):
        find_column(table(aaaa=["a"], bbbb=["1"]), "zz", "label")


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
        (Roles("label", as_number=("z",)), "as_number"),
        (Roles("label", as_category=("label",)), "as_category"),
    ]:
        with pytest.raises(OptionError) as caught:
            named_columns(made, wrong)
        assert caught.value.field == field


def test_a_decimal_point_is_a_point_or_a_comma():
    with pytest.raises(OptionError, match=r"^decimal must be a point or a comma, got ';'"):
        Roles("label", decimal=";")
