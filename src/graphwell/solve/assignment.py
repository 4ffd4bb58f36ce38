"""The assignment of highest score among those whose class sizes lie within bounds, exactly.

It begins at the highest score of each row, where no move gains. While a class is too large or too small, one
row moves from class to class along the cheapest chain. Chains are shortest paths on the graph of classes, so
after each the assignment is the best for its sizes: the successive shortest paths of a transport problem.
"""

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.memory import check_fits


def bounded_assignment(scores: FloatArray, lowest: IntArray, highest: IntArray) -> IntArray:
    """A class for each row, with the highest sum of scores that the bounds allow.

    Parameters
    ----------
    scores : array of shape (n, n_classes)
    lowest, highest : arrays of shape (n_classes,)
        Bounds on the number of rows of each class.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.1], [0.8, 0.7], [0.6, 0.1]])
    >>> bounded_assignment(scores, np.array([0, 1]), np.array([3, 3]))
    array([0, 1, 0])
    """
    from graphwell.backends.cpu.assignment_kernels import move_along_chains

    n, n_classes = scores.shape
    if lowest.sum() > n or highest.sum() < n or (lowest > highest).any():
        raise ValueError(f"No assignment of {n:,} rows lies within the bounds {lowest} to {highest}.")
    if not np.isfinite(scores).all() or lowest.shape != (n_classes,) or highest.shape != (n_classes,):
        raise ValueError("Scores must be finite, with a lower and an upper bound for each class.")
    if n == 0:
        return np.zeros(0, dtype=np.int64)
    check_fits(f"The assignment of {n:,} rows to {n_classes} classes", 4.0 * n * n_classes**2)
    orders = np.zeros((n_classes, n_classes, n), dtype=np.int32)
    for k in range(n_classes):
        for m in range(n_classes):
            if k != m:
                orders[k, m] = np.argsort(scores[:, k] - scores[:, m], kind="stable")
    labels = scores.argmax(axis=1).astype(np.int64)
    large = 2.0 * n_classes * float(np.ptp(scores)) + 1.0
    move_along_chains(np.ascontiguousarray(scores), orders, lowest, highest, large, labels)
    return labels
