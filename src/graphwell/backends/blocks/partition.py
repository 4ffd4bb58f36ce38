"""A partition of the rows on its worker, and the search of the cells in it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.blocks.cells import CellMap
from graphwell.backends.blocks.rows import Chosen, narrow
from graphwell.graph.cells import SPARE_CANDIDATES, CutPoints, flat_index
from graphwell.graph.components import PointSpace
from graphwell.graph.knn import Scaling
from graphwell.graph.scan import distances_to
from graphwell.graph.weights import kernel, smallest_scale

ROWS_AT_ONCE = 65_536
"""Rows that are searched by one task: it bounds the memory of their candidates."""
CellSearch = Callable[[FloatArray, IntArray, FloatArray, CutPoints, int, int], IntArray]
"""Like `graphwell.graph.cells.nearest_in_cells`, on some device of the worker."""


class Query(NamedTuple):
    """Rows that ask one partition: their places among those that ask, the rows, and the cells they ask."""

    places: IntArray
    rows: FloatArray
    cells: IntArray


class Answer(NamedTuple):
    """Candidates of the rows of a query: user's numbers (-1 for none), positions, distances."""

    places: IntArray
    neighbors: IntArray
    positions: IntArray
    distances: FloatArray


@dataclass(frozen=True)
class Partition:
    """Rows of neighbouring cells, ordered by cell.

    Attributes
    ----------
    number : int
    start : int
        Position of its first row.
    vertices : array of shape (m,)
        The user's numbers.
    points : array of shape (m, d)
    cell_of : array of shape (m,)
    cut : graphwell.graph.cells.CutPoints
        Where the points of each cell are; other partitions' cells are empty.
    scaling : Scaling
    n_threads : int
        Threads that share a search of it.
    nearest_in_cells : callable
        Searches it.
    """

    number: int
    start: int
    vertices: IntArray
    points: FloatArray
    cell_of: IntArray
    cut: CutPoints
    scaling: Scaling
    n_threads: int
    nearest_in_cells: CellSearch

    def answer(self, query: Query, k: int) -> Answer:
        """The `k` nearest own points of each row within the cells that it asks."""
        found, distances = self._nearest(query.rows, query.cells, k)
        missing = found < 0
        neighbors = np.where(missing, -1, self.vertices[found])
        positions = np.where(missing, -1, found.astype(np.int64) + self.start)
        return Answer(query.places, neighbors, positions.astype(_smallest_of(positions)), distances)

    def _nearest(self, rows: FloatArray, cells: IntArray, k: int) -> tuple[IntArray, FloatArray]:
        n_threads, spare = self.n_threads, k + SPARE_CANDIDATES
        found = self.nearest_in_cells(rows, cells, self.points, self.cut, spare, n_threads)
        distances = distances_to(rows, self.points, np.maximum(found, 0), n_threads)
        distances[found < 0] = np.inf
        numbers = np.where(found < 0, np.iinfo(self.vertices.dtype).max, self.vertices[found])
        order = np.lexsort((numbers, distances), axis=1)[:, :k]
        return np.take_along_axis(found, order, 1), np.take_along_axis(distances, order, 1)


def _smallest_of(numbers: IntArray) -> Any:
    """The type of few bytes that holds the numbers of vertices: rows keep some for each neighbour."""
    return np.int32 if numbers.max(initial=0) < 2**31 else np.int64


def own_vertices(partition: Partition, n: int) -> IntArray:
    """The user's numbers of the rows of a partition, of `n` rows in all, in few bytes."""
    return narrow(partition.vertices, n)


def own_groups(partition: Partition, group_of: IntArray) -> IntArray:
    """Group of each row of a partition, given that of each cell."""
    return group_of[partition.cell_of]


def make_partition(
    received: Sequence[tuple[Any, ...]],
    number: int,
    start: int,
    cells: CellMap,
    n_threads: int,
    nearest_in_cells: CellSearch,
) -> Partition:
    """Put the rows of a partition in the order of their cells, and index them."""
    vertices, points, cell_of = (np.concatenate(parts) for parts in zip(*received, strict=True))
    vertices = vertices.astype(_smallest_of(vertices), copy=False)
    order = np.lexsort((vertices, cell_of))
    vertices, points, cell_of = vertices[order], points[order], cell_of[order]
    starts = np.searchsorted(cell_of, np.arange(len(cells.centres) + 1))
    places = np.arange(len(points), dtype=np.int32)
    scaling = cells.scaling
    cut = CutPoints(scaling.restored(cells.centres), places, starts, 1 / (scaling.spread or 1.0))
    return Partition(number, start, vertices, points, cell_of, cut, scaling, n_threads, nearest_in_cells)


def queries(rows: FloatArray, cells: CellMap, n_partitions: int, k: int) -> list[Query]:
    """What these rows ask of each partition."""
    asked = cells.asked(rows, k)
    owner = np.where(asked < 0, -1, cells.owner[asked])
    found = []
    for q in range(n_partitions):
        places = np.flatnonzero((owner == q).any(axis=1))
        of_q = np.where(owner[places] == q, asked[places], -1)
        found.append(Query(places, rows[places], of_q))
    return found


def own_queries(partition: Partition, part: slice, cells: CellMap, n_partitions: int, k: int) -> list[Query]:
    """What some rows of a partition ask of each partition."""
    return queries(partition.points[part], cells, n_partitions, k)


def merged(answers: Sequence[Answer], n_rows: int, k: int) -> Answer:
    """The `k` nearest of all candidates of each row; ties go to the smaller number."""
    width = k * len(answers)
    neighbors = np.full((n_rows, width), -1, dtype=np.result_type(*(a.neighbors for a in answers)))
    positions = np.full((n_rows, width), -1, dtype=np.result_type(*(a.positions for a in answers)))
    distances = np.full((n_rows, width), np.inf)
    for number, found in enumerate(answers):
        columns = slice(k * number, k * number + found.neighbors.shape[1])
        neighbors[found.places, columns] = found.neighbors
        positions[found.places, columns] = found.positions
        distances[found.places, columns] = found.distances
    order = np.lexsort((neighbors, distances), axis=1)[:, :k]
    parts = (np.take_along_axis(values, order, 1) for values in (neighbors, positions, distances))
    return Answer(np.arange(n_rows), *parts)


def others(answers: Sequence[Answer], partition: Partition, part: slice, k: int) -> Answer:
    """The `k` nearest other rows of some rows of a partition: each is removed from its own list."""
    vertices = partition.vertices[part]
    found = merged(answers, len(vertices), k + 1)
    is_self = found.neighbors == vertices[:, None]
    is_self[~is_self.any(axis=1), -1] = True
    shape = (len(vertices), k)
    return Answer(found.places, *(values[~is_self].reshape(shape) for values in found[1:]))


def raw_scales(parts: Sequence[Answer], scale_neighbor: int) -> FloatArray:
    """Distance of each row to its `scale_neighbor`-th neighbour."""
    return np.concatenate([part.distances[:, scale_neighbor - 1] for part in parts])


def floored_scales(raw: Sequence[FloatArray]) -> FloatArray:
    """Local scales of the rows of all partitions, by position: duplicates have the smallest."""
    scales = np.concatenate(raw)
    return np.maximum(scales, smallest_scale(scales), out=scales)


def chosen(parts: Sequence[Answer], partition: Partition, scales: FloatArray, n_neighbors: int) -> Chosen:
    """The neighbours that the rows of a partition chose; `scales` are those of all rows, by position."""
    neighbors, positions, distances = (
        np.concatenate([part[column][:, :n_neighbors] for part in parts]) for column in (1, 2, 3)
    )
    if (neighbors < 0).any() or not np.isfinite(distances).all():
        raise ValueError(
            "X holds rows that cannot be compared, although it did not when they were checked; "
            "a block must hold the same finite values every time it is computed."
        )
    own = scales[partition.start : partition.start + len(partition.vertices), None]
    weights = kernel(distances, own, scales[positions]).astype(np.float32)  # as they are kept
    return Chosen(partition.vertices, neighbors, positions, weights)


def true_neighbors(partition: Partition, rows: FloatArray, k: int) -> tuple[FloatArray, IntArray]:
    """Distances and cells of the `k` nearest own points of each row, all of them compared."""
    k = min(k, len(partition.points))
    scaling = partition.scaling
    found = flat_index(scaling(partition.points)).search(scaling(rows), k)[1]
    return distances_to(rows, partition.points, found, partition.n_threads), partition.cell_of[found]


def points_at(partition: Partition, places: IntArray) -> FloatArray:
    """Some of its rows."""
    return partition.points[places]


def nearest_own(
    partition: Partition, groups: IntArray, asked: tuple[FloatArray, IntArray], inside: bool
) -> tuple[IntArray, FloatArray]:
    """The nearest own row of each row that asks, the first of equals in the user's order."""
    rows, of = asked
    order = np.argsort(partition.vertices)
    found, apart = PointSpace(partition.points[order]).nearest(rows, of, groups[order], inside=inside)
    return np.where(found < 0, -1, partition.vertices[order][found]), apart
