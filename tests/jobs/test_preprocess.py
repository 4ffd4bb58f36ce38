"""Features made ready."""

import numpy as np
import pytest

from graphwell.jobs.preprocess import Preprocessing, preprocess

RNG = np.random.default_rng(0)


def test_nothing_is_done_by_default():
    X = RNG.normal(size=(20, 3))
    ready = preprocess(X, "abc", Preprocessing())
    np.testing.assert_array_equal(ready.X, X)
    assert ready.kept.all()
    assert ready.notes == ()


def test_rows_in_single_precision_are_taken_without_a_warning():
    X = np.random.default_rng(0).random((9, 3), dtype=np.float32)
    np.testing.assert_array_equal(preprocess(X, list("abc"), Preprocessing(scale="none")).X, X)


def test_scales():
    X = RNG.normal(size=(200, 3)) * [1, 100, 0] + [5, 0, 2]
    standard = preprocess(X, "abc", Preprocessing("standard")).X
    np.testing.assert_allclose(standard.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(standard.std(axis=0), [1, 1, 0], atol=1e-12)
    robust = preprocess(X, "abc", Preprocessing("robust")).X
    np.testing.assert_allclose(np.median(robust, axis=0), 0, atol=1e-12)


def test_only_numbers_are_scaled():
    X = np.column_stack([100 * RNG.normal(size=50), np.arange(50) % 2])
    scaled = preprocess(X, ["size", "colour=red"], Preprocessing("standard"), kinds=("number", "indicator")).X
    assert scaled[:, 0].std() == pytest.approx(1)
    np.testing.assert_array_equal(scaled[:, 1], X[:, 1])


def test_many_features_are_projected():
    X = RNG.normal(size=(80, 120))
    names = [f"f{i}" for i in range(120)]
    ready = preprocess(X, names, Preprocessing())
    assert ready.X.shape == (80, 50)
    assert "120 features were projected onto 50" in str(ready.notes[0])
    np.testing.assert_array_equal(preprocess(X, names, Preprocessing()).X, ready.X)
    assert preprocess(X, names, Preprocessing(pca=0)).X.shape == (80, 120)
    assert preprocess(X, names, Preprocessing(pca=7)).X.shape == (80, 7)
    assert preprocess(X[:30], names, Preprocessing()).X.shape == (30, 30)


def test_one_feature_that_decides_alone_is_pointed_out():
    X = RNG.normal(size=(50, 2)) * [1, 1000]
    (note,) = preprocess(X, ["age", "income"], Preprocessing("none")).scale_notes
    assert "The feature 'income' holds 100.0 %" in str(note)
    assert 'scale="standard" evens the features out' in str(note)
    assert preprocess(X, ["age", "income"], Preprocessing("standard")).notes == ()
    assert preprocess(X[:, 1:], ["income"], Preprocessing("none")).notes == ()


def test_units_that_differ_are_evened_out_unasked():
    X = RNG.normal(size=(50, 2)) * [1, 1000]
    ready = preprocess(X, ["age", "income"], Preprocessing())
    np.testing.assert_allclose(ready.X.std(axis=0), 1)
    assert str(ready.scale_notes[0]).startswith("The features were scaled (standard), as a few features")
    even = RNG.normal(size=(50, 2))
    assert preprocess(even, ["a", "b"], Preprocessing()).X is even


def test_numbers_beside_categories_are_standardised():
    X = np.column_stack([RNG.normal(size=(50, 2)) * 30, np.arange(50) % 2])
    ready = preprocess(X, ["a", "b", "c"], Preprocessing(), kinds=["number", "number", "category"])
    np.testing.assert_allclose(ready.X[:, :2].std(axis=0), 1)
    np.testing.assert_array_equal(ready.X[:, 2], X[:, 2])


def with_holes():
    X = RNG.normal(size=(10, 2))
    X[3, 1] = X[5, 0] = np.nan
    return X


def test_missing_values_are_refused_dropped_or_filled():
    X = with_holes()
    with pytest.raises(ValueError, match="Row 4: the feature 'b' is missing, one of 2 missing values"):
        preprocess(X, "ab", Preprocessing(missing="error"))
    dropped = preprocess(X, "ab", Preprocessing(missing="drop"))
    assert np.flatnonzero(~dropped.kept).tolist() == [3, 5]
    assert dropped.X.shape == (8, 2)
    filled = preprocess(X, "ab", Preprocessing(missing="mean"))
    assert filled.X[3, 1] == pytest.approx(np.nanmean(X[:, 1]))
    assert filled.kept.all()


@pytest.mark.parametrize(
    ("X", "how", "words"),
    [
        ([[1.0, np.inf], [2, 3]], {}, "Row 1: the feature 'b' is infinite"),
        ([[1.0, np.inf], [2, 3]], {"missing": "mean"}, "Row 1: the feature 'b' is infinite"),
        ([[1.0, 2], [-1e151, 3]], {}, r"Row 2: the feature 'a' is -1e\+151, too large to take distances"),
        ([[1.0, np.nan], [2, np.nan]], {"missing": "mean"}, "'b' has no value in any row"),
        ([[1.0, np.nan], [2, 3]], {"missing": "drop"}, "At least two rows"),
        ([[1.0, 2], [2, 3]], {"pca": 3}, "^pca 3: 2 rows of 2 features have at most 2"),
        ([[1.0, 2], [2, 3]], {"pca": -1}, "pca must be a number of components"),
        ([[1.0, 2], [2, 3]], {"scale": "log"}, "scale must be one of auto, none, standard, robust"),
        ([[1.0, 2], [2, 3]], {"missing": "guess"}, "missing must be one of fill, error, drop, mean"),
    ],
)
def test_bad_features_get_one_sentence(X, how, words):
    with pytest.raises(ValueError, match=words):
        preprocess(np.array(X), "ab", Preprocessing(**how))
