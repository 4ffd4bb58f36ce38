"""The graph of a fit as users see it: a vertex for each of their rows, in their order."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from graphwell._types import FloatArray, IntArray
from graphwell.graph.canonical import Canonical
from graphwell.graph.checks import frozen, read_features, read_only
from graphwell.graph.components import Bridges
from graphwell.graph.graph import Graph, Origin, products_of_masses
from graphwell.graph.knn import NeighborSearch, in_order
from graphwell.memory import available, in_words

BYTES_OF_AN_EDGE = 8


class RowsGraph(Graph):
    """The graph of all rows, made when it is asked for from one whose vertices stand for equal rows.

    Equal rows have the same neighbours and weights, and no edge among themselves.

    Attributes
    ----------
    plain : Graph
        What was computed on: a vertex for each row that differs from the others.
    order : Canonical
        Vertex of each row, and order of the columns.
    """

    plain: Graph
    order: Canonical

    def __init__(self, plain: Graph, order: Canonical) -> None:
        for name, value in (
            ("plain", plain), ("order", order), ("masses", None), ("sharpness", plain.sharpness),
        ):  # fmt: skip
            object.__setattr__(self, name, value)

    @property
    def vertices(self) -> IntArray:
        """Vertex of each row."""
        return self.order.vertices

    @cached_property
    def origin(self) -> Origin | None:
        """What the graph was made from."""
        origin = self.plain.origin
        if origin is None:
            return None
        search = RowsSearch(origin.search, self.order, origin.search.recall)
        return replace(origin, search=search, scales=origin.scales[self.vertices])

    @cached_property
    def W(self) -> Any:
        """Affinities of the rows."""
        W = self.plain.W
        if self.plain.masses is not None:
            data = (W.data / products_of_masses(W, self.plain.masses)).astype(W.dtype)
            W = sparse.csr_array((data, W.indices, W.indptr), shape=W.shape)
        copies = self.order.copies
        need = BYTES_OF_AN_EDGE * float(copies @ (sparse.csr_array(W, dtype=bool) @ copies.astype(float)))
        if need > available():
            raise ValueError(
                f"The graph of all rows takes about {in_words(int(need))}, as many are equal; "
                "graph_.plain has one vertex for each of the others."
            )
        # W @ P.T for the columns, P being the indicator of the vertex of each row
        found = W[self.vertices][:, self.vertices].tocsr()
        found.sort_indices()
        return frozen(found)

    @property
    def n_vertices(self) -> int:
        """Number of rows."""
        return len(self.vertices)

    @cached_property
    def components(self) -> IntArray:
        """Number of the connected component of each row, as they are met."""
        found = self.plain.components[self.vertices]
        _, first, found = np.unique(found, return_index=True, return_inverse=True)
        return read_only(np.argsort(np.argsort(first))[found])

    @cached_property
    def bridges(self) -> Bridges | None:
        """Edges that join components without a known row to others."""
        bridges = self.plain.bridges
        if bridges is None:
            return None
        row = self.order.firsts
        return replace(
            bridges, near=row[bridges.near], far=row[bridges.far], rows=bridges.rows[self.vertices]
        )

    @property
    def locality(self) -> IntArray | None:
        """No order is known in which neighbours are near each other."""
        return None

    def bridged(self, known: Any) -> Graph:
        """Return the graph with every component that holds no known row connected to the nearest one."""
        inside = np.zeros(self.plain.n_vertices, bool)
        inside[self.vertices[known]] = True
        return RowsGraph(self.plain.bridged(inside), self.order)

    @property
    def unbridged(self) -> Graph:
        """The graph without bridges."""
        return RowsGraph(self.plain.unbridged, self.order)

    def with_neighbors(self, n_neighbors: int) -> Graph:
        """Return the graph of the same rows with another number of neighbours."""
        return RowsGraph(self.plain.with_neighbors(n_neighbors), self.order)

    def affinity_to(self, X: Any) -> Any:
        """Affinities of new rows to the fitted ones."""
        if self.plain.origin is None:
            return super().affinity_to(X)
        return self.plain.affinity_to(self.order.of_new_rows(read_features(X, at_least=1)))[:, self.vertices]

    def __reduce__(self) -> Any:
        return RowsGraph, (self.plain, self.order)


@dataclass(frozen=True, eq=False)
class RowsSearch:
    """The search of a graph whose vertices stand for equal rows, in the numbers of the rows."""

    plain: NeighborSearch
    order: Canonical
    recall: float
    locality: IntArray | None = None

    @cached_property
    def points(self) -> FloatArray:
        """The point of each row."""
        return self.plain.points[self.order.vertices]

    def query(self, rows: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
        """Return indices and distances of the nearest of the rows that differ."""
        indices, distances = self.plain.query(rows, k)
        return self.order.firsts[indices], distances

    def of_points(self, k: int) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
        """Answer the points as they come."""
        return in_order(self, k)
