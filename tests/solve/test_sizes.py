"""Sizes of classes."""

import numpy as np
import pytest

from graphwell.backends.arrays import ArrayEngine
from graphwell.solve.sizes import (
    balanced_labels,
    best_prices,
    class_counts,
    estimated_shares,
    evenness,
    may_be_random,
    refuted,
    settled_sizes,
    within_bounds,
)


def test_prices_bring_classes_to_the_sizes_asked_for():
    rng = np.random.default_rng(4)
    scores = rng.dirichlet([3, 2, 1], size=2000)
    for sizes in ([1000, 700, 300], [200, 800, 1000]):
        labels = balanced_labels(ArrayEngine(), scores, np.array(sizes), np.ones(2000, dtype=bool))
        found = np.bincount(labels, minlength=3)
        np.testing.assert_allclose(found, sizes, atol=15)


def test_only_the_vertices_among_are_counted():
    scores = np.array([[0.9, 0.1]] * 10 + [[0.6, 0.4]] * 10)
    among = np.arange(20) >= 10
    labels = balanced_labels(ArrayEngine(), scores, np.array([0.0, 10.0]), among)
    assert (labels[10:] == 1).all()


def test_prices_that_fit_at_once_are_zero():
    prices = best_prices(lambda prices: np.array([3, 7]), np.array([3.0, 7.0]))
    assert prices.tolist() == [0.0, 0.0]


def test_counts_and_evenness():
    assert class_counts(ArrayEngine(), np.array([0, 2, 2]), 4).tolist() == [1, 0, 2, 0]
    assert evenness(np.array([5, 5, 5])) == pytest.approx(1.0)
    assert evenness(np.array([9])) == 1.0
    assert 0 < evenness(np.array([9, 1])) < evenness(np.array([6, 4])) < 1


def test_bounds_that_hold_change_nothing_and_others_are_kept():
    coarse, counts = np.array([0.5, 0.3, 0.2]), np.array([1, 1, 1])
    lower, upper = np.array([0.1, 0.1, 0.1]), np.array([0.9, 0.9, 0.9])
    assert settled_sizes(counts, coarse, np.stack([lower, upper])) is None
    moved = within_bounds(coarse, np.array([0.0, 0.0, 0.35]), np.array([0.4, 1.0, 1.0]))
    assert moved.sum() == pytest.approx(1)
    assert moved[0] <= 0.4 + 1e-9
    assert moved[2] >= 0.35 - 1e-9


def test_equal_counts_tell_nothing_about_sizes():
    coarse = np.array([0.9, 0.1])
    np.testing.assert_array_equal(estimated_shares(np.array([5, 5]), coarse), coarse)
    assert estimated_shares(np.array([2, 60]), coarse)[1] > 0.8


def test_a_class_that_was_drawn_refutes_a_share_of_nothing_unless_labels_were_chosen():
    nothing = np.array([1.0, 0.0])
    assert refuted(nothing, np.array([3, 1]))
    assert not refuted(nothing, np.array([1, 1]))
    assert not refuted(np.array([0.75, 0.25]), np.array([30, 10]))
    assert refuted(np.array([0.75, 0.25]), np.array([10, 30]))


def test_a_class_without_a_label_does_not_make_labels_a_sample():
    assert not may_be_random(np.array([2, 2, 0]))
    assert may_be_random(np.array([4, 2, 0]))
