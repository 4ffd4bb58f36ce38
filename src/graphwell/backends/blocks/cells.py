"""Cells of the feature space: which partition a row belongs to, and which it may have neighbours in.

A sample gives the centres. Neighbouring cells are grouped into partitions of about equal size, one per block
of the graph; a row belongs to the partition of its cell, and asks those that hold the cells nearest to it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.graph.cells import flat_index, k_means
from graphwell.graph.knn import Scaling

FIRST_PROBES = 6
MOST_CELLS = 65_536


@dataclass(frozen=True)
class CellMap:
    """The cells, and how many of them a row asks.

    Attributes
    ----------
    scaling : Scaling
    centres : array of shape (n_cells, d)
    owner : array of shape (n_cells,)
        The partition that each cell belongs to.
    sizes : array of shape (n_cells,)
        Number of rows in each cell.
    probes : int
        Number of cells that a row asks at least.
    """

    scaling: Scaling
    centres: FloatArray
    owner: IntArray
    sizes: IntArray
    probes: int = FIRST_PROBES

    def groups(self, most: int) -> IntArray:
        """Group of each cell: itself, or with cells beside it where there are more than so many."""
        n_cells = len(self.centres)
        found = np.arange(n_cells) if n_cells <= most else grouped(self.centres, self.sizes, most)
        return found.astype(np.int16)

    def of(self, rows: FloatArray) -> IntArray:
        """Nearest cell of each row."""
        return self.nearest(rows, 1)[:, 0]

    def nearest(self, rows: FloatArray, count: int) -> IntArray:
        """Nearest cells of each row, nearest first."""
        return flat_index(self.centres).search(self.scaling(rows), count)[1].astype(np.int32)

    def asked(self, rows: FloatArray, k: int) -> IntArray:
        """Cells that each row asks, -1 for none: the nearest ones, and more until they hold `k` rows."""
        found = self.nearest(rows, min(self.probes, len(self.centres)))
        short = np.flatnonzero(self.sizes[found].sum(axis=1) < k)
        if len(short) == 0:
            return found
        further = self.nearest(rows[short], len(self.centres))
        reached = np.cumsum(self.sizes[further], axis=1)
        needed = 1 + (reached < k).sum(axis=1)
        width = int(min(len(self.centres), needed.max()))
        whole = np.full((len(rows), max(width, found.shape[1])), -1, dtype=np.int32)
        whole[:, : found.shape[1]] = found
        whole[short, :width] = np.where(np.arange(width) < needed[:, None], further[:, :width], -1)
        return whole


def find_centres(sample: FloatArray, n: int) -> FloatArray:
    """Centres of about as many cells as a single machine would use, by k-means on a sample."""
    cells = max(1, 2 ** round(np.log2(np.sqrt(n))))
    return k_means(sample, min(cells, MOST_CELLS, len(sample)), seed=1234)


def grouped(centres: FloatArray, sizes: IntArray, groups: int) -> IntArray:
    """Group cells that lie together into so many groups of about equal size.

    The cells are halved along the direction in which they spread most, again and again.

    Examples
    --------
    >>> grouped(np.array([[0.0], [5.0], [0.1], [5.1]]), np.array([10, 10, 10, 10]), 2)
    array([0, 1, 0, 1])
    """
    owner = np.zeros(len(centres), dtype=np.int64)
    _halve(np.arange(len(centres)), centres.astype(np.float64), sizes, groups, 0, owner)
    return owner


def _halve(
    cells: IntArray, centres: FloatArray, sizes: IntArray, groups: int, first: int, owner: IntArray
) -> None:
    if groups <= 1 or len(cells) <= 1:
        owner[cells] = first
        return
    weights = np.maximum(sizes[cells], 1e-9)
    middle = np.average(centres[cells], axis=0, weights=weights)
    spread = (centres[cells] - middle) * np.sqrt(weights)[:, None]
    direction = np.linalg.svd(spread, full_matrices=False)[2][0]
    along = cells[np.argsort((centres[cells] - middle) @ direction, kind="stable")]
    before = np.cumsum(sizes[along]) - sizes[along] / 2
    left = groups // 2
    cut = int(np.clip(np.searchsorted(before, sizes[along].sum() * left / groups), 1, len(along) - 1))
    _halve(along[:cut], centres, sizes, left, first, owner)
    _halve(along[cut:], centres, sizes, groups - left, first + left, owner)


def centres_of(sample: Sequence[FloatArray], scaling: Scaling, n: int) -> FloatArray:
    """Centres of the cells of `n` rows, from pieces of a sample of them."""
    return find_centres(scaling(np.concatenate(sample)), n)


def visits_needed(
    cells: CellMap, rows: FloatArray, true: Sequence[tuple[FloatArray, IntArray]], k: int
) -> IntArray:
    """How many cells a row must ask to reach each of its `k` true neighbours' cells.

    Each partition tells the distances and cells of those that it holds.
    """
    distances, cell_of = (np.concatenate(part, axis=1) for part in zip(*true, strict=True))
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :k]
    neighbor_cells = np.take_along_axis(cell_of, nearest, axis=1)
    order = cells.nearest(rows, len(cells.centres))
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(order.shape[1], dtype=order.dtype)[None, :], axis=1)
    return 1 + np.take_along_axis(rank, neighbor_cells, axis=1)


def count_cells(rows: FloatArray, cells: CellMap) -> IntArray:
    """How many rows each cell holds."""
    return np.bincount(cells.of(rows), minlength=len(cells.centres))


def split_rows(rows: FloatArray, first: int, cells: CellMap, n_partitions: int) -> list[tuple[Any, ...]]:
    """The rows of a block by partition: their numbers, themselves, and their cells."""
    cell_of = cells.of(rows)
    owner = cells.owner[cell_of]
    places = [np.flatnonzero(owner == p) for p in range(n_partitions)]
    return [(at + first, rows[at], cell_of[at]) for at in places]
