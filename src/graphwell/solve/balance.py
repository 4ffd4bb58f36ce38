"""Sizes of classes: how even they are, and labels with given ones."""

from collections.abc import Callable

import numpy as np

from graphwell._arrays import namespace, to_host
from graphwell._types import FloatArray, IntArray

ROUNDS = 200
SMALLEST_SCORE = 1e-30
UNEVENNESS_ALLOWED = 0.06
"""Classes less even than this are taken to be uneven by nature, not by chance."""


def balanced_labels(scores: FloatArray, sizes: FloatArray) -> IntArray:
    """Give each vertex its best class under prices that make the classes about as large as asked.

    The price of a class too large rises and that of one too small falls until the sizes fit.

    Parameters
    ----------
    scores : array of shape (n, n_classes)
        Not negative.
    sizes : array of shape (n_classes,)
        Wanted number of vertices of each class.

    Examples
    --------
    >>> balanced_labels(np.array([[0.9, 0.1], [0.8, 0.2], [0.6, 0.4], [0.7, 0.3]]), np.array([2, 2]))
    array([0, 0, 1, 1])
    """
    logs = log_scores(scores)

    def labels_under(prices: FloatArray) -> IntArray:
        return (logs + namespace(logs).asarray(prices)).argmax(axis=1)

    return labels_under(best_prices(lambda prices: class_counts(labels_under(prices), len(sizes)), sizes))


def log_scores(scores: FloatArray) -> FloatArray:
    """What prices are added to."""
    xp = namespace(scores)
    return xp.log(xp.maximum(scores, SMALLEST_SCORE)).astype(np.float64)


def best_prices(sizes_under: Callable[[FloatArray], IntArray], sizes: FloatArray) -> FloatArray:
    """Prices under which the classes come nearest to the sizes asked for; `sizes_under` tries some."""
    prices = np.zeros(len(sizes))
    best, smallest_miss = prices, np.inf
    step = 0.5
    for _ in range(ROUNDS):
        found = sizes_under(prices)
        miss = float(np.abs(found - sizes).sum())
        if miss < smallest_miss:
            best, smallest_miss = prices, miss
        else:
            step *= 0.9
        if miss <= 0.002 * sizes.sum():
            break
        prices = prices + step * np.log(np.maximum(sizes, 0.5) / np.maximum(found, 0.5))
    return best


def class_counts(labels: IntArray, n_classes: int) -> IntArray:
    """Number of vertices of each class, on the host.

    Examples
    --------
    >>> class_counts(np.array([0, 2, 0]), 3)
    array([2, 0, 1])
    """
    return to_host(namespace(labels).bincount(labels, minlength=n_classes))


def evenness(labels: IntArray, n_classes: int) -> float:
    """Entropy of the class sizes as a share of its largest value: 1 if all are equal, 0 if only one is there.

    Examples
    --------
    >>> evenness(np.array([0, 1, 0, 1]), 2), evenness(np.array([1, 1, 1, 1]), 2)
    (1.0, 0.0)
    """
    shares = class_counts(labels, n_classes) / len(labels)
    positive = shares[shares > 0]
    return float(abs((positive * np.log(positive)).sum()) / np.log(n_classes)) if n_classes > 1 else 1.0
