"""A start for graphs without features: two functions that vary slowly along the edges."""

from typing import Any

import numpy as np
from scipy import sparse

from graphwell._random import stream
from graphwell._threads import one_blas_thread
from graphwell._types import FloatArray

ROUNDS, STEPS = 12, 8
"""So often is the block made orthogonal again, after so many steps of a walk."""
WIDTH = 4


def smooth_map(graph: Any) -> FloatArray:
    """Two functions on the vertices that vary slowly along the edges, orthogonal and of mean zero.

    They need not be eigenvectors: they are a start.

    Parameters
    ----------
    graph : Graph

    Examples
    --------
    >>> import graphwell as gw
    >>> places = smooth_map(gw.Graph.from_affinity([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> bool(abs(places.sum()) < 1e-6)
    True
    """
    W = graph.W
    n = W.shape[0]
    found = np.zeros((n, 2))
    if n < 2:
        return found
    sums = np.asarray(W.sum(axis=1)).ravel()
    inverse = np.divide(1.0, sums, out=np.zeros(n), where=sums > 0)
    walk = sparse.diags_array(inverse) @ W
    block = stream(0, "map").standard_normal((n, min(WIDTH, n - 1)))
    with one_blas_thread():  # the same bits for any number of threads
        for _ in range(ROUNDS):
            for _ in range(STEPS):
                block = 0.5 * (block + walk @ block)
            block = _orthogonal(block)
        turn = np.linalg.svd(0.5 * (block + walk @ block), full_matrices=False)[2]
        found[:, : min(2, n - 1)] = (block @ turn.T)[:, :2]
    return np.asarray(found - found.mean(axis=0))


def _orthogonal(block: FloatArray) -> FloatArray:
    """Orthogonal columns of mean zero that span the same functions."""
    return np.asarray(np.linalg.qr(block - block.mean(axis=0))[0])
