"""Compiled loops over lists of neighbours: lists made symmetric, and the parts of a graph."""

import numpy as np
from numba import njit

from graphwell._types import FloatArray, IntArray
from graphwell.graph.compiled import compiled

SHORT = 64
"""Rows of at most so many entries are sorted by insertion."""


@compiled(nogil=True)
def count_both_ways(indices: IntArray, counts: IntArray) -> None:
    """Add to `counts` the neighbours of each vertex, if vertices are joined where either chose the other."""
    for i in range(len(indices)):
        for j in indices[i]:
            counts[i] += 1
            if _place(indices[j], i) < 0:
                counts[j] += 1


@compiled(nogil=True)
def fill_both_ways(
    indices: IntArray,
    weights: FloatArray,
    starts: IntArray,
    following: IntArray,
    columns: IntArray,
    values: FloatArray,
) -> None:
    """Write the neighbours of each vertex in order; where both chose each other, the larger weight.

    Row `i` begins at ``starts[i]``; `following` is a copy of `starts` to count with.
    """
    for i in range(len(indices)):
        for place in range(indices.shape[1]):
            j, weight = indices[i, place], weights[i, place]
            back = _place(indices[j], i)
            if back < 0:
                columns[following[j]], values[following[j]] = i, weight
                following[j] += 1
            else:
                weight = max(weight, weights[j, back])
            columns[following[i]], values[following[i]] = j, weight
            following[i] += 1
    for i in range(len(indices)):
        row = slice(starts[i], starts[i + 1])
        _sort(columns[row], values[row])


@njit(nogil=True)
def _place(row: IntArray, wanted: int) -> int:
    for place in range(len(row)):
        if row[place] == wanted:
            return place
    return -1


@njit(nogil=True)
def _sort(columns: IntArray, values: FloatArray) -> None:
    """Sort entries by column, in place."""
    if len(columns) > SHORT:
        order = np.argsort(columns)
        columns[:], values[:] = columns[order], values[order]
        return
    for end in range(1, len(columns)):
        column, value, place = columns[end], values[end], end
        while place > 0 and columns[place - 1] > column:
            columns[place], values[place] = columns[place - 1], values[place - 1]
            place -= 1
        columns[place], values[place] = column, value


@compiled(nogil=True)
def number_parts(starts: IntArray, columns: IntArray, numbers: IntArray) -> int:
    """Write the number of each vertex's part, in the order in which parts are met; return how many there are.

    `columns` must name every edge from both ends, `numbers` be negative.
    """
    waiting, count = np.empty(len(numbers), columns.dtype), 0
    for vertex in range(len(numbers)):
        if numbers[vertex] >= 0:
            continue
        numbers[vertex], waiting[0], left = count, vertex, 1
        while left:
            left -= 1
            here = waiting[left]
            for entry in range(starts[here], starts[here + 1]):
                there = columns[entry]
                if numbers[there] < 0:
                    numbers[there], waiting[left] = count, there
                    left += 1
        count += 1
    return count
