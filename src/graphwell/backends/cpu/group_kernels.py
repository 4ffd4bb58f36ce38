"""Compiled loops over groups of vertices: what joins them, and what they hold on average.

Sums are taken in whole numbers, which know no order: the result is the same for any number of threads, blocks
and workers.
"""

from typing import Any

import numpy as np
from scipy import sparse

from graphwell._types import FloatArray, IntArray
from graphwell.graph.adjacency import sort_entries
from graphwell.graph.compiled import compiled

FINEST = 40
"""The largest affinity, or a score of 1, is counted in at most 2 to this power of units."""
MOST_BITS = 62
"""Of a sum of whole numbers, one less than there are."""


def unit_of(largest: float, count: int) -> float:
    """Value of the unit that sums are counted in: so large that `count` values up to `largest` fit.

    Examples
    --------
    >>> unit_of(1.0, 1000) == 2.0**-40, unit_of(1.0, 100_000_000) == 2.0**-35
    (True, True)
    """
    return largest / 2.0 ** min(FINEST, MOST_BITS - count.bit_length())


@compiled(nogil=True)
def heaviest_entries(indptr: IntArray, indices: IntArray, weights: FloatArray) -> IntArray:
    """Column of the largest entry of each row beside the diagonal, the smallest of equals; -1 if none."""
    found = np.full(len(indptr) - 1, -1, dtype=np.int64)
    for i in range(len(found)):
        largest = 0.0
        for at in range(indptr[i], indptr[i + 1]):
            j, weight = indices[at], weights[at]
            if j != i and (weight > largest or (weight == largest and weight > 0 and j < found[i])):
                largest, found[i] = weight, j
    return found


def condensed_rows(
    matrix: Any, row_groups: IntArray, column_groups: IntArray, n_groups: int, unit: float
) -> Any:
    """Sums of the entries between groups, in whole numbers: multiples of `unit`.

    Parameters
    ----------
    matrix : scipy.sparse.csr_array of shape (n_rows, n_columns)
    row_groups, column_groups : integer arrays of shapes (n_rows,) and (n_columns,)
    n_groups : int
    unit : float
        See `unit_of`: for the largest and the number of all entries, those of other blocks too.

    Examples
    --------
    >>> W = sparse.csr_array([[0.0, 1, 0.5], [1, 0, 0], [0.5, 0, 0]])
    >>> groups = np.array([0, 0, 1])
    >>> (condensed_rows(W, groups, groups, 2, unit=0.25) * 0.25).toarray()
    array([[2. , 0.5],
           [0.5, 0. ]])
    """
    order, starts = _by_group(row_groups, n_groups)
    entries = (matrix.indptr, matrix.indices, matrix.data)
    scale = 1.0 / unit if unit > 0 else 0.0
    parts = _condensed(*entries, order, starts, column_groups, scale)
    return sparse.csr_array((parts[2], parts[1], parts[0]), shape=(n_groups, n_groups))


@compiled(nogil=True)
def _by_group(groups: IntArray, n_groups: int) -> tuple[IntArray, IntArray]:
    """The rows group by group, and where each group begins."""
    starts = np.zeros(n_groups + 1, np.int64)
    for group in groups:
        starts[group + 1] += 1
    for group in range(n_groups):
        starts[group + 1] += starts[group]
    order, filled = np.empty(len(groups), np.int64), starts[:-1].copy()
    for row in range(len(groups)):
        order[filled[groups[row]]] = row
        filled[groups[row]] += 1
    return order, starts


@compiled(nogil=True)
def _condensed(
    indptr: IntArray,
    indices: IntArray,
    weights: FloatArray,
    order: IntArray,
    starts: IntArray,
    column_groups: IntArray,
    scale: float,
) -> tuple[IntArray, IntArray, IntArray]:
    n_groups = len(starts) - 1
    new_indptr = np.zeros(n_groups + 1, np.int64)
    new_indices, sums = np.empty(len(indices), np.int32), np.empty(len(indices), np.int64)
    place, size = np.full(n_groups, -1, np.int64), 0
    for group in range(n_groups):
        first = size
        for member in order[starts[group] : starts[group + 1]]:
            for at in range(indptr[member], indptr[member + 1]):
                other = column_groups[indices[at]]
                if place[other] < first:
                    place[other], new_indices[size], sums[size] = size, other, 0
                    size += 1
                sums[place[other]] += np.int64(np.rint(weights[at] * scale))
        new_indptr[group + 1] = size
    return new_indptr, new_indices[:size], sums[:size]  # what lies beyond was never touched: it has no pages


@compiled(nogil=True)
def merged_rows(
    indptr: IntArray, indices: IntArray, weights: FloatArray, groups: IntArray, n_groups: int, unit: float
) -> tuple[IntArray, IntArray, FloatArray]:
    """Starts, columns and entries of the matrix of sums between groups, the columns of each row in order."""
    order, starts = _by_group(groups, n_groups)
    scale = 1.0 / unit if unit > 0 else 0.0
    new_indptr, new_indices, sums = _condensed(indptr, indices, weights, order, starts, groups, scale)
    return new_indptr, new_indices, _in_order(new_indptr, new_indices, sums, unit)


@compiled(nogil=True)
def _in_order(indptr: IntArray, indices: IntArray, sums: IntArray, unit: float) -> FloatArray:
    """The sums as weights, the columns of each row sorted in place."""
    for group in range(len(indptr) - 1):
        row = slice(indptr[group], indptr[group + 1])
        sort_entries(indices[row], sums[row])
    entries = sums.view(np.float64)  # in their place: of a million rows, a second array counts
    for at in range(len(sums)):
        entries[at] = sums[at] * unit
    return entries


def merged_matrix(W: Any, groups: IntArray, n_groups: int) -> Any:
    """Sums of the entries between groups of rows.

    Examples
    --------
    >>> W = sparse.csr_array([[0.0, 1, 0.5], [1, 0, 0], [0.5, 0, 0]])
    >>> merged_matrix(W, np.array([0, 0, 1]), 2).toarray()
    array([[2. , 0.5],
           [0.5, 0. ]])
    """
    unit = unit_of(float(W.data.max(initial=0.0)), W.nnz)
    starts, columns, entries = merged_rows(W.indptr, W.indices, W.data, groups, n_groups, unit)
    merged = sparse.csr_array((n_groups, n_groups))  # filled here: SciPy copies parts of larger arrays
    index = np.int32 if len(columns) < 2**31 else np.int64
    merged.indptr, merged.indices = starts.astype(index), columns.astype(index, copy=False)
    merged.data = entries
    return merged


@compiled(nogil=True)
def grouped_totals(groups: IntArray, values: FloatArray, n_groups: int, unit: float) -> IntArray:
    """Sums of the rows of each group in multiples of `unit`, and in a last column how many rows it has."""
    (n, width), scale = values.shape, 1.0 / unit
    totals = np.zeros((n_groups, width + 1), np.int64)
    for i in range(n):
        group = groups[i]
        totals[group, width] += 1
        for c in range(width):
            totals[group, c] += np.int64(np.rint(np.float64(values[i, c]) * scale))
    return totals


def in_units_of(sums: Any, unit: float) -> Any:
    """Sums in whole numbers as weights, the entries of each row in order."""
    matrix = sparse.csr_array((sums.data * unit, sums.indices, sums.indptr), shape=sums.shape)
    matrix.sort_indices()
    return matrix


def means_of(totals: IntArray, unit: float) -> FloatArray:
    """Means of groups from `grouped_totals`; zero for a group without rows.

    Examples
    --------
    >>> means_of(grouped_totals(np.array([0, 0, 1]), np.array([[0.0], [1.0], [0.25]]), 2, 0.25), 0.25)
    array([[0.5 ],
           [0.25]])
    """
    return np.asarray(totals[:, :-1] / (np.maximum(totals[:, -1:], 1) / unit))


@compiled()
def fill_indicator(labels: IntArray, values: FloatArray, block: FloatArray) -> None:
    """Write values into the columns of the labels; vertices without one have a negative label."""
    for i in range(len(labels)):
        if labels[i] >= 0:
            block[i, labels[i]] = values[i]
