"""A block of the graph on its worker: the layout and the kernels of the CPU engine on the rows it owns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from graphwell._pool import threads
from graphwell._types import FloatArray, IntArray
from graphwell.cluster.rows import Rows, sharpened
from graphwell.cluster.tasks import threads_of_worker

if TYPE_CHECKING:
    from graphwell.engines.layout import SlicedRows

PRECISION = np.dtype(np.float32)
COLUMNS_AT_ONCE = 4


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
class Block:
    """Rows of ``S`` that a block owns, in the two layouts that sweeps and products need.

    Attributes
    ----------
    rows : SlicedRows
        Columns beyond its positions are the halo.
    row_sums : array of shape (n_own,)
    S : scipy.sparse.csr_array
        In single precision; a row for each own vertex and an empty one for each of the halo.
    degrees : array of shape (n_own,)
    boundary, outlets : arrays
        Own vertices that other blocks need, rising, and their positions in the layout.
    links : Links
    """

    rows: "SlicedRows"
    row_sums: FloatArray
    S: Any
    degrees: FloatArray
    boundary: IntArray
    outlets: IntArray
    links: Links

    @property
    def n_own(self) -> int:
        """Number of own vertices."""
        return len(self.rows.order)

    def placed(self, values: Any, dtype: Any = PRECISION) -> Any:
        """Values of own vertices in the order of the layout."""
        found = np.zeros(self.rows.n_positions, dtype=dtype)
        found[: self.n_own] = values[self.rows.order]
        return found

    def restored(self, placed: Any) -> Any:
        """Values in the order of the own vertices."""
        found = np.empty(self.n_own, dtype=placed.dtype)
        found[self.rows.order] = placed[: self.n_own]
        return found

    def product(self, vectors: FloatArray, exports: Sequence[FloatArray]) -> FloatArray:
        """Own rows of ``S`` times a block of columns, the halo's part of which comes from other blocks."""
        from graphwell.engines import kernels

        width = vectors.shape[1]
        padded = width if width == 1 else -(-width // COLUMNS_AT_ONCE) * COLUMNS_AT_ONCE
        whole = np.empty((self.S.shape[0], padded), PRECISION)
        whole[:, width:] = 0
        whole[: self.n_own, :width] = vectors
        start = self.n_own
        for export, index in zip(exports, self.links.indices, strict=True):
            whole[start : start + len(index), :width] = export[index]
            start += len(index)
        out = np.empty_like(whole)
        multiply = kernels.vector_product if width == 1 else kernels.product
        pair = (whole[:, 0], out[:, 0]) if width == 1 else (whole, out)
        with threads(threads_of_worker()):
            multiply(self.S.indptr, self.S.indices, self.S.data, *pair)
        return out[: self.n_own, :width].copy()


def from_exports(links: Links, exports: Sequence[Any], empty: Any) -> Any:
    """The halo of a block from what the owners of its vertices export."""
    parts = [export[index] for export, index in zip(exports, links.indices, strict=True)]
    return np.concatenate(parts) if parts else empty


def wanted(rows: Rows, starts: IntArray) -> list[IntArray]:
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


def make_block(
    rows: Rows,
    power: float,
    degrees: FloatArray,
    boundary: IntArray,
    links: Links,
    exports: Sequence[FloatArray],
) -> Block:
    """Normalise the rows by the degrees of both ends and lay them out."""
    from graphwell.engines.layout import SlicedRows

    W = rows.W
    every = np.concatenate([degrees, from_exports(links, exports, np.zeros(0))])
    inverse_root = np.zeros(len(every))
    np.divide(1.0, np.sqrt(every), out=inverse_root, where=every > 0)
    data = sharpened(rows, power) * inverse_root[W.indices]
    data *= np.repeat(inverse_root[: rows.n_own], np.diff(W.indptr))
    S = sparse.csr_array((data, W.indices, W.indptr), shape=W.shape)
    empty_rows = np.full(W.shape[1] - W.shape[0], W.indptr[-1], dtype=W.indptr.dtype)
    square = sparse.csr_array(
        (data.astype(PRECISION), W.indices, np.concatenate([W.indptr, empty_rows])),
        shape=(W.shape[1], W.shape[1]),
    )
    layout = SlicedRows.from_csr(S, PRECISION)
    position = np.empty(rows.n_own, dtype=np.int32)
    position[layout.order] = np.arange(rows.n_own, dtype=np.int32)
    row_sums = np.asarray(S.sum(axis=1)).ravel()
    return Block(layout, row_sums, square, degrees, boundary, position[boundary], links)
