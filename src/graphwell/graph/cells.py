"""Approximate search in high dimension: each row is compared with the points of the cells around it.

k-means cuts the points into cells. All rows that visit a cell are compared with its points in one matrix
product, several times faster than row by row. How many cells a row visits is read off a sample of points: as
many as hold `RECALL_WANTED` of their true neighbours.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwell._threads import ThreadPool, one_blas_thread, thread_count
from graphwell._types import FloatArray, IntArray
from graphwell.graph.compiled import seen
from graphwell.graph.scan import nearest_cells, scan_cells
from graphwell.progress import heartbeat

# MNIST takes 1.5 s on one thread at this recall, where faiss's inverted file takes 2.5 to 3 s and its flat
# search 10 s (docs/decisions.md, Neighbours).
RECALL_WANTED = 0.995
RECALL_SAMPLE = 400
# Found beyond those asked for, so that rounding in single precision cannot exclude a true neighbour.
SPARE_CANDIDATES = 4
ROWS_TOGETHER, FEWEST_TOGETHER = 8192, 64
POINTS_PER_TRAINED_CELL = 32
ROUNDS_OF_TRAINING = 5
# From so many on, of a quarter of a million points, to compare every row with every cell takes seconds.
MANY_CELLS = 2048
# The cell of a row is looked for in so many districts, the nearest to it.
DISTRICTS_AROUND = 8


@dataclass(frozen=True)
class CutPoints:
    """Points cut into cells: those of cell `c` are ``order[starts[c] : starts[c + 1]]``."""

    centroids: FloatArray
    order: IntArray
    starts: IntArray
    # Brings all points near to 1, so that squares in single precision neither overflow nor vanish.
    scale: float


def enough_visits(needed: IntArray) -> int:
    """Cells to visit so that enough neighbours are found, each of which `needed` so many."""
    return int(np.quantile(needed, RECALL_WANTED, method="higher"))


def nearest_in_cells(
    rows: FloatArray, visits: IntArray, points: FloatArray, cells: CutPoints, k: int, n_threads: int
) -> IntArray:
    """Indices of the `k` nearest points in the cells that each row visits (-1 for none); -1 for none.

    Rows that visit the same cell first are taken together.
    """
    out = np.empty((len(rows), k), dtype=np.int32 if len(points) < 2**31 else np.int64)
    together = np.argsort(visits[:, 0], kind="stable")

    def scan(part: slice) -> None:
        chosen, found = together[part], np.empty_like(out[part])
        around = (
            seen(points),
            seen(cells.order),
            seen(cells.starts),
            seen(cells.centroids),
            float(cells.scale),
        )
        scan_cells(seen(rows[chosen]), seen(visits[chosen]), *around, found)
        out[chosen] = found

    even = -(-len(rows) // n_threads)  # nothing that is found of a row depends on the others
    on_slices(len(rows), scan, n_threads, min(ROWS_TOGETHER, max(FEWEST_TOGETHER, even)))
    return out


def on_slices(
    n_rows: int, work: Callable[[slice], None], n_threads: int, together: int = ROWS_TOGETHER
) -> None:
    """Do the work on slices of the rows, which by default do not depend on the number of threads."""

    def watched(part: slice) -> None:
        heartbeat()
        work(part)

    slices = [slice(start, start + together) for start in range(0, n_rows, together)]
    with one_blas_thread():
        ThreadPool(n_threads).map(watched, slices)


def cut(points: FloatArray, n_cells: int, n_threads: int) -> CutPoints:
    """Cut points into cells by k-means on a sample."""
    n = len(points)
    centre = points.mean(axis=0, dtype=np.float64)
    low, high = points.min(axis=0), points.max(axis=0)
    scale = 1.0 / (float(np.maximum(high - centre, centre - low).max()) or 1.0)
    n_cells = min(n_cells, n)

    def scaled(rows: FloatArray) -> FloatArray:
        return ((rows - centre) * scale).astype(np.float32)

    sample = np.random.default_rng(0).choice(n, min(n, POINTS_PER_TRAINED_CELL * n_cells), replace=False)
    with faiss_threads(n_threads):
        centroids = k_means(scaled(points[np.sort(sample)]), n_cells, seed=1)
        districts = Districts.of(centroids)
    cell = np.empty(n, dtype=np.int32)

    def place(part: slice) -> None:
        cell[part] = districts.nearest_cells(scaled(points[part]))

    on_slices(n, place, n_threads)
    order = np.argsort(cell, kind="stable").astype(np.int32 if n < 2**31 else np.int64)
    starts = np.concatenate([[0], np.cumsum(np.bincount(cell, minlength=n_cells))])
    return CutPoints(districts.centroids / scale + centre, order, starts, scale)


def k_means(sample: FloatArray, n_cells: int, seed: int) -> FloatArray:
    """Centres of cells, from all rows of a sample in single precision."""
    import faiss

    sample, centres = np.ascontiguousarray(sample), None
    for _ in range(ROUNDS_OF_TRAINING):  # one by one, so that the fit can be cancelled in between
        heartbeat()
        means = faiss.Kmeans(
            sample.shape[1], n_cells, niter=1, seed=seed,
            min_points_per_centroid=1, max_points_per_centroid=len(sample),
        )  # fmt: skip
        means.train(sample, init_centroids=centres)
        centres = np.asarray(means.centroids)
    return np.asarray(centres)


def grouped(centres: FloatArray, sizes: IntArray, groups: int) -> IntArray:
    """Group cells that lie together into so many groups of about equal size.

    The cells are halved along the direction in which they spread most, again and again.
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


def flat_index(points: FloatArray) -> Any:
    """A faiss index that compares with every point; they are in single precision."""
    import faiss

    index = faiss.IndexFlatL2(points.shape[1])
    index.add(np.ascontiguousarray(points))
    return index


@dataclass(frozen=True, eq=False)
class Districts:
    """Cells grouped into districts, so that a row is compared with the cells of a few districts alone."""

    centroids: FloatArray  # of the cells, district by district, near ones following each other
    centres: FloatArray  # of the districts
    starts: IntArray  # first cell of each district

    @classmethod
    def of(cls, centroids: FloatArray) -> "Districts":
        """Group cells into about as many districts as each then has cells; few cells are one district."""
        count = int(np.sqrt(len(centroids))) if len(centroids) >= MANY_CELLS else 1
        centres = k_means(centroids, count, seed=2) if count > 1 else centroids[:1]
        centres = np.ascontiguousarray(centres[_chain(centres)])
        district = flat_index(centres).search(centroids, 1)[1][:, 0]
        groups = [np.flatnonzero(district == number) for number in range(count)]
        order = np.concatenate([group[_chain(centroids[group])] for group in groups])
        starts = np.concatenate([[0], np.cumsum([len(group) for group in groups])])
        return cls(np.ascontiguousarray(centroids[order]), centres, starts)

    def nearest_cells(self, rows: FloatArray) -> IntArray:
        """Return the cell of each row: the nearest in the districts around it."""
        centres, numbers = self.centres.astype(np.float64), np.arange(len(self.centroids), dtype=np.int32)
        near = np.empty((len(rows), min(len(centres), DISTRICTS_AROUND)), dtype=np.int32)
        found = np.empty((len(rows), 1), dtype=np.int32)
        nearest_cells(seen(rows), seen(centres), 1.0, np.arange(len(centres), dtype=np.int32), near)
        around = (seen(self.centroids), seen(numbers), seen(self.starts), seen(centres), 1.0)
        scan_cells(seen(rows), seen(near), *around, found)
        return np.maximum(found[:, 0], 0)


def _chain(centroids: FloatArray) -> IntArray:
    """An order of the cells in which each is followed by the nearest of those that are left."""
    lengths = np.einsum("ij,ij->i", centroids, centroids)
    apart = lengths - 2 * (centroids @ centroids.T)
    order = np.zeros(len(centroids), dtype=np.int32)
    for place in range(1, len(order)):
        apart[:, order[place - 1]] = np.inf
        order[place] = apart[order[place - 1]].argmin()
    return order


_threads_lost = False


def _forget_threads() -> None:
    """The threads of OpenMP do not survive a fork: a child that waited for them would wait for ever."""
    global _threads_lost
    if "faiss" in sys.modules:
        import faiss

        _threads_lost = True
        faiss.omp_set_num_threads(1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


@contextmanager
def faiss_threads(n_jobs: int | None) -> Iterator[None]:
    """Let faiss use so many threads for a while; its setting is global."""
    import faiss

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1 if _threads_lost else thread_count(n_jobs))
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
