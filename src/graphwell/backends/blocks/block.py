"""A block of the graph on its worker: the layout and the kernels of the CPU engine on the rows it owns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from graphwell._threads import ThreadPool
from graphwell._types import FloatArray, IntArray
from graphwell.backends.blocks.rows import BlockRows, sharpened
from graphwell.backends.conjugate_gradients import fast_width
from graphwell.graph.graph import inverse_roots_of

if TYPE_CHECKING:
    from graphwell.backends.cpu.layout import SlicedRows

PRECISION = np.dtype(np.float32)


@dataclass(frozen=True)
class Links:
    """Where the halo of a block comes from.

    Attributes
    ----------
    sources : tuple of int
        The blocks that own vertices of the halo.
    indices : tuple of arrays
        For each of them, the entries of its boundary that the halo is made of, in the order of the halo.
    """

    sources: tuple[int, ...]
    indices: tuple[IntArray, ...]


@dataclass(frozen=True)
class GraphBlock:
    """Rows of ``S`` that a block owns, in the layout of the CPU engine.

    Attributes
    ----------
    rows : SlicedRows
        Columns beyond its positions are the halo.
    degrees : array of shape (n_own,)
    outlets : dict
        For each block that needs some of its vertices, their positions in the layout.
    sources : tuple of int
        The blocks that own vertices of the halo, in the order of the halo.
    n_halo : int
    n_threads : int
        Threads that share the work on it.
    """

    rows: "SlicedRows"
    degrees: FloatArray
    outlets: dict[int, IntArray]
    sources: tuple[int, ...]
    n_halo: int
    n_threads: int = 1

    @property
    def n_own(self) -> int:
        """Number of own vertices."""
        return len(self.rows.order)

    def share(self, kernel: Any, *arguments: Any) -> list[Any]:
        """Have some threads do a kernel of the CPU engine on all rows."""
        from graphwell.backends.cpu.systems import share

        return share(ThreadPool(self.n_threads), self.rows, kernel, *arguments)

    def share_rows(self, n_rows: int, work: Callable[[int, int], None]) -> None:
        """Have some threads do ``work(first, last)`` on ranges of rows."""
        ThreadPool(self.n_threads).share(n_rows, work)

    def placed(self, values: Any) -> Any:
        """Values of own vertices in the order of the layout."""
        return self.rows.placed(values, PRECISION)

    def with_halo(self, values: Any) -> Any:
        """Values of own positions, and room for those of the halo."""
        return np.concatenate([values, np.zeros((self.n_halo, *values.shape[1:]), values.dtype)])

    def product(self, vectors: FloatArray, halo: FloatArray) -> FloatArray:
        """Own rows of ``S`` times a block of columns, given by own positions and by the halo."""
        from graphwell.backends.cpu import systems

        n_positions, width = vectors.shape
        whole = np.zeros((n_positions + self.n_halo, fast_width(width)), PRECISION)
        whole[:n_positions, :width] = vectors
        whole[n_positions:, :width] = halo
        out = np.empty((n_positions, whole.shape[1]), PRECISION)
        self.share(systems.multiply, self.rows.starts, self.rows.columns, self.rows.values, whole, out)
        return out[:, :width]


def from_exports(links: Links, exports: Sequence[Any], empty: Any) -> Any:
    """The halo of a block from what the owners of its vertices export."""
    parts = [export[index] for export, index in zip(exports, links.indices, strict=True)]
    return np.concatenate(parts) if parts else empty


def wanted(rows: BlockRows, starts: IntArray) -> list[IntArray]:
    """The halo cut by owner, as places in the owner's block."""
    cuts = np.searchsorted(rows.halo, starts)
    return [(rows.halo[a:b] - s) for a, b, s in zip(cuts[:-1], cuts[1:], starts[:-1], strict=True)]


def boundary_of(received: Sequence[IntArray]) -> IntArray:
    """Own vertices that any other block wants."""
    return np.unique(np.concatenate(received)).astype(np.int32)


def link(wants: Sequence[IntArray], boundaries: Sequence[IntArray]) -> Links:
    """Find each vertex of the halo in the boundary of its owner."""
    sources = tuple(q for q, want in enumerate(wants) if len(want))
    indices = tuple(np.searchsorted(boundaries[q], wants[q]).astype(np.int32) for q in sources)
    return Links(sources, indices)


def sources_of(links: Links) -> tuple[tuple[int, ...], int]:
    """The blocks that a halo comes from, and its size."""
    return links.sources, sum(map(len, links.indices))


def on_boundary(values: Any, boundary: IntArray) -> Any:
    """What other blocks need of these values."""
    return values[boundary]


def vertices_on_boundary(rows: BlockRows, boundary: IntArray) -> IntArray:
    """The user's numbers of the vertices that other blocks need."""
    return rows.vertices[boundary]


def user_columns(rows: BlockRows, links: Links, exports: Sequence[IntArray]) -> IntArray:
    """The user's number of each column of the rows of a block."""
    return np.concatenate([rows.vertices, from_exports(links, exports, rows.vertices[:0])])


def make_block(
    rows: BlockRows,
    degrees: FloatArray,
    wanted_of_it: Sequence[IntArray],
    links: Links,
    exports: Sequence[FloatArray],
    power: float,
    n_threads: int,
) -> GraphBlock:
    """Normalise the rows by the degrees of both ends and lay them out.

    `wanted_of_it` are the places in it of the vertices that each other block needs.
    """
    import graphwell.backends.cpu.engine  # noqa: F401  what works on the block is loaded with it
    from graphwell.backends.cpu.layout import SlicedRows

    every = np.concatenate([degrees, from_exports(links, exports, np.zeros(0))])
    W = sparse.csr_array((sharpened(rows, power), rows.W.indices, rows.W.indptr), shape=rows.W.shape)
    layout = SlicedRows.from_csr(W, PRECISION, inverse_roots_of(every))
    outlets = {q: layout.position[places] for q, places in enumerate(wanted_of_it) if len(places)}
    return GraphBlock(layout, degrees, outlets, links.sources, len(rows.halo), n_threads)
