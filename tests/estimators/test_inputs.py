"""Data frames in a fit, and what is refused."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from graphwell import BinaryInterfaceClassifier, DiffuseInterfaceClassifier, baselines
from tests.helpers import blobs, few

LaplaceLearning = baselines.LaplaceLearning


def mixed(n=40):
    """Two classes that only their words and a number tell apart."""
    X, truth = blobs(n=n, classes=2)
    words = np.where(truth == 0, "red", "blue")
    frame = pd.DataFrame({"size": X[:, 0], "colour": words, "row": np.arange(len(X))})
    frame["when"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(7 * (frame.row % 9), unit="D")
    return frame, truth


@pytest.mark.parametrize("make", [DiffuseInterfaceClassifier, BinaryInterfaceClassifier, LaplaceLearning])
def test_columns_of_every_kind_are_fitted_and_predicted(make):
    frame, truth = mixed()
    clf = make().fit(frame, few(truth))
    assert {treatment.name: treatment.used for treatment in clf.columns_} == {
        "size": True, "colour": True, "row": False, "when": True,
    }  # fmt: skip
    assert (clf.transduction_ == truth).mean() > 0.9
    np.testing.assert_array_equal(clf.predict(frame[:7]), clf.predict(frame)[:7])
    assert (clf.predict(frame) == truth).mean() > 0.9
    with pytest.raises(ValueError, match="X must be a data frame with the columns of the fit"):
        clf.predict(np.zeros((2, 4)))


def test_warnings_of_columns_point_at_the_line_of_the_caller():
    frame, truth = mixed()
    clf = DiffuseInterfaceClassifier(models=None).fit(frame, few(truth))
    with pytest.warns(UserWarning, match=r"\('green', say\)") as caught:
        clf.predict(frame[:2].assign(colour=["green", "red"]))
    assert [warning.filename for warning in caught] == [__file__]


def test_plain_frames_are_the_arrays_they_hold():
    X, truth = blobs(n=20)
    frame = pd.DataFrame(X).add_prefix("f")
    by_frame = DiffuseInterfaceClassifier(models=None, random_state=0).fit(frame, few(truth))
    by_array = DiffuseInterfaceClassifier(models=None, random_state=0).fit(X, few(truth))
    np.testing.assert_array_equal(by_frame.label_distributions_, by_array.label_distributions_)
    np.testing.assert_array_equal(by_frame.predict_proba(frame), by_array.predict_proba(X))
    assert not hasattr(by_array, "columns_")


def test_a_column_that_looks_like_the_truth_warns():
    frame, truth = mixed()
    y = np.where(np.arange(len(truth)) % 8 == 0, truth, -1)
    with pytest.warns(UserWarning, match="The column 'species' was left out: it equals the labels") as caught:
        clf = DiffuseInterfaceClassifier(models=None).fit(frame[["size"]].assign(species=truth), y)
    (warning,) = caught
    assert str(warning.message).endswith(
        "graphwell.TableEncoder(features=...) in a pipeline uses it after all."
    )
    assert warning.filename == __file__
    assert not clf.columns_[-1].used


def test_missing_cells_of_a_frame_are_filled_and_those_of_an_array_refused():
    frame, truth = mixed()
    frame.loc[::9, "size"] = np.nan
    assert (
        DiffuseInterfaceClassifier(models=None).fit(frame, few(truth)).transduction_ == truth
    ).mean() > 0.9
    with pytest.raises(ValueError, match=r"Input X contains NaN\. Leave out such rows"):
        DiffuseInterfaceClassifier(models=None).fit(frame[["size"]].to_numpy(), few(truth))


class Named:
    """An object of a library that need not be installed."""

    def __init__(self, name, module):
        self.made = type(name, (), {"__module__": module})()


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ("data.csv", r"the text 'data\.csv', not rows of features; read the file first"),
        (Path("data.csv"), r"the path 'data\.csv'"),
        ({"a": [1, 2]}, "a mapping, not rows of features; give a data frame"),
        ((row for row in [[1], [2]]), "a generator, whose items are made one by one"),
        ({1, 2}, "a set, which has no order"),
        (["a text", "another"], r"a list of text, not rows of features; give its vectors, graphwell\.encode"),
        (None, "X is None"),
        (pd.Series([1, 2]), "a Series of pandas, not rows of features; one column is X.to_frame"),
        (Named("AnnData", "anndata._core").made, r"X is an AnnData of anndata, .* X\.obsm\['X_pca'\] say"),
        (Named("DataArray", "xarray.core").made, "a DataArray of xarray, .* give X.values"),
        (Named("LazyFrame", "polars").made, "give X.collect"),
        (np.array([["a", "1"], ["b", "2"]]), "X is an array that holds text; give a data frame"),
        (np.array([["a", 1], ["b", 2]], dtype=object), "X is an array that holds text"),
        (np.ma.array([[1.0], [2.0]], mask=[[True], [False]]), "X has 1 masked cells; fill them in"),
        (pd.DataFrame(np.eye(2), columns=[["a", "a"], ["x", "y"]]), "column names of 2 levels; join them"),
    ],
)
def test_what_holds_no_rows_is_refused_with_the_sentence_that_helps(X, words):
    with pytest.raises(ValueError, match=words):
        DiffuseInterfaceClassifier(models=None).fit(X, [0, 1])
