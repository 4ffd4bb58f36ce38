"""The graph across the workers: one block of rows each, and what the client knows of all."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from operator import getitem
from typing import Any

import numpy as np
from scipy import sparse

from graphwell._types import BoolArray, IntArray
from graphwell.backends.blocks import block as on_block
from graphwell.backends.blocks import rows as on_rows
from graphwell.backends.blocks.components import components_inside, merged_components, touching
from graphwell.backends.dask.handles import Handle
from graphwell.backends.dask.tasks import Tasks, given
from graphwell.backends.dask.vectors import WorkerVector, held_by
from graphwell.graph import Graph
from graphwell.graph.checks import frozen
from graphwell.graph.components import Bridges


@dataclass(eq=False, repr=False)
class DaskGraph:
    """An undirected weighted graph whose rows lie on the workers of a Dask cluster.

    Attributes
    ----------
    tasks : Tasks
    vertices : list of arrays
        The user's numbers of the vertices of each block.
    rows : list of handles
        `BlockRows` of each block, on two workers.
    sharpness : float
        Power that the kernel is raised to.
    recall_ : float
        Share of the true neighbours that the search found.
    bridges : Bridges, optional
        Edges that join parts without a known row to others.
    cells : (list of handles, int), optional
        Group of near vertices that each vertex belongs to, of so many in all.
    """

    tasks: Tasks
    vertices: list[IntArray]
    rows: list[Handle]
    sharpness: float = 1.0
    recall_: float = 1.0
    search: Any = None
    origin: None = None
    can_relink: bool = False
    n_neighbors: int | None = None
    bridges: Bridges | None = None
    cells: tuple[list[Handle], int] | None = None
    _unsharpened: "DaskGraph | None" = field(default=None)

    @classmethod
    def from_graph(
        cls, tasks: Tasks, graph: Graph, n_blocks: int, order: IntArray | None = None
    ) -> "DaskGraph":
        """Cut a graph of one machine into blocks of about equal size, its vertices in this order."""
        order = np.arange(graph.n_vertices) if order is None else order
        position = np.empty(len(order), dtype=np.int64)
        position[order] = np.arange(len(order))
        vertices = np.array_split(order, n_blocks)
        stops = np.cumsum([len(part) for part in vertices])
        rows = []
        for part, stop in zip(vertices, stops, strict=True):
            W = graph.W[part]
            numbers = np.unique(W.indices)
            rows.append(on_rows.renumbered(part, W, numbers, position[numbers], (stop - len(part), stop)))
        tasks.settle(n_blocks)
        kept = tasks.doubled(tasks.each("rows", given, rows))
        return cls(tasks, list(vertices), kept, recall_=graph.recall_)

    def sharpened(self, power: float) -> "DaskGraph":
        """Return the graph with every affinity raised to a power."""
        if power == 1:
            return self
        return replace(self, sharpness=self.sharpness * power, _unsharpened=self)

    def bridged(self, known: BoolArray) -> "DaskGraph":
        """Return the graph with every part that holds no known row joined to the nearest part."""
        from graphwell.backends.dask.lost_parts import bridged

        return bridged(self, known)

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self.vertices)

    @cached_property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return int(self.starts[-1])

    @cached_property
    def starts(self) -> IntArray:
        """Position of the first vertex of each block, and the number of all."""
        return np.concatenate([[0], np.cumsum([len(part) for part in self.vertices])])

    @property
    def lengths(self) -> list[int]:
        """Number of vertices of each block."""
        return [len(part) for part in self.vertices]

    def cut(self, values: Any) -> list[Any]:
        """Values of all vertices, in the user's order, as one array per block."""
        return [values[part] for part in self.vertices]

    def joined(self, parts: Sequence[Any], dtype: Any = None) -> Any:
        """Values of all vertices in the user's order, from one array per block, in their type or another."""
        whole = np.empty((self.n_vertices, *parts[0].shape[1:]), dtype=dtype or parts[0].dtype)
        for part, values in zip(self.vertices, parts, strict=True):
            whole[part] = values
        return whole

    def every(self, handles: Sequence[Handle]) -> list[list[Handle]]:
        """For each block, what the blocks of its halo export."""
        return [[handles[q] for q in sources] for sources, _ in self.halos]

    @cached_property
    def boundaries(self) -> list[Handle]:
        """Own vertices of each block that other blocks need."""
        if self._unsharpened is not None:
            return self._unsharpened.boundaries
        wants = self._wants
        return self.tasks.keep(self.tasks.exchange("boundary", wants, self.n_blocks, on_block.boundary_of))

    @cached_property
    def _wants(self) -> list[Handle]:
        return self.tasks.each("halo", on_block.wanted, self.rows, starts=self.starts)

    @cached_property
    def links(self) -> list[Handle]:
        """Where the halo of each block comes from."""
        if self._unsharpened is not None:
            return self._unsharpened.links
        boundaries = self.boundaries
        return self.tasks.keep(
            self.tasks.each("link", on_block.link, self._wants, [boundaries] * self.n_blocks)
        )

    @cached_property
    def halos(self) -> list[tuple[tuple[int, ...], int]]:
        """For each block, the blocks that its halo comes from, and the size of the halo."""
        if self._unsharpened is not None:
            return self._unsharpened.halos
        return self.tasks.results(self.tasks.each("halo-size", on_block.sources_of, self.links))

    @cached_property
    def blocks(self) -> list[Handle]:
        """`GraphBlock` of each block: its rows of ``S`` in the layouts of sweeps and products."""
        degrees = self._degrees
        exports = self.tasks.each("export-degrees", on_block.on_boundary, degrees, self.boundaries)
        wanted = [
            [self.tasks.lazy("outlets", getitem, want, p) for want in self._wants]
            for p in range(self.n_blocks)
        ]
        columns = (self.rows, degrees, wanted, self.links, self.every(exports))
        make = partial(on_block.make_block, power=self.sharpness, n_threads=self.tasks.n_threads())
        return self.tasks.keep(self.tasks.each("block", make, *columns))

    @cached_property
    def _degrees(self) -> list[Handle]:
        return self.tasks.keep(
            self.tasks.each("degrees", on_rows.degrees_of, self.rows, power=self.sharpness)
        )

    @property
    def degrees(self) -> WorkerVector:
        """Sum of each row of ``W``."""
        return held_by(self, self._degrees)

    @cached_property
    def total_degree(self) -> float:
        """Sum of all degrees, with the bits that it has on one machine."""
        return float(self.degrees.compute().sum())

    @property
    def components(self) -> Any:
        """Number of the connected component of each vertex."""
        return held_by(self, self._components[0])

    @property
    def n_components(self) -> int:
        """Number of connected components."""
        return self._components[1]

    @cached_property
    def _components(self) -> tuple[list[Handle], int]:
        if self._unsharpened is not None:
            return self._unsharpened._components
        local = self.tasks.keep(self.tasks.each("components", components_inside, self.rows))
        exports = self.tasks.each("export-components", on_block.on_boundary, local, self.boundaries)
        found = self.tasks.results(
            self.tasks.each("touching", touching, self.rows, local, self.links, self.every(exports))
        )
        numbers = merged_components(found, [sources for sources, _ in self.halos])
        placed = self.tasks.keep(self.tasks.each("component", np.take, numbers, local))
        return placed, 1 + max(int(part.max(initial=-1)) for part in numbers)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the affinities that does not depend on how they are cut into blocks."""
        numbers = self.tasks.results(self.tasks.each("fingerprint", on_rows.fingerprint, *self.numbered))
        return f"{sum(numbers) % 2**64:016x} of {self.n_vertices}"

    @cached_property
    def numbered(self) -> tuple[list[Handle], list[Handle]]:
        """Rows of each block, and the user's numbers of their columns."""
        exports = self.tasks.each(
            "export-vertices", on_block.vertices_on_boundary, self.rows, self.boundaries
        )
        columns = self.tasks.each(
            "columns", on_block.user_columns, self.rows, self.links, self.every(exports)
        )
        return self.rows, self.tasks.keep(columns)

    @cached_property
    def fetched(self) -> Graph:
        """The graph on this machine: all of its affinities are fetched from the workers."""
        fetch = partial(on_rows.with_user_columns, power=self.sharpness, n=self.n_vertices)
        parts = self.tasks.results(self.tasks.each("fetch", fetch, *self.numbered))
        order = np.argsort(np.concatenate(self.vertices))
        W = frozen(sparse.vstack(parts).tocsr()[order])
        return Graph(W, sharpness=self.sharpness, bridges=self.bridges)

    def __getattr__(self, name: str) -> Any:
        """Matrices and what follows from them are those of the fetched graph."""
        if name not in ("W", "S", "L", "L_s", "n_edges", "isolated", "nbytes", "inverse_roots"):
            raise AttributeError(f"a graph on a Dask cluster has no attribute {name!r}")
        return getattr(self.fetched, name)

    def __reduce__(self) -> Any:
        """Pickled, it becomes the graph of one machine."""
        return Graph, (self.W, None, self.sharpness, self.bridges)

    def __repr__(self) -> str:
        return f"DaskGraph({self.n_vertices:,} vertices in {self.n_blocks} blocks)"
