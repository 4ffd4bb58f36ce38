"""The quick map: the first two principal components, found by a few passes over the rows."""

from typing import Any

import numpy as np

from graphwell._random import stream
from graphwell._threads import one_blas_thread
from graphwell._types import FloatArray

PASSES = 6
WIDTH = 8
"""Directions that are followed, so that the first two come out well."""


def principal_map(points: Any) -> FloatArray:
    """The first two principal components of rows, of shape (n, 2), in single precision.

    The same bits for any number of threads. Values that are not finite count as 0.

    Parameters
    ----------
    points : array of shape (n, d)

    Examples
    --------
    >>> principal_map([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])[:, 0].round(3).tolist()
    [-5.0, 0.0, 5.0]
    """
    rows = np.asarray(points, dtype=np.float32)
    found = np.zeros((len(rows), 2))
    if rows.size == 0:
        return found.astype(np.float32)
    rows = np.nan_to_num(rows, nan=0.0, posinf=0.0, neginf=0.0)
    largest = float(np.abs(rows).max()) or 1.0
    rows = rows / np.float32(largest)  # squares of huge values would overflow
    rows -= rows.mean(axis=0, dtype=np.float64).astype(np.float32)
    with one_blas_thread():  # the same bits for any number of threads
        scores = _leading(rows)
    found[:, : scores.shape[1]] = scores * largest
    return np.asarray(found.astype(np.float32))


def _leading(rows: FloatArray) -> FloatArray:
    """Scores of centred rows in their first two directions, each with its largest entry positive."""
    width = min(WIDTH, *rows.shape)
    basis = stream(0, "map").standard_normal((rows.shape[1], width)).astype(np.float32)
    for _ in range(PASSES):
        basis = np.linalg.qr(rows.T @ (rows @ basis))[0]
    _, _, turn = np.linalg.svd((rows @ basis).astype(np.float64), full_matrices=False)
    directions = basis.astype(np.float64) @ turn[:2].T
    signs = np.sign(directions[np.abs(directions).argmax(axis=0), range(directions.shape[1])])
    return np.asarray(rows @ (directions * signs))
