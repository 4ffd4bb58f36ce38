"""The rows of a graph that one worker owns, and what it knows of the others' rows: the halo.

Vertices have two numbers: that of the user's row, and a *position*, which orders them by worker, so that each
owns a range of positions. The columns of its rows are its own vertices, then the halo: the neighbours that
others own. Entries of a row are stored in the order of the user's numbers, as on one machine: sums over a row
then have the same bits.
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, cast

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from graphwell._threads import once
from graphwell._types import IntArray
from graphwell.backends.dask.communicator import Communicator
from graphwell.backends.dask.vectors import Vector
from graphwell.graph.checks import check_symmetric
from graphwell.graph.components import Bridges, every_component_has, make_bridges, weight_sums
from graphwell.graph.weights import WEIGHT_FLOOR, index_dtype


@dataclass(eq=False, repr=False)
class BlockGraph:
    """The rows of an undirected weighted graph that one worker owns.

    Attributes
    ----------
    comm : Communicator
    vertices : array of shape (n_own,)
        The user's number of each row.
    W : scipy.sparse.csr_array of shape (n_own, n_own + n_halo)
        Affinities, before they are sharpened.
    halo : array of shape (n_halo,)
        Positions of the neighbours that other workers own, rising.
    starts : array of shape (n_workers + 1,)
        Position of the first vertex of each worker, and the number of all.
    sharpness : float
        Power that the affinities are raised to.
    recall_ : float
        Share of the true neighbours that the search found.
    space : Space, optional
        The rows of features, where the graph was made of them: parts are joined by their distances.
    bridges : Bridges, optional
    """

    comm: Communicator
    vertices: IntArray
    W: Any
    halo: IntArray
    starts: IntArray
    sharpness: float = 1.0
    recall_: float = 1.0
    space: Any = None
    bridges: Bridges | None = None
    unsharpened: "BlockGraph | None" = None
    origin = None
    can_relink = False
    n_neighbors = None

    @classmethod
    def from_rows(
        cls,
        comm: Communicator,
        vertices: IntArray,
        W: Any,
        numbers: IntArray,
        positions: IntArray,
        starts: IntArray,
        **more: Any,
    ) -> "BlockGraph":
        """Make it of rows with the user's numbers as columns.

        `numbers` (rising) are those that occur, `positions` their positions.
        """
        start, stop = int(starts[comm.rank]), int(starts[comm.rank + 1])
        outside = (positions < start) | (positions >= stop)
        halo = np.sort(positions[outside])
        column = np.where(outside, stop - start + np.searchsorted(halo, positions), positions - start)
        indices = column[np.searchsorted(numbers, W.indices)].astype(np.int32)
        shape = (stop - start, stop - start + len(halo))
        return cls(
            comm, vertices, sparse.csr_array((W.data, indices, W.indptr), shape=shape), halo, starts, **more
        )

    def sharpened(self, power: float) -> "BlockGraph":
        """Return the graph with every affinity raised to a power."""
        if power == 1:
            return self
        return replace(self, sharpness=self.sharpness * power, unsharpened=self.unsharpened or self)

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

    @once
    def everyone(self) -> list[IntArray]:
        """The user's numbers of the vertices of each worker."""
        if self.unsharpened is not None:
            return self.unsharpened.everyone
        return self.comm.gather(self.vertices)

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
        if self.unsharpened is not None:
            return self.unsharpened.links
        cuts = np.searchsorted(self.halo, self.starts)
        wanted = {q: self.halo[a:b] - self.starts[q] for q, (a, b) in enumerate(pairwise(cuts.tolist()))}
        asked = self.comm.exchange(wanted, range(self.comm.size))
        return {q: at for q, at in asked.items() if len(at)}, [q for q, at in wanted.items() if len(at)]

    def of_halo(self, values: Any, outlets: dict[int, IntArray] | None = None) -> Any:
        """Values of the halo, from those of the own vertices: the halo exchange.

        `outlets` are the places in `values` that each other worker needs, where they are not by own vertex.
        """
        own_outlets, sources = self.links
        pieces = {q: values[at] for q, at in (own_outlets if outlets is None else outlets).items()}
        found = self.comm.exchange(pieces, sources)
        return np.concatenate([values[:0], *(found[q] for q in sources)])

    @once
    def columns(self) -> IntArray:
        """The user's number of each column."""
        if self.unsharpened is not None:
            return self.unsharpened.columns
        return np.concatenate([self.vertices, self.of_halo(self.vertices)])

    @once
    def sharp(self) -> Any:
        """The rows with every affinity raised to the power, never quite zero."""
        if self.sharpness == 1:
            return self.W
        data = self.W.data**self.sharpness
        np.maximum(data, data.dtype.type(WEIGHT_FLOOR), out=data)
        return sparse.csr_array((data, self.W.indices, self.W.indptr), shape=self.W.shape)

    @once
    def degrees(self) -> Vector:
        """Sum of each row."""
        return Vector(self, np.asarray(self.sharp @ np.ones(self.W.shape[1])))

    @property
    def rows(self) -> Any:
        """The sharpened own rows as on one machine: with the user's numbers as columns."""
        shape = (len(self.vertices), self.n_vertices)
        return sparse.csr_array((self.sharp.data, self.columns[self.W.indices], self.W.indptr), shape=shape)

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
        if self.unsharpened is not None:
            return self.unsharpened._components
        n = len(self.vertices)
        count, local = csgraph.connected_components(self.W[:, :n], directed=False)
        counts = self.comm.gather(int(count))
        mine = local + sum(counts[: self.comm.rank])
        across, far = self.W[:, n:].tocoo(), self.of_halo(mine)
        joints = np.unique(np.stack([mine[across.row], far[across.col]], axis=1), axis=0)
        near, other = np.concatenate(self.comm.gather(joints)).T
        every = sparse.coo_array((np.ones(len(near)), (near, other)), shape=(sum(counts), sum(counts)))
        n_components, merged = csgraph.connected_components(every, directed=False)
        return merged.astype(np.int32)[mine], int(n_components)

    @once
    def fingerprint(self) -> str:
        """A hash of the affinities that does not depend on how they are cut into blocks."""
        rows = self.rows
        vertices = np.repeat(self.vertices, np.diff(rows.indptr)).astype(np.uint64)
        mixed = vertices * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= rows.indices.astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
        mixed ^= rows.data.astype(np.float64).view(np.uint64) * np.uint64(0xFF51AFD7ED558CCD)
        mixed ^= mixed >> np.uint64(33)
        mixed *= np.uint64(0xC4CEB9FE1A85EC53)
        mixed ^= mixed >> np.uint64(29)
        total = self.comm.allreduce(int(mixed.sum(dtype=np.uint64)), lambda a, b: (a + b) % 2**64)
        return f"{total:016x} of {self.n_vertices}"

    def bridged(self, known: Any) -> "BlockGraph":
        """Return the graph with every component that holds no known row joined to the nearest one."""
        if self.space is None or every_component_has(cast(Any, self.components), known, self.n_components):
            return self
        components = self.joined(self.components.own)
        sums = weight_sums(self.W, self.components.own, self.n_components)
        bridges = make_bridges(self.space, components, np.asarray(known), *map(self.comm.allreduce, sums))
        extra = bridges.both_ways()[self.vertices]
        rows = (replace(self, sharpness=1.0).rows + extra).tocsr()
        rows.sort_indices()
        position = np.empty(self.n_vertices, dtype=np.int64)
        position[np.concatenate(self.everyone)] = np.arange(self.n_vertices)
        numbers = np.unique(rows.indices)
        more = {"sharpness": self.sharpness, "recall_": self.recall_, "space": self.space, "bridges": bridges}
        return BlockGraph.from_rows(
            self.comm, self.vertices, rows, numbers, position[numbers], self.starts, **more
        )


def from_affinities(comm: Communicator, blocks: list[Any], starts: IntArray) -> BlockGraph:
    """The graph of a symmetric matrix of affinities, of which each worker has rows that follow each other.

    Workers send each other their columns, to see whether the matrix is symmetric. Each affinity is then the
    one above the diagonal, and the diagonal is empty, as `graphwell.graph.checks.symmetric_matrix` has it.
    """
    W = blocks[0] if len(blocks) == 1 else sparse.vstack(blocks, format="csr")
    ranges = list(pairwise(starts.tolist()))
    columns = W.tocsc()
    mirror = sparse.hstack(comm.each([columns[:, a:b].T.tocsr() for a, b in ranges]), format="csr")
    asymmetry = comm.allreduce(float(abs(W - mirror).data.max(initial=0.0)), max)
    check_symmetric(asymmetry, comm.allreduce(float(W.data.max(initial=0.0)), max))
    first, stop = ranges[comm.rank]
    rows = (sparse.triu(W, first + 1, format="csr") + sparse.tril(mirror, first - 1, format="csr")).tocsr()
    rows.eliminate_zeros()
    rows.sort_indices()
    numbers = np.unique(rows.indices)
    vertices = np.arange(first, stop, dtype=index_dtype(int(starts[-1]), 0))
    return BlockGraph.from_rows(comm, vertices, rows, numbers, numbers, starts)
