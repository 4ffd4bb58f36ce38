"""Sizes of classes."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from graphwell.backends.arrays import ArrayEngine
from graphwell.solve.sizes import (
    balanced_labels,
    best_prices,
    bounded_assignment,
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


def best_of_all(scores, lowest, highest):
    n, n_classes = scores.shape
    best = -np.inf
    for labels in product(range(n_classes), repeat=n):
        sizes = np.bincount(labels, minlength=n_classes)
        if (sizes >= lowest).all() and (sizes <= highest).all():
            best = max(best, scores[np.arange(n), labels].sum())
    return best


def total(scores, labels):
    return scores[np.arange(len(labels)), labels].sum()


@pytest.mark.parametrize("seed", range(20))
def test_the_best_of_all_assignments_is_found(seed):
    rng = np.random.default_rng(seed)
    scores = rng.random((7, 3)).round(rng.integers(1, 4))
    lowest = rng.integers(0, 3, size=3)
    highest = lowest + rng.integers(0, 4, size=3)
    highest[0] += max(0, 7 - highest.sum())
    found = bounded_assignment(scores, lowest, highest)
    sizes = np.bincount(found, minlength=3)
    assert (sizes >= lowest).all()
    assert (sizes <= highest).all()
    assert total(scores, found) == pytest.approx(best_of_all(scores, lowest, highest))


def test_exact_sizes_agree_with_the_hungarian_method():
    rng = np.random.default_rng(0)
    scores, sizes = rng.random((60, 4)), np.array([5, 10, 20, 25])
    found = bounded_assignment(scores, sizes, sizes)
    assert (np.bincount(found) == sizes).all()
    seats = np.repeat(np.arange(4), sizes)
    rows, columns = linear_sum_assignment(-scores[:, seats])
    assert total(scores, found) == pytest.approx(scores[rows, seats[columns]].sum())


def test_wide_bounds_change_nothing_and_impossible_ones_are_refused():
    scores = np.random.default_rng(1).random((30, 3))
    everything = bounded_assignment(scores, np.zeros(3, dtype=int), np.full(3, 30))
    assert (everything == scores.argmax(axis=1)).all()
    assert (bounded_assignment(np.zeros((4, 1)), np.array([4]), np.array([4])) == 0).all()
    with pytest.raises(ValueError, match="No assignment of 30 rows lies within the bounds"):
        bounded_assignment(scores, np.full(3, 11), np.full(3, 30))


def test_equal_scores_still_meet_the_bounds():
    sizes = np.array([3, 3, 4])
    assert (np.bincount(bounded_assignment(np.ones((10, 3)), sizes, sizes)) == sizes).all()


def test_no_rows_at_all_are_assigned():
    assert bounded_assignment(np.zeros((0, 2)), np.zeros(2, dtype=int), np.zeros(2, dtype=int)).shape == (0,)


@pytest.mark.parametrize(
    ("scores", "n_bounds"), [(np.full((3, 2), np.nan), 2), (np.zeros((3, 2)), 1), (np.zeros((3, 2)), 3)]
)
def test_what_compiled_code_would_trip_over_is_refused(scores, n_bounds):
    with pytest.raises(ValueError, match="Scores must be finite, with a lower and an upper bound"):
        bounded_assignment(scores, np.zeros(n_bounds, dtype=int), np.full(n_bounds, 9))
