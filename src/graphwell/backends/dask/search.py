"""The nearest rows of each row, where every worker holds some of them: a graph from features.

A sample gives the centres of cells. Cells that lie together are grouped into one partition for each worker; a
row goes to the partition of its cell, asks those that hold the cells nearest to it, and the candidates are
merged where the row lives. The graph does not depend on the number of workers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from graphwell._types import FloatArray, IntArray
from graphwell.backends.dask.communicator import Communicator
from graphwell.backends.dask.graph import BlockGraph
from graphwell.graph.cells import (
    RECALL_SAMPLE,
    SPARE_CANDIDATES,
    CutPoints,
    enough_visits,
    flat_index,
    grouped,
    k_means,
    nearest_in_cells,
)
from graphwell.graph.checks import check_points
from graphwell.graph.components import PointSpace
from graphwell.graph.knn import EXACT_UP_TO, Rescaling
from graphwell.graph.scan import distances_to
from graphwell.graph.weights import index_dtype, kernel, smallest_scale
from graphwell.progress import Progress, heartbeat

FIRST_PROBES, MOST_CELLS = 6, 65_536
# Points that the cells are found from: more move them little.
POINTS_PER_CELL = 64
# Rows that are searched, and that get the edges by which others chose them, together: it bounds the memory
# of their candidates and of these edges.
ROWS_AT_ONCE = 32_768


class FewerWorkersError(Exception):
    """There are rows for so many workers only."""


@dataclass(frozen=True)
class CellMap:
    """The cells, and how many of them a row asks."""

    scaling: Rescaling
    centres: FloatArray  # of shape (n_cells, d)
    owner: IntArray  # the partition that each cell belongs to
    sizes: IntArray  # number of rows in each cell
    probes: int = FIRST_PROBES  # number of cells that a row asks at least

    def nearest(self, rows: FloatArray, count: int) -> IntArray:
        """Nearest cells of each row, nearest first."""
        return flat_index(self.centres).search(self.scaling.in_parts(rows), count)[1].astype(np.int32)

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

    def queries(self, rows: FloatArray, n_partitions: int, k: int) -> list["PartitionQuery"]:
        """Questions of these rows to each partition."""
        asked = self.asked(rows, k)
        owner = np.where(asked < 0, -1, self.owner[asked])
        found = []
        for q in range(n_partitions):
            places = np.flatnonzero((owner == q).any(axis=1))
            found.append(
                PartitionQuery(places, rows[places], np.where(owner[places] == q, asked[places], -1))
            )
        return found


class PartitionQuery(NamedTuple):
    """Rows that ask one partition: their places among those that ask, the rows, and the cells they ask."""

    places: IntArray
    rows: FloatArray
    cells: IntArray


class Answer(NamedTuple):
    """Candidates of the rows of a query: user's numbers (-1 for none), distances, and local scales."""

    places: IntArray
    neighbors: IntArray
    distances: FloatArray
    scales: FloatArray | None = None  # once they are known


@dataclass(frozen=True)
class Partition:
    """Rows of neighbouring cells, ordered by cell."""

    vertices: IntArray  # the user's numbers
    points: FloatArray
    cell_of: IntArray
    cut: CutPoints  # where the points of each cell are; other partitions' cells are empty
    scaling: Rescaling
    n_threads: int  # that share a search of it
    scales: FloatArray | None = None  # local scale of each row, once it is known
    votes: Any = None  # of each row, once it is fitted: scores, 1, and whether a label reached it

    @classmethod
    def of(cls, rows: Sequence[Any], cells: CellMap, n_threads: int) -> "Partition":
        """Put rows in the order of their cells, given user's numbers, rows and their cells."""
        order = np.lexsort((rows[0], rows[2]))
        vertices, points, cell_of = (column[order] for column in rows)
        starts = np.searchsorted(cell_of, np.arange(len(cells.centres) + 1))
        places, scaling = np.arange(len(points), dtype=np.int32), cells.scaling
        cut = CutPoints(scaling.restored(cells.centres), places, starts, 1 / (scaling.spread or 1.0))
        return cls(vertices, points, cell_of, cut, scaling, n_threads)

    def answer(self, query: PartitionQuery, k: int) -> Answer:
        """The `k` nearest own points of each row within the cells that it asks."""
        spare = k + SPARE_CANDIDATES
        found = nearest_in_cells(query.rows, query.cells, self.points, self.cut, spare, self.n_threads)
        distances = distances_to(query.rows, self.points, np.maximum(found, 0), self.n_threads)
        distances[found < 0] = np.inf
        numbers = np.where(found < 0, np.iinfo(self.vertices.dtype).max, self.vertices[found])
        order = np.lexsort((numbers, distances), axis=1)[:, :k]
        found, distances = np.take_along_axis(found, order, 1), np.take_along_axis(distances, order, 1)
        neighbors = np.where(found < 0, -1, self.vertices[found])
        scales = None if self.scales is None else self.scales[found]
        return Answer(query.places, neighbors, distances, scales)

    def true_neighbors(self, rows: FloatArray, k: int) -> tuple[FloatArray, IntArray]:
        """Distances and cells of the `k` nearest own points of each row, all of them compared."""
        k = min(k, len(self.points))
        found = flat_index(self.scaling.in_parts(self.points)).search(self.scaling(rows), k)[1]
        return distances_to(rows, self.points, found, self.n_threads), self.cell_of[found]


def merged(answers: Sequence[Answer], n_rows: int, k: int) -> Answer:
    """The `k` nearest of all candidates of each row; ties go to the smaller number."""
    columns = []
    for nothing, *parts in zip((-1, np.inf, 1.0), *(answer[1:] for answer in answers), strict=True):
        if parts[0] is not None:
            column = np.full((n_rows, k * len(parts)), nothing, dtype=parts[0].dtype)
            for first, answer, values in zip(count(0, k), answers, parts, strict=False):
                column[answer.places, first : first + values.shape[1]] = values
            columns.append(column)
    order = np.lexsort(columns[:2], axis=1)[:, :k]
    return Answer(np.arange(n_rows), *(np.take_along_axis(column, order, 1) for column in columns))


def build_graph(
    comm: Communicator,
    rows: list[FloatArray],
    first: int,
    n: int,
    counts: tuple[int, int],
    n_threads: int,
    progress: Progress,
) -> tuple[BlockGraph, CellMap, Partition, float]:
    """Link each row to its nearest rows, with locally scaled weights; and what new rows ask.

    `rows`, a list that is emptied, holds those of this worker, as they are compared; the first of them has
    the number `first`, of the `n` of all workers. Returned with the graph are the cells, the own rows and the
    smallest local scale.
    """
    progress("neighbours", None)
    k, recall, points = max(counts), 1.0, rows.pop()
    sample = _sample(comm, points, first, n, min(RECALL_SAMPLE, n), seed=1)
    cells, cell_of = _find_cells(comm, points, first, n)
    numbers = np.arange(first, first + len(points), dtype=index_dtype(n, 0))
    columns = comm.route(cells.owner[cell_of], numbers, points, cell_of)
    del points  # what is not needed any more counts, here and below
    partition = Partition.of(columns, cells, n_threads)
    del columns
    if n <= EXACT_UP_TO:
        cells = replace(cells, probes=len(cells.centres))
    else:
        cells, recall = _measured(comm, sample, cells, partition, k)
    progress("neighbours", 0.1)
    graph, scales, floor = _weighed(
        comm, partition, *_neighbors(comm, cells, partition, k, progress), n, counts
    )
    return replace(graph, recall_=recall), cells, replace(partition, scales=scales), floor


def _find_cells(comm: Communicator, points: FloatArray, first: int, n: int) -> tuple[CellMap, IntArray]:
    """Cells from a sample, grouped into partitions; and the cell of each row."""
    shape = points.shape[1]
    low = comm.allreduce(points.min(axis=0, initial=np.inf), np.minimum)
    high = comm.allreduce(points.max(axis=0, initial=-np.inf), np.maximum)
    check_points(float(high.max()), float(low.min()), bool((low != high).any()))
    center = comm.allreduce(points.sum(axis=0, dtype=np.float64)) / n
    scaling = Rescaling.within(low, high, center)
    n_cells = max(1, 2 ** round(np.log2(np.sqrt(n))))
    sample = _sample(comm, points, first, n, min(n, POINTS_PER_CELL * n_cells), seed=0)
    most = min(n_cells, MOST_CELLS, len(sample))
    centres = comm.broadcast(k_means(scaling(sample), most, seed=1234) if comm.rank == 0 else None)
    nobody = np.zeros(len(centres), dtype=np.int64)
    cells = CellMap(scaling, centres.reshape(-1, shape), nobody, nobody)
    cell_of = cells.nearest(points, 1)[:, 0]
    sizes = comm.allreduce(np.bincount(cell_of, minlength=len(centres)))
    owner = comm.broadcast(grouped(centres, sizes, comm.size))  # all send a row to the same worker
    rows_of = np.bincount(owner, sizes, minlength=comm.size)
    if not rows_of.all():
        raise FewerWorkersError(int((rows_of > 0).sum()))
    return replace(cells, owner=owner, sizes=sizes), cell_of


def _sample(comm: Communicator, points: FloatArray, first: int, n: int, size: int, seed: int) -> FloatArray:
    """Some rows of all workers, the same ones however the rows lie."""
    chosen = np.sort(np.random.default_rng(seed).choice(n, size, replace=False))
    here = chosen[(chosen >= first) & (chosen < first + len(points))] - first
    return np.concatenate(comm.gather(points[here]))


def _measured(
    comm: Communicator, rows: FloatArray, cells: CellMap, partition: Partition, k: int
) -> tuple[CellMap, float]:
    """Set how many cells a row asks so that a sample finds its true neighbours, and say what it finds."""
    true = comm.gather(partition.true_neighbors(rows, k + 1))
    distances, cell_of = (np.concatenate(part, axis=1) for part in zip(*true, strict=True))
    nearest = np.argsort(distances, axis=1, kind="stable")[:, : k + 1]
    order = cells.nearest(rows, len(cells.centres))
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(order.shape[1], dtype=order.dtype)[None, :], axis=1)
    needed = 1 + np.take_along_axis(rank, np.take_along_axis(cell_of, nearest, axis=1), axis=1)
    probes = comm.broadcast(min(max(enough_visits(needed), FIRST_PROBES), len(cells.centres)))
    return replace(cells, probes=probes), comm.broadcast(float((needed <= probes).mean()))


def _neighbors(
    comm: Communicator, cells: CellMap, partition: Partition, k: int, progress: Progress
) -> tuple[IntArray, FloatArray]:
    """The `k` nearest other rows of the rows of each partition, some rows at a time."""
    m = len(partition.points)
    neighbors, distances = np.empty((m, k), dtype=partition.vertices.dtype), np.empty((m, k))
    rounds = comm.allreduce(-(-m // ROWS_AT_ONCE), max)
    for number in range(rounds):
        heartbeat()
        part = slice(number * ROWS_AT_ONCE, (number + 1) * ROWS_AT_ONCE)
        points, vertices = partition.points[part], partition.vertices[part]
        asked = comm.each(cells.queries(points, comm.size, k + 1))
        found = merged(comm.each([partition.answer(query, k + 1) for query in asked]), len(points), k + 1)
        is_self = found.neighbors == vertices[:, None]
        is_self[~is_self.any(axis=1), -1] = True
        neighbors[part] = found.neighbors[~is_self].reshape(len(vertices), k)
        distances[part] = found.distances[~is_self].reshape(len(vertices), k)
        progress("neighbours", 0.1 + 0.9 * (number + 1) / rounds)
    if (neighbors < 0).any() or not np.isfinite(distances).all():
        raise ValueError(
            "X holds rows that cannot be compared, although it did not when they were checked; "
            "a block must hold the same finite values every time it is computed."
        )
    return neighbors, distances


def _weighed(
    comm: Communicator,
    partition: Partition,
    neighbors: IntArray,
    distances: FloatArray,
    n: int,
    counts: tuple[int, int],
) -> tuple[BlockGraph, FloatArray, float]:
    """Local scales, weights, and both directions of every edge, by exchange between the workers."""
    vertices, (width, scale_neighbor) = partition.vertices, counts
    scales, owner, place, m = np.empty(n), np.empty(n, np.int32), np.empty(n, np.int32), len(vertices)
    for rank, (numbers, own) in enumerate(comm.gather((vertices, distances[:, scale_neighbor - 1].copy()))):
        scales[numbers], owner[numbers], place[numbers] = own, rank, np.arange(len(numbers))
    np.maximum(scales, smallest_scale(scales), out=scales)
    own, weights = scales[vertices], np.empty((m, width), dtype=np.float32)  # as they are kept
    for first in range(0, m, ROWS_AT_ONCE):
        some = slice(first, first + ROWS_AT_ONCE)
        weights[some] = kernel(distances[some, :width], own[some, None], scales[neighbors[some, :width]])
    data, far = weights.ravel(), neighbors[:, :width].ravel()
    del neighbors, distances
    chosen = sparse.csr_array((data, far, np.arange(0, m * width + 1, width)), shape=(m, n))
    turns, parts = (place[far] // ROWS_AT_ONCE).astype(np.int16), []
    for turn in range(comm.allreduce(-(-m // ROWS_AT_ONCE), max)):
        now = np.flatnonzero(turns == turn)
        near, others, affinities = comm.route(owner[far[now]], far[now], vertices[now // width], data[now])
        start = turn * ROWS_AT_ONCE
        rows, places = chosen[start : start + ROWS_AT_ONCE], place[near] - start
        parts.append(rows.maximum(sparse.coo_array((affinities, (places, others)), shape=rows.shape).tocsr()))
    del chosen, data, far, turns, now, near, others, affinities, rows, places
    W = sparse.vstack(parts).tocsr()
    del parts
    W.sort_indices()
    graph = replace(BlockGraph.from_rows(comm, vertices, W), space=PartitionedPoints(comm, partition))
    return graph, own, float(scales.min())


@dataclass(frozen=True)
class PartitionedPoints:
    """Where bridges are searched among rows that lie on the workers: all of them ask the same."""

    comm: Communicator
    partition: Partition

    def rows_at(self, places: IntArray) -> FloatArray:
        """Return some of the rows."""
        here = np.flatnonzero(np.isin(self.partition.vertices, places))
        found = self.comm.gather((self.partition.vertices[here], self.partition.points[here]))
        numbers, rows = (np.concatenate(parts) for parts in zip(*found, strict=True))
        order = np.argsort(numbers)
        return np.asarray(rows[order[np.searchsorted(numbers[order], places)]])

    def nearest(
        self, rows: FloatArray, of: IntArray, groups: IntArray, *, inside: bool
    ) -> tuple[IntArray, FloatArray]:
        """Return the place and the distance of the nearest row inside, or outside, the group of each row."""
        order = np.argsort(self.partition.vertices)
        vertices, points = self.partition.vertices[order], PointSpace(self.partition.points[order])
        found, apart = points.nearest(rows, of, groups[vertices], inside=inside)
        own = np.where(found < 0, -1, vertices[found]), apart
        numbers, distances = (np.stack(parts) for parts in zip(*self.comm.gather(own), strict=True))
        best = np.lexsort((numbers, distances), axis=0)[:1]
        return np.take_along_axis(numbers, best, 0)[0], np.take_along_axis(distances, best, 0)[0]
