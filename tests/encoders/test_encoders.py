"""Columns of each kind as numbers."""

import numpy as np
import pytest

from graphwell.encoders.columns import (
    WORTH_OF_CATEGORIES,
    BooleanEncoder,
    CategoryEncoder,
    DateEncoder,
    NumberEncoder,
    indicator_scale,
)
from graphwell.encoders.kinds import ColumnCells, look_at


def encoded(encoder, cells, fill=True):
    column = ColumnCells({"x": cells})["x"]
    made = encoder.fit("x", look_at(column), fill)
    return made, made.encode(column)


def test_numbers_stay_and_holes_get_the_median():
    made, X = encoded(NumberEncoder, ["1", "", "2", "9"])
    np.testing.assert_array_equal(X, [[1], [2], [2], [9]])
    assert (made.names, made.kinds) == (("x",), ("step",))
    _, kept = encoded(NumberEncoder, ["1", "", "2", "9"], fill=False)
    assert np.isnan(kept[1, 0])


def test_many_holes_get_a_column_of_their_own():
    made, X = encoded(NumberEncoder, [str(i) if i > 4 else "" for i in range(20)])
    assert (made.names, made.kinds) == (("x", "x missing"), ("number", "indicator"))
    np.testing.assert_array_equal(X[:, 1], np.arange(20) <= 4)
    np.testing.assert_array_equal(X[:6, 0], [12, 12, 12, 12, 12, 5])


def test_numbers_of_the_same_precision_come_out():
    values = np.arange(10, dtype=np.float32)
    assert encoded(NumberEncoder, values)[1].dtype == np.float32


@pytest.mark.parametrize("counts", [[50, 50], [10, 20, 30], [1] * 20, [99, 1], [5]])
def test_categories_count_at_most_half_as_much_as_a_standardised_number(counts):
    rows = np.repeat(np.eye(len(counts)), counts, axis=0) * indicator_scale(np.array(counts))
    apart = ((rows[:, None] - rows[None]) ** 2).sum(axis=2)
    assert apart.mean() <= 2 * WORTH_OF_CATEGORIES**2 + 1e-9
    assert apart.max() <= 4 * WORTH_OF_CATEGORIES**2 + 1e-9


def test_categories_become_indicators():
    made, X = encoded(CategoryEncoder, ["b", "a", "b", "", "a", "b"])
    assert made.names == ("x=a", "x=b")
    np.testing.assert_array_equal(X > 0, [[0, 1], [1, 0], [0, 1], [0, 1], [1, 0], [0, 1]])
    made, X = encoded(CategoryEncoder, ["b", "a"] * 5 + [""] * 5)
    assert made.names == ("x=a", "x=b", "x=missing")
    np.testing.assert_array_equal(X[-1] > 0, [False, False, True])
    assert np.isnan(encoded(CategoryEncoder, ["b", "a", "b", "a", ""], fill=False)[1][-1]).all()


def test_a_new_category_has_no_indicator_and_is_named():
    made, _ = encoded(CategoryEncoder, ["b", "a", "b", "a"])
    with pytest.warns(
        UserWarning, match=r"1 rows have a category in 'x' that no fitted row has \('zz', say\)"
    ):
        X = made.encode(ColumnCells({"x": ["a", "zz"]})["x"])
    np.testing.assert_array_equal(X > 0, [[True, False], [False, False]])


def test_long_names_of_categories_are_found_again():
    words = ["a word of more than sixteen letters", "another word of more than sixteen letters"]
    made, X = encoded(CategoryEncoder, words * 3)
    np.testing.assert_array_equal(made.encode(ColumnCells({"x": words})["x"]), X[:2])
    assert (X.sum(axis=1) > 0).all()
    assert set((X > 0).sum(axis=0)) == {3}


def test_booleans_are_one_column():
    made, X = encoded(BooleanEncoder, ["yes", "no", "", "no"])
    np.testing.assert_array_equal(X[:, 0], [0.5, -0.5, -0.5, -0.5])
    made, X = encoded(BooleanEncoder, ["yes", "no"] * 3 + [""] * 4)
    assert made.names == ("x", "x missing")
    assert X[-1].tolist() == [0, 1]
    assert np.isnan(encoded(BooleanEncoder, ["yes", "no", ""], fill=False)[1][2, 0])


def test_dates_are_days_and_seasons_and_hours():
    made, X = encoded(DateEncoder, ["2024-01-01", "2024-01-03", ""])
    assert made.names == ("x days",)
    np.testing.assert_array_equal(X[:, 0], [0, 2, 1])
    made, X = encoded(DateEncoder, ["2020-01-01", "2021-01-01", "2024-07-01"])
    assert made.names == ("x days", "x season sin", "x season cos")
    assert made.kinds == ("number", "cycle", "cycle")
    np.testing.assert_allclose(X[0, 1:], X[1, 1:], atol=0.02)
    np.testing.assert_allclose(X[0, 1:], -X[2, 1:], atol=0.02)
    made, X = encoded(DateEncoder, ["2024-01-01 06:00", "2024-01-02 06:00", "2024-01-02 18:00"])
    assert made.names[1:] == ("x hour sin", "x hour cos")
    np.testing.assert_allclose(X[:, 1], [1, 1, -1], atol=1e-9)
