"""The loops of the search: rows against cells, against the points in them, and against chosen points.

``|x - p|²`` is ``|x|² - 2 x p + |p|²``. Both are first taken relative to the centre of the cell, in double
precision: near neighbours have small differences, which single precision then holds well. The distances
of the neighbours that are found are taken anew from the rows themselves.
"""

import numpy as np

from graphwell._threads import ThreadPool
from graphwell._types import FloatArray, IntArray
from graphwell.graph.compiled import (
    LANES,
    TILE_POINTS,
    TILE_ROWS,
    at_most,
    compare_tile,
    compiled,
    inner,
    inner_fast,
    lowest_bit,
    pack,
)

ROWS_AT_ONCE = 256
POINTS_AT_ONCE = 512


@inner_fast
def _about_centre(
    points: FloatArray, chosen: IntArray, centre: FloatArray, scale: float, out: FloatArray, norms: FloatArray
) -> None:
    """Write the chosen points relative to a centre, and their squared lengths."""
    for i in range(len(chosen)):
        point, total = points[chosen[i]], np.float32(0)
        for c in range(len(centre)):
            value = np.float32((point[c] - centre[c]) * scale)
            out[i, c] = value
            total += value * value
        norms[i] = total


@compiled(nogil=True)
def nearest_cells(
    rows: FloatArray, centroids: FloatArray, scale: float, considered: IntArray, out: IntArray
) -> None:
    """Write the cells nearest to each row into `out`, nearest first, out of those that are considered.

    All is taken relative to the first row: the rows should be near each other.
    """
    (m, d), count, centre = rows.shape, len(considered), rows[0].astype(np.float64)
    width, everything = -(-count // LANES) * LANES, np.arange(m).astype(np.int32)
    a, norms = np.zeros((m + TILE_ROWS, d), np.float32), np.zeros(m, np.float32)
    b, lengths = np.zeros((count, d), np.float32), np.zeros(width, np.float32)
    packed = np.empty((width // TILE_POINTS, d, TILE_POINTS), np.float32)
    apart, least = np.empty((TILE_ROWS, width), np.float32), np.empty(out.shape[1], np.float32)
    _about_centre(centroids, considered, centre, scale, b, lengths)
    _about_centre(rows, everything, centre, scale, a, norms)
    n_blocks = pack(b, count, packed, lengths) // TILE_POINTS
    for i in range(m):
        if i % TILE_ROWS == 0:
            for block in range(n_blocks):
                compare_tile(a, i, packed, block, lengths, apart)
        least[:], out[i] = np.inf, considered[0]  # what is no number is near to none
        _keep_nearest(apart[i % TILE_ROWS], norms[i], considered, least, out[i])


@compiled(nogil=True)
def scan_cells(
    rows: FloatArray,
    visits: IntArray,
    points: FloatArray,
    order: IntArray,
    starts: IntArray,
    centroids: FloatArray,
    scale: float,
    nearest: IntArray,
) -> None:
    """Write the points nearest to each row among those of the cells it visits, nearest first.

    -1 stands for no cell and no point. The points of cell `c` are ``order[starts[c] : starts[c + 1]]``. The
    first cell that a row visits should be the nearest: most of its neighbours are there, and what is farther
    can then be passed over.
    """
    (n_cells, d), k = centroids.shape, nearest.shape[1]
    least = np.full((len(rows), k), np.inf, np.float32)
    nearest[:] = -1
    a, norms = np.zeros((ROWS_AT_ONCE + TILE_ROWS, d), np.float32), np.zeros(ROWS_AT_ONCE, np.float32)
    b, lengths = np.zeros((POINTS_AT_ONCE, d), np.float32), np.zeros(POINTS_AT_ONCE, np.float32)
    packed = np.empty((POINTS_AT_ONCE // TILE_POINTS, d, TILE_POINTS), np.float32)
    apart = np.empty((TILE_ROWS, POINTS_AT_ONCE), np.float32)
    begins, visitors = np.empty((2, n_cells + 1), np.int64), np.empty(visits.size, np.int32)
    # The nearest cell of every row first: what is found there is a bound by which most other points are left
    # out.
    for first_visit, last_visit in ((0, 1), (1, visits.shape[1])):
        _find_visitors(visits, first_visit, last_visit, begins, visitors)
        for cell in range(n_cells):
            here, centre = visitors[begins[0, cell] : begins[0, cell + 1]], centroids[cell]
            for first_point in range(starts[cell], starts[cell + 1] if len(here) else 0, POINTS_AT_ONCE):
                members = order[first_point : min(starts[cell + 1], first_point + POINTS_AT_ONCE)]
                _about_centre(points, members, centre, scale, b, lengths)
                width = pack(b, len(members), packed, lengths)
                for first in range(0, len(here), ROWS_AT_ONCE):
                    some = here[first : first + ROWS_AT_ONCE]
                    _about_centre(rows, some, centre, scale, a, norms)
                    for i in range(len(some)):
                        if i % TILE_ROWS == 0:
                            for block in range(width // TILE_POINTS):
                                compare_tile(a, i, packed, block, lengths, apart)
                        values = apart[i % TILE_ROWS, :width]
                        _keep_nearest(values, norms[i], members, least[some[i]], nearest[some[i]])


@inner
def _find_visitors(visits: IntArray, first: int, last: int, begins: IntArray, visitors: IntArray) -> None:
    """Write the rows that visit each cell, one after the other, and where each cell's begin."""
    # The second row of `begins` is room.
    begin, place, n_cells = begins[0], begins[1], begins.shape[1] - 1
    place[:] = 0
    for row in range(len(visits)):
        for visit in range(first, last):
            if visits[row, visit] >= 0:
                place[visits[row, visit]] += 1
    begin[0] = 0
    for cell in range(n_cells):
        begin[cell + 1] = begin[cell] + place[cell]
        place[cell] = begin[cell]
    for row in range(len(visits)):
        for visit in range(first, last):
            cell = visits[row, visit]
            if cell >= 0:
                visitors[place[cell]] = row
                place[cell] += 1


@inner
def _keep_nearest(
    apart: FloatArray, norm: float, members: IntArray, values: FloatArray, names: IntArray
) -> None:
    """Insert points into the sorted list of a row where they are nearer than the last of it."""
    # `apart` are squared distances less the squared length `norm` of the row, a multiple of `LANES` of
    # them.
    last = len(values) - 1
    limit = values[last] - norm
    for first in range(0, len(apart), LANES):
        near = at_most(apart, first, limit)
        while near:
            j = first + lowest_bit(near)
            near &= near - 1
            if apart[j] < limit:
                value, place = apart[j] + norm, last
                while place > 0 and values[place - 1] > value:
                    values[place], names[place] = values[place - 1], names[place - 1]
                    place -= 1
                values[place], names[place] = value, members[j]
                limit = values[last] - norm


def nearest_first(
    rows: FloatArray, points: FloatArray, candidates: IntArray, k: int, n_threads: int
) -> tuple[IntArray, FloatArray]:
    """The `k` nearest of the points listed for each row, in order, and their Euclidean distances.

    Searches find candidates in single precision. Their distances are taken anew from the rows themselves, so
    that duplicates lie at distance zero and features far from the origin lose nothing.
    """
    indices = np.empty((len(rows), k), dtype=candidates.dtype)
    distances = np.empty((len(rows), k))
    pool = ThreadPool(min(n_threads, 1 + candidates.size // 100_000))
    pool.share(len(rows), lambda *some: _nearest_first(*some, rows, points, candidates, indices, distances))
    return indices, distances


@compiled(nogil=True)
def _nearest_first(
    first: int,
    last: int,
    rows: FloatArray,
    points: FloatArray,
    candidates: IntArray,
    indices: IntArray,
    distances: FloatArray,
) -> None:
    k = indices.shape[1]
    for i in range(first, last):
        for count in range(candidates.shape[1]):
            j = candidates[i, count]
            total = squared_distance(rows[i], points[j])
            place = min(count, k)
            while place > 0 and distances[i, place - 1] > total:
                place -= 1
                if place + 1 < k:
                    distances[i, place + 1], indices[i, place + 1] = distances[i, place], indices[i, place]
            if place < k:
                distances[i, place], indices[i, place] = total, j
        for place in range(k):
            distances[i, place] = np.sqrt(distances[i, place])


def distances_to(rows: FloatArray, points: FloatArray, indices: IntArray, n_threads: int) -> FloatArray:
    """Euclidean distances of each row to the points listed for it."""
    out = np.empty(indices.shape)
    pool = ThreadPool(min(n_threads, 1 + indices.size // 100_000))
    pool.share(len(rows), lambda *some: _distances(*some, rows, points, indices, out))
    return out


@compiled(nogil=True)
def _distances(
    first: int, last: int, rows: FloatArray, points: FloatArray, indices: IntArray, out: FloatArray
) -> None:
    for i in range(first, last):
        for k in range(indices.shape[1]):
            out[i, k] = np.sqrt(squared_distance(rows[i], points[indices[i, k]]))


@inner
def squared_distance(row: FloatArray, point: FloatArray) -> float:
    """Of a row and a point, in double precision."""
    total = 0.0
    for c in range(len(row)):
        difference = np.float64(row[c]) - np.float64(point[c])
        total += difference * difference
    return total
