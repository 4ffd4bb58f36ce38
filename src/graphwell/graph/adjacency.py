"""Compiled loops over lists of neighbours: lists made symmetric, and the parts of a graph."""

from typing import Any

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
        sort_entries(columns[row], values[row])


@njit(nogil=True)
def _place(row: IntArray, wanted: int) -> int:
    for place in range(len(row)):
        if row[place] == wanted:
            return place
    return -1


@njit(nogil=True)
def sort_entries(columns: IntArray, values: Any) -> None:
    """Sort entries by column, in place: few by insertion, many as a heap, as argsort compiles long."""
    if len(columns) > SHORT:
        for root in range(len(columns) // 2 - 1, -1, -1):
            _sift(columns, values, root, len(columns))
        for end in range(len(columns) - 1, 0, -1):
            columns[0], columns[end] = columns[end], columns[0]
            values[0], values[end] = values[end], values[0]
            _sift(columns, values, 0, end)
        return
    for end in range(1, len(columns)):
        column, value, place = columns[end], values[end], end
        while place > 0 and columns[place - 1] > column:
            columns[place], values[place] = columns[place - 1], values[place - 1]
            place -= 1
        columns[place], values[place] = column, value


@njit(nogil=True)
def _sift(columns: IntArray, values: Any, root: int, end: int) -> None:
    """Let an entry sink in a heap until none below it is larger."""
    column, value = columns[root], values[root]
    child = 2 * root + 1
    while child < end:
        if child + 1 < end and columns[child + 1] > columns[child]:
            child += 1
        if columns[child] <= column:
            break
        columns[root], values[root] = columns[child], values[child]
        root, child = child, 2 * child + 1
    columns[root], values[root] = column, value


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
