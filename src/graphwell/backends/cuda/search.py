"""Nearest neighbours on the GPU: every pair, by matrix products in tiles and a fast selection.

Many points are cut into cells first (`cells.py`), where `search_for` chooses.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.cuda._cupy import (
    GpuArray,
    cuda_kernel,
    cupy,
    free_memory,
    kind_of,
    launch,
    memory_in_words,
)
from graphwell.backends.cuda.points import Points
from graphwell.errors import OptionError
from graphwell.graph.cells import RECALL_SAMPLE, SPARE_CANDIDATES
from graphwell.graph.knn import NeighborSearch, build_search, in_order
from graphwell.progress import heartbeat

LARGEST_TILE = 1 << 31
SMALLEST_TILE = 1 << 22
"""Bytes of a tile of distances."""
COLUMNS_OF_A_TILE = 1 << 17
MOST_KEPT_OF_ALL = 512
CUVS_FROM = 2_000_000
"""Points from which on an index of cuVS is searched instead of every pair, if cuVS is installed."""


class CudaSearch:
    """Search on the GPU, exact unless cuVS helps (see `graphwell.graph.knn.NeighborSearch`).

    Distances are compared in single precision, on rows that are centred and scaled; those of the candidates
    are then taken anew from the rows themselves, in double precision.

    Parameters
    ----------
    points : array of shape (n, d)
        On the GPU, or on the host if it has no room there.
    """

    locality: Any = None

    def __init__(self, points: Any) -> None:
        self.recall = 1.0
        self.held = Points(points)
        if self.held.on_gpu:
            self.held = Points(cupy().ascontiguousarray(points))
        with memory_in_words("the neighbours", SMALLEST_TILE):
            self.scaling = self.held.scaling()

    @property
    def points(self) -> GpuArray:
        """The points on the host."""
        return self.held.on_host

    def query(self, rows: GpuArray, k: int) -> tuple[GpuArray, GpuArray]:
        """Return indices and distances of the nearest points; rows and results are on the host."""
        indices, distances = self.nearest(cupy().asarray(rows, dtype=self.held.values.dtype), k)
        return indices.get(), distances.get()

    def of_points(self, k: int) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
        """Answer the points as they come."""
        return in_order(self, k)

    def of_all(self, k: int) -> tuple[GpuArray, GpuArray]:
        """Return the `k` nearest other points of every point, on the GPU."""
        return self.nearest(self.held.values, k, others=True)

    def nearest(self, rows: Any, k: int, *, others: bool = False) -> tuple[GpuArray, GpuArray]:
        """Return indices and distances of the `k` nearest points, on the GPU, nearest first.

        With `others`, the rows are the points themselves, and none is its own neighbour: it is left out by
        its number, as among duplicates it need not come first.
        """
        cp, asked = cupy(), Points(rows)
        kept = min(k + others + SPARE_CANDIDATES, len(self.held))
        if kept > MOST_KEPT_OF_ALL:
            most = MOST_KEPT_OF_ALL - SPARE_CANDIDATES - 1
            problem = '{field} must be at most {} on {device="cuda"}, got {}; use {device="cpu"}.'
            raise OptionError("n_neighbors", problem, most, k)
        with memory_in_words("the neighbours", len(rows) * (kept * 8 + k * 12) + SMALLEST_TILE):
            candidates = self._candidates(asked, kept, others)
            indices = cp.empty((len(rows), k), dtype=np.int32)
            distances = cp.empty((len(rows), k))
            for begin, block in asked.blocks():
                part = slice(begin, begin + len(block))
                own = cp.arange(begin, begin + len(block)) if others else cp.full(len(block), -1)
                self._nearest_first(block, candidates[part], own, indices[part], distances[part])
        return indices, distances

    def _nearest_first(
        self, rows: GpuArray, candidates: GpuArray, own: GpuArray, indices: GpuArray, distances: GpuArray
    ) -> None:
        """Write the nearest of the candidates and their distances, taken anew; `own` does not count."""
        cp, numbers, points = cupy(), None, self.held.values
        if not self.held.on_gpu:
            numbers, places = cp.unique(candidates, return_inverse=True)
            points, candidates = self.held.some(numbers), places.reshape(candidates.shape)
            place = cp.minimum(cp.searchsorted(numbers, own), len(numbers) - 1)
            own = cp.where(numbers[place] == own, place, -1)
        kept, k = candidates.shape[1], indices.shape[1]
        candidates, own = (cp.ascontiguousarray(values, dtype=np.int32) for values in (candidates, own))
        arguments = (rows, points, candidates, own, len(rows), rows.shape[1], kept, k, indices, distances)
        launch(self._kernel("nearest_of_candidates", kept), 32 * len(rows), arguments)
        if numbers is not None:
            indices[:] = numbers[indices]

    def _candidates(self, rows: Points, kept: int, others: bool) -> GpuArray:
        """Numbers of the `kept` nearest points in single precision."""
        if others and len(rows) >= CUVS_FROM and rows.on_gpu:
            found = _by_cuvs(self.scaling(rows.values), kept)
            if found is not None:
                self.recall = self._measured(found, rows.values, kept)
                return found
        return cupy().concatenate([self._of_every_point(block, kept) for _, block in rows.blocks()])

    def _of_every_point(self, rows: GpuArray, kept: int) -> GpuArray:
        """The same by comparing every pair, in tiles as large as memory allows."""
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
        columns = min(len(self.held), COLUMNS_OF_A_TILE, tile_bytes // 4)
        step = max(1, tile_bytes // (4 * columns))
        for begin, points in self.held.blocks(columns):
            heartbeat()
            scaled = self.scaling(points)
            right = cp.concatenate([scaled, (scaled * scaled).sum(axis=1, keepdims=True)], axis=1)
            for first in range(0, len(rows), step):
                part = slice(first, first + step)
                scaled = self.scaling(rows[part])
                left = cp.concatenate([-2 * scaled, cp.ones((len(scaled), 1), dtype=np.float32)], axis=1)
                tile = left @ right.T  # |y|^2 - 2 x y: nearest is smallest
                sizes, lists = (len(tile), tile.shape[1], begin), (distances[part], indices[part])
                launch(function, 32 * len(tile), (tile, *sizes, *lists, kept, int(begin == 0)))
        return indices

    def _kernel(self, name: str, kept: int) -> Any:
        return cuda_kernel("neighbors.cu", name, SLOTS=-(-kept // 32), POINT=kind_of(self.held.values))

    def __reduce__(self) -> Any:
        """Without a GPU the search goes on as an exact one of the CPU."""
        return rebuilt, (self.points, 1, True)


def rebuilt(points: FloatArray, k: int, exact: bool | None) -> NeighborSearch:
    """Build a search on a GPU when it is unpickled."""
    return build_search(points, k, exact=exact)


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
