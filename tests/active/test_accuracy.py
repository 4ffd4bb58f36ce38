"""The estimate of the accuracy: by ranges of scores, and whether its intervals hold."""

import numpy as np
import pytest

import graphwell as gw
from graphwell.active.accuracy import PRIOR_ANSWERS, Checked, answers_by_range, estimated_accuracy


def test_without_answers_scores_are_taken_as_they_are():
    found = estimated_accuracy([], np.full(1000, 0.8))
    assert found.share == pytest.approx(0.8)
    assert found.interval[0] < 0.5
    assert found.interval[1] > 0.95
    assert found.n_checked == 0


def test_answers_at_doubtful_rows_do_not_make_sure_rows_wrong():
    """Most of the doubtful rows are wrong: that says nothing about the sure ones."""
    checked = [Checked(0.45, i % 4 == 0) for i in range(40)]
    scores = np.where(np.arange(1000) < 50, 0.45, 0.97)
    found = estimated_accuracy(checked, scores)
    low = (0.45 * PRIOR_ANSWERS + 10) / (PRIOR_ANSWERS + 40)
    assert found.share == pytest.approx(0.05 * low + 0.95 * 0.97)


def test_wrong_answers_at_sure_rows_lower_the_estimate():
    sure = np.full(1000, 0.97)
    right = estimated_accuracy([Checked(0.97, True)] * 20, sure)
    wrong = estimated_accuracy([Checked(0.97, bool(i % 2)) for i in range(20)], sure)
    assert wrong.share < 0.6 < 0.95 < right.share
    assert right.interval[1] - right.interval[0] < 0.1
    assert "About" in str(right)
    assert str(estimated_accuracy([], sure)).startswith("Too early to say how many labels are right: 0 of 10")


def test_rows_without_a_label_count_as_wrong():
    assert estimated_accuracy([Checked(0.9, True)] * 30, np.zeros(10)).share == 0
    assert estimated_accuracy([], np.empty(0)).share == 0


def test_answers_to_earlier_fits_count_less():
    right, wrong = answers_by_range([Checked(0.6, True, age=2), Checked(0.6, False)])
    assert right.sum() == 0.25
    assert wrong.sum() == 1


def share_held(graph, truth):
    """How often the interval held the truth, after each of six batches with three seeds."""
    curves = [
        gw.active.simulate(graph, truth, n_questions=60, batch=10, random_state=seed) for seed in range(3)
    ]
    return np.mean([
        estimate.interval[0] <= 1 - error <= estimate.interval[1]
        for curve in curves
        for estimate, error in zip(curve.estimates, curve.errors, strict=True)
    ])  # fmt: skip


@pytest.mark.slow
def test_the_interval_holds_the_truth_as_often_as_it_claims():
    """Questions chosen for being doubtful, on digits: 90 % are claimed."""
    from sklearn.datasets import load_digits

    X, truth = load_digits(return_X_y=True)
    assert share_held(gw.Graph.from_features(X), truth) >= 0.85


@pytest.mark.slow
def test_the_interval_holds_on_another_set(shared_data):
    with np.load(shared_data / "uci" / "optdigits.npz") as file:
        graph, truth = gw.Graph.from_features(file["X"].astype(float)), file["y"]
    assert share_held(graph, truth) >= 0.85
