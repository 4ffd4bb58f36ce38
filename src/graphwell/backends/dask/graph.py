"""The rows of a graph that one worker owns, what it knows of the others' rows, and vectors over all of them.

Vertices have two numbers: that of the user's row, and a *position*, which orders them by worker, so that each
owns a range of positions. The columns of its rows are its own vertices, then the halo: the neighbours that
others own. Entries of a row are stored in the order of the user's numbers, as on one machine: sums over a row
then have the same bits.
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from scipy import sparse
from scipy.sparse import csgraph

from graphwell._threads import once
from graphwell._types import IntArray
from graphwell.backends.dask.communicator import Communicator
from graphwell.graph.components import (
    Bridges,
    every_component_has,
    make_bridges,
    number_components,
    weight_sums,
)
from graphwell.graph.weights import WEIGHT_FLOOR


class Vector(NDArrayOperatorsMixin):
    """A value for every vertex of a graph, those of the own vertices at hand, in arithmetic like an array.

    Arithmetic is done on the own rows. A sum, a maximum, and what is picked by a mask are those of all
    workers, so all of them must ask for it.
    """

    ndim = 1

    def __init__(self, graph: "BlockGraph", own: Any) -> None:
        self.graph, self.own, self.dtype, self.shape = graph, own, own.dtype, (graph.n_vertices,)

    def __len__(self) -> int:
        return self.graph.n_vertices

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or "out" in options:
            return NotImplemented
        return Vector(self.graph, ufunc(*map(self.graph.own, inputs), **options))

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        if function is np.bincount and len(arguments) == 1:
            own = np.bincount(self.own, **options)
            width = self.graph.comm.allreduce(len(own), max)
            return self.graph.comm.allreduce(np.pad(own, (0, width - len(own))))
        if function is np.isin:
            return Vector(self.graph, np.isin(self.own, arguments[1]))
        if function in (np.where, np.clip):
            return Vector(self.graph, function(*map(self.graph.own, arguments), **options))
        return NotImplemented

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.graph.joined(self.own), dtype=dtype)

    def __getitem__(self, at: Any) -> Any:
        """Values of the vertices, of all workers, where a mask is true, in the order of the vertices."""
        if not isinstance(at, Vector) and np.asarray(at).dtype != bool:
            return np.asarray(self)[at]
        here = np.flatnonzero(self.graph.own(at))
        found = self.graph.comm.gather((self.graph.vertices[here], self.own[here]))
        vertices, values = map(np.concatenate, zip(*found, strict=True))
        return values[np.argsort(vertices)]

    def astype(self, dtype: Any, copy: bool = True) -> "Vector":
        """The values in another type."""
        return Vector(self.graph, self.own.astype(dtype, copy=copy))

    def clip(self, low: Any = None, high: Any = None) -> "Vector":
        """The values within bounds."""
        return Vector(self.graph, self.own.clip(low, high))

    def max(self) -> Any:
        """The largest value."""
        return self.graph.comm.allreduce(self.own.max(initial=-np.inf), max)

    def sum(self) -> Any:
        """The sum of all values."""
        return self.graph.comm.allreduce(self.own.sum())

    def mean(self) -> float:
        """The mean of all values."""
        return float(self.sum()) / len(self)


class VectorLibrary:
    """NumPy, with vectors where it would make an array of all vertices."""

    def __init__(self, graph: "BlockGraph") -> None:
        self.graph = graph

    def ones(self, n: int) -> Vector:
        """A vector of ones."""
        return Vector(self.graph, np.ones(len(self.graph.vertices)))

    def take(self, table: Any, numbers: Any) -> Any:
        """Entries of a small array, for a vector or an array of numbers."""
        if isinstance(numbers, Vector):
            return Vector(self.graph, np.asarray(table)[numbers.own])
        return np.take(np.asarray(table), numbers)

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


@dataclass(eq=False, repr=False)
class BlockGraph:
    """The rows of an undirected weighted graph that one worker owns."""

    comm: Communicator
    vertices: IntArray  # the user's number of each row
    everyone: list[IntArray]  # the same of all workers
    W: Any  # of shape (n_own, n_own + n_halo): affinities, before they are sharpened
    columns: IntArray  # the user's number of each column
    halo: IntArray  # positions of the neighbours that other workers own, rising
    sharpness: float = 1.0  # power that the affinities are raised to
    recall_: float = 1.0  # share of the true neighbours that the search found
    space: Any = None  # the rows of features, by whose distances components are joined
    bridges: Bridges | None = None
    origin = None
    n_neighbors = None

    @classmethod
    def from_rows(cls, comm: Communicator, vertices: IntArray, W: Any) -> "BlockGraph":
        """Make it of the own rows, with the user's numbers as columns, rising."""
        everyone = comm.gather(vertices)
        order, m = np.concatenate(everyone), len(vertices)
        position = np.empty_like(order)
        position[order] = np.arange(len(order))
        outside = np.zeros(len(order), dtype=bool)
        outside[W.indices] = True
        outside[vertices] = False
        halo = np.sort(position[outside])
        position[vertices] = np.arange(m)  # from here on the column of each vertex that occurs
        position[order[halo]] = m + np.arange(len(halo))
        indices = position[W.indices].astype(np.int32, copy=False)
        own = sparse.csr_array((W.data, indices, W.indptr), shape=(m, m + len(halo)))
        return cls(comm, vertices, everyone, own, np.concatenate([vertices, order[halo]]), halo)

    def sharpened(self, power: float) -> "BlockGraph":
        """Return the graph with every affinity raised to a power."""
        if power == 1:
            return self
        found = replace(self, sharpness=self.sharpness * power)
        for name in ("links", "_components"):  # no power changes these
            found.__dict__[name] = getattr(self, name)
        return found

    @once
    def starts(self) -> IntArray:
        """Position of the first vertex of each worker, and the number of all."""
        return np.cumsum([0, *map(len, self.everyone)])

    @property
    def n_vertices(self) -> int:
        """Number of the vertices of all workers."""
        return int(self.starts[-1])

    @property
    def n_edges(self) -> int:
        """Number of edges at the own rows."""
        return int(self.W.nnz) // 2

    def own(self, values: Any) -> Any:
        """The own part of a vector, or of an array with a value for every vertex; all else as it is."""
        if isinstance(values, Vector):
            return values.own
        whole = isinstance(values, np.ndarray) and values.shape == (self.n_vertices,)
        return values[self.vertices] if whole else values

    def joined(self, own: Any) -> Any:
        """Values of all vertices in the user's order, from those of the own ones."""
        parts = self.comm.gather(own)
        whole = np.empty((self.n_vertices, *own.shape[1:]), dtype=own.dtype)
        for vertices, values in zip(self.everyone, parts, strict=True):
            whole[vertices] = values
        return whole

    @once
    def links(self) -> tuple[dict[int, IntArray], list[int]]:
        """The places of own vertices that each other worker needs; the workers that own the halo."""
        cuts = np.searchsorted(self.halo, self.starts)
        wanted = [self.halo[a:b] - self.starts[q] for q, (a, b) in enumerate(pairwise(cuts.tolist()))]
        asked = self.comm.each(wanted)
        return {q: at for q, at in enumerate(asked) if len(at)}, [q for q, at in enumerate(wanted) if len(at)]

    def of_halo(self, values: Any, position: IntArray | None = None) -> Any:
        """Values of the halo, from those of the own vertices: the halo exchange.

        `position` says where in `values` each own vertex is, if not in its own place.
        """
        outlets, sources = self.links
        pieces = {q: values[at if position is None else position[at]] for q, at in outlets.items()}
        found = self.comm.exchange(pieces, sources)
        return np.concatenate([values[:0], *(found[q] for q in sources)])

    @property
    def sharp(self) -> Any:
        """The rows with every affinity raised to the power, never quite zero; not kept."""
        if self.sharpness == 1:
            return self.W
        data = self.W.data**self.sharpness
        np.maximum(data, data.dtype.type(WEIGHT_FLOOR), out=data)
        return sparse.csr_array((data, self.W.indices, self.W.indptr), shape=self.W.shape)

    @once
    def degrees(self) -> Vector:
        """Sum of each row."""
        return Vector(self, np.asarray(self.sharp @ np.ones(self.W.shape[1])))

    def rows(self, W: Any) -> Any:
        """Own rows, sharpened or not, as on one machine: with the user's numbers as columns."""
        shape = (len(self.vertices), self.n_vertices)
        return sparse.csr_array((W.data, self.columns[W.indices], W.indptr), shape=shape)

    @property
    def components(self) -> Vector:
        """Number of the connected component of each vertex."""
        return Vector(self, self._components[0])

    @property
    def n_components(self) -> int:
        """Number of connected components."""
        return self._components[1]

    @once
    def _components(self) -> tuple[IntArray, int]:
        """Components of the own rows by themselves, then joined where an edge leads to another worker."""
        n, starts = len(self.vertices), np.pad(self.W.indptr, (0, len(self.halo)), mode="edge")
        local = np.full(self.W.shape[1], -1, dtype=np.int32)  # the halo has no rows here, and joins nothing
        counts = self.comm.gather(number_components(starts, self.W.indices, local, np.empty_like(local)))
        mine = local[:n] + sum(counts[: self.comm.rank])
        across, far = self.W[:, n:].tocoo(), self.of_halo(mine)
        joints = np.unique(np.stack([mine[across.row], far[across.col]], axis=1), axis=0)
        near, other = np.concatenate(self.comm.gather(joints)).T
        every = sparse.coo_array((np.ones(len(near)), (near, other)), shape=(sum(counts), sum(counts)))
        n_components, merged = csgraph.connected_components(every, directed=False)
        return merged.astype(np.int32)[mine], int(n_components)

    def bridged(self, known: Any) -> "BlockGraph":
        """Return the graph with every component that holds no known row joined to the nearest one."""
        if self.space is None or every_component_has(cast(Any, self.components), known, self.n_components):
            return self
        components = self.joined(self.components.own)
        sums = weight_sums(self.W, self.components.own, self.n_components)
        bridges = make_bridges(self.space, components, np.asarray(known), *map(self.comm.allreduce, sums))
        rows = (self.rows(self.W) + bridges.both_ways()[self.vertices]).tocsr()
        rows.sort_indices()
        found = BlockGraph.from_rows(self.comm, self.vertices, rows)
        return replace(
            found, sharpness=self.sharpness, recall_=self.recall_, space=self.space, bridges=bridges
        )
