"""Reading labels of every kind."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import DataConversionWarning

import graphwell as gw
from graphwell.errors import OptionError
from graphwell.estimators.labels import read_labels, with_classes


@pytest.mark.parametrize(
    ("y", "codes", "classes"),
    [
        ([10, -1, 20, 10], [0, -1, 1, 0], [10, 20]),
        (np.array([3, 3, -1], dtype=np.int8), [0, 0, -1], [3]),
        (["b", None, "a"], [1, -1, 0], ["a", "b"]),
        (np.array(["b", "a", "b"]), [1, 0, 1], ["a", "b"]),
        (np.array([1.0, np.nan, 0.0]), [1, -1, 0], [0, 1]),
        (np.array([1.0, -1.0, 0.0]), [1, -1, 0], [0, 1]),
        ([True, False, None], [1, 0, -1], [False, True]),
        ([-5, 7, -1], [0, 1, -1], [-5, 7]),
        (pd.Series(["x", pd.NA, "y"], dtype="string"), [0, -1, 1], ["x", "y"]),
        (pd.Series([1, None, 2], dtype="Int64"), [0, -1, 1], [1, 2]),
        (pd.Series(["x", None, "y"], dtype="category"), [0, -1, 1], ["x", "y"]),
        (pd.Series(["x", np.nan, "y"], dtype=object), [0, -1, 1], ["x", "y"]),
        ([7, None, -1], [0, -1, -1], [7]),
        (np.ma.array([3, 4, 5], mask=[False, True, False]), [0, -1, 1], [3, 5]),
        (pd.Series(pd.to_datetime(["2024-01-01", None]).strftime("%Y")), [0, -1], ["2024"]),
    ],
)
def test_known_labels_and_classes_are_found(y, codes, classes):
    labels = read_labels(y, len(y))
    assert labels.codes.tolist() == codes
    assert labels.classes.tolist() == classes


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        ([-1, -1], "no known label"),
        ([None, None], "no known label"),
        ([np.nan, np.nan], "no known label"),
        ([1, 2, 3], "3 labels but X has 2 rows"),
        ([[1, 2], [3, 4]], "1d array"),
        (["a", 1], "mixes labels"),
        ([0.5, 1.7], "Unknown label type: continuous. y holds numbers such as 0.5, and classes are names"),
        ([("a", "b"), ("c", "d")], "1d array, got an array of shape .2, 2. instead; give one label per row"),
        (
            np.array([("a", "b"), None, ("c",)], dtype=object)[:2],
            "y holds a tuple, .*; each row has one label",
        ),
        (np.array([np.nan, -1.0]), "both NaN and -1.0"),
    ],
)
def test_bad_labels_get_one_clear_sentence(y, sentence):
    with pytest.raises(ValueError, match=sentence):
        read_labels(y, 2)


def test_a_column_is_flattened_and_the_warning_points_at_the_caller():
    with pytest.warns(DataConversionWarning, match="column-vector y was passed") as caught:
        labels = read_labels(np.array([[1], [-1], [2]]), 3)
    assert labels.codes.tolist() == [0, -1, 1]
    assert [warning.filename for warning in caught] == [__file__]
    X, y = np.random.default_rng(0).normal(size=(12, 2)), np.arange(12)[:, None] % 2
    for classifier in (gw.DiffuseInterfaceClassifier(n_neighbors=3), gw.BinaryInterfaceClassifier(3)):
        with pytest.warns(DataConversionWarning) as caught:
            classifier.fit(X, y)
        assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize(
    ("y", "named", "codes", "classes"),
    [
        ([5, -1, 7], [6, 9], [0, -1, 2], [5, 6, 7, 9]),
        ([5, -1, 7], None, [0, -1, 1], [5, 7]),
        ([5, -1, 7], [], [0, -1, 1], [5, 7]),
        (["b", None], ("long name", "b"), [0, -1], ["b", "long name"]),
        ([True, None], [True, False], [1, -1], [False, True]),
    ],
)
def test_classes_that_have_no_label_yet(y, named, codes, classes):
    found = with_classes(read_labels(y, len(y)), named)
    assert found.codes.tolist() == codes
    assert found.classes.tolist() == classes
    assert found.counts.sum() == sum(code >= 0 for code in codes)


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ("abc", "classes must be a list of classes, got 'abc'"),
        (3, "classes must be a list of classes, got 3"),
        (["a"], "classes must be of the kind of the given labels, such as 5; got"),
        ([5, -1], "classes names -1, which stands for an unknown label"),
    ],
)
def test_bad_names_of_classes_get_one_sentence(named, sentence):
    with pytest.raises(OptionError, match=sentence):
        with_classes(read_labels([5, -1, 7], 3), named)


@pytest.mark.parametrize(
    ("y", "unknown", "codes"),
    [
        ([0, 99, 1], 99, [0, -1, 1]),
        (["a", "?", "b", "none"], ["?", "none"], [0, -1, 1, -1]),
        (["a", "", "b"], "", [0, -1, 1]),
        ([0.0, -9.0, 1.0], -9, [0, -1, 1]),
        ([0, -1, 1], 99, [0, -1, 1]),
        (["a", None, "?"], "?", [0, -1, -1]),
    ],
)
def test_markers_of_the_user_are_unknown(y, unknown, codes):
    assert read_labels(y, len(y), unknown).codes.tolist() == codes


def test_the_marker_is_a_parameter_of_the_classifiers():
    X, y = np.random.default_rng(0).normal(size=(12, 2)), np.array(["a", "b", "?"] * 4)
    for classifier in (
        gw.DiffuseInterfaceClassifier(3, unknown="?"),
        gw.BinaryInterfaceClassifier(3, unknown="?"),
    ):
        assert classifier.fit(X, y).classes_.tolist() == ["a", "b"]
        assert set(classifier.fit_predict(X, y)) == {"a", "b"}


@pytest.mark.parametrize("word", ["", "nan", "None", "?", "unknown", "NA", "n/a", "-1"])
def test_words_that_hardly_mean_a_class_warn(word):
    with pytest.warns(
        UserWarning, match=f"is taken for a class; if it means unknown, give unknown='{re.escape(word)}'"
    ):
        assert len(read_labels(["cat", word, "dog"], 3).classes) == 3


def test_classes_that_differ_in_case_or_blanks_alone_warn():
    with pytest.warns(UserWarning, match="The classes 'Cat' and 'cat ' differ only in case or blanks"):
        read_labels(["Cat", "cat ", "dog"], 3)
