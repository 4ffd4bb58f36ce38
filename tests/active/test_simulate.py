"""Strategies against the truth."""

import numpy as np
import pytest

import graphwell as gw
from tests.active.situations import five_clusters


def test_the_curve_says_what_each_batch_came_to():
    graph, truth = five_clusters()
    curve = gw.active.simulate(graph, truth, n_questions=12, batch=5)
    assert curve.n_questions.tolist() == [5, 10, 12]
    assert curve.n_classes_found.tolist() == [5, 5, 5]
    assert curve.errors[-1] < 0.02
    assert curve.area == pytest.approx(curve.errors.mean())
    assert len(set(curve.rows)) == 12
    assert len(curve.estimates) == 3


def test_asking_where_it_counts_is_better_than_asking_at_random():
    graph, truth = five_clusters()
    areas = {
        name: np.mean([gw.active.simulate(graph, truth, name, 10, 5, seed).area for seed in range(3)])
        for name in ("auto", "random")
    }
    assert areas["auto"] < areas["random"]


def test_a_strategy_that_needs_labels_begins_with_another():
    graph, truth = five_clusters()
    curve = gw.active.simulate(graph, truth, "margin", 10, 5, begin="auto", measured_at=[10])
    np.testing.assert_array_equal(curve.rows[:5], gw.suggest(graph, n=5).rows)
    assert curve.n_questions.tolist() == [10]


def test_a_hole_in_the_truth_and_a_batch_too_large_are_refused():
    graph, truth = five_clusters()
    with pytest.raises(ValueError, match="truth must have a label for every row; row 3 has none"):
        gw.active.simulate(graph, np.where(np.arange(252) == 3, -1, truth))
    with pytest.raises(ValueError, match="batch must lie between 1 and n_questions, got 11"):
        gw.active.simulate(graph, truth, n_questions=10, batch=11)
