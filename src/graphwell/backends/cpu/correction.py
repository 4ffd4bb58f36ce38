"""Errors that hardly differ inside groups of vertices, removed at once: what conjugate gradients are slow at.

There is a vector that ``A S A`` hardly changes, the level. Far from labels, what is left of the error is such
a vector with another factor in each group of near vertices. The factors that remove it solve a small dense
system with a row for each group: a coarse grid, as multigrid methods have it.
"""

import numpy as np

from graphwell._thread_pool import ThreadPool
from graphwell._threads import one_blas_thread
from graphwell._types import FloatArray, IntArray
from graphwell.backends.cpu.layout import LANES, SlicedRows
from graphwell.graph.compiled import compiled

MOST_GROUPS = 1000
"""The small system is dense: with more groups it would cost more than it saves."""
LEAST = 1e-6
"""Added to the diagonal, which is at most 1: a system without labels is singular."""


class GroupCorrection:
    """The level, of length 1 in each group, and the inverse of the small system.

    Parameters
    ----------
    rows : SlicedRows
        The matrix ``S``.
    scaling : array of shape (n_positions,)
        The diagonal of ``A`` in the order of the layout.
    level : array of shape (n_positions,)
        What ``A S A`` hardly changes.
    groups : array of shape (n_positions,)
        Group of each position.
    pool : ThreadPool
    """

    def __init__(
        self, rows: SlicedRows, scaling: FloatArray, level: FloatArray, groups: IntArray, pool: ThreadPool
    ) -> None:
        n_groups = int(groups.max(initial=-1)) + 1
        level = np.where(scaling > 0, level, 0).astype(np.float64)
        lengths = np.sqrt(np.bincount(groups, weights=level**2, minlength=n_groups))
        level = level / np.where(lengths > 0, lengths, 1.0)[groups]
        self.level, self.groups, self.pool = level.astype(scaling.dtype), groups, pool
        self.order = np.argsort(groups, kind="stable").astype(np.int32)
        self.starts = np.searchsorted(groups[self.order], np.arange(n_groups + 1))
        small = np.zeros((n_groups, n_groups))
        condense(rows.starts, rows.columns, rows.values, scaling, self.level, groups, small)
        with one_blas_thread():  # the same bits for any number of threads; many would mostly wait
            self.inverse = np.linalg.inv(small + LEAST * np.eye(n_groups))
        self.found = np.zeros((n_groups, 1))

    def find(self, r: FloatArray) -> FloatArray:
        """Find the correction of a residual; return the sums of their products."""
        sums = np.empty((len(self.inverse), r.shape[1]))
        found = np.empty(sums.shape[::-1])
        members = (self.starts, self.order, self.level)
        self.pool.share(len(sums), lambda first, last: restrict(first, last, *members, r, sums))
        self.pool.share(len(sums), lambda first, last: multiply(first, last, self.inverse, sums, found))
        self.found = found.T
        return (sums * self.found).sum(axis=0)

    def add(self, p: FloatArray) -> None:
        """Add the correction that was found last."""
        found = np.ascontiguousarray(self.found, dtype=p.dtype)
        self.pool.share(len(p), lambda first, last: prolong(first, last, self.groups, self.level, found, p))


@compiled(nogil=True)
def condense(
    starts: IntArray,
    columns: IntArray,
    values: FloatArray,
    scaling: FloatArray,
    level: FloatArray,
    groups: IntArray,
    small: FloatArray,
) -> None:
    """Add what ``I - A S A`` is between the levels of the groups to `small`."""
    for row in range(len(level)):
        small[groups[row], groups[row]] += float(level[row]) * level[row]
    for s in range(len(starts) - 1):
        for entry in range(starts[s], starts[s + 1]):
            row, column = s * LANES + (entry - starts[s]) % LANES, columns[entry]
            product = float(scaling[row]) * level[row] * values[entry] * scaling[column] * level[column]
            small[groups[row], groups[column]] -= product


@compiled(nogil=True)
def restrict(
    first: int,
    last: int,
    starts: IntArray,
    order: IntArray,
    level: FloatArray,
    r: FloatArray,
    sums: FloatArray,
) -> None:
    """Write the sums of ``level * r`` over groups; one thread sums each, so that the order stays."""
    for group in range(first, last):
        for column in range(r.shape[1]):
            sums[group, column] = 0.0
        for at in range(starts[group], starts[group + 1]):
            row = order[at]
            for column in range(r.shape[1]):
                sums[group, column] += float(level[row]) * r[row, column]


@compiled(nogil=True)
def multiply(first: int, last: int, matrix: FloatArray, block: FloatArray, out: FloatArray) -> None:
    """Write columns of ``block.T @ matrix`` into `out`: a library would wake all its threads for it."""
    for row in range(len(out)):
        for column in range(first, last):
            out[row, column] = 0.0
    for inner in range(len(matrix)):
        for row in range(len(out)):
            factor = block[inner, row]
            for column in range(first, last):
                out[row, column] += factor * matrix[inner, column]


@compiled(nogil=True)
def prolong(
    first: int, last: int, groups: IntArray, level: FloatArray, found: FloatArray, p: FloatArray
) -> None:
    """Add the level, times the number that was found for its group, to rows of `p`."""
    for row in range(first, last):
        for column in range(p.shape[1]):
            p[row, column] += level[row] * found[groups[row], column]
