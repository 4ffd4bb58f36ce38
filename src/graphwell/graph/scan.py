"""The loops of the cell search: rows against cells, and against the points in them, by matrix products.

``|x - p|²`` is ``|x|² - 2 x p + |p|²``. Both are first taken relative to the centre of the cell, in double
precision: near neighbours have small differences, which single precision then holds well.
"""

import numpy as np
from numba import njit

from graphwell._types import FloatArray, IntArray
from graphwell.graph.compiled import compiled, inner
from graphwell.graph.lanes import LANES, at_most, lowest_bit, places_at_most

ROWS_AT_ONCE = 256
POINTS_AT_ONCE = 256


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


@inner
def _insert(value: float, index: int, values: FloatArray, indices: IntArray) -> None:
    """Put a value into its place among ascending ones; the largest is dropped."""
    place = len(values) - 1
    while place > 0 and values[place - 1] > value:
        values[place], indices[place] = values[place - 1], indices[place - 1]
        place -= 1
    values[place], indices[place] = value, index


@compiled(nogil=True)
def nearest_cells(
    rows: FloatArray, centroids: FloatArray, scale: float, n_considered: int, out: IntArray
) -> None:
    """Write the cells whose centroids are nearest to each row into `out`, the nearest of all first.

    Rows that follow each other should be near each other. They are taken in groups, relative to the first;
    only the cells nearest to their mean are considered.
    """
    m, d = rows.shape
    everything, considered = np.arange(max(m, len(centroids))), np.arange(n_considered)
    b, lengths = np.empty((len(centroids), d), np.float32), np.empty(len(centroids), np.float32)
    a, norms = np.empty((ROWS_AT_ONCE, d), np.float32), np.empty(ROWS_AT_ONCE, np.float32)
    space = np.empty((ROWS_AT_ONCE, n_considered), np.float32)
    likely, found = np.arange(out.shape[1]), np.empty(out.shape[1], np.int64)
    centre = np.empty(d)
    for first in range(0, m, ROWS_AT_ONCE):
        count = min(ROWS_AT_ONCE, m - first)
        if n_considered < len(centroids):
            for c in range(d):
                centre[c] = 0
                for i in range(first, first + count):
                    centre[c] += rows[i, c] / count
            _about_centre(centroids, everything[: len(centroids)], centre, scale, b, lengths)
            apart = np.zeros_like(lengths)  # about the mean, lengths are the squared distances
            _from_products(apart, lengths)
            _choose_least(apart, considered.copy(), considered)
        for c in range(d):
            centre[c] = rows[first, c]
        _about_centre(centroids, considered, centre, scale, b, lengths)
        _about_centre(rows, everything[first : first + count], centre, scale, a, norms)
        np.dot(a[:count], b[:n_considered].T, space[:count])
        for i in range(count):
            values = space[i]
            _from_products(values, lengths)
            _choose_least(values, likely, found)
            for place in range(len(likely)):
                likely[place] = found[place]
                out[first + i, place] = considered[found[place]]


@inner
def _from_products(products: FloatArray, lengths: FloatArray) -> None:
    """Turn products of a row with points of these lengths into squared distances, less its own length.

    What is no number becomes infinite: rows may be written into while they are compared.
    """
    two, infinite = np.float32(2), np.float32(np.inf)
    for place in range(len(products)):
        apart = lengths[place] - two * products[place]
        products[place] = apart if apart < infinite else infinite


@inner
def _choose_least(values: FloatArray, likely: IntArray, out: IntArray) -> None:
    """Write the places of the least values into `out`, that of the very least first.

    `likely` are as many places; the closer to the answer, the faster.
    """
    bound = values[likely[0]]
    for place in likely:
        bound = max(bound, values[place])
    places = np.empty(len(values), np.int32)
    count = places_at_most(values, bound, places)
    within = values[places[:count]]
    limit, ties = _nth_least(within.copy(), len(out)), len(out)
    for j in range(count):
        ties -= within[j] < limit
    chosen, least = 0, 0
    for j in range(count):
        tie = within[j] == limit and ties > 0
        if within[j] < limit or tie:
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

    -1 stands for no cell and no point.

    The points of cell `c` are ``order[starts[c] : starts[c + 1]]``. The first cell that a row visits should
    be the nearest: most of its neighbours are there, and what is farther can then be passed over.
    """
    d = rows.shape[1]
    a, norms = np.empty((ROWS_AT_ONCE, d), np.float32), np.empty(ROWS_AT_ONCE, np.float32)
    b, lengths = np.empty((POINTS_AT_ONCE, d), np.float32), np.empty(POINTS_AT_ONCE, np.float32)
    space = np.empty(ROWS_AT_ONCE * POINTS_AT_ONCE, np.float32)
    least = np.full(nearest.shape, np.inf, np.float32)
    nearest[:] = -1
    for visits_now in (visits[:, :1], visits[:, 1:]):
        by_cell, visitors = _visitors(visits_now, len(centroids))
        for cell in range(len(centroids)):
            here = visitors[by_cell[cell] : by_cell[cell + 1]]
            for first_point in range(starts[cell], starts[cell + 1] if len(here) else 0, POINTS_AT_ONCE):
                members = order[first_point : min(starts[cell + 1], first_point + POINTS_AT_ONCE)]
                _about_centre(points, members, centroids[cell], scale, b, lengths)
                width = -(-len(members) // LANES) * LANES  # products of odd widths take longer
                b[len(members) : width], lengths[len(members) : width] = 0, np.inf
                for first in range(0, len(here), ROWS_AT_ONCE):
                    some = here[first : first + ROWS_AT_ONCE]
                    _about_centre(rows, some, centroids[cell], scale, a, norms)
                    products = space[: len(some) * width].reshape(len(some), width)
                    np.dot(a[: len(some)], b[:width].T, products)
                    _keep_nearest(products, norms, lengths, members, some, least, nearest)


@inner
def _visitors(visits: IntArray, n_cells: int) -> tuple[IntArray, IntArray]:
    """Rows that visit each cell, one after the other, and where each cell's begin."""
    begins = np.zeros(n_cells + 1, np.int64)
    for row in range(len(visits)):
        for cell in visits[row]:
            if cell >= 0:
                begins[cell + 1] += 1
    for cell in range(n_cells):
        begins[cell + 1] += begins[cell]
    place = begins.copy()
    visitors = np.empty(visits.size, np.int32)
    for row in range(len(visits)):
        for cell in visits[row]:
            if cell >= 0:
                visitors[place[cell]] = row
                place[cell] += 1
    return begins, visitors


@inner
def _keep_nearest(
    products: FloatArray,
    norms: FloatArray,
    lengths: FloatArray,
    members: IntArray,
    rows: IntArray,
    least: FloatArray,
    nearest: IntArray,
) -> None:
    """Put points into the lists of rows that they are near to; the products become squared distances."""
    for i in range(len(rows)):
        apart, values, indices = products[i], least[rows[i]], nearest[rows[i]]
        _from_products(apart, lengths)
        limit = values[-1] - norms[i]
        for first in range(0, len(apart), LANES):
            near = at_most(apart, first, limit)
            while near:
                j = first + lowest_bit(near)
                near &= near - 1
                if apart[j] < limit:
                    _insert(apart[j] + norms[i], members[j], values, indices)
                    limit = values[-1] - norms[i]
