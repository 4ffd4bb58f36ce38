"""Shortest paths by relaxation, compiled: for graphs that only a part of is at hand."""

from graphwell._types import FloatArray, IntArray
from graphwell.graph.compiled import compiled


@compiled()
def relax(
    indptr: IntArray, indices: IntArray, lengths: FloatArray, distances: FloatArray, labels: IntArray
) -> bool:
    """Let every row take the label of a neighbour through which a label is nearer, until none is.

    `distances` and `labels` are changed in place; those beyond the rows are only read. Returns whether
    anything changed.
    """
    changed, again = False, True
    while again:
        again = False
        for i in range(len(indptr) - 1):
            for entry in range(indptr[i], indptr[i + 1]):
                j = indices[entry]
                through = distances[j] + lengths[entry]
                if through < distances[i]:
                    distances[i], labels[i] = through, labels[j]
                    again = changed = True
    return changed
