"""Sizes of classes: how even they are, and labels with given ones."""

from collections.abc import Callable

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.base import Block, Engine, Vector

ROUNDS = 200
UNEVENNESS_ALLOWED = 0.06
"""Classes less even than this are taken to be uneven by nature, not by chance."""


def balanced_labels(engine: Engine, scores: Block, sizes: FloatArray, among: BoolArray) -> Vector:
    """Give each vertex its best class under prices that make the classes about as large as asked.

    The price of a class too large rises and that of one too small falls until the sizes fit.

    Parameters
    ----------
    engine : Engine
    scores : Block
        Not negative.
    sizes : array of shape (n_classes,)
        Wanted number of vertices of each class.
    among : array of shape (n,)
        The vertices that are counted.

    Examples
    --------
    >>> from graphwell.backends.arrays import ArrayEngine
    >>> scores = np.array([[0.9, 0.1], [0.8, 0.2], [0.6, 0.4], [0.7, 0.3]])
    >>> balanced_labels(ArrayEngine(), scores, np.array([2, 2]), np.ones(4, dtype=bool))
    array([0, 0, 1, 1])
    """
    logs = engine.logarithms(scores)
    return engine.argmax(logs, best_prices(lambda prices: engine.counts(logs, prices, among), sizes))


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


def class_counts(engine: Engine, labels: Vector, n_classes: int) -> IntArray:
    """Number of vertices of each class, on the host.

    Examples
    --------
    >>> from graphwell.backends.arrays import ArrayEngine
    >>> class_counts(ArrayEngine(), np.array([0, 2, 0]), 3)
    array([2, 0, 1])
    """
    return np.asarray(engine.to_host(engine.xp.bincount(labels, minlength=n_classes)))


def evenness(counts: IntArray) -> float:
    """Entropy of class sizes as a share of its largest value: 1 if all are equal, 0 if only one is there.

    Examples
    --------
    >>> evenness(np.array([2, 2])), evenness(np.array([0, 4]))
    (1.0, 0.0)
    """
    shares = counts / counts.sum()
    positive = shares[shares > 0]
    return float(abs((positive * np.log(positive)).sum()) / np.log(len(counts))) if len(counts) > 1 else 1.0


def evenness_allowed(counts: IntArray, allowed: float = UNEVENNESS_ALLOWED) -> float:
    """1 if the classes that are there are even, falling to 0 where they are uneven by nature.

    Examples
    --------
    >>> evenness_allowed(np.array([5, 5, 0])), evenness_allowed(np.array([9, 1]))
    (1.0, 0.0)
    """
    return max(0.0, 1 - (1 - evenness(counts[counts > 0])) / allowed)


def best_classes(engine: Engine, scores: Block, n: int, class_shares: FloatArray | None = None) -> Vector:
    """Class with the highest score of each of `n` vertices; priced if sizes are given."""
    if class_shares is None:
        return engine.argmax(scores)
    everyone = engine.asarray(np.ones(n, dtype=bool))
    return balanced_labels(engine, scores, class_shares * n, everyone)


def likeliest(
    engine: Engine, scores: Block, labels: IntArray, class_shares: FloatArray | None = None
) -> IntArray:
    """Class with the highest score, given labels kept, on the host; priced if sizes are given."""
    best = best_classes(engine, scores, len(labels), class_shares)
    return np.where(labels >= 0, labels, engine.to_host(best))
