"""The linear systems of a graph on the CPU: products, steps of conjugate gradients, a coarse correction.

All vectors are blocks in the order of the layout, of one column or of `COLUMNS_AT_ONCE`. Work is
cut into parts that the layout alone decides; a call does a range of them, and sums are kept by part: nothing
depends on the number of threads.

The coarse correction: there is a vector that ``A S A`` hardly changes, the level. Far from labels, what is
left of the error is such a vector with another factor in each group of near vertices. The factors that remove
it solve a small dense system with a row for each group: a coarse grid, as multigrid methods have it.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from graphwell._threads import one_blas_thread
from graphwell._types import FloatArray, IntArray
from graphwell.backends.conjugate_gradients import COLUMNS_AT_ONCE, System
from graphwell.backends.cpu.gather import sum_columns, sum_vector
from graphwell.backends.cpu.layout import LANES
from graphwell.backends.cpu.sweep import Arrays
from graphwell.graph.compiled import compiled

if TYPE_CHECKING:
    from graphwell.backends.cpu.engine import NumbaEngine


@compiled(nogil=True)
def multiply(
    first_part: int, last_part: int, parts: IntArray, matrix: Arrays, block: FloatArray, out: FloatArray
) -> None:
    """Write rows of the matrix times a block, of one column or of `COLUMNS_AT_ONCE`, into `out`."""
    starts, columns, values, (rest_starts, rest_columns, rest_values) = matrix
    for s in range(parts[first_part], parts[last_part]):
        first, stop, row = starts[s], starts[s + 1], s * LANES
        if block.shape[1] == 1:
            sum_vector(columns, values, block, first, stop, out[row : row + LANES])
        else:
            for lane in range(LANES):
                sum_columns(columns, values, block, first + lane, stop, out[row + lane])
        if rest_starts[row] < rest_starts[row + LANES]:
            for i in range(row, row + LANES):
                for entry in range(rest_starts[i], rest_starts[i + 1]):
                    for column in range(block.shape[1]):
                        out[i, column] += rest_values[entry] * block[rest_columns[entry], column]


@compiled(nogil=True)
def apply(
    first_part: int,
    last_part: int,
    parts: IntArray,
    matrix: Arrays,
    scaling: FloatArray,
    scaled: FloatArray,
    p: FloatArray,
    image: FloatArray,
    dots: FloatArray,
) -> None:
    """Write ``p - A S A p`` into `image`, and the sums of ``p * image`` by part.

    `scaling` is the diagonal of ``A``, `scaled` is ``A p``.
    """
    for part in range(first_part, last_part):
        multiply(part, part + 1, parts, matrix, scaled, image)
        for row in range(parts[part] * LANES, parts[part + 1] * LANES):
            for column in range(p.shape[1]):
                image[row, column] = p[row, column] - scaling[row] * image[row, column]
                dots[part, column] += p[row, column] * image[row, column]


@compiled(nogil=True)
def advance(
    first_part: int,
    last_part: int,
    parts: IntArray,
    x: FloatArray,
    r: FloatArray,
    p: FloatArray,
    image: FloatArray,
    step: FloatArray,
    dots: FloatArray,
) -> None:
    """Add ``step * p`` to `x`, take ``step * image`` from `r`; write the sums of ``r * r`` by part."""
    for part in range(first_part, last_part):
        for row in range(parts[part] * LANES, parts[part + 1] * LANES):
            for column in range(x.shape[1]):
                x[row, column] += step[column] * p[row, column]
                r[row, column] -= step[column] * image[row, column]
                dots[part, column] += r[row, column] * r[row, column]


@compiled(nogil=True)
def turn(
    first_part: int, last_part: int, parts: IntArray, p: FloatArray, r: FloatArray, ratio: FloatArray
) -> None:
    """Replace `p` by ``r + ratio * p``."""
    for row in range(parts[first_part] * LANES, parts[last_part] * LANES):
        for column in range(p.shape[1]):
            p[row, column] = r[row, column] + ratio[column] * p[row, column]


@compiled(nogil=True)
def scale(
    first_part: int, last_part: int, parts: IntArray, scaling: FloatArray, p: FloatArray, out: FloatArray
) -> None:
    """Write ``A p`` into `out`, `scaling` being the diagonal of ``A``."""
    for row in range(parts[first_part] * LANES, parts[last_part] * LANES):
        for column in range(p.shape[1]):
            out[row, column] = scaling[row] * p[row, column]


# The small system is dense: with more groups it would cost more than it saves.
MOST_GROUPS = 1000
# Added to the diagonal, which is at most 1: a system without labels is singular.
LEAST = 1e-6


class GroupCorrection:
    """The level, of length 1 in each group, and the inverse of the small system.

    In the order of the layout, `scaling` is the diagonal of ``A``, `level` what ``A S A`` hardly changes, and
    `groups` says of which group each position is; groups may reach over several workers.
    """

    def __init__(
        self, engine: "NumbaEngine", scaling: FloatArray, level: FloatArray, groups: IntArray, n_groups: int
    ) -> None:
        self.engine, self.groups, rows = engine, groups, engine.rows
        level = np.where(scaling > 0, level, 0).astype(np.float64)
        lengths = np.sqrt(engine.allreduce(np.bincount(groups, weights=level**2, minlength=n_groups)))
        self.level = (level / np.where(lengths > 0, lengths, 1.0)[groups]).astype(scaling.dtype)
        self.order = np.argsort(groups, kind="stable").astype(np.int32)
        self.starts = np.searchsorted(groups[self.order], np.arange(n_groups + 1))
        around = (engine.with_halo(values) for values in (scaling, self.level, groups))
        small = np.zeros((n_groups, n_groups))
        condense(rows.matrix, *around, small)
        with one_blas_thread():  # the same bits for any number of threads; many would mostly wait
            self.inverse = np.linalg.inv(engine.allreduce(small) + LEAST * np.eye(n_groups))
        self.found = np.zeros((n_groups, 1))

    def find(self, r: FloatArray) -> FloatArray:
        """Find the correction of a residual; return the sums of their products."""
        pool, sums = self.engine.pool, np.empty((len(self.inverse), r.shape[1]))
        members = (self.starts, self.order, self.level)
        pool.share(len(sums), lambda first, last: restrict(first, last, *members, r, sums))
        every, found = self.engine.allreduce(sums), np.empty(sums.shape[::-1])
        pool.share(len(sums), lambda first, last: multiply_dense(first, last, self.inverse, every, found))
        self.found = found.T
        return np.asarray((every * self.found).sum(axis=0))

    def add(self, p: FloatArray) -> None:
        """Add the correction that was found last."""
        found, level = np.ascontiguousarray(self.found, dtype=p.dtype), self.level
        self.engine.pool.share(len(p), lambda first, last: prolong(first, last, self.groups, level, found, p))


@compiled(nogil=True)
def condense(
    matrix: Arrays, scaling: FloatArray, level: FloatArray, groups: IntArray, small: FloatArray
) -> None:
    """Add what the rows of ``I - A S A`` are between the levels of the groups to `small`."""
    starts, columns, values, (rest_starts, rest_columns, rest_values) = matrix
    for row in range(LANES * (len(starts) - 1)):
        small[groups[row], groups[row]] += float(level[row]) * level[row]
        for entry in range(rest_starts[row], rest_starts[row + 1]):
            column = rest_columns[entry]
            product = float(scaling[row]) * level[row] * rest_values[entry] * scaling[column] * level[column]
            small[groups[row], groups[column]] -= product
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
def multiply_dense(first: int, last: int, matrix: FloatArray, block: FloatArray, out: FloatArray) -> None:
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


class NumbaSystem(System):
    """The matrix ``I - A S A``, and fused steps of conjugate gradients in the order of the layout.

    On a cluster these are the rows of one worker: sums are taken over all of them.
    """

    def __init__(self, engine: "NumbaEngine", scaling: FloatArray) -> None:
        self.engine, self.rows, self.scaling = engine, engine.rows, scaling
        self.scaled = np.empty((0, 0), dtype=scaling.dtype)

    def enter(self, block: FloatArray) -> FloatArray:
        """Return the block in the order of the layout, with columns of zeros up to a width that is fast."""
        return np.asarray(self.rows.placed(block, self.scaling.dtype))

    def leave(self, vectors: FloatArray) -> FloatArray:
        """Return the block by vertex."""
        return self.rows.restored(vectors)

    def dots(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return the sums of ``a * b``, in double precision."""
        return self.engine.allreduce(super().dots(a, b))

    def apply(self, p: FloatArray, image: FloatArray) -> FloatArray:
        """Write the matrix times `p` into `image`; return the sums of ``p * image``."""
        dots = np.zeros((len(self.rows.parts) - 1, p.shape[1]))
        if self.scaled.shape != p.shape:
            self.scaled = np.empty_like(p)
        self.engine._share(scale, self.scaling, p, self.scaled)
        matrix, scaled = self.rows.matrix, self.engine.with_halo(self.scaled)
        self.engine._share(apply, matrix, self.scaling, scaled, p, image, dots)
        return self.engine.allreduce(dots.sum(axis=0))

    def advance(
        self, x: FloatArray, r: FloatArray, p: FloatArray, image: FloatArray, step: FloatArray
    ) -> FloatArray:
        """Add ``step * p`` to `x`, take ``step * image`` from `r`; return the sums of ``r * r``."""
        dots = np.zeros((len(self.rows.parts) - 1, x.shape[1]))
        self.engine._share(advance, x, r, p, image, step.astype(x.dtype), dots)
        return self.engine.allreduce(dots.sum(axis=0))

    def turn(self, p: FloatArray, r: FloatArray, ratio: FloatArray) -> None:
        """Replace `p` by ``r + ratio * p``."""
        self.engine._share(turn, p, r, ratio.astype(p.dtype))


def some_columns(width: int) -> list[slice]:
    """Slices of at most `COLUMNS_AT_ONCE` columns: those that are multiplied, or solved for, at a time."""
    return [slice(first, first + COLUMNS_AT_ONCE) for first in range(0, width, COLUMNS_AT_ONCE)]


def cache_folder() -> Path | None:
    """Folder that the compiled sweeps are kept in; None where no folder can be written."""
    kept = getattr(advance._cache, "cache_path", None)
    return None if kept is None else Path(kept)


# Added to the diagonal of a tree, which is 1: one without a label has a singular system, in whose range the
# right-hand side lies.
LEAST_OF_TREES = 1e-15


def solve_forest(W: Any, factors: FloatArray, b: FloatArray) -> FloatArray:
    """Solve ``(I - F W F) x = b`` on a graph without cycles, `factors` being the diagonal of ``F``.

    Elimination from the leaves of each tree fills nothing in (Parter, 1961): the reverse of a breadth-first
    order. Minimum degree, which finds such an order too, did not end on a star of a million leaves.
    """
    order = sparse.csgraph.reverse_cuthill_mckee(W, symmetric_mode=True)
    F = sparse.diags_array(np.asarray(factors, dtype=np.float64))
    system = sparse.csr_array(sparse.eye_array(len(b)) * (1 + LEAST_OF_TREES) - F @ W @ F)
    options, x = {"SymmetricMode": True}, np.empty(b.shape)
    ordered = system[order][:, order].tocsc()
    lu = sparse.linalg.splu(ordered, permc_spec="NATURAL", diag_pivot_thresh=0.0, options=options)
    x[order] = lu.solve(b[order].astype(np.float64))
    return x
