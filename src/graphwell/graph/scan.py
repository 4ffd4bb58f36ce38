"""The loops of the search: rows against cells, against the points in them, and against chosen points.

``|x - p|²`` is ``|x|² - 2 x p + |p|²``. Both are first taken relative to the centre of the cell, in double
precision: near neighbours have small differences, which single precision then holds well. The distances
of the neighbours that are found are taken anew from the rows themselves.

Kernels allocate nothing, which takes long to compile: plain functions make the room that they need.
"""

import numpy as np
from numba import njit

from graphwell._threads import ThreadPool
from graphwell._types import FloatArray, IntArray
from graphwell.graph.compiled import (
    INSERTED,
    LANES,
    TILE_POINTS,
    TILE_ROWS,
    at_most,
    compare_tile,
    compiled,
    inner,
    insert,
    lowest_bit,
    pack,
    places_at_most,
    seen,
)

ROWS_AT_ONCE = 256
POINTS_AT_ONCE = 512


@njit(nogil=True, fastmath=True)
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


def nearest_cells(
    rows: FloatArray, centroids: FloatArray, scale: float, n_considered: int, out: IntArray
) -> None:
    """Write the cells whose centroids are nearest to each row into `out`, the nearest of all first.

    Rows that follow each other should be near each other. They are taken in groups, relative to the first;
    only the cells nearest to their mean are considered.
    """
    n_cells, d = centroids.shape
    width = -(-n_cells // LANES) * LANES
    sizes = (max(len(rows), n_cells), n_considered, out.shape[1])
    numbers = [np.arange(size, dtype=np.int32) for size in sizes]
    found, places = np.empty(out.shape[1], np.int32), np.empty(n_cells, np.int32)
    row_room = _room(ROWS_AT_ONCE + TILE_ROWS, d)
    apart, within = np.empty((TILE_ROWS, width), np.float32), np.empty((2, n_cells), np.float32)
    room = (np.empty(d), *row_room, *_packed_room(width, d), apart, found, places, within)
    _nearest_cells(seen(rows), seen(centroids), float(scale), *numbers, *room, out)


def _room(count: int, d: int) -> tuple[FloatArray, FloatArray]:
    """Room for so many points relative to a centre, and for their squared lengths."""
    return np.zeros((count, d), np.float32), np.zeros(count, np.float32)


def _packed_room(count: int, d: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The same, and room for the points as tiles read them."""
    return *_room(count, d), np.empty((count // TILE_POINTS, d, TILE_POINTS), np.float32)


@compiled(nogil=True)
def _nearest_cells(
    rows: FloatArray,
    centroids: FloatArray,
    scale: float,
    everything: IntArray,
    considered: IntArray,
    likely: IntArray,
    centre: FloatArray,
    a: FloatArray,
    norms: FloatArray,
    b: FloatArray,
    lengths: FloatArray,
    packed: FloatArray,
    apart: FloatArray,
    found: IntArray,
    places: IntArray,
    within: FloatArray,
    out: IntArray,
) -> None:
    (m, d), n_cells, n_considered = rows.shape, len(centroids), len(considered)
    for first in range(0, m, ROWS_AT_ONCE):
        count = min(ROWS_AT_ONCE, m - first)
        if n_considered < n_cells:
            for c in range(d):
                centre[c] = 0
                for i in range(first, first + count):
                    centre[c] += rows[i, c] / count
            _about_centre(centroids, everything[:n_cells], centre, scale, b, lengths)
            values = apart[0, :n_cells]
            for cell in range(n_cells):  # about the mean, lengths are the squared distances
                values[cell] = lengths[cell] if lengths[cell] < np.inf else np.inf
            _choose_least(values, considered, considered, places, within)
        for c in range(d):
            centre[c] = rows[first, c]
        _about_centre(centroids, considered, centre, scale, b, lengths)
        _about_centre(rows, everything[first : first + count], centre, scale, a, norms)
        n_blocks = pack(b, n_considered, packed, lengths) // TILE_POINTS
        for i in range(count):
            if i % TILE_ROWS == 0:
                for block in range(n_blocks):
                    compare_tile(a, i, packed, block, lengths, apart)
            _choose_least(apart[i % TILE_ROWS, :n_considered], likely, found, places, within)
            for place in range(len(likely)):
                likely[place] = found[place]
                out[first + i, place] = considered[found[place]]


@inner
def _choose_least(
    values: FloatArray, likely: IntArray, out: IntArray, places: IntArray, within: FloatArray
) -> None:
    """Write the places of the least values into `out`, that of the very least first.

    `likely` are as many places; the closer to the answer, the faster. `places`, and both rows of `within`,
    are room for as many as there are values.
    """
    bound = values[likely[0]]
    for place in likely:
        bound = max(bound, values[place])
    count = places_at_most(values, bound, places)
    for j in range(count):
        within[0, j] = within[1, j] = values[places[j]]
    limit, ties = _nth_least(within[1, :count], len(out)), len(out)
    for j in range(count):
        ties -= within[0, j] < limit
    chosen, least = 0, 0
    for j in range(count):
        tie = within[0, j] == limit and ties > 0
        if within[0, j] < limit or tie:
            ties -= tie
            out[chosen] = places[j]
            if values[places[j]] < values[out[least]]:
                least = chosen
            chosen += 1
    out[0], out[least] = out[least], out[0]


@inner
def _nth_least(values: FloatArray, n: int) -> float:
    """The `n`-th least value, by quickselect; the values are moved around."""
    low, high = 0, len(values) - 1
    while low < high:
        pivot, i, j = values[(low + high) // 2], low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i, j = i + 1, j - 1
        if n - 1 <= j:
            high = j
        elif n - 1 >= i:
            low = i
        else:
            break
    return values[n - 1]


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

    -1 stands for no cell and no point.

    The points of cell `c` are ``order[starts[c] : starts[c + 1]]``. The first cell that a row visits should
    be the nearest: most of its neighbours are there, and what is farther can then be passed over.
    """
    n_cells, d = centroids.shape
    k = nearest.shape[1]
    kept = (len(rows), 1 + -(-k // INSERTED) * INSERTED)  # the first is lower than all, as `insert` wants it
    least, names = np.full(kept, np.inf, np.float32), np.full(kept, -1, nearest.dtype)
    least[:, 0] = -np.inf
    begins, visitors = np.empty((2, n_cells + 1), np.int64), np.empty(visits.size, np.int32)
    apart = np.empty((TILE_ROWS, POINTS_AT_ONCE), np.float32)
    room = (
        *_room(ROWS_AT_ONCE + TILE_ROWS, d),
        *_packed_room(POINTS_AT_ONCE, d),
        apart,
        begins,
        visitors,
        least,
        names,
    )
    cells = (seen(points), order, seen(starts), centroids, float(scale))
    for first, last in ((0, 1), (1, visits.shape[1])):
        _scan_cells(seen(rows), seen(visits), first, last, *cells, *room, k)
    nearest[:] = names[:, 1 : k + 1]


@compiled(nogil=True)
def _scan_cells(
    rows: FloatArray,
    visits: IntArray,
    first_visit: int,
    last_visit: int,
    points: FloatArray,
    order: IntArray,
    starts: IntArray,
    centroids: FloatArray,
    scale: float,
    a: FloatArray,
    norms: FloatArray,
    b: FloatArray,
    lengths: FloatArray,
    packed: FloatArray,
    apart: FloatArray,
    begins: IntArray,
    visitors: IntArray,
    least: FloatArray,
    names: IntArray,
    k: int,
) -> None:
    """Go over some of the visits of all rows, cell by cell."""
    _find_visitors(visits, first_visit, last_visit, begins, visitors)
    for cell in range(len(centroids)):
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
                    _keep_nearest(values, norms[i], members, k, least[some[i]], names[some[i]])


@inner
def _find_visitors(visits: IntArray, first: int, last: int, begins: IntArray, visitors: IntArray) -> None:
    """Write the rows that visit each cell, one after the other, and where each cell's begin.

    The second row of `begins` is room.
    """
    begin, place, n_cells = begins[0], begins[1], begins.shape[1] - 1
    for cell in range(n_cells):
        place[cell] = 0
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
    apart: FloatArray, norm: float, members: IntArray, k: int, values: FloatArray, names: IntArray
) -> None:
    """Put points into the list of a row if they are nearer than the `k`-th there.

    `apart` are squared distances less the squared length `norm` of the row, a multiple of `LANES` of them.
    """
    limit = values[k] - norm
    for first in range(0, len(apart), LANES):
        near = at_most(apart, first, limit)
        while near:
            j = first + lowest_bit(near)
            near &= near - 1
            if apart[j] < limit:
                insert(values, names, apart[j] + norm, members[j])
                limit = values[k] - norm


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
