"""Bridges between the parts of a graph on the workers: each partition answers for its own rows."""

from dataclasses import dataclass, replace

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.blocks import rows as on_rows
from graphwell.backends.blocks.partition import nearest_own, points_at
from graphwell.backends.dask.graph import DaskGraph
from graphwell.backends.dask.handles import Handle
from graphwell.backends.dask.tasks import Tasks, given
from graphwell.graph.components import Bridges, every_component_has, make_bridges


def bridged(graph: DaskGraph, known: BoolArray) -> DaskGraph:
    """Join every part that holds no known row to the nearest part."""
    tasks = graph.tasks
    if graph.search is None or every_component_has(graph.components, known, graph.n_components):
        return graph
    components = graph.components.compute()
    cut = graph.cut(components)
    found = tasks.results(
        tasks.each("bridge-weights", on_rows.weight_sums_of, graph.rows, cut, n_groups=graph.n_components)
    )
    sums, counts = (np.sum(parts, axis=0) for parts in zip(*found, strict=True))
    space = PartitionedPoints(tasks, graph.search.partitions, graph.vertices)
    bridges = make_bridges(space, components, known, sums, counts)
    return replace(graph, rows=tasks.doubled(_with_bridges(graph, bridges)), bridges=bridges)


def _with_bridges(graph: DaskGraph, bridges: Bridges) -> list[Handle]:
    """Rows of each block with the bridges that lead from it."""
    extra = [on_rows.Edges.of(bridges.both_ways()[part]) for part in graph.vertices]
    position = np.empty(graph.n_vertices, dtype=np.int64)
    position[np.concatenate(graph.vertices)] = np.arange(graph.n_vertices)
    positions = [position[edges.columns] for edges in extra]
    own = list(zip(graph.starts[:-1].tolist(), graph.starts[1:].tolist(), strict=True))
    columns = (*graph.numbered, extra, positions, own)
    return graph.tasks.each("bridge", on_rows.with_edges, *columns, n=graph.n_vertices)


@dataclass(frozen=True)
class PartitionedPoints:
    """The space of rows that lie on the workers (see `graphwell.graph.components.Space`)."""

    tasks: Tasks
    partitions: list[Handle]
    vertices: list[IntArray]

    def rows_at(self, places: IntArray) -> FloatArray:
        """Return some of the rows, fetched from the workers."""
        inside = [np.flatnonzero(np.isin(part, places)) for part in self.vertices]
        found = self.tasks.results(self.tasks.each("bridge-rows", points_at, self.partitions, inside))
        numbers = np.concatenate([part[at] for part, at in zip(self.vertices, inside, strict=True)])
        order = np.argsort(numbers)
        return np.asarray(np.concatenate(found)[order[np.searchsorted(numbers[order], places)]])

    def nearest(
        self, rows: FloatArray, of: IntArray, groups: IntArray, *, inside: bool
    ) -> tuple[IntArray, FloatArray]:
        """Return the place and the distance of the nearest row inside, or outside, the group of each row."""
        (asked,) = self.tasks.keep([self.tasks.lazy("bridge-ask", given, (rows, of))])
        columns = (self.partitions, [groups[part] for part in self.vertices], [asked] * len(self.partitions))
        found = self.tasks.results(self.tasks.each("bridge-search", nearest_own, *columns, inside=inside))
        numbers, apart = (np.stack(parts) for parts in zip(*found, strict=True))
        best = np.lexsort((numbers, apart), axis=0)[:1]
        return np.take_along_axis(numbers, best, 0)[0], np.take_along_axis(apart, best, 0)[0]
