"""The coarse level of a linear system in blocks: errors that hardly differ inside groups, removed at once.

As in `graphwell.backends.cpu.systems`, but all sums over groups are exact: they have the same bits however
the vertices are cut into blocks. One block inverts the small system for all.
"""

from dataclasses import dataclass, replace

import numpy as np

from graphwell._threads import one_blas_thread
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.blocks.block import PRECISION, GraphBlock
from graphwell.backends.blocks.programs import Program, Said, rounded, rounding_magnet
from graphwell.backends.cpu.systems import LEAST

NEARLY_ONE = 1.001
"""Length of the level in a group, at most: it is rounded to single precision."""


@dataclass(frozen=True)
class CoarseView:
    """What a block knows of a coarse level.

    Attributes
    ----------
    level : array of shape (n_positions,)
        What the system hardly changes.
    groups : array of shape (n_positions,)
        Numbers that single precision holds.
    n_groups : int
        Of all blocks.
    first : bool
        Whether this is the block that works for all.
    """

    level: FloatArray
    groups: IntArray
    n_groups: int
    first: bool = False

    @classmethod
    def none(cls, n_positions: int) -> "CoarseView":
        """That of a system without a coarse level."""
        return cls(np.zeros(n_positions), np.zeros(n_positions, dtype=np.int32), 0)

    def where(self, inside: BoolArray) -> "CoarseView":
        """The level of some vertices alone."""
        return replace(self, level=np.where(inside, self.level, 0.0))

    def highest(self) -> FloatArray:
        """Largest level of each group in the block."""
        found = np.zeros(self.n_groups)
        if self.n_groups:
            np.maximum.at(found, self.groups, self.level)
        return found


def view_of(block: GraphBlock, level: FloatArray, groups: IntArray, number: int, n_groups: int) -> CoarseView:
    """The coarse view of the block of this number; `level` and `groups` by vertex."""
    placed = block.rows.placed(groups, np.int32)
    return CoarseView(block.placed(level), placed, n_groups, first=number == 0)


@dataclass
class Correction:
    """What the vertices of a block and its halo take of a correction.

    Attributes
    ----------
    block : GraphBlock
    level : array of shape (n_positions + n_halo,)
        What the system hardly changes, of length 1 in each group.
    groups : array of shape (n_positions + n_halo,)
    inverse : array of shape (n_groups, n_groups)
        Of the system between the levels of groups.
    found : array of shape (n_groups, width)
        What was found last, for each column.
    """

    block: GraphBlock
    level: FloatArray
    groups: IntArray
    inverse: FloatArray
    found: FloatArray

    @classmethod
    def none(cls, block: GraphBlock, width: int) -> "Correction":
        """That of a system without a coarse level: nothing."""
        return cls(block, np.zeros(0), np.zeros(0, dtype=np.int32), np.zeros((0, 0)), np.zeros((0, width)))

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.inverse)

    def sums(self, vectors: FloatArray, length: FloatArray) -> FloatArray:
        """Exact sums of ``level * vectors`` over the block's vertices of each group.

        `length` bounds the norm of each column over all blocks.
        """
        from graphwell.backends.cpu.cg_kernels import restrict_exactly

        if not self.n_groups:
            return np.zeros((0, vectors.shape[1]))
        parts: list[FloatArray] = []
        magnets = rounding_magnet(NEARLY_ONE * length)

        def add(first: int, last: int) -> None:
            part = np.zeros((self.n_groups, vectors.shape[1]))
            restrict_exactly(first, last, self.groups, self.level, vectors, magnets, part)
            parts.append(part)

        self.block.share_rows(self.block.rows.n_positions, add)
        return np.sum(parts, axis=0)

    def find(self, sums: FloatArray) -> FloatArray:
        """Find the correction of a residual with these sums; return the sums of their products."""
        from graphwell.backends.cpu.systems import multiply_dense as multiply

        if not self.n_groups:
            return np.zeros(sums.shape[1])
        found = np.empty(sums.shape[::-1])
        self.block.share_rows(len(sums), lambda i, j: multiply(i, j, self.inverse, sums, found))
        self.found = np.ascontiguousarray(found.T)
        return (sums * self.found).sum(axis=0)

    def add(self, p: FloatArray, moving: FloatArray) -> FloatArray:
        """Add the correction that was found last to columns that move; return bounds of its norms."""
        from graphwell.backends.cpu.systems import prolong

        if not self.n_groups:
            return np.zeros(p.shape[1])
        found = (self.found * moving).astype(PRECISION)
        self.block.share_rows(len(p), lambda i, j: prolong(i, j, self.groups, self.level, found, p))
        return NEARLY_ONE * np.sqrt((self.found**2).sum(axis=0)) * moving


def coarse_level(
    block: GraphBlock, values: FloatArray, view: CoarseView, highest: FloatArray, n: int
) -> Program:
    """Make the correction of a block, in three exchanges.

    Parameters
    ----------
    block : GraphBlock
    values : array
        Entries of ``A S A`` in the layout of the block.
    view : CoarseView
        Of the positions of the block and of its halo.
    highest : array of shape (n_groups,)
        Largest level of each group, over all blocks.
    n : int
        Number of all vertices.
    """
    from graphwell.backends.cpu import cg_kernels

    groups, here = view.groups, block.rows.n_positions
    nothing = np.zeros((here, 0), PRECISION)
    level = view.level / np.where(highest > 0, highest, 1.0)[groups]
    squares = np.bincount(groups[:here], rounded(level[:here] ** 2, n), minlength=view.n_groups)
    heard = yield Said(nothing, squares)
    lengths = np.sqrt(heard.sums)
    level = (level / np.where(lengths > 0, lengths, 1.0)[groups]).astype(PRECISION)
    small = np.zeros((view.n_groups, view.n_groups))
    edges = (block.rows.starts, block.rows.columns, values)
    cg_kernels.condense_exactly(*edges, level, groups, float(rounding_magnet(NEARLY_ONE)), small)
    heard = yield Said(nothing, small)
    inverse = inverted(heard.sums, lengths > 0) if view.first else np.zeros_like(small)
    heard = yield Said(nothing, inverse)
    return Correction(block, level, groups, np.asarray(heard.sums), np.zeros((view.n_groups, 0)))


def inverted(coupling: FloatArray, present: BoolArray) -> FloatArray:
    """Inverse of the identity less what couples the groups; groups without a level stay apart."""
    small = np.diag(np.where(present, 1.0, 0.0) + LEAST) - (coupling + coupling.T) / 2
    small[~present, ~present] = 1.0
    with one_blas_thread():  # the same bits for any number of threads
        inverse = np.linalg.inv(small)
    return np.asarray((inverse + inverse.T) / 2)
