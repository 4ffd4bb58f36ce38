"""Compiled loops over lists of neighbours: lists made symmetric, and the parts of a graph."""

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.graph.compiled import compiled


@compiled(nogil=True)
def find_mutual(first: int, last: int, indices: IntArray, weights: FloatArray, mutual: BoolArray) -> None:
    """Write whether the neighbours of some vertices chose them too; both weights then become the larger one.

    All vertices can be done at once: whichever of two weights is written first, both become the larger.
    """
    for i in range(first, last):
        for place in range(indices.shape[1]):
            j, back = indices[i, place], -1
            for other in range(indices.shape[1]):
                if indices[j, other] == i:
                    back = other
                    break
            mutual[i, place] = back >= 0
            if back >= 0:
                weights[i, place] = max(weights[i, place], weights[j, back])


@compiled(nogil=True)
def count_both_ways(first: int, last: int, indices: IntArray, mutual: BoolArray, counts: IntArray) -> None:
    """Add to `counts` the neighbours of some vertices, if they are joined where either chose the other."""
    for i in range(len(indices)):
        if first <= i < last:
            counts[i] += indices.shape[1]
        for place in range(indices.shape[1]):
            j = indices[i, place]
            if first <= j < last and not mutual[i, place]:
                counts[j] += 1


@compiled(nogil=True)
def fill_both_ways(
    first: int,
    last: int,
    indices: IntArray,
    weights: FloatArray,
    mutual: BoolArray,
    following: IntArray,
    columns: IntArray,
    values: FloatArray,
) -> None:
    """Write the neighbours of some vertices; `following` says where each row begins, and is counted on."""
    for i in range(len(indices)):
        for place in range(indices.shape[1]):
            j, weight = indices[i, place], weights[i, place]
            if first <= i < last:
                columns[following[i]], values[following[i]] = j, weight
                following[i] += 1
            if first <= j < last and not mutual[i, place]:
                columns[following[j]], values[following[j]] = i, weight
                following[j] += 1


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
