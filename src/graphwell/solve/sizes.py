"""Sizes of classes that are not given outright: estimated, or given as bounds."""

import numpy as np

from graphwell._types import FloatArray, IntArray

SMALLEST_SIZE = 1e-4
TRUST_NEEDED = 0.5
HARDLY_EVER = 0.05
"""Probability below which a result is not put down to chance."""


def settled_sizes(counts: IntArray, coarse: FloatArray, bounds: FloatArray) -> FloatArray | None:
    """Sizes to press for: None where neither the labels nor the bounds speak against the coarse ones.

    Examples
    --------
    >>> free = np.array([[0.0, 0.0], [1.0, 1.0]])
    >>> settled_sizes(np.array([3, 3]), np.array([0.8, 0.2]), free) is None
    True
    >>> settled_sizes(np.array([3, 3]), np.array([0.8, 0.2]), np.array([[0.0, 0.3], [1.0, 1.0]]))
    array([0.7, 0.3])
    """
    estimate = estimated_shares(counts, coarse)
    moved = within_bounds(estimate, *bounds)
    return None if np.allclose(moved, coarse, atol=1e-3) else moved


def estimated_shares(counts: IntArray, coarse: FloatArray) -> FloatArray:
    """Sizes of the classes from the labels, as far as they tell, and from the coarse solutions otherwise.

    Labels that are a random sample have shares near those of the classes. They are trusted as far as they
    deviate from the coarse sizes by more than chance would have it. Equal counts were chosen, not drawn, and
    tell nothing.

    Parameters
    ----------
    counts : array of shape (n_classes,)
        Number of labels of each class.
    coarse : array of shape (n_classes,)
        Shares of the classes in the coarse solutions.

    Examples
    --------
    >>> estimated_shares(np.array([3, 3]), np.array([0.8, 0.2]))
    array([0.8, 0.2])
    >>> estimated_shares(np.array([90, 10]), np.array([0.5, 0.5])).round(2)
    array([0.89, 0.11])
    """
    present = counts > 0
    if not may_be_random(counts):
        return coarse
    expected = np.maximum(coarse, SMALLEST_SIZE) * counts.sum()
    deviation = float(((counts - expected) ** 2 / expected).sum())
    trust = max(0.0, 1 - (present.sum() - 1) / deviation) if deviation > 0 else 0.0
    if trust < TRUST_NEEDED:
        return coarse
    return trust * counts / counts.sum() + (1 - trust) * coarse


def may_be_random(counts: IntArray) -> bool:
    """Whether labels with these counts may have been drawn at random; about equal ones were chosen.

    Examples
    --------
    >>> may_be_random(np.array([3, 3, 2])), may_be_random(np.array([1, 3]))
    (False, True)
    """
    present = counts[counts > 0]
    return bool(present.max() - present.min() > 1)


def refuted(shares: FloatArray, counts: IntArray) -> bool:
    """Whether labels drawn at random would hardly ever have these counts if the classes had such shares.

    Examples
    --------
    One of four labels is of a class that has a hundredth of the vertices, or a tenth:

    >>> refuted(np.array([0.99, 0.01]), np.array([3, 1])), refuted(np.array([0.9, 0.1]), np.array([3, 1]))
    (True, False)
    """
    from scipy.stats import binom

    if not may_be_random(counts):
        return False
    return bool((binom.sf(counts - 1, counts.sum(), shares) < HARDLY_EVER).any())


def within_bounds(shares: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Shares moved into bounds, as little as it takes; they sum to 1.

    All shares are multiplied by the same factor before they are cut off at their bounds.

    Examples
    --------
    >>> within_bounds(np.array([0.5, 0.3, 0.2]), np.array([0.0, 0.0, 0.4]), np.ones(3)).round(3)
    array([0.375, 0.225, 0.4  ])
    """
    positive = np.maximum(shares, SMALLEST_SIZE)
    low, high = 0.0, 1.0
    while np.clip(high * positive, lower, upper).sum() < min(1.0, upper.sum()) - 1e-12 and high < 1e9:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        if np.clip(middle * positive, lower, upper).sum() < 1:
            low = middle
        else:
            high = middle
    moved = np.clip(high * positive, lower, upper)
    return moved / moved.sum()
