"""Rows in tiles that a block of threads works on together, and the cells that each tile visits."""

from dataclasses import dataclass

import numpy as np

from graphwell._types import IntArray
from graphwell.backends.cuda._cupy import GpuArray, cupy

ROWS_OF_A_TILE = 128


@dataclass(frozen=True, eq=False)
class RowTiles:
    """Rows sorted by cell, at most `ROWS_OF_A_TILE` of one cell in a tile.

    Attributes
    ----------
    order : array of shape (n_rows,)
        The rows, tile by tile, on the GPU.
    starts : array of shape (n_tiles + 1,)
        Where each tile begins.
    cells : array of shape (n_tiles,)
        Its cell. Both on the host.
    """

    order: GpuArray
    starts: IntArray
    cells: IntArray

    @classmethod
    def of(cls, near: GpuArray, n_cells: int) -> "RowTiles":
        """Group rows by the cell that is nearest, and inside each by the one that is next."""
        cp = cupy()
        nearest, next_ = near[:, 0].astype(np.int64), near[:, min(1, near.shape[1] - 1)]
        order = cp.argsort(nearest * n_cells + next_).astype(np.int32)
        sizes = cp.asnumpy(cp.bincount(nearest, minlength=n_cells))
        counts = -(-sizes // ROWS_OF_A_TILE)
        cells = np.repeat(np.arange(n_cells, dtype=np.int32), counts)
        inside = np.arange(len(cells)) - np.repeat(np.cumsum(counts) - counts, counts)
        starts = (np.cumsum(sizes) - sizes)[cells] + ROWS_OF_A_TILE * inside
        return cls(order, np.append(starts, len(near)).astype(np.int32), cells)

    def of_places(self) -> GpuArray:
        """Tile of each place in the order, on the GPU."""
        cp = cupy()
        return cp.searchsorted(cp.asarray(self.starts), cp.arange(len(self.order)), side="right") - 1

    def visits(self, near: GpuArray, n_cells: int) -> tuple[GpuArray, GpuArray]:
        """Cells that each tile visits, its own first, and where those of each tile begin."""
        cp = cupy()
        tile, own = self.of_places()[:, None], cp.asarray(self.cells)
        wanted = near[self.order].astype(np.int64)
        keys = cp.unique(tile * (n_cells + 1) + cp.where(wanted == own[tile], 0, wanted + 1))
        tiles, cells = keys // (n_cells + 1), keys % (n_cells + 1)
        begins = cp.searchsorted(tiles, cp.arange(len(self.cells) + 1))
        return cp.where(cells == 0, own[tiles], cells - 1).astype(np.int32), begins.astype(np.int32)


def ranges(first: IntArray, stop: IntArray) -> IntArray:
    """All numbers of some ranges, one range after the other.

    Examples
    --------
    >>> ranges(np.array([3, 10]), np.array([5, 11]))
    array([ 3,  4, 10])
    """
    lengths = stop - first
    return np.arange(lengths.sum()) + np.repeat(first - np.cumsum(lengths) + lengths, lengths)
