"""Assignments within bounds, against all assignments there are."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from graphwell.solve.sizes import bounded_assignment


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
