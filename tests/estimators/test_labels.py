"""Reading labels of every kind."""

import re
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

import graphwell as gw
from graphwell.errors import OptionError

MAKERS = (gw.DiffuseInterfaceClassifier, gw.BinaryInterfaceClassifier)
ROWS, QUESTIONED = np.random.default_rng(0).normal(size=(12, 2)), np.array(["a", "b", "?"] * 4)


def read(y, n=None, **options):
    """Codes and classes of labels as a fit of so many rows has them."""
    n = len(y) if n is None else n
    clf = gw.DiffuseInterfaceClassifier(metric="precomputed", n_jobs=1, **options).fit(np.ones((n, n)), y)
    known = ~np.isin(np.arange(n), clf.doubtful(n))
    return np.where(
        known, np.searchsorted(clf.classes_, clf.transduction_), -1
    ).tolist(), clf.classes_.tolist()


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
        (["a", "", "  ", "b"], [0, -1, -1, 1], ["a", "b"]),
        (np.ma.array([3, 4, 5], mask=[False, True, False]), [0, -1, 1], [3, 5]),
        (pd.Series(pd.to_datetime(["2024-01-01", None]).strftime("%Y")), [0, -1], ["2024"]),
        (["a", pd.NaT, "b"], [0, -1, 1], ["a", "b"]),
        (["a", np.datetime64("NaT"), "b"], [0, -1, 1], ["a", "b"]),
        (["cat", "-1", "dog"], [1, 0, 2], ["-1", "cat", "dog"]),
    ],
)
@pytest.mark.filterwarnings("ignore:All known labels are", "ignore:'-1' is taken for a class; if it means")
def test_known_labels_and_classes_are_found(y, codes, classes):
    assert read(y) == (codes, classes)


@pytest.mark.parametrize("day", [pd.Timestamp, date.fromisoformat, datetime.fromisoformat, np.datetime64])
def test_dates_are_classes(day):
    first, second = "2024-01-01", "2024-02-01"
    y = [day(second), pd.NaT, day(first), None]
    codes, classes = read(pd.Series(y, dtype="datetime64[ns]") if day is np.datetime64 else y)
    assert codes == [1, -1, 0, -1]
    assert list(map(pd.Timestamp, classes)) == [pd.Timestamp(first), pd.Timestamp(second)]


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        ([-1, -1], "no known label"),
        ([None, None], "no known label"),
        ([np.nan, np.nan], "no known label"),
        ([1, 2, 3], "3 labels but X has 2 rows"),
        ([[1, 2], [3, 4]], "1d array"),
        (["a", 1], "mixes labels"),
        ([10**30, 1], "numbers that no array of NumPy holds, 1000000000000000000000000000000 say; give text"),
        ([Decimal("1.5"), 1], "numbers that no array of NumPy holds"),
        ([0.5, 1.7], "Unknown label type: continuous. y holds numbers such as 0.5, and classes are names"),
        ([("a", "b"), ("c", "d")], "1d array, got an array of shape .2, 2. instead; give one label per row"),
        (np.array([("a", "b"), None, ("c",)], dtype=object)[:2], "y holds a tuple, .*; each row has one"),
        (np.array([np.nan, -1.0]), "both NaN and -1.0"),
    ],
)
def test_bad_labels_get_one_clear_sentence(y, sentence):
    with pytest.raises(ValueError, match=sentence):
        read(y, 2)


@pytest.mark.parametrize("make", MAKERS)
def test_a_column_is_flattened_and_the_warning_points_at_the_caller(make):
    with pytest.warns(DataConversionWarning, match="column-vector y was passed") as caught:
        clf = make(3).fit(ROWS, np.arange(12)[:, None] % 2)
    assert clf.classes_.tolist() == [0, 1]
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
    assert read(y, classes=named) == (codes, classes)


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
        read([5, -1, 7], classes=named)


@pytest.mark.parametrize(
    ("y", "unknown", "codes"),
    [
        ([0, 99, 1], 99, [0, -1, 1]),
        (["a", "?", "b", "none"], ["?", "none"], [0, -1, 1, -1]),
        (["a", "", "b"], "", [0, -1, 1]),
        (["a", "", "  ", "x", "b"], "x", [0, -1, -1, -1, 1]),
        ([0.0, -9.0, 1.0], -9, [0, -1, 1]),
        ([0, -1, 1], 99, [0, -1, 1]),
        (["a", None, "?"], "?", [0, -1, -1]),
        ([0, 99, 1], [99, "?"], [0, -1, 1]),
        ([0, 99, 1], "99", [0, 2, 1]),
        (["a", "99", None], (99, None), [1, 0, -1]),
    ],
)
@pytest.mark.filterwarnings("ignore:All known labels are")
def test_markers_of_the_user_are_unknown(y, unknown, codes):
    assert read(y, unknown=unknown)[0] == codes


@pytest.mark.parametrize(
    "word", ["nan", "None", "?", "unknown", "NA", "n/a", "NaT", "null", "-", "todo", " Unknown "]
)
def test_usual_spellings_mean_unknown_with_a_warning_and_are_classes_where_a_marker_is_named(word):
    y, told = ["cat", word, "dog", word], re.escape(f"Taken for unknown labels: {word.strip()!r} (2 rows);")
    for given in (y, np.array(y), pd.Series(y, dtype="category")):
        with pytest.warns(gw.LabelWarning, match=told):
            assert read(given)[0] == [0, -1, 1, -1]
    with pytest.warns(UserWarning, match=f"'{re.escape(word)}' is taken for a class"):
        assert word in read(y, unknown="")[1]


@pytest.mark.parametrize("make", MAKERS)
def test_spellings_are_unknown_wherever_labels_are_given(make):
    assert set(make(3, unknown="?").fit_predict(ROWS, QUESTIONED)) == {"a", "b"}
    with pytest.warns(gw.LabelWarning, match="'\\?' .4 rows."):
        assert make(3).fit(ROWS, QUESTIONED).classes_.tolist() == ["a", "b"]
    with pytest.warns(gw.LabelWarning):
        assert all(row % 3 == 2 for row in gw.suggest(ROWS, QUESTIONED, n=2, n_neighbors=3).rows)
    assert gw.metrics.accuracy_on_known(QUESTIONED, ["a"] * 12) == 0.5


@pytest.mark.parametrize(
    ("y", "told"),
    [
        ([-1, 1, 1, -1], "-1 means unknown, so there is one class only; .* give it another number"),
        (np.array([-1.0, 1.0, 1.0, -1.0]), "-1 means unknown, so there is one class only"),
        (["Cat", "cat ", "dog"], "The classes 'Cat' and 'cat ' differ only in case or blanks"),
        (["cat", "-1", "dog"], "'-1' is taken for a class; if it means unknown, give unknown='-1'"),
    ],
)
def test_labels_that_may_not_mean_what_they_seem_to_warn(y, told):
    with pytest.warns(UserWarning, match=told):
        read(y)


@pytest.mark.parametrize("make", MAKERS)
def test_a_fit_warns_where_equal_rows_have_different_labels(make):
    X = np.random.default_rng(0).normal(size=(20, 2))
    X[7] = X[3]
    y = np.array(["cat", "dog"] * 4 + [None] * 12, dtype=object)
    y[3] = "cat"
    told = r"1 group of equal rows has different labels: \(row 3 'cat', row 7 'dog'\)\."
    for given in (X, sparse.csr_array(X), gw.Graph.from_features(X, 3)):
        with pytest.warns(gw.LabelWarning, match=told):
            make(3).fit(given, y)
    y[3] = "dog"
    make(3).fit(X, y)
