"""Verbs in plain array operations, for engines whose blocks are arrays of shape (n, n_classes).

A subclass gives `graph`, `product`, `sweep` and `nearest`; what its library can do faster it overrides.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwell._threads import thread_count
from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Block, Coarse, Solution, State, Swept, Vector
from graphwell.backends.conjugate_gradients import ArraySystem, System, conjugate_gradients

if TYPE_CHECKING:
    from graphwell.solve.problem import Problem

SMALLEST_SCORE = 1e-30


def narrow(numbers: IntArray, count: int) -> IntArray:
    """Numbers below `count`, or -1, in the fewest bytes: they travel by the million.

    Examples
    --------
    >>> narrow(np.array([-1, 9]), 10).dtype, narrow(np.array([300]), 301).dtype
    (dtype('int8'), dtype('int16'))
    """
    return numbers.astype(np.min_scalar_type(-count))


def in_few_bytes(values: Any) -> Any:
    """Values as an array of NumPy; whole numbers in the fewest bytes that hold them all.

    Examples
    --------
    >>> in_few_bytes([-1, 127]).dtype, in_few_bytes([-1, 128]).dtype, in_few_bytes([0.5]).dtype
    (dtype('int8'), dtype('int16'), dtype('float64'))
    """
    values = np.asarray(values)
    if values.dtype.kind not in "iu" or not values.size:
        return values
    return narrow(values, max(int(values.max()) + 1, -int(values.min())))


class HostVectors:
    """Vectors are arrays of NumPy on this machine."""

    xp: Any = np

    @property
    def n_threads(self) -> int:
        """Threads of this machine that may share work on the host."""
        return thread_count(None)

    def asarray(self, values: Any) -> Vector:
        """Return the values as an array."""
        return np.asarray(values)

    def to_host(self, vector: Vector) -> Any:
        """Return the array itself."""
        return vector

    def release(self) -> None:
        """Keep everything."""

    def group_sums(self, groups: IntArray, values: Vector, n_groups: int) -> Vector:
        """Return the sum of the values of each group."""
        return np.bincount(groups, values, minlength=n_groups)

    def group_minima(self, groups: IntArray, values: Vector, n_groups: int) -> Vector:
        """Return the smallest value of each group."""
        lowest = np.full(n_groups, np.inf)
        np.minimum.at(lowest, groups, values)
        return lowest


class ArrayEngine(HostVectors):
    """The verbs on blocks that are arrays of the library `xp`."""

    graph: Any
    dtype: np.dtype[Any] = np.dtype(np.float64)

    def product(self, block: Block) -> Block:
        """Return ``S @ block``."""
        raise NotImplementedError

    def votes(self, labels: IntArray, values: Vector, n_classes: int) -> Block:
        """Return ``S`` times the block with `values` in the columns of the labels."""
        return self.product(self.indicator(labels, values, n_classes))

    def sweep(self, problem: "Problem", state: State, epsilon: float, step_size: float, count: int) -> Swept:
        """Do `count` Jacobi sweeps of Algorithm 1 at one epsilon."""
        raise NotImplementedError

    def nearest(self, labels: IntArray) -> Vector:
        """Return the known label nearest along the graph; -1 if there is none in reach."""
        raise NotImplementedError

    def system(self, scaling: Vector) -> System:
        """Return the matrix ``I - A S A``, `scaling` being the diagonal of ``A``, as solvers see it."""
        return ArraySystem(self.product, scaling)

    def solve(self, scaling: Vector, b: Block, coarse: Coarse | None = None) -> Solution:
        """Solve ``(I - A S A) x = b`` by conjugate gradients."""
        if b.ndim == 1:
            found = self.solve(scaling, b[:, None], coarse)
            return replace(found, x=found.x[:, 0])
        return conjugate_gradients(self.system(scaling), b)

    def indicator(self, labels: IntArray, values: Vector, n_classes: int) -> Block:
        """Return a block with `values` in the column of each vertex's label."""
        block = self.xp.zeros((len(labels), n_classes), dtype=np.float32)
        known = self.xp.flatnonzero(labels >= 0)
        block[known, labels[known]] = values[known]
        return block

    def scaled(self, block: Block, factors: Vector) -> Block:
        """Return the block with each row times its factor."""
        return block * factors.astype(block.dtype, copy=False)[:, None]

    def added(self, a: Block, b: Block) -> Block:
        """Return ``a + b``."""
        return a + b

    def argmax(self, block: Block, prices: FloatArray | None = None) -> Vector:
        """Return the column with the largest entry of each row; with prices, of the logarithms plus these."""
        if prices is not None:
            logs = self.xp.log(self.xp.maximum(block, SMALLEST_SCORE)).astype(np.float64)
            block = logs + self.xp.asarray(prices)
        return block.argmax(axis=1)

    def margins(self, block: Block) -> Vector:
        """Return the distance between the two largest shares of each row."""
        xp, shares = self.xp, self.shares(block)
        if shares.shape[1] == 1:
            return xp.ones(len(shares))
        highest = shares.max(axis=1)
        shares[xp.arange(len(shares)), shares.argmax(axis=1)] = -1.0
        return highest - shares.max(axis=1)

    def shares(self, block: Block, power: float = 1.0) -> Block:
        """Return the powers of a block with rows that add up to 1; a row of zeros becomes even.

        Examples
        --------
        >>> ArrayEngine().shares(np.array([[3.0, 1.0], [0.0, -1.0]]))
        array([[0.75, 0.25],
               [0.5 , 0.5 ]])
        >>> ArrayEngine().shares(np.array([[3.0, 1.0]]), power=2.0)
        array([[0.9, 0.1]])
        """
        xp = self.xp
        shares = xp.maximum(block, 0.0)
        if power != 1:
            shares **= power
        total = shares.sum(axis=1)
        shares /= xp.where(total > 0, total, 1)[:, None]
        shares[total <= 0] = 1 / block.shape[1]
        return shares

    def heaviest(self) -> IntArray:
        """Return the neighbour of largest affinity of each vertex; -1 if it has none."""
        from graphwell.backends.aggregation import heaviest_entries

        W = self.graph.W
        return np.asarray(heaviest_entries(W.indptr, W.indices, W.data))

    def condensed(self, groups: IntArray, n_groups: int) -> Any:
        """Return the sums of the affinities between groups of vertices."""
        from graphwell.backends.aggregation import merged_matrix

        return merged_matrix(self.graph.W, groups, n_groups)

    def affinities_of(self, vertices: IntArray) -> Any:
        """Return the rows of some vertices, as a SciPy matrix."""
        return self.graph.W[vertices]

    def group_means(self, block: Block, groups: IntArray, n_groups: int) -> FloatArray:
        """Return the mean row of each group of vertices."""
        from graphwell.backends.aggregation import grouped_totals, means_of, unit_of

        unit = unit_of(1.0, len(groups))
        return means_of(grouped_totals(groups, self.to_host(block), n_groups, unit), unit)

    def spread(self, values: FloatArray, groups: IntArray | None = None) -> Block:
        """Return a block in which each vertex has the row of its group, or its own without groups."""
        rows = self.asarray(values.astype(np.float32, copy=False))
        return rows if groups is None else rows[self.asarray(groups)]
