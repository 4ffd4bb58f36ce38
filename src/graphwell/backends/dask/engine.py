"""The engine of one machine on the rows of one worker: what others have comes by halo exchanges and sums."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast
from zlib import crc32

import numpy as np
from scipy import sparse

from graphwell._threads import once
from graphwell._types import FloatArray, IntArray
from graphwell.backends.aggregation import (
    heaviest_entries,
    in_units_of,
    sums_between,
    unit_of,
)
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.backends.cpu.layout import SlicedRows
from graphwell.backends.dask.graph import BlockGraph, Vector, VectorLibrary
from graphwell.graph.compiled import compiled
from graphwell.graph.graph import inverse_roots_of

if TYPE_CHECKING:
    from graphwell.graph import Graph


class BlockEngine(NumbaEngine):
    """The verbs of one machine, where vectors and blocks of columns have the own rows alone.

    Arrays of the host are of all vertices, and the same on every worker.
    """

    is_forest = False  # no worker has the whole graph

    def __init__(self, graph: BlockGraph, n_threads: int = 1) -> None:
        super().__init__(cast("Graph", graph), n_threads)
        self.comm, self.xp = graph.comm, VectorLibrary(graph)

    def own(self, values: Any) -> Any:
        """Return the part of a vector that is here."""
        return self.graph.own(values)

    def allreduce(self, values: Any, combine: Callable[[Any, Any], Any] = np.add) -> Any:
        """Return the sum of what all workers have, or what else combines two of them."""
        return self.comm.allreduce(values, combine)

    def vector(self, own: Any) -> Any:
        """Return the vector whose part is here."""
        return Vector(self.graph, own)

    def with_halo(self, placed: Any) -> Any:
        """Return values in the order of the layout, and behind them those of neighbours elsewhere."""
        return np.concatenate([placed, self.graph.of_halo(placed, self.rows.position)])

    @once
    def rows(self) -> SlicedRows:
        """The own rows of ``S`` in the layout of sweeps; columns beyond its positions are the halo."""
        degrees = self.graph.degrees.own
        scaling = inverse_roots_of(np.concatenate([degrees, self.graph.of_halo(degrees)]))
        return SlicedRows.from_csr(self.graph.sharp, self.dtype, scaling, pool=self.pool)

    def asarray(self, values: Any) -> Any:
        """Take the own part of values of all vertices."""
        if isinstance(values, Vector):
            return values
        own = self.own(np.asarray(values))
        return self.vector(own) if np.shape(values) == (self.graph.n_vertices,) else own

    def to_host(self, vector: Any) -> Any:
        """Return the values of all vertices."""
        return np.asarray(vector)

    def nearest(self, labels: Any) -> Any:
        """Return the known label nearest along the graph: each worker relaxes its rows until none changes."""
        W, own = self.graph.sharp, self.own(labels)
        lengths, found = 1.0 / W.data, own.astype(np.int32)
        distances, n, changed = np.where(own >= 0, 0.0, np.inf), len(own), True
        while self.comm.allreduce(int(changed)):
            distances = np.concatenate([distances[:n], self.graph.of_halo(distances[:n])])
            found = np.concatenate([found[:n], self.graph.of_halo(found[:n])])
            changed = relax(W.indptr, W.indices, lengths, distances, found)
        return self.vector(found[:n])

    def heaviest(self) -> IntArray:
        """Return the neighbour of largest affinity of each vertex; -1 if it has none."""
        rows = self.graph.rows(self.graph.sharp)
        n = rows.shape[0]  # added to the columns, so that none has the number of a row
        found = heaviest_entries(rows.indptr, rows.indices + n, rows.data)
        return np.asarray(self.graph.joined(np.where(found < 0, -1, found - n)))

    def condensed(self, groups: IntArray, n_groups: int) -> Any:
        """Return the sums of the affinities between groups of vertices."""
        W, verb = self.graph.sharp, f"condensed with the groups {crc32(groups.tobytes()):x}"
        extents = self.comm.gather((float(W.data.max(initial=0.0)), W.nnz), verb)
        unit = unit_of(max(largest for largest, _ in extents), sum(count for _, count in extents))
        own = sums_between(W, self.own(groups), groups[self.graph.columns], n_groups, unit)
        return in_units_of(self.allreduce(own), unit)

    def affinities_of(self, vertices: IntArray) -> Any:
        """Return the rows of some vertices, as a SciPy matrix of the host."""
        graph = self.graph
        here = np.flatnonzero(np.isin(graph.vertices, vertices))
        found = self.comm.gather((graph.vertices[here], graph.rows(graph.sharp)[here]))
        numbers, parts = zip(*found, strict=True)
        return sparse.vstack(parts).tocsr()[np.argsort(np.concatenate(numbers))]


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
