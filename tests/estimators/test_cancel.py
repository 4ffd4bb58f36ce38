"""A fit that is cancelled ends in the stage that it is in, and leaves the classifier as it was."""

import threading

import numpy as np
import pytest

import graphwell as gw
from tests.helpers import blobs, few

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(3, size=3000)
X = RNG.normal(size=(3000, 10)) + 3 * np.eye(10)[TRUTH]
Y = np.where(np.arange(3000) < 60, TRUTH, -1)


def cancelled_in(classifier, X, y, stage):
    """Cancel a fit as soon as a stage is told; nothing of a later stage may be told after that."""
    flag, later = threading.Event(), []

    def progress(name, share):
        if flag.is_set() and name != stage:
            later.append(name)
        if name == stage:
            flag.set()

    with pytest.raises(gw.CancelledError, match="The run was cancelled"):
        classifier.fit(X, y, progress=progress, cancel=flag)
    assert flag.is_set()
    assert later == []


@pytest.mark.parametrize(
    ("stage", "parameters"),
    [
        ("neighbours", {}),
        ("tuning", {"models": "auto"}),
        ("start", {}),
        ("descent", {"start": "random"}),
    ],
)
def test_a_cancelled_fit_ends_in_its_stage_and_is_none(stage, parameters):
    classifier = gw.DiffuseInterfaceClassifier(**{"models": None, "random_state": 0, **parameters})
    cancelled_in(classifier, X, Y, stage)
    assert not [name for name in vars(classifier) if name.endswith("_")]


def test_a_cancelled_fit_leaves_the_fit_before_as_it_was():
    small, truth = blobs()
    classifier = gw.DiffuseInterfaceClassifier(models=None, random_state=0).fit(small, few(truth))
    before = dict(vars(classifier))
    cancelled_in(classifier, X, Y, "neighbours")
    assert vars(classifier).keys() == before.keys()
    assert all(value is before[name] for name, value in vars(classifier).items())
    np.testing.assert_array_equal(classifier.predict(small), truth)


def test_a_flag_that_is_set_before_ends_the_fit_at_once_and_one_never_set_changes_nothing():
    flag, (small, truth) = threading.Event(), blobs()
    found = gw.DiffuseInterfaceClassifier(models=None, random_state=0).fit(small, few(truth), cancel=flag)
    np.testing.assert_array_equal(found.transduction_, truth)
    flag.set()
    with pytest.raises(gw.CancelledError):
        gw.DiffuseInterfaceClassifier(models=None).fit(small, few(truth), cancel=flag)
