"""Frames of every library in, and out again with labels."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import graphwell as gw

polars = pytest.importorskip("polars", reason="polars is not installed")

TRUTH = np.repeat(["a", "b"], 20)
KNOWN = [name if i % 20 < 4 else None for i, name in enumerate(TRUTH)]
NEW = ["graphwell_label", "graphwell_score", "graphwell_reachable", "graphwell_given"]


def data():
    """Numbers, categories and missing cells."""
    size = np.random.default_rng(0).normal(size=40) + 9.0 * (TRUTH == "b")
    colour = np.where(TRUTH == "a", "red", "blue").tolist()
    return {
        "size": size.tolist(),
        "colour": colour,
        "age": [None if i % 7 == 0 else i % 5 for i in range(40)],
    }


def as_arrow(values):
    return pa.table(values)


FRAMES = {"pandas": pd.DataFrame, "polars": polars.DataFrame, "arrow": as_arrow}
LABELS = {
    "list": list,
    "pandas": pd.Series,
    "pandas categories": lambda y: pd.Series(y, dtype="category"),
    "polars": polars.Series,
    "polars categories": lambda y: polars.Series(y, dtype=polars.Categorical),
    "arrow": pa.array,
    "arrow chunks": lambda y: pa.chunked_array([y[:10], y[10:]]),
    "arrow dictionary": lambda y: pa.array(y).dictionary_encode(),
}


def fitted(frame, labels=KNOWN):
    return gw.DiffuseInterfaceClassifier(models=None, random_state=0, n_jobs=1).fit(frame, labels)


@pytest.mark.parametrize(
    ("library", "labels"), [*((one, "list") for one in FRAMES), *(("polars", one) for one in LABELS)]
)
def test_frames_and_labels_of_every_library_say_the_same(library, labels):
    frame = FRAMES[library](data())
    clf = fitted(frame, LABELS[labels](KNOWN))
    assert (clf.transduction_ == TRUTH).all()
    assert (clf.predict(frame) == TRUTH).all()
    np.testing.assert_array_equal(clf.label_distributions_, fitted(pd.DataFrame(data())).label_distributions_)


@pytest.mark.parametrize("library", FRAMES)
def test_labels_are_put_beside_the_rows_and_an_earlier_fit_is_replaced(library):
    frame = FRAMES[library](data())
    clf = fitted(frame)
    once = gw.with_labels(frame, clf)
    twice = gw.with_labels(once, clf)
    assert type(twice) is type(frame)
    for made in (once, twice):
        columns = made.to_pydict() if library == "arrow" else made.to_dict(**AS_LISTS[library])
        assert list(columns) == ["size", "colour", "age", *NEW]
        assert list(columns["graphwell_label"]) == TRUTH.tolist()
        assert sum(columns["graphwell_given"]) == 8
    assert len(frame.columns) == 3


AS_LISTS = {"pandas": {"orient": "list"}, "polars": {"as_series": False}}


def test_the_index_of_pandas_stays_and_rows_out_of_reach_have_no_label():
    frame = pd.DataFrame({"x": range(4)}, index=[3, 3, 1, 0])
    W = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
    with pytest.warns(gw.UnreachableWarning):
        clf = gw.DiffuseInterfaceClassifier(models=None, metric="precomputed").fit(W, [5, -1, -1, -1])
    made = gw.with_labels(frame, clf)
    assert made.index.tolist() == [3, 3, 1, 0]
    assert made["graphwell_label"].tolist()[:2] == [5, 5]
    assert made[["graphwell_label", "graphwell_score"]].isna().to_numpy()[2:].all()


def test_other_rows_and_other_objects_are_refused():
    clf = fitted(pd.DataFrame(data()))
    with pytest.raises(ValueError, match="has 3 rows, but the fit was of 40"):
        gw.with_labels(pd.DataFrame(data())[:3], clf)
    for other in ([[0]] * 40, None, 5, np.zeros(40), print):
        with pytest.raises(ValueError, match=f"is expected, got {type(other).__name__}"):
            gw.with_labels(other, clf)


def test_names_of_several_types_and_equal_names_get_a_sentence():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 2)), columns=["a", "b"])
    clf = fitted(frame)
    with pytest.raises(ValueError, match=r"names of several types; make them all text"):
        fitted(frame.set_axis([0, "a"], axis=1))
    with pytest.raises(ValueError, match="Two columns of X have the same name"):
        clf.predict(frame.set_axis(["a", "a"], axis=1))
