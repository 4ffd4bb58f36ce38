"""Aggregation of a graph of the host: heaviest neighbours, and sums and means over groups of vertices.

Sums are taken in whole numbers, which know no order: the result is the same for any number of threads,
blocks and workers.
"""

from typing import Any

import numpy as np
from scipy import sparse

from graphwell._types import FloatArray, IntArray
from graphwell.graph.compiled import compiled, seen, unsigned
from graphwell.graph.weights import index_dtype

# The largest affinity, or a score of 1, is counted in at most 2 to this power of units.
FINEST = 40
# Of a sum of whole numbers, one less than there are.
MOST_BITS = 62
# Entries up to which another copy takes no memory to speak of.
FEW_ENTRIES = 1_000_000
# Sums that become weights at once.
AT_ONCE = 2**16


def unit_of(largest: float, count: int) -> float:
    """Value of the unit that sums are counted in: so large that `count` values up to `largest` fit."""
    return largest / 2.0 ** min(FINEST, MOST_BITS - count.bit_length())


def heaviest_entries(indptr: IntArray, indices: IntArray, weights: FloatArray) -> IntArray:
    """Column of the largest entry of each row beside the diagonal, the smallest of equals; -1 if none."""
    n = len(indptr) - 1
    found = np.full(n, -1, dtype=index_dtype(n, 0))
    _find_heaviest(indptr, indices, weights, found)
    return found


@compiled(nogil=True)
def _find_heaviest(indptr: IntArray, indices: IntArray, weights: FloatArray, found: IntArray) -> None:
    for i in range(len(found)):
        largest = 0.0
        for at in range(indptr[i], indptr[i + 1]):
            j, weight = indices[at], weights[at]
            if j != i and (weight > largest or (weight == largest and weight > 0 and j < found[i])):
                largest, found[i] = weight, j


def sums_between(
    matrix: Any, row_groups: IntArray, column_groups: IntArray, n_groups: int, unit: float
) -> Any:
    """Sums of the entries between groups in whole numbers, multiples of `unit`; columns in any order."""
    starts = np.cumsum(np.bincount(row_groups, minlength=n_groups + 1))
    groups = seen(column_groups.astype(np.uint32))
    of_rows = groups if row_groups is column_groups else seen(row_groups.astype(np.uint32))
    order, place = np.empty(len(row_groups), np.uint32), np.full(n_groups, -1)
    _put_in_order(of_rows, starts, order)
    index = np.int32 if matrix.nnz < 2**31 else np.int64
    indptr, indices = np.zeros(n_groups + 1, index), np.empty(matrix.nnz, index)
    sums, scale = np.empty(matrix.nnz, np.int64), 1.0 / unit if unit > 0 else 0.0
    # Small graphs in the precision of what is merged next: for both the loop would be compiled twice.
    data = matrix.data.astype(np.float64) if matrix.nnz < FEW_ENTRIES else matrix.data
    entries = (unsigned(matrix.indptr), unsigned(matrix.indices), seen(data))
    _condense(*entries, order, starts, groups, scale, place, indptr, indices, sums)
    size = int(indptr[-1])
    few = 2 * size < matrix.nnz  # else what lies beyond was never touched: it has no pages
    found = sparse.csr_array((n_groups, n_groups))  # filled here: SciPy copies parts of larger arrays
    found.indptr = indptr
    found.indices, found.data = (each[:size].copy() if few else each[:size] for each in (indices, sums))
    return found


@compiled(nogil=True)
def _put_in_order(groups: IntArray, starts: IntArray, order: IntArray) -> None:
    """Write the rows group by group; `starts` says where groups end, and then where they begin."""
    for row in range(len(groups) - 1, -1, -1):
        group = groups[row]
        starts[group] -= 1
        order[starts[group]] = row


@compiled(nogil=True)
def _condense(
    indptr: IntArray,
    indices: IntArray,
    weights: FloatArray,
    order: IntArray,
    starts: IntArray,
    column_groups: IntArray,
    scale: float,
    place: IntArray,
    new_indptr: IntArray,
    new_indices: IntArray,
    sums: IntArray,
) -> None:
    """Write the sums between groups; `place` is room for a number for each group, all -1."""
    # Whether a group is new is no branch: nobody can foresee it.
    size = 0
    for group in range(len(place)):
        first = size
        for number in range(starts[group], starts[group + 1]):
            member = order[number]
            for at in range(indptr[member], indptr[member + 1]):
                other = column_groups[indices[at]]
                is_new = place[other] < first
                spot = size if is_new else place[other]
                before = 0 if is_new else sums[spot]
                place[other], new_indices[spot] = spot, other
                sums[spot] = before + np.int64(np.rint(weights[at] * scale))
                size += is_new
        new_indptr[group + 1] = size


def merged_matrix(W: Any, groups: IntArray, n_groups: int | None = None) -> Any:
    """Sums of the entries between groups of rows; those inside each group are on the diagonal."""
    n_groups = int(groups.max()) + 1 if n_groups is None else n_groups
    unit = unit_of(float(W.data.max(initial=0.0)), W.nnz)
    return in_units_of(sums_between(W, groups, groups, n_groups, unit), unit)


def in_units_of(matrix: Any, unit: float) -> Any:
    """The sums of `sums_between` as weights, in their place, the entries of each row in order."""
    sums = matrix.data
    matrix.data = sums.view(np.float64)  # of a million rows, a second array counts
    for first in range(0, len(sums), AT_ONCE):
        some = slice(first, first + AT_ONCE)
        matrix.data[some] = sums[some] * unit
    matrix.sort_indices()
    return matrix


def grouped_totals(groups: IntArray, values: FloatArray, n_groups: int, unit: float) -> IntArray:
    """Sums of the rows of each group in multiples of `unit`, and in a last column how many rows it has."""
    totals = np.zeros((n_groups, values.shape[1] + 1), np.int64)
    totals[:, -1] = np.bincount(groups, minlength=n_groups)
    _add_units(seen(groups), values, 1.0 / unit, totals)
    return totals


@compiled(nogil=True)
def _add_units(groups: IntArray, values: FloatArray, scale: float, totals: IntArray) -> None:
    for i in range(len(groups)):
        for c in range(values.shape[1]):
            totals[groups[i], c] += np.int64(np.rint(np.float64(values[i, c]) * scale))


def means_of(totals: IntArray, unit: float) -> FloatArray:
    """Means of groups from `grouped_totals`; zero for a group without rows."""
    return np.asarray(totals[:, :-1] / (np.maximum(totals[:, -1:], 1) / unit))
