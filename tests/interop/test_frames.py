"""Frames and labels of every library."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import graphwell as gw

polars = pytest.importorskip("polars", reason="polars is not installed")

TRUTH = np.repeat(["a", "b"], 20)
KNOWN = [name if i % 20 < 4 else None for i, name in enumerate(TRUTH)]


def data():
    """Numbers, categories and missing cells."""
    size = np.random.default_rng(0).normal(size=40) + 9.0 * (TRUTH == "b")
    colour = np.where(TRUTH == "a", "red", "blue").tolist()
    return {
        "size": size.tolist(),
        "colour": colour,
        "age": [None if i % 7 == 0 else i % 5 for i in range(40)],
    }


FRAMES = {"pandas": pd.DataFrame, "polars": polars.DataFrame, "arrow": pa.table}
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


def test_names_of_several_types_and_equal_names_get_a_sentence():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 2)), columns=["a", "b"])
    clf = fitted(frame)
    with pytest.raises(ValueError, match=r"names of several types; make them all text"):
        fitted(frame.set_axis([0, "a"], axis=1))
    with pytest.raises(ValueError, match="Two columns of X have the same name"):
        clf.predict(frame.set_axis(["a", "a"], axis=1))
