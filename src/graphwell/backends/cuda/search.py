"""Nearest neighbours on the GPU: every pair, by matrix products in tiles and a fast selection."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.cuda._cupy import GpuArray, cuda_kernel, cupy, free_memory, launch, memory_in_words
from graphwell.errors import OptionError
from graphwell.graph.cells import RECALL_SAMPLE, SPARE_CANDIDATES
from graphwell.graph.neighbors import in_order
from graphwell.graph.scaling import Scaling

LARGEST_TILE = 1 << 31
SMALLEST_TILE = 1 << 22
"""Bytes of a tile of distances."""
COLUMNS_OF_A_TILE = 1 << 17
MOST_CANDIDATES = 512
CUVS_FROM = 2_000_000
"""Points from which on an index of cuVS is searched instead of every pair, if cuVS is installed."""


class CudaSearch:
    """Search on the GPU, exact unless cuVS helps (see `graphwell.graph.neighbors.NeighborSearch`).

    Distances are compared in single precision, on rows that are centred and scaled; those of the candidates
    are then taken anew from the rows themselves, in double precision.

    Parameters
    ----------
    points : array of shape (n, d)
        On the GPU.
    """

    locality = None

    def __init__(self, points: GpuArray) -> None:
        cp = cupy()
        self.recall = 1.0
        self.on_gpu = cp.ascontiguousarray(points)
        n, dimension = points.shape
        with memory_in_words("the neighbours", 4 * n * (dimension + 1) + SMALLEST_TILE):
            self.scaling = Scaling.of(points)
            scaled = self.scaling(self.on_gpu)
            self._right = cp.concatenate([scaled, (scaled * scaled).sum(axis=1, keepdims=True)], axis=1)

    @property
    def points(self) -> GpuArray:
        """The points on the host."""
        return self.on_gpu.get()

    def query(self, rows: GpuArray, k: int) -> tuple[GpuArray, GpuArray]:
        """Return indices and distances of the nearest points; rows and results are on the host."""
        indices, distances = self.nearest(cupy().asarray(rows, dtype=self.on_gpu.dtype), k)
        return indices.get(), distances.get()

    def of_points(self, k: int) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
        """Answer the points as they come."""
        return in_order(self, k)

    def of_all(self, k: int) -> tuple[GpuArray, GpuArray]:
        """Return the `k` nearest other points of every point, on the GPU."""
        return self.nearest(self.on_gpu, k, others=True)

    def nearest(self, rows: GpuArray, k: int, *, others: bool = False) -> tuple[GpuArray, GpuArray]:
        """Return indices and distances of the `k` nearest points, on the GPU, nearest first.

        With `others`, the rows are the points themselves, and none is its own neighbour: it is left out by
        its number, as among duplicates it need not come first.
        """
        cp = cupy()
        n = len(self.on_gpu)
        kept = min(k + others + SPARE_CANDIDATES, n)
        if kept > MOST_CANDIDATES:
            most = MOST_CANDIDATES - SPARE_CANDIDATES - 1
            problem = '{field} must be at most {} on {device="cuda"}, got {}; use {device="cpu"}.'
            raise OptionError("n_neighbors", problem, most, k)
        needed = len(rows) * (kept * 8 + k * 12) + SMALLEST_TILE
        with memory_in_words("the neighbours", needed):
            candidates = self._candidates(rows, kept, others)
            indices = cp.empty((len(rows), k), dtype=np.int32)
            distances = cp.empty((len(rows), k))
            arguments = (
                rows,
                self.on_gpu,
                candidates,
                len(rows),
                rows.shape[1],
                kept,
                0 if others else -1,
                k,
            )
            launch(
                self._kernel("nearest_of_candidates", kept), 32 * len(rows), (*arguments, indices, distances)
            )
        return indices, distances

    def _candidates(self, rows: GpuArray, kept: int, others: bool) -> GpuArray:
        """Numbers of the `kept` nearest points in single precision."""
        if others and len(rows) >= CUVS_FROM:
            found = _by_cuvs(self._right[:, :-1], kept)
            if found is not None:
                self.recall = self._measured(found, rows, kept)
                return found
        size = min(LARGEST_TILE, max(SMALLEST_TILE, free_memory() // 4))
        out_of_memory = cupy().cuda.memory.OutOfMemoryError
        while True:
            try:
                return self._by_tiles(rows, kept, size)
            except out_of_memory:
                if size <= SMALLEST_TILE:
                    raise
                size //= 2

    def _measured(self, found: GpuArray, rows: GpuArray, kept: int) -> float:
        """Share of the true candidates among those found, on a sample."""
        sample = slice(None, None, max(1, len(rows) // RECALL_SAMPLE))
        exact = self._by_tiles(rows[sample], kept, SMALLEST_TILE)
        return float((found[sample][:, :, None] == exact[:, None, :]).any(axis=1).mean())

    def _by_tiles(self, rows: GpuArray, kept: int, tile_bytes: int) -> GpuArray:
        cp = cupy()
        distances = cp.empty((len(rows), kept), dtype=np.float32)
        indices = cp.empty((len(rows), kept), dtype=np.int32)
        function = self._kernel("keep_smallest", kept)
        for first, stop, columns in self._blocks(len(rows), tile_bytes):
            scaled = self.scaling(rows[first:stop])
            left = cp.concatenate([-2 * scaled, cp.ones((len(scaled), 1), dtype=np.float32)], axis=1)
            for begin in range(0, len(self._right), columns):
                tile = left @ self._right[begin : begin + columns].T  # |y|^2 - 2 x y: nearest is smallest
                arguments = (
                    tile,
                    len(tile),
                    tile.shape[1],
                    begin,
                    distances[first:stop],
                    indices[first:stop],
                )
                launch(function, 32 * len(tile), (*arguments, kept, int(begin == 0)))
        return indices

    def _blocks(self, n_rows: int, tile_bytes: int) -> Iterator[tuple[int, int, int]]:
        columns = min(len(self._right), COLUMNS_OF_A_TILE, tile_bytes // 4)
        step = max(1, tile_bytes // (4 * columns))
        for first in range(0, n_rows, step):
            yield first, min(n_rows, first + step), columns

    def _kernel(self, name: str, kept: int) -> Any:
        point = "float" if self.on_gpu.dtype == np.float32 else "double"
        return cuda_kernel("neighbors.cu", name, SLOTS=-(-kept // 32), POINT=point)

    def __reduce__(self) -> Any:
        """Without a GPU the search goes on as an exact one of the CPU."""
        from graphwell.graph.neighbors import build_search

        return _rebuilt, (build_search, self.points)


def _rebuilt(build: Any, points: GpuArray) -> Any:
    return build(points, 1, exact=True)


def _by_cuvs(points: GpuArray, kept: int) -> GpuArray | None:
    """Candidates of all points from an inverted file of cuVS; None if it is not installed."""
    try:
        from cuvs.neighbors import ivf_flat
    except ImportError:
        return None
    cp = cupy()
    points = cp.ascontiguousarray(points)
    cells = 1 << round(np.log2(np.sqrt(len(points))))
    index = ivf_flat.build(ivf_flat.IndexParams(n_lists=cells), points)
    _, found = ivf_flat.search(ivf_flat.SearchParams(n_probes=max(16, cells // 16)), index, points, kept)
    return cp.asarray(found).astype(np.int32)
