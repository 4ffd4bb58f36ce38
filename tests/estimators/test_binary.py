"""The two-class model as its users meet it."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from graphwell import BinaryInterfaceClassifier, datasets
from tests.helpers import blobs, few


def test_binary_model_refuses_three_classes_and_bad_parameters():
    X, truth = blobs()
    with pytest.raises(ValueError, match="y holds 3 classes"):
        BinaryInterfaceClassifier().fit(X, few(truth))
    X, truth = blobs(classes=2)
    for parameters in (
        {"epsilon": 0},
        {"step_size": -1},
        {"fidelity": 0},
        {"n_eigenvectors": 0},
        {"n_eigenvectors": None},
        {"tol": 0},
    ):
        with pytest.raises(ValueError, match=r"must (be|lie)|n_eigenvectors must be a number"):
            BinaryInterfaceClassifier(**parameters).fit(X, few(truth))


def test_binary_model_on_two_moons():
    X, truth = datasets.make_two_moons(random_state=0)
    y = datasets.sample_labels(truth, 50, random_state=0)
    clf = BinaryInterfaceClassifier().fit(X, y)
    assert (clf.transduction_ != truth).mean() < 0.05
    assert clf.converged_


def test_states_that_do_not_settle_are_told_and_point_at_the_caller():
    X, truth = datasets.make_two_moons(random_state=0)
    y = datasets.sample_labels(truth, 50, random_state=0)
    with pytest.warns(ConvergenceWarning, match="had not settled after 2 iterations") as caught:
        clf = BinaryInterfaceClassifier(max_iter=2).fit(X, y)
    assert [warning.filename for warning in caught] == [__file__]
    assert not clf.converged_
    assert clf.n_iter_ == 2
    np.testing.assert_array_equal(clf.state_ > 0, clf.transduction_ == 1)
