"""Compiled loops over lists of neighbours: lists made symmetric, and the parts of a graph."""

from graphwell._types import FloatArray, IntArray
from graphwell.graph.compiled import compiled, inner


@compiled(nogil=True)
def count_both_ways(indices: IntArray, counts: IntArray) -> None:
    """Add to `counts` the neighbours of each vertex, if vertices are joined where either chose the other."""
    for i in range(len(indices)):
        for place in range(indices.shape[1]):
            j = indices[i, place]
            counts[i] += 1
            if _place(indices, j, i) < 0:
                counts[j] += 1


@compiled(nogil=True)
def fill_both_ways(
    indices: IntArray,
    weights: FloatArray,
    following: IntArray,
    columns: IntArray,
    values: FloatArray,
) -> None:
    """Write the neighbours of each vertex; where both chose each other, the larger weight.

    `following` says where each row begins, and is counted on.
    """
    for i in range(len(indices)):
        for place in range(indices.shape[1]):
            j, weight = indices[i, place], weights[i, place]
            back = _place(indices, j, i)
            if back < 0:
                columns[following[j]], values[following[j]] = i, weight
                following[j] += 1
            else:
                weight = max(weight, weights[j, back])
            columns[following[i]], values[following[i]] = j, weight
            following[i] += 1


@inner
def _place(indices: IntArray, row: int, wanted: int) -> int:
    for place in range(indices.shape[1]):
        if indices[row, place] == wanted:
            return place
    return -1


@compiled(nogil=True)
def number_parts(starts: IntArray, columns: IntArray, numbers: IntArray, waiting: IntArray) -> int:
    """Write the number of each vertex's part, in the order in which parts are met; return how many there are.

    `columns` must name every edge from both ends, `numbers` be negative; `waiting` is room for all vertices.
    """
    count = 0
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
