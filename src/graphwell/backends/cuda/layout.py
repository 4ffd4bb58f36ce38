"""Rows of the normalised affinity as sweeps on the GPU want them: 32 side by side, cut into tiles."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell.backends.cuda._cupy import GpuArray, cuda_kernel, cupy, kind_of, launch
from graphwell.backends.cuda.matrix import GpuMatrix

SLICE = 32
WINDOW = 512
"""Rows are sorted by length inside windows of so many: larger ones waste less, smaller ones keep
neighbours near. So many rows also make a cell, see `_by_cells`."""
NEAR = 2048
SAMPLE = 1 << 16
LONGEST_IN_SLICE = 256
"""Longer rows come after all slices, and a whole block of threads sums each of them."""
SLICES_PER_TILE = 8
ENTRIES_PER_TILE = 4096


@dataclass(frozen=True, eq=False)
class GpuRows:
    """The entries of a matrix in sliced ELLPACK form, long rows behind.

    Attributes
    ----------
    order : array of shape (n_rows,)
        The vertex of each row, -1 for padding.
    starts, long_starts : arrays
        First entry of each slice, and of each long row.
    host_starts : array
        `starts` on the host.
    edges : array of bytes
        A value and a column for each entry.
    dtype : float32 or float64
        Of the values.
    n_vertices : int
        Rows without padding.
    """

    order: GpuArray
    starts: GpuArray
    long_starts: GpuArray
    host_starts: IntArray
    edges: Any
    dtype: np.dtype[Any]
    n_vertices: int

    @property
    def real(self) -> str:
        """The precision as kernels call it."""
        return kind_of(self)

    @property
    def n_rows(self) -> int:
        """Rows with padding."""
        return len(self.order)

    @property
    def n_slices(self) -> int:
        """Slices of 32 rows."""
        return len(self.host_starts) - 1

    @property
    def n_long(self) -> int:
        """Rows too long for a slice."""
        return len(self.long_starts) - 1

    @property
    def columns(self) -> GpuArray:
        """Column of each entry: what follows its value."""
        words = self.edges.view(np.int32).reshape(-1, self.dtype.itemsize // 2)
        return words[:, self.dtype.itemsize // 4]

    def placed(self, by_vertex: Any, dtype: Any) -> GpuArray:
        """Values of the vertices in the order of the rows, 0 for padding."""
        cp = cupy()
        values = cp.asarray(by_vertex)[cp.maximum(self.order, 0)]
        return cp.where(self.order >= 0, values, 0).astype(dtype)

    @classmethod
    def of(cls, matrix: GpuMatrix, dtype: np.dtype[Any], near: GpuArray | None = None) -> "GpuRows":
        """Lay out a matrix; the entries of a row keep their order.

        `near` are the rows in an order in which neighbours follow each other, if there is one at hand.
        """
        cp = cupy()
        n = matrix.n_rows
        lengths = cp.diff(matrix.indptr).astype(np.int64)
        order, n_long = _ordered(lengths, _by_cells(matrix) if near is None else near)
        n_short = n - n_long
        n_slices = -(-n_short // SLICE)
        placed = cp.full(SLICE * n_slices + n_long, -1, dtype=np.int32)
        placed[:n_short], placed[SLICE * n_slices :] = order[:n_short], order[n_short:]
        position = cp.empty(n, dtype=np.int32)
        position[order[:n_short]] = cp.arange(n_short, dtype=np.int32)
        position[order[n_short:]] = cp.arange(n_long, dtype=np.int32) + SLICE * n_slices
        short = cp.zeros(SLICE * n_slices, dtype=np.int64)
        short[:n_short] = lengths[order[:n_short]]
        starts = _running(0, SLICE * short.reshape(-1, SLICE).max(axis=1)) if n_slices else cp.zeros(1, "i8")
        long_starts = _running(starts[-1], lengths[order[n_short:]])
        host_starts = starts.get()
        size = int(host_starts[-1]) + int(lengths[order[n_short:]].sum())
        edges = cp.empty(max(1, size) * 2 * dtype.itemsize, dtype=np.uint8)
        rows = cls(placed, starts, long_starts, host_starts, edges, dtype, n)
        arguments = (matrix.indptr, matrix.indices, matrix.data, placed, position, starts, long_starts, edges)
        function = cuda_kernel("products.cu", "fill_slices", POINTER=matrix.pointer, REAL=rows.real, WIDE=1)
        launch(function, rows.n_rows, (*arguments, n_slices, rows.n_rows))
        return rows


def _by_cells(matrix: GpuMatrix) -> GpuArray | None:
    """An order of the rows that puts neighbours near each other in memory; None if they are already.

    Every so many rows one is the seed of a cell, and each row belongs to the seed that is nearest along the
    graph.
    """
    cp = cupy()
    if len(matrix.data) == 0:
        return None
    entries = cp.arange(0, len(matrix.data), max(1, len(matrix.data) // SAMPLE))
    rows = cp.searchsorted(matrix.indptr, entries.astype(matrix.indptr.dtype), side="right") - 1
    if float((cp.abs(matrix.indices[entries] - rows) < NEAR).mean()) > 0.5:
        return None
    cells = matrix.nearest(cp.arange(matrix.n_rows) % WINDOW == 0)
    return cp.argsort(cells)


def _ordered(lengths: GpuArray, order: GpuArray | None) -> tuple[GpuArray, int]:
    """Rows by falling length inside windows, long ones last; and the number of those."""
    cp = cupy()
    n = len(lengths)
    if order is not None:
        sorted_, n_long = _ordered(lengths[order], None)
        return order[sorted_].astype(np.int32), n_long
    windows = cp.arange(n, dtype=np.int64) // WINDOW * (LONGEST_IN_SLICE + 1)
    is_long = lengths > LONGEST_IN_SLICE
    key = cp.where(is_long, np.iinfo(np.int64).max, windows + LONGEST_IN_SLICE - lengths)
    return cp.argsort(key).astype(np.int32), int(is_long.sum())


def _running(first: Any, lengths: GpuArray) -> GpuArray:
    cp = cupy()
    starts = cp.empty(len(lengths) + 1, dtype=np.int64)
    starts[:1] = first
    if len(lengths):
        starts[1:] = first + cp.cumsum(lengths)
    return starts


@dataclass(frozen=True, eq=False)
class Tiling:
    """How slices are shared out among blocks of threads.

    Attributes
    ----------
    first_slice : array of shape (n_tiles + 1,)
        On the GPU.
    bounds : array of shape (n_tiles + 1,)
        The same on the host.
    most_entries, most_rows : int
        Of a tile.
    """

    first_slice: GpuArray
    bounds: IntArray
    most_entries: int
    most_rows: int

    @property
    def n_tiles(self) -> int:
        """Number of tiles."""
        return len(self.bounds) - 1

    def shared_bytes(self, word: int, real: int) -> int:
        """Shared memory of a block that works on one tile after the other."""
        return 12 * self.most_rows + _even(self.most_entries) * (word + real)

    @classmethod
    def equal(cls, starts: IntArray, n_tiles: int) -> "Tiling":
        """At most so many tiles, about equally large."""
        n_slices = len(starts) - 1
        n_tiles = max(1, min(n_tiles, n_slices))
        cost = starts + 2 * SLICE * np.arange(n_slices + 1)  # a row costs about two entries by itself
        bounds = np.searchsorted(cost, cost[-1] * np.arange(n_tiles + 1) / n_tiles)
        bounds[0], bounds[-1] = 0, n_slices
        return cls._of(starts, bounds)

    @classmethod
    def small(cls, starts: IntArray) -> "Tiling":
        """Tiles of a few slices, one for each warp, or of as many as have room."""
        ends, bounds = starts.tolist(), [0]
        while bounds[-1] < len(ends) - 1:
            first = bounds[-1]
            last = min(first + SLICES_PER_TILE, len(ends) - 1)
            room = bisect_right(ends, ends[first] + ENTRIES_PER_TILE, first, last + 1) - 1
            bounds.append(max(first + 1, room))
        return cls._of(starts, np.array(bounds))

    @classmethod
    def _of(cls, starts: IntArray, bounds: IntArray) -> "Tiling":
        if len(bounds) < 2:
            bounds = np.zeros(2, dtype=np.int64)
        entries = int(np.diff(starts[bounds]).max(initial=0))
        rows = SLICE * int(np.diff(bounds).max(initial=0))
        return cls(cupy().asarray(bounds.astype(np.int32)), bounds, max(2, entries), max(SLICE, rows))


@dataclass(frozen=True, eq=False)
class Neighborhood:
    """The neighbours of each tile, each once, for tiles that stay in shared memory.

    Attributes
    ----------
    columns : array
        Rows that a tile has entries for, in rising order, one tile after the other.
    first_column : array of shape (n_tiles + 1,)
        Where those of each tile begin.
    local : array of 16 bit
        For each entry, which of the columns of its tile it has.
    most_columns : int
        Of a tile.
    """

    columns: GpuArray
    first_column: GpuArray
    local: GpuArray
    most_columns: int

    def shared_bytes(self, tiling: Tiling, word: int, real: int, votes: int) -> int:
        """Shared memory of a block whose tile is at rest there, with room for so many votes."""
        by_row = 12 + word + 5 * real
        size = by_row * tiling.most_rows + 4 * (tiling.most_rows // SLICE + 2) + real * votes
        return size + _even(tiling.most_entries) * (real + 2) + _even(self.most_columns) * (word + 4)

    @classmethod
    def of(cls, rows: GpuRows, tiling: Tiling) -> "Neighborhood":
        """Find the columns of each tile."""
        cp = cupy()
        entries = cp.arange(int(rows.host_starts[-1]))
        firsts = cp.asarray(rows.host_starts[tiling.bounds])
        tiles = cp.searchsorted(firsts[:-1], entries, side="right") - 1
        keys = tiles * rows.n_rows + rows.columns[: len(entries)]
        order = cp.argsort(keys)
        keys = keys[order]
        is_first = cp.ones(len(keys), dtype=bool)
        is_first[1:] = keys[1:] != keys[:-1]
        number = cp.cumsum(is_first) - 1
        unique = keys[is_first]
        first = cp.searchsorted(unique, cp.arange(tiling.n_tiles + 1) * rows.n_rows).astype(np.int32)
        local = cp.empty(max(1, len(keys)), dtype=np.uint16)
        local[order] = number - first[keys // rows.n_rows]
        most = int(cp.diff(first).max())
        return cls((unique % rows.n_rows).astype(np.int32), first, local, max(2, most))


def _even(number: int) -> int:
    return number + number % 2
