"""A fit that is cancelled from another thread ends within a second, and leaves the classifier as it was."""

import threading
import time

import numpy as np
import pytest

import graphwell as gw
from tests.helpers import blobs, few

pytestmark = pytest.mark.slow

N, D, CLASSES = 70_000, 50, 10


@pytest.fixture(scope="module")
def large():
    """As many rows as MNIST has; warmed up, so that compiling is not measured."""
    rng = np.random.default_rng(0)
    truth = rng.integers(CLASSES, size=N)
    X = (rng.normal(size=(N, D)) + 2 * np.eye(D)[truth]).astype(np.float32)
    gw.DiffuseInterfaceClassifier(random_state=0).fit(
        X[:25_000], np.where(np.arange(25_000) < 500, truth[:25_000], -1)
    )
    return X, np.where(np.arange(N) < 700, truth, -1)


def cancelled_at(classifier, X, y, stage, after=0.2):
    """Seconds between the flag and the end of a fit that is cancelled some time after a stage began.

    On a busy machine the seconds count that the process had for itself.
    """
    flag, timer, began = threading.Event(), [], []

    def set_flag():
        began.extend((time.monotonic(), time.process_time()))
        flag.set()

    def progress(name, share):
        if name == stage and not timer:
            timer.append(threading.Timer(after, set_flag))
            timer[0].start()

    with pytest.raises(gw.CancelledError, match="The run was cancelled"):
        classifier.fit(X, y, progress=progress, cancel=flag)
    return min(time.monotonic() - began[0], time.process_time() - began[1])


@pytest.mark.parametrize(
    ("stage", "parameters"),
    [
        ("neighbours", {}),
        ("start", {}),
        ("descent", {"start": "random"}),
        ("tuning", {"tune": True}),
    ],
)
@pytest.mark.parametrize("after", [0.05, 0.6])
def test_a_cancelled_fit_ends_within_a_second(large, graph, stage, parameters, after):
    X, y = large
    classifier = gw.DiffuseInterfaceClassifier(random_state=0, **parameters)
    seconds = cancelled_at(classifier, X if stage in ("neighbours", "tuning") else graph, y, stage, after)
    assert seconds < 1.0
    assert not [name for name in vars(classifier) if name.endswith("_")]


@pytest.fixture(scope="module")
def graph(large):
    return gw.Graph.from_features(large[0])


def test_a_cancelled_fit_leaves_the_fit_before_as_it_was(large):
    X, truth = blobs()
    classifier = gw.DiffuseInterfaceClassifier(random_state=0).fit(X, few(truth))
    before = dict(vars(classifier))
    cancelled_at(classifier, *large, "neighbours")
    assert vars(classifier).keys() == before.keys()
    for name, value in vars(classifier).items():
        assert value is before[name]
    np.testing.assert_array_equal(classifier.predict(X), truth)


def test_a_flag_that_is_set_before_ends_the_fit_at_once():
    flag = threading.Event()
    flag.set()
    X, truth = blobs()
    with pytest.raises(gw.CancelledError):
        gw.DiffuseInterfaceClassifier().fit(X, few(truth), cancel=flag)


def test_a_flag_that_is_never_set_changes_nothing():
    X, truth = blobs()
    found = gw.DiffuseInterfaceClassifier(random_state=0).fit(X, few(truth), cancel=threading.Event())
    np.testing.assert_array_equal(found.transduction_, truth)


def test_a_fit_on_a_cluster_is_cancelled_too(client):
    da = pytest.importorskip("dask.array")
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=3000)
    X = rng.normal(size=(3000, 10)) + 3 * np.eye(10)[truth]
    rows, y = da.from_array(X, chunks=(1000, 10)), np.where(np.arange(3000) < 60, truth, -1)
    for stage in ("neighbours", "start", "descent"):
        classifier = gw.DiffuseInterfaceClassifier(random_state=0, start="diffusion")
        assert cancelled_at(classifier, rows, y, stage, 0.02) < 1.0
        assert not [name for name in vars(classifier) if name.endswith("_")]
