"""Distances of rows to chosen points, in double precision whatever the rows are stored in."""

import numpy as np
from numba import njit, prange

from graphwell._pool import threads
from graphwell._types import FloatArray, IntArray


def distances_to(rows: FloatArray, points: FloatArray, indices: IntArray, n_threads: int) -> FloatArray:
    """Euclidean distances of each row to the points listed for it.

    Examples
    --------
    >>> distances_to(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 1.0]]), np.array([[1, 0]]), 1)
    array([[1., 5.]])
    """
    out = np.empty(indices.shape)
    with threads(min(n_threads, 1 + indices.size // 100_000)):
        _distances(rows, points, indices, out)
    return out


@njit(parallel=True, cache=True)
def _distances(rows: FloatArray, points: FloatArray, indices: IntArray, out: FloatArray) -> None:
    for i in prange(len(rows)):
        for k in range(indices.shape[1]):
            j = indices[i, k]
            total = 0.0
            for c in range(rows.shape[1]):
                difference = np.float64(rows[i, c]) - np.float64(points[j, c])
                total += difference * difference
            out[i, k] = np.sqrt(total)
