"""Reading answers."""

import numpy as np
import pytest

import graphwell as gw
from graphwell.active.labels import answers_of_fit, is_unknown, read_answers, row_numbers, scores_of_fit
from tests.helpers import blobs, few


@pytest.mark.parametrize("y", [None, [-1, -1, -1], [None, None, None], np.full(3, np.nan)])
def test_no_label_at_all_is_no_error(y):
    known = read_answers(y, 3)
    assert known.codes.tolist() == [-1, -1, -1]
    assert known.names == ()


def test_labels_outside_the_rows_are_refused():
    with pytest.raises(ValueError, match="y has 4 labels but X has 3 rows"):
        read_answers([0, 1, 0, 1], 3)
    with pytest.raises(ValueError, match="rows names row -1, but the rows are numbered from 0 to 2"):
        row_numbers([-1], 3, "rows")
    with pytest.raises(ValueError, match=r"rows must hold row numbers; got 1\.5"):
        row_numbers([1.5], 3, "rows")
    for odd in ([None], [[0, 1]], ["x"]):
        with pytest.raises(ValueError, match="rows must hold row numbers"):
            row_numbers(odd, 3, "rows")
    assert row_numbers([], 3, "rows").tolist() == []


def test_a_fit_gives_its_labels_and_scores():
    X, truth = blobs()
    y = few(truth)
    clf = gw.DiffuseInterfaceClassifier(random_state=0).fit(X, y)
    known = answers_of_fit(clf)
    np.testing.assert_array_equal(known.codes, y)
    np.testing.assert_array_equal(
        scores_of_fit(clf)[clf.reachable_], clf.label_distributions_[clf.reachable_]
    )


def test_unknown_answers():
    assert is_unknown(np.nan)
    assert not is_unknown(0)
    assert not is_unknown("-1")
