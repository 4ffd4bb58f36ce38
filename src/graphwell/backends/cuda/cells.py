"""Search among many points on the GPU: each row is compared with the points of the cells around it.

k-means cuts the points into cells. Rows of one cell are worked on in tiles of 128, which visit every cell
that is among the few nearest of any of their rows. How few is read off a sample of points, as on the CPU: as
many as hold `RECALL_WANTED` of their true neighbours.
"""

import math
from collections.abc import Iterator
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell.backends.cuda._cupy import (
    THREADS,
    GpuArray,
    cuda_kernel,
    cupy,
    gpu_limits,
    kind_of,
    memory_in_words,
)
from graphwell.backends.cuda.points import Points, room
from graphwell.backends.cuda.row_tiles import ROWS_OF_A_TILE, RowTiles, ranges
from graphwell.backends.cuda.search import CUVS_FROM, CudaSearch, rebuilt
from graphwell.graph.cells import (
    POINTS_PER_TRAINED_CELL,
    RECALL_SAMPLE,
    ROUNDS_OF_TRAINING,
    SPARE_CANDIDATES,
    enough_visits,
    grouped,
)
from graphwell.progress import heartbeat

CELLS_FROM = 100_000
"""Points from which on cells are searched: to compare every pair of fewer is as fast."""
CELLS_PER_ROOT = 8
"""There are about so many cells times the square root of the points."""
MOST_VISITS = 16
MOST_COMPARED = 65_536
"""Points that a row is compared with at most, on average: the CPU stops at a sixteenth."""
MOST_KEPT = 64
"""Of the nearest that are found for each row; more have no room in the memory of a processor."""
SHARED_BYTES = 20_480
"""Shared memory of a tile beside its lists."""


class CudaCellSearch(CudaSearch):
    """Approximate search over the points in the cells around each row.

    Parameters
    ----------
    points : array of shape (n, d)
        On the GPU, or on the host if it has no room there.
    k : int
        Number of neighbours that the recall is measured for.
    n_cells : int, optional
        By default it grows with the square root of the points.
    """

    def __init__(self, points: Any, k: int, n_cells: int | None = None) -> None:
        super().__init__(points)
        n, self.k = len(points), k
        n_cells = n_cells or 2 ** int(np.log2(CELLS_PER_ROOT * np.sqrt(n)))
        with memory_in_words("the neighbours", n * (8 * MOST_VISITS + 32)):
            self.centres = self._trained(min(n_cells, n))
            near = self._nearest_cells(self.held, MOST_VISITS)
            self.tiles = RowTiles.of(near, len(self.centres))
            self.starts = self._starts(near)
            n_visits, self.visits_alone, self.recall = self._measure(near, k)
            self.near = cupy().ascontiguousarray(near[:, :n_visits])

    def __reduce__(self) -> Any:
        """Without a GPU the search goes on as one of the CPU, which cuts cells of its own."""
        return rebuilt, (self.points, self.k, None)

    @cached_property
    def locality(self) -> IntArray:
        """The points cell by cell, on the host."""
        return cupy().asnumpy(self.tiles.order)

    def _trained(self, n_cells: int) -> GpuArray:
        """Centres of cells, from a sample of the points; near ones follow each other."""
        cp, n = cupy(), len(self.held)
        drawn = np.random.default_rng(0).integers(n, size=POINTS_PER_TRAINED_CELL * n_cells)
        numbers = cp.unique(cp.asarray(drawn)) if len(drawn) < n else cp.arange(n)
        centres = self._k_means(self.held.some(numbers), n_cells)
        region = self._nearest_of(centres, self._k_means(centres, math.isqrt(n_cells)), 1)
        return cp.ascontiguousarray(centres[cp.argsort(region[:, 0])])

    def _k_means(self, sample: GpuArray, n_cells: int) -> GpuArray:
        cp = cupy()
        first = cp.arange(n_cells) * len(sample) // n_cells
        centres = cp.ascontiguousarray(sample[first])
        for _ in range(ROUNDS_OF_TRAINING):
            heartbeat()
            cell = self._nearest_of(sample, centres, 1)[:, 0]
            order = cp.argsort(cell).astype(np.int32)
            starts = cp.searchsorted(cell[order], cp.arange(len(centres) + 1)).astype(np.int32)
            function = cuda_kernel("cells.cu", "cell_means", SLOTS=2, POINT=kind_of(sample))
            arguments = (sample, order, starts, centres, np.int32(self.held.dimension))
            function((len(centres),), (THREADS // 4,), arguments)
        return centres

    def _nearest_cells(self, rows: Points, count: int) -> GpuArray:
        count = min(count, len(self.centres))
        return cupy().concatenate(
            [self._nearest_of(block, self.centres, count) for _, block in rows.blocks()]
        )

    def _nearest_of(self, rows: GpuArray, centres: GpuArray, count: int) -> GpuArray:
        """The centres nearest to each row: one cell that holds them all is visited by everyone."""
        cp, n_tiles = cupy(), -(-len(rows) // ROWS_OF_A_TILE)
        starts = np.minimum(np.arange(n_tiles + 1) * ROWS_OF_A_TILE, len(rows)).astype(np.int32)
        tiles = RowTiles(cp.arange(len(rows), dtype=np.int32), starts, np.zeros(n_tiles, dtype=np.int32))
        visits = cp.zeros(n_tiles, dtype=np.int32), cp.arange(n_tiles + 1, dtype=np.int32)
        everything = cp.arange(len(centres), dtype=np.int32), cp.asarray([0, len(centres)], dtype=np.int32)
        middle = cp.asarray(self.scaling.center, dtype=rows.dtype)[None, :]
        return self._scan(rows, tiles, centres, *everything, *visits, middle, count)

    def _starts(self, near: GpuArray) -> GpuArray:
        """Where the points of each cell begin in the order of the tiles."""
        cp = cupy()
        sizes = cp.bincount(near[:, 0], minlength=len(self.centres))
        return cp.concatenate([cp.zeros(1, dtype=np.int64), cp.cumsum(sizes)]).astype(np.int32)

    def _measure(self, near: GpuArray, k: int) -> tuple[int, int, float]:
        """How many cells count as near, to a row of a full tile and to one alone, and the recall.

        That is the share of the true neighbours of a sample that lie in the cells visited.
        """
        cp, (n, width) = cupy(), near.shape
        sample = np.random.default_rng(0).choice(n, min(RECALL_SAMPLE, n), replace=False)
        chosen = cp.asarray(np.sort(sample))
        true = self._of_every_point(self.held.some(chosen), min(k + 1, n))
        others, cells = true != chosen[:, None], near[true.ravel(), 0].reshape(true.shape)
        nearness = self._first_named(near, chosen)
        needed = cp.asnumpy(1 + cp.take_along_axis(nearness, cells, axis=1)[others])
        is_near = cells[:, :, None] == near[chosen][:, None, :]
        alone = cp.asnumpy(cp.where(is_near.any(axis=2), 1 + is_near.argmax(axis=2), width)[others])
        sizes = cp.diff(self.starts)
        costs = [float(cp.where(nearness < v, sizes, 0).sum(axis=1).mean()) for v in range(1, width + 1)]
        affordable = max(1, int(np.searchsorted(costs, MOST_COMPARED, side="right")))
        visits = min(enough_visits(needed), affordable)
        return visits, max(visits, enough_visits(alone)), float((needed <= visits).mean())

    def _first_named(self, near: GpuArray, rows: GpuArray) -> GpuArray:
        """How near each cell is to the tiles of some rows: 0 where it is the nearest of any row there."""
        cp, (n, width) = cupy(), near.shape
        place = cp.empty(n, dtype=np.int32)
        place[self.tiles.order] = cp.arange(n, dtype=np.int32)
        tiles = cp.asnumpy(self.tiles.of_places()[place[rows]])
        first, stop = self.tiles.starts[tiles], self.tiles.starts[tiles + 1]
        beside = self.tiles.order[cp.asarray(ranges(first, stop))]
        line = cp.asarray(np.repeat(np.arange(len(tiles)), stop - first))
        nearness = cp.full((len(tiles), len(self.centres)), width, dtype=np.int64)
        for rank in reversed(range(width)):
            nearness[line, near[beside, rank]] = rank
        return nearness

    def _candidates(self, rows: Points, kept: int, others: bool) -> GpuArray:
        """Numbers of the `kept` nearest points in the cells that each row's tile visits."""
        if kept > most_kept():
            return super()._candidates(rows, kept, others)
        cp, n_cells = cupy(), len(self.centres)
        near = self.near if others else self._nearest_cells(rows, self.visits_alone)
        tiles = self.tiles if others else RowTiles.of(near, n_cells)
        visits = tiles.visits(near, n_cells)
        if rows.on_gpu and self.held.on_gpu:
            cells = (self.held.values, self.tiles.order, self.starts)
            found = self._scan(rows.values, tiles, *cells, *visits, self.centres, kept)
        else:
            found = cp.empty((len(rows), kept), dtype=np.int32)
            for part in self._parts(tiles, *map(cp.asnumpy, visits)):
                self._scan_part(rows, tiles, part, visits, found)
        short = cp.flatnonzero((found < 0).any(axis=1))
        if len(short):
            found[short] = self._of_every_point(rows.some(short), kept)
        return found

    def _parts(self, tiles: RowTiles, visits: IntArray, begins: IntArray) -> Iterator[IntArray]:
        """Tiles whose cells lie together, as many as have room on the GPU with all that they visit."""
        sizes, centres = np.diff(cupy().asnumpy(self.starts)), cupy().asnumpy(self.centres)
        row = self.held.values.dtype.itemsize * self.held.dimension
        waiting = [np.arange(len(self.centres))]
        while waiting:
            cells = waiting.pop()
            chosen = np.flatnonzero(np.isin(tiles.cells, cells))
            visited = np.unique(visits[ranges(begins[chosen], begins[chosen + 1])])
            rows = int((tiles.starts[chosen + 1] - tiles.starts[chosen]).sum())
            if row * (int(sizes[visited].sum()) + rows) <= room() or len(cells) == 1:
                yield chosen
            else:
                half = grouped(centres[cells], sizes[cells], 2)
                waiting += [cells[half == 1], cells[half == 0]]

    def _scan_part(
        self,
        rows: Points,
        tiles: RowTiles,
        part: IntArray,
        visits: tuple[GpuArray, GpuArray],
        found: GpuArray,
    ) -> None:
        """Fetch the rows of some tiles and the points of the cells that they visit, and compare them."""
        cp, (cells, begins) = cupy(), map(cupy().asnumpy, visits)
        if len(part) == 0:
            return
        heartbeat()
        numbers = tiles.order[cp.asarray(ranges(tiles.starts[part], tiles.starts[part + 1]))]
        starts = np.cumsum(np.append(0, np.diff(tiles.starts)[part])).astype(np.int32)
        local = RowTiles(cp.arange(len(numbers), dtype=np.int32), starts, tiles.cells[part])
        wanted = cells[ranges(begins[part], begins[part + 1])]
        ends = np.cumsum(np.append(0, np.diff(begins)[part])).astype(np.int32)
        bounds, visited = cp.asnumpy(self.starts), np.unique(wanted)
        members = self.tiles.order[cp.asarray(ranges(bounds[visited], bounds[visited + 1]))]
        sizes = np.zeros(len(self.centres), dtype=np.int32)
        sizes[visited] = np.diff(bounds)[visited]
        bounds = np.cumsum(np.append(0, sizes)).astype(np.int32)
        around = (self.held.some(members), cp.arange(len(members), dtype=np.int32), cp.asarray(bounds))
        where = (cp.asarray(wanted), cp.asarray(ends))
        near = self._scan(rows.some(numbers), local, *around, *where, self.centres, found.shape[1])
        found[numbers] = cp.where(near >= 0, members[cp.maximum(near, 0)], -1)

    def _scan(
        self, rows: GpuArray, tiles: RowTiles, points: GpuArray, order: GpuArray, starts: GpuArray,
        visits: GpuArray, begins: GpuArray, centres: GpuArray, kept: int,
    ) -> GpuArray:  # fmt: skip
        """The `kept` nearest points in the visited cells, for each row; -1 where there are no more."""
        cp = cupy()
        found = cp.empty((len(rows), kept), dtype=np.int32)
        slots, shared = _lists(kept)
        function = cuda_kernel("cells.cu", "scan_cells", SLOTS=slots, POINT=kind_of(rows))
        function.max_dynamic_shared_size_bytes = shared
        function.preferred_shared_memory_carveout = 100  # two tiles on each processor, where they fit
        arguments = (
            rows, tiles.order, cp.asarray(tiles.starts), points, order, starts, begins, visits, centres,
            cp.asarray(tiles.cells), rows.dtype.type(1 / self.scaling.spread), np.int32(rows.shape[1]),
            np.int32(kept), found,
        )  # fmt: skip
        if len(tiles.cells):
            function((len(tiles.cells),), (THREADS,), arguments, shared_mem=shared)
        return found


def _lists(kept: int) -> tuple[int, int]:
    """Places of a row's list, in units of 32, and bytes of shared memory that the lists then need."""
    slots = 2
    while 32 * slots < 2 * kept:
        slots *= 2
    return slots, SHARED_BYTES + ROWS_OF_A_TILE * 32 * slots * 8


def most_kept() -> int:
    """Candidates of a row that have room on this GPU; 0 if cells cannot be searched there."""
    fits = (kept for kept in (MOST_KEPT, MOST_KEPT // 2) if _lists(kept)[1] <= gpu_limits().shared_memory)
    return next(fits, 0)


def search_for(points: Any, k: int) -> CudaSearch:
    """The search for these points: every pair of few, the cells around each row of many.

    cuVS takes the place of the cells where it is installed and the points are very many, and on the GPU.
    """
    by_cells = len(points) >= CELLS_FROM and k + 1 + SPARE_CANDIDATES <= most_kept()
    by_cuvs = len(points) >= CUVS_FROM and Points(points).on_gpu and find_spec("cuvs") is not None
    return CudaCellSearch(points, k) if by_cells and not by_cuvs else CudaSearch(points)
