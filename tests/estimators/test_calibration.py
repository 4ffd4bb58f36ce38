"""Scores held against hidden labels."""

import numpy as np
import pytest

from graphwell import DiffuseInterfaceClassifier, Status, datasets
from graphwell.backends import find_backend
from graphwell.estimators.calibration import FOLDS, POWERS, best_power, enough_to_calibrate, folds
from graphwell.solve.problem import Problem
from tests.helpers import blobs, chain, few


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


def test_every_label_is_hidden_once_and_the_only_one_of_a_class_never():
    labels = np.array([0, 0, 0, 0, 1, -1, 2, 2])
    hidden = np.array(list(folds(labels, np.random.default_rng(0))))
    assert hidden.shape == (FOLDS, 8)
    assert hidden.sum(axis=0).tolist() == [1, 1, 1, 1, 0, 0, 1, 1]
    for fold in hidden:
        assert set(labels[~fold]) >= {0, 1, 2}


def test_enough_labels_means_ten_of_every_class():
    graph = chain(*[1.0] * 29)
    for counts, enough in (((10, 10), True), ((15, 9), False)):
        labels = np.full(30, -1)
        labels[: sum(counts)] = np.repeat([0, 1], counts)
        assert enough_to_calibrate(find_backend(), Problem(graph, labels, 2)) is enough


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


def test_the_result_does_not_depend_on_threads():
    X, y, _ = overlapping(300, seed=1)
    one, two = (DiffuseInterfaceClassifier(random_state=0, n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.calibration_ == two.calibration_
    np.testing.assert_array_equal(one.label_distributions_, two.label_distributions_)
