"""Parts of the choice by held-out labels, by hand: folds, winners, powers, weights of a mixture."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from graphwell import datasets
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
from graphwell.estimators.tuning.models import Sample
from graphwell.estimators.tuning.stacking import Evidence, fit_model, models_for, stacking_weights
from graphwell.estimators.tuning.tune import out_of_fold


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


def test_trees_judge_the_labels_they_have_not_seen():
    X, y = load_wine(return_X_y=True)
    given = datasets.sample_labels(y, 8, 1)
    sample = Sample(X, given)
    hidden = given == 0
    shown = sample.with_labels(np.where(hidden, -1, given))
    said = out_of_fold("forest", sample, shown, hidden, 4)
    assert said.shape == (8, 4)
    assert (said[:, 3] == 0).all()
    np.testing.assert_allclose(said.sum(axis=1), 1)
    seen = fit_model("forest", sample, 4)(X[hidden])
    assert said[:, 0].mean() < seen[:, 0].mean()


def test_the_weights_of_a_mixture_sum_to_one_and_follow_the_likelihood():
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=400)
    sure = np.where(np.eye(3)[labels] == 1, 0.8, 0.1)
    guess = np.full((400, 3), 1 / 3)
    weights = stacking_weights([sure, guess, guess], labels)
    assert weights.sum() == pytest.approx(1)
    assert weights[0] > 0.9
    np.testing.assert_allclose(stacking_weights([guess, guess], labels), 0.5)


def test_an_expert_gives_nothing_to_classes_it_was_not_taught():
    sample = Sample(np.array([[0.0], [1.0], [5.0]]), np.array([0, 2, -1]))
    said = fit_model("logistic", sample, 4)(sample.X)
    assert said.shape == (3, 4)
    assert (said[:, [1, 3]] == 0).all()
    np.testing.assert_allclose(Evidence((fit_model("forest", sample, 4),), (0.3,))(sample.X).sum(axis=1), 0.3)


def test_more_labels_bring_more_classifiers():
    assert models_for("auto", 40, 2) == ("logistic", "forest", "kernel")
    assert models_for("auto", 199, 2) == ("logistic", "forest", "kernel")
    assert models_for("auto", 200, 2) == ("logistic", "forest", "boosting", "kernel")
    assert models_for("auto", 600, 6) == ("logistic", "forest", "perceptron", "kernel")
    assert models_for("auto", 39, 2) == ("logistic", "forest")
    assert models_for("auto", 5, 2) == ("logistic", "forest")
