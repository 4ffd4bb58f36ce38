"""Sizes of classes, and labels with given ones."""

import numpy as np
import pytest

from graphwell.backends.arrays import ArrayEngine
from graphwell.solve.sizes import balanced_labels, best_prices, class_counts, evenness


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
