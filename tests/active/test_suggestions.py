"""Suggestions are row numbers with reasons."""

import numpy as np

from graphwell.active.suggestions import Question, Suggestions

FOUND = Suggestions((Question(7, "a"), Question(2, "b"), Question(5, "c")), "random")


def test_they_are_used_as_row_numbers():
    X = np.arange(20).reshape(10, 2)
    np.testing.assert_array_equal(np.asarray(FOUND), [7, 2, 5])
    np.testing.assert_array_equal(X[FOUND], X[[7, 2, 5]])
    assert [row for row in FOUND] == [7, 2, 5]  # noqa: C416
    assert (len(FOUND), FOUND[0], FOUND[-1], 2 in FOUND) == (3, 7, 5, True)
    y = np.full(10, -1)
    y[FOUND] = [1, 2, 3]
    assert y[2] == 2
    assert np.asarray(FOUND, dtype=np.int32).dtype == np.int32


def test_a_cut_keeps_the_reasons():
    assert FOUND[:2].reasons == ("a", "b")
    assert FOUND[:2].rows.dtype == np.int64
    assert str(FOUND[:1]) == "row 7: a"


def test_none_is_an_empty_array_of_row_numbers():
    assert np.arange(3)[Suggestions((), "random")].shape == (0,)
