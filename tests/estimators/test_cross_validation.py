"""Held-out labels: folds, which candidate they select, and calibrated scores."""

import numpy as np
import pytest

from graphwell import DiffuseInterfaceClassifier, Status, datasets
from graphwell.estimators.tuning.cross_validation import (
    CALIBRATION_FOLDS,
    FOLDS,
    POWERS,
    best_power,
    calibration_folds,
    folds,
    rivals_left,
    select,
)
from tests.helpers import blobs, few


def test_each_label_is_hidden_once():
    labels = np.array([0] * 9 + [1] * 2 + [2] + [-1] * 5)
    hidden = np.sum(list(folds(labels, 3, np.random.default_rng(0))), axis=0)
    np.testing.assert_array_equal(hidden, [1] * 11 + [0] * 6)
    assert FOLDS > 1


def test_copies_are_hidden_together_and_no_class_loses_all_its_labels():
    labels = np.array([0] * 9 + [1] * 4 + [2, 0])
    groups = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4])
    hidden = list(folds(labels, 3, np.random.default_rng(0), groups))
    for each in hidden:
        assert all(len(set(each[groups == group])) == 1 for group in range(5))
        assert set(labels[~each]) == {0, 1, 2}
    np.testing.assert_array_equal(np.sum(hidden, axis=0), [1] * 9 + [0] * 6)


def test_the_first_stays_in_and_rivals_that_may_win():
    noise = np.array([0.1, -0.1] * 10)
    level = {"a": -2 + noise, "b": -0.5 + noise, "c": -0.49 - noise, "d": -0.9 + noise, "e": -0.51 - noise}
    assert rivals_left(list("abcde"), level) == ["a", "c", "b"]
    assert rivals_left(["a"], level) == ["a"]


def test_a_tie_goes_to_the_first():
    same = np.full(10, -0.5)
    assert select(["plain", "logits"], {"plain": same, "logits": same}) == "plain"


def overlapping(n=900, seed=0):
    """Three classes that overlap, twenty labels each."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=n)
    X = rng.normal(size=(n, 4)) + 1.6 * np.eye(4)[truth]
    return X, datasets.sample_labels(truth, 20, random_state=seed), truth


@pytest.mark.parametrize("power", [0.25, 0.5, 2.0, 4.0])
def test_the_power_that_spoilt_true_probabilities_is_undone(power):
    rng = np.random.default_rng(0)
    true = rng.dirichlet([0.5] * 4, size=20_000)
    classes = (rng.random((len(true), 1)) > true.cumsum(axis=1)).sum(axis=1)
    spoilt = true**power / (true**power).sum(axis=1, keepdims=True)
    assert best_power(spoilt, classes) * power == pytest.approx(1.0, rel=0.15)
    assert best_power(true, classes) == pytest.approx(1.0, rel=0.15)


def test_scores_that_few_labels_do_not_contradict_stay_as_they_are():
    shares = np.array([[0.9, 0.1]] * 20)
    assert best_power(shares, np.array([0] * 17 + [1] * 3)) == 1.0
    assert best_power(np.zeros((0, 2)), np.zeros(0, dtype=int)) == 1.0
    assert best_power(np.array([[0.0, 1.0], [0.5, 0.5]]), np.array([0, 1])) == 1.0
    assert best_power(np.array([[0.6, 0.4]] * 200), np.zeros(200, dtype=int)) == POWERS[-1]


def test_calibration_holds_out_every_label_once():
    labels = np.array([0, 0, 0, 0, 1, -1, 2, 2])
    hidden = np.array(list(calibration_folds(labels, np.random.default_rng(0))))
    assert hidden.shape == (CALIBRATION_FOLDS, 8)
    assert hidden.sum(axis=0).tolist() == [1, 1, 1, 1, 0, 0, 1, 1]
    for fold in hidden:
        assert set(labels[~fold]) >= {0, 1, 2}


def test_calibrated_scores_are_as_sure_as_they_are_right_and_labels_stay():
    X, y, truth = overlapping(seed=4)
    plain = DiffuseInterfaceClassifier(random_state=0, n_jobs=1, tune=False, calibrate=False).fit(X, y)
    clf = DiffuseInterfaceClassifier(random_state=0, n_jobs=1, tune=False).fit(X, y)
    assert clf.calibrated_
    assert not plain.calibrated_
    assert not hasattr(plain, "calibration_")
    assert clf.calibration_.n_hidden == 60
    assert clf.calibration_.power > 1.2
    np.testing.assert_array_equal(clf.transduction_, plain.transduction_)
    np.testing.assert_array_equal(clf.classes_[clf.label_distributions_.argmax(axis=1)], clf.transduction_)
    np.testing.assert_allclose(clf.label_distributions_.sum(axis=1), 1.0)
    unlabelled = y < 0
    right = (clf.transduction_ == truth)[unlabelled].mean()
    gaps = [abs(c.label_distributions_[unlabelled].max(axis=1).mean() - right) for c in (clf, plain)]
    assert gaps[0] < gaps[1]


def test_calibration_leaves_labels_with_evidence_as_they_are():
    X, y, _ = overlapping()
    both = [DiffuseInterfaceClassifier(random_state=0, calibrate=c).fit(X, y) for c in (False, "auto")]
    assert both[1].calibrated_
    assert both[0].tuning_ == both[1].tuning_
    np.testing.assert_array_equal(both[0].transduction_, both[1].transduction_)


def test_few_labels_one_class_and_the_papers_descent_have_scores_only():
    X, truth = blobs()
    y = few(truth)
    assert not DiffuseInterfaceClassifier(random_state=0).fit(X, y).calibrated_
    asked = DiffuseInterfaceClassifier(random_state=0, calibrate=True)
    assert asked.fit(X, y).calibrated_
    assert (
        not DiffuseInterfaceClassifier(random_state=0, calibrate=True, start="random").fit(X, y).calibrated_
    )
    alone = asked.fit(X[:60], np.where(np.arange(60) < 3, 0, -1))
    assert alone.result_.status is Status.ONE_CLASS
    assert not alone.calibrated_
    with pytest.raises(ValueError, match='calibrate must be True, False or "auto"'):
        DiffuseInterfaceClassifier(calibrate="yes").fit(X, y)
