"""From neighbour distances to a symmetric affinity matrix (section 2 of the paper)."""

from typing import Any

import numpy as np
from scipy import sparse

from graphwell._thread_pool import ThreadPool
from graphwell._types import FloatArray, IntArray

SCALE_FLOOR = 1e-6
"""Smallest local scale, as a share of the median one: duplicates have no scale of their own."""

ROWS_AT_ONCE = 65_536

WEIGHT_FLOOR = float(np.finfo(np.float32).tiny)
"""Smallest weight of an edge: a far-away point keeps its neighbours."""


def locally_scaled(
    indices: IntArray, distances: FloatArray, n_neighbors: int, scale_neighbor: int
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Neighbours that each point keeps, the weights of the edges to them, and the local scales.

    Parameters
    ----------
    indices, distances : arrays of shape (n, k)
        Nearest others of each point, nearest first; on the host or on a GPU, where the result then is too.
    n_neighbors, scale_neighbor : int
        At most `k`.

    Examples
    --------
    >>> indices = np.array([[1, 2], [0, 2], [1, 0]])
    >>> distances = np.array([[1.0, 2.0], [1.0, 1.0], [1.0, 2.0]])
    >>> locally_scaled(indices, distances, n_neighbors=1, scale_neighbor=2)[1].round(3)
    array([[0.607],
           [0.607],
           [0.607]])
    """
    tau = local_scales(distances, scale_neighbor)
    indices, distances = indices[:, :n_neighbors], distances[:, :n_neighbors]
    return indices, kernel(distances, tau[:, None], tau[indices]), tau


def single_weights(
    indices: IntArray, distances: FloatArray, tau: FloatArray, n_threads: int = 1
) -> FloatArray:
    """Weights of the edges to neighbours in single precision, computed some thousands of rows at a time.

    Examples
    --------
    >>> single_weights(np.array([[1], [0]]), np.array([[1.0], [1.0]]), np.array([1.0, 0.5])).round(3)
    array([[0.135],
           [0.135]], dtype=float32)
    """
    weights = np.empty(indices.shape, dtype=np.float32)

    def weigh(first: int) -> None:
        some = slice(first, first + ROWS_AT_ONCE)
        weights[some] = kernel(distances[some], tau[some, None], tau[indices[some]])

    ThreadPool(n_threads).map(weigh, range(0, len(indices), ROWS_AT_ONCE))
    return weights


def local_scales(distances: FloatArray, scale_neighbor: int) -> FloatArray:
    """Distance of each point to its `scale_neighbor`-th neighbour: tau of equation (3).

    Examples
    --------
    >>> local_scales(np.array([[1.0, 2.0], [1.0, 3.0], [0.0, 0.0]]), scale_neighbor=2)
    array([2.0e+00, 3.0e+00, 2.5e-06])
    """
    tau = distances[:, scale_neighbor - 1].astype(np.float64)
    return np.maximum(tau, smallest_scale(tau))


def smallest_scale(tau: FloatArray) -> float:
    """Floor of the local scales: duplicates have no scale of their own."""
    positive = tau[tau > 0]
    return SCALE_FLOOR * (float(np.median(positive)) if len(positive) else 1.0)


def kernel(distances: FloatArray, tau_i: FloatArray, tau_j: FloatArray) -> FloatArray:
    """Zelnik-Manor-Perona weight ``exp(-d² / (tau_i tau_j))``, never quite zero. Equation (3).

    Examples
    --------
    >>> kernel(np.array([0.0, 1.0, 1e9]), np.ones(3), np.ones(3))
    array([1.00000000e+00, 3.67879441e-01, 1.17549435e-38])
    """
    return np.maximum(np.exp(-((distances / tau_i) * (distances / tau_j))), WEIGHT_FLOOR)


def symmetric_affinity(indices: IntArray, weights: FloatArray, n_threads: int = 1) -> Any:
    """Join `i` and `j` where either chose the other; return a CSR array with sorted indices.

    Affinities are kept in single precision, as the engines use them; such weights are used up.

    Examples
    --------
    >>> symmetric_affinity(np.array([[1], [2], [1]]), np.array([[0.5], [0.9], [0.9]])).toarray()
    array([[0. , 0.5, 0. ],
           [0.5, 0. , 0.9],
           [0. , 0.9, 0. ]], dtype=float32)
    """
    from graphwell.graph.adjacency import count_both_ways, fill_both_ways, find_mutual

    (n, k), pool = indices.shape, ThreadPool(n_threads)
    dtype = index_dtype(n, 2 * n * k)
    weights, mutual = weights.astype(np.float32, copy=False), np.empty((n, k), dtype=bool)
    pool.share(n, lambda *some: find_mutual(*some, indices, weights, mutual))
    starts = np.zeros(n + 1, dtype=dtype)
    pool.share(n, lambda *some: count_both_ways(*some, indices, mutual, starts[1:]))
    np.cumsum(starts, out=starts)
    columns, values = np.empty(starts[-1], dtype=dtype), np.empty(starts[-1], dtype=np.float32)
    filled = (starts.copy(), columns, values)
    pool.share(n, lambda *some: fill_both_ways(*some, indices, weights, mutual, *filled))
    found = sparse.csr_array((values, columns, starts), shape=(n, n))
    found.sort_indices()
    return found


def index_dtype(n: int, entries: int) -> type[np.int32] | type[np.int64]:
    """Smallest integer type that can number both the vertices and the stored entries.

    Examples
    --------
    >>> index_dtype(1000, 10_000).__name__, index_dtype(300_000_000, 3_000_000_000).__name__
    ('int32', 'int64')
    """
    return np.int32 if max(n, entries) <= np.iinfo(np.int32).max else np.int64
