"""From neighbour distances to a symmetric affinity matrix (section 2 of the paper)."""

from typing import Any

import numpy as np
from scipy import sparse

from graphwell._threads import ThreadPool
from graphwell._types import FloatArray, IntArray

# Smallest local scale, as a share of the median one: duplicates have no scale of their own.
SCALE_FLOOR = 1e-6

ROWS_AT_ONCE = 65_536

# Smallest weight of an edge: a far-away point keeps its neighbours.
WEIGHT_FLOOR = float(np.finfo(np.float32).tiny)


def locally_scaled(
    indices: IntArray, distances: FloatArray, n_neighbors: int, scale_neighbor: int
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Neighbours that each point keeps, the weights of the edges to them, and the local scales."""
    tau = local_scales(distances, scale_neighbor)
    indices, distances = indices[:, :n_neighbors], distances[:, :n_neighbors]
    return indices, kernel(distances, tau[:, None], tau[indices]), tau


def single_weights(
    indices: IntArray, distances: FloatArray, tau: FloatArray, n_threads: int = 1
) -> FloatArray:
    """Weights of the edges to neighbours in single precision, computed some thousands of rows at a time."""
    weights = np.empty(indices.shape, dtype=np.float32)

    def weigh(first: int) -> None:
        some = slice(first, first + ROWS_AT_ONCE)
        weights[some] = kernel(distances[some], tau[some, None], tau[indices[some]])

    ThreadPool(n_threads).map(weigh, range(0, len(indices), ROWS_AT_ONCE))
    return weights


def local_scales(distances: FloatArray, scale_neighbor: int) -> FloatArray:
    """Distance of each point to its `scale_neighbor`-th neighbour: tau of equation (3)."""
    tau = distances[:, scale_neighbor - 1].astype(np.float64)
    return np.maximum(tau, smallest_scale(tau))


def smallest_scale(tau: FloatArray) -> float:
    """Floor of the local scales: duplicates have no scale of their own."""
    positive = tau[tau > 0]
    return SCALE_FLOOR * (float(np.median(positive)) if len(positive) else 1.0)


def kernel(distances: FloatArray, tau_i: FloatArray, tau_j: FloatArray) -> FloatArray:
    """Zelnik-Manor-Perona weight ``exp(-d² / (tau_i tau_j))``, never quite zero. Equation (3)."""
    return np.maximum(np.exp(-((distances / tau_i) * (distances / tau_j))), WEIGHT_FLOOR)


def symmetric_affinity(indices: IntArray, weights: FloatArray) -> Any:
    """Join `i` and `j` where either chose the other, ``max(W, W^T)``; a CSR array with sorted indices.

    Affinities are kept in single precision, as the engines use them.
    """
    n, k = indices.shape
    dtype = index_dtype(n, 2 * n * k)
    starts = np.arange(0, n * k + 1, k, dtype=dtype)
    values = weights.astype(np.float32, copy=False).ravel()
    chosen = sparse.csr_array((values, indices.astype(dtype, copy=False).ravel(), starts), shape=(n, n))
    backwards = chosen.T.tocsr()  # a transposition sorts, and the maximum of sorted matrices is a merge
    return backwards.maximum(backwards.T.tocsr())


def index_dtype(n: int, entries: int) -> type[np.int32] | type[np.int64]:
    """Smallest integer type that can number both the vertices and the stored entries."""
    return np.int32 if max(n, entries) <= np.iinfo(np.int32).max else np.int64
