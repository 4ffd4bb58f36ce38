"""Values that stand for nothing known."""

import numpy as np
import pandas as pd
import pytest

from graphwell._unknown import hardly_classes, is_known, is_marked, markers, same_but_for_case, says_nothing


def test_nothing_has_many_names():
    assert all(map(says_nothing, (None, float("nan"), np.float32("nan"), pd.NA, pd.NaT)))
    assert not any(map(says_nothing, ("", "nan", 0, False, -1, [])))


@pytest.mark.parametrize(
    ("values", "unknown", "marked"),
    [
        (np.array([0, 99]), 99, [False, True]),
        (np.array(["a", "?"]), "?", [False, True]),
        (np.array(["a", "?"]), [99, "?"], [False, True]),
        (np.array([0, 99]), "99", [False, False]),
        (np.array(["a", 99, None], dtype=object), (99, None), [False, True, False]),
    ],
)
def test_markers_are_found_among_labels_of_their_kind(values, unknown, marked):
    assert is_marked(values, unknown).tolist() == marked


def test_one_marker_or_several():
    assert markers("ab") == ("ab",)
    assert markers({"a"}) == ("a",)
    assert markers(0) == (0,)


def test_known_labels_are_found_in_arrays_of_every_kind():
    assert is_known(np.ma.array([1, 2, -1], mask=[True, False, False])).tolist() == [False, True, False]
    assert is_known(pd.Series([1, pd.NA, 3], dtype="Int64")).tolist() == [True, False, True]
    assert is_known(["-1", "a"]).tolist() == [True, True]


def test_odd_names():
    assert hardly_classes(["a", "", "None", "N/A", 3]) == ["", "None", "N/A"]
    assert same_but_for_case(["a b", "A  B", "c", 1]) == ["a b", "A  B"]
    assert same_but_for_case(["a", "b"]) == []
