"""From neighbour distances to a symmetric affinity matrix (section 2 of the paper)."""

from typing import Any

import numpy as np
from scipy import sparse

from graphwell._threads import ThreadPool
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.graph.compiled import compiled

SCALE_FLOOR = 1e-6
"""Smallest local scale, as a share of the median one: duplicates have no scale of their own."""

ROWS_AT_ONCE = 65_536

WEIGHT_FLOOR = float(np.finfo(np.float32).tiny)
"""Smallest weight of an edge: a far-away point keeps its neighbours."""


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


def symmetric_affinity(indices: IntArray, weights: FloatArray, n_threads: int = 1) -> Any:
    """Join `i` and `j` where either chose the other; return a CSR array with sorted indices.

    Affinities are kept in single precision, as the engines use them; such weights are used up.
    """
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
    """Smallest integer type that can number both the vertices and the stored entries."""
    return np.int32 if max(n, entries) <= np.iinfo(np.int32).max else np.int64


@compiled(nogil=True)
def find_mutual(first: int, last: int, indices: IntArray, weights: FloatArray, mutual: BoolArray) -> None:
    """Write whether the neighbours of some vertices chose them too; both weights then become the larger one.

    All vertices can be done at once: whichever of two weights is written first, both become the larger.
    """
    for i in range(first, last):
        for place in range(indices.shape[1]):
            j, back = indices[i, place], -1
            for other in range(indices.shape[1]):
                if indices[j, other] == i:
                    back = other
                    break
            mutual[i, place] = back >= 0
            if back >= 0:
                weights[i, place] = max(weights[i, place], weights[j, back])


@compiled(nogil=True)
def count_both_ways(first: int, last: int, indices: IntArray, mutual: BoolArray, counts: IntArray) -> None:
    """Add to `counts` the neighbours of some vertices, if they are joined where either chose the other."""
    for i in range(len(indices)):
        if first <= i < last:
            counts[i] += indices.shape[1]
        for place in range(indices.shape[1]):
            j = indices[i, place]
            if first <= j < last and not mutual[i, place]:
                counts[j] += 1


@compiled(nogil=True)
def fill_both_ways(
    first: int,
    last: int,
    indices: IntArray,
    weights: FloatArray,
    mutual: BoolArray,
    following: IntArray,
    columns: IntArray,
    values: FloatArray,
) -> None:
    """Write the neighbours of some vertices; `following` says where each row begins, and is counted on."""
    for i in range(len(indices)):
        for place in range(indices.shape[1]):
            j, weight = indices[i, place], weights[i, place]
            if first <= i < last:
                columns[following[i]], values[following[i]] = j, weight
                following[i] += 1
            if first <= j < last and not mutual[i, place]:
                columns[following[j]], values[following[j]] = i, weight
                following[j] += 1
