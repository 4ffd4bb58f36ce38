"""Classes of known sizes: from scores to labels with so many vertices in each class."""

import numpy as np

from graphwell._types import FloatArray, IntArray

ROUNDS = 200
SMALLEST_SCORE = 1e-30


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
    logs = np.log(np.maximum(scores, SMALLEST_SCORE)).astype(np.float64)
    prices = np.zeros(len(sizes))
    best, smallest_miss = logs.argmax(axis=1), np.inf
    step = 0.5
    for _ in range(ROUNDS):
        labels = (logs + prices).argmax(axis=1)
        found = np.bincount(labels, minlength=len(sizes))
        miss = float(np.abs(found - sizes).sum())
        if miss < smallest_miss:
            best, smallest_miss = labels, miss
        else:
            step *= 0.9
        if miss <= 0.002 * sizes.sum():
            break
        prices += step * np.log(np.maximum(sizes, 0.5) / np.maximum(found, 0.5))
    return best
