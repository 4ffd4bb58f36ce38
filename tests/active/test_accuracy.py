"""The estimate of the accuracy: its posterior, and whether its intervals hold."""

import numpy as np
import pytest

import graphwell as gw
from graphwell.active.accuracy import Checked, estimated_accuracy, posterior


def test_without_answers_scores_are_taken_as_they_are():
    found = estimated_accuracy([], np.full(1000, 0.8))
    assert found.share == pytest.approx(0.8, abs=0.1)
    assert found.interval[0] < 0.6
    assert found.interval[1] > 0.9
    assert found.n_checked == 0


def test_answers_at_doubtful_rows_do_not_make_sure_rows_wrong():
    """Half of the doubtful rows are wrong, as they should be: the sure ones are still right."""
    checked = [Checked(0.5, bool(i % 2)) for i in range(40)]
    scores = np.where(np.arange(1000) < 50, 0.5, 0.99)
    found = estimated_accuracy(checked, scores)
    assert found.share > 0.9  # though only half of the answers bore the labels out


def test_wrong_answers_at_sure_rows_lower_the_estimate():
    sure = np.full(1000, 0.99)
    right = estimated_accuracy([Checked(0.99, True)] * 20, sure)
    wrong = estimated_accuracy([Checked(0.99, bool(i % 2)) for i in range(20)], sure)
    assert wrong.share < 0.7 < 0.95 < right.share
    assert "About" in str(right)


def test_rows_without_a_label_count_as_wrong():
    assert estimated_accuracy([Checked(0.9, True)] * 30, np.zeros(10)).share == 0


def test_the_posterior_is_where_the_slope_is_zero():
    rng = np.random.default_rng(0)
    scores = rng.uniform(0.3, 0.99, 200)
    right = (rng.random(200) < scores).astype(float)
    mean, spread = posterior(scores, right)
    assert mean == pytest.approx([0, 1], abs=0.6)
    assert np.linalg.eigvalsh(spread).min() > 0


@pytest.mark.slow
def test_the_interval_holds_the_truth_as_often_as_it_claims():
    """Questions by doubt, on digits: 90 % are claimed."""
    from sklearn.datasets import load_digits

    X, truth = load_digits(return_X_y=True)
    graph, held = gw.Graph.from_features(X), []
    for seed in range(4):
        for strategy in ("auto", "margin"):
            curve = gw.active.simulate(graph, truth, strategy, 60, 10, seed, begin="auto")
            held += [
                estimate.interval[0] <= 1 - error <= estimate.interval[1]
                for estimate, error in zip(curve.estimates, curve.errors, strict=True)
            ]
    assert np.mean(held) >= 0.85
