"""Distances of rows to chosen points, in double precision whatever the rows are stored in."""

import numpy as np

from graphwell._thread_pool import ThreadPool
from graphwell._types import FloatArray, IntArray
from graphwell.graph.compiled import compiled, inner

ROWS_AT_ONCE, POINTS_AT_ONCE = 64, 256
ROUNDING = 1e-12
"""Of a squared distance that is taken by products, as a share of the squares it is the difference of."""


def nearest_first(
    rows: FloatArray, points: FloatArray, candidates: IntArray, k: int, n_threads: int
) -> tuple[IntArray, FloatArray]:
    """The `k` nearest of the points listed for each row, in order, and their Euclidean distances.

    Searches find candidates in single precision. Their distances are taken anew from the rows themselves, so
    that duplicates lie at distance zero and features far from the origin lose nothing.

    Examples
    --------
    >>> points = np.array([[3.0, 4.0], [0.0, 1.0]])
    >>> nearest_first(np.array([[0.0, 0.0]]), points, np.array([[0, 1]]), k=2, n_threads=1)
    (array([[1, 0]]), array([[1., 5.]]))
    """
    indices = np.empty((len(rows), k), dtype=candidates.dtype)
    distances = np.empty((len(rows), k))
    pool = ThreadPool(min(n_threads, 1 + candidates.size // 100_000))
    pool.share(len(rows), lambda *some: _nearest_first(*some, rows, points, candidates, indices, distances))
    return indices, distances


@compiled(nogil=True)
def _nearest_first(
    first: int,
    last: int,
    rows: FloatArray,
    points: FloatArray,
    candidates: IntArray,
    indices: IntArray,
    distances: FloatArray,
) -> None:
    k = indices.shape[1]
    for i in range(first, last):
        for count in range(candidates.shape[1]):
            j = candidates[i, count]
            total = _squared(rows[i], points[j])
            place = min(count, k)
            while place > 0 and distances[i, place - 1] > total:
                place -= 1
                if place + 1 < k:
                    distances[i, place + 1], indices[i, place + 1] = distances[i, place], indices[i, place]
            if place < k:
                distances[i, place], indices[i, place] = total, j
        for place in range(k):
            distances[i, place] = np.sqrt(distances[i, place])


def distances_to(rows: FloatArray, points: FloatArray, indices: IntArray, n_threads: int) -> FloatArray:
    """Euclidean distances of each row to the points listed for it.

    Examples
    --------
    >>> distances_to(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 1.0]]), np.array([[1, 0]]), 1)
    array([[1., 5.]])
    """
    out = np.empty(indices.shape)
    pool = ThreadPool(min(n_threads, 1 + indices.size // 100_000))
    pool.share(len(rows), lambda *some: _distances(*some, rows, points, indices, out))
    return out


@compiled(nogil=True)
def _distances(
    first: int, last: int, rows: FloatArray, points: FloatArray, indices: IntArray, out: FloatArray
) -> None:
    for i in range(first, last):
        for k in range(indices.shape[1]):
            out[i, k] = np.sqrt(_squared(rows[i], points[indices[i, k]]))


@inner
def _squared(row: FloatArray, point: FloatArray) -> float:
    total = 0.0
    for c in range(len(row)):
        difference = np.float64(row[c]) - np.float64(point[c])
        total += difference * difference
    return total


@compiled(nogil=True)
def nearest_outside(
    rows: FloatArray,
    barred: IntArray,
    points: FloatArray,
    places: IntArray,
    groups: IntArray,
    center: FloatArray,
    found: IntArray,
    apart: FloatArray,
) -> None:
    """Write the nearest of some points to each row, and its distance; not one of the group barred to the row.

    The first of several at the same distance is taken. Matrix products, about a centre, say which points may
    be the nearest; what rounding cannot tell apart is measured.
    """
    m, d = rows.shape
    a, b = np.empty((ROWS_AT_ONCE, d)), np.empty((POINTS_AT_ONCE, d))
    own, squares = np.empty(ROWS_AT_ONCE), np.empty(POINTS_AT_ONCE)
    space = np.empty(ROWS_AT_ONCE * POINTS_AT_ONCE)
    everything, lowest = np.arange(m), np.full(m, np.inf)
    for first_point in range(0, len(places), POINTS_AT_ONCE):
        some = places[first_point : first_point + POINTS_AT_ONCE]
        _about(points, some, center, b, squares)
        for first in range(0, m, ROWS_AT_ONCE):
            count = min(ROWS_AT_ONCE, m - first)
            _about(rows, everything[first : first + count], center, a, own)
            products = space[: count * len(some)].reshape(count, len(some))
            np.dot(a[:count], b[: len(some)].T, products)
            for i in range(count):
                row = first + i
                for j in range(len(some)):
                    value = own[i] + squares[j] - 2 * products[i, j]
                    rounding = ROUNDING * (own[i] + squares[j])
                    if value > lowest[row] + rounding or groups[some[j]] == barred[row]:
                        continue
                    lowest[row] = min(lowest[row], value + rounding)
                    distance = np.sqrt(_squared(rows[row], points[some[j]]))
                    if distance < apart[row] or (distance == apart[row] and some[j] < found[row]):
                        apart[row], found[row] = distance, some[j]


@inner
def _about(
    points: FloatArray, chosen: IntArray, center: FloatArray, out: FloatArray, squares: FloatArray
) -> None:
    """Write the chosen points relative to a centre, and their squared lengths."""
    for i in range(len(chosen)):
        total = 0.0
        for c in range(len(center)):
            value = points[chosen[i], c] - center[c]
            out[i, c] = value
            total += value * value
        squares[i] = total
