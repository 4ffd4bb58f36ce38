"""The rows of the affinity matrix that one block owns, and which vertices of other blocks they touch.

Vertices have two numbers: that of the user's row, and a *position*, which orders them by block, so that a
block owns a range of positions. Entries of a row are stored in the order of the user's numbers, as on one
machine: every sum over them then has the same bits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from graphwell._types import FloatArray, IntArray
from graphwell.graph.components import weight_sums
from graphwell.graph.weights import WEIGHT_FLOOR


def narrow(numbers: IntArray, count: int) -> IntArray:
    """Numbers below `count`, or -1, in the fewest bytes: they travel by the million.

    Examples
    --------
    >>> narrow(np.array([-1, 9]), 10).dtype, narrow(np.array([300]), 301).dtype
    (dtype('int8'), dtype('int16'))
    """
    return numbers.astype(np.min_scalar_type(-count))


def in_few_bytes(values: Any) -> Any:
    """Values as an array of NumPy; whole numbers in the fewest bytes that hold them all.

    Examples
    --------
    >>> in_few_bytes([-1, 127]).dtype, in_few_bytes([-1, 128]).dtype, in_few_bytes([0.5]).dtype
    (dtype('int8'), dtype('int16'), dtype('float64'))
    """
    values = np.asarray(values)
    if values.dtype.kind not in "iu" or not values.size:
        return values
    return narrow(values, max(int(values.max()) + 1, -int(values.min())))


@dataclass(frozen=True)
class BlockRows:
    """Rows of ``W``, columns numbered anew: own vertices by their place in the block, then the halo.

    Attributes
    ----------
    vertices : array of shape (n_own,)
        The user's number of each row.
    W : scipy.sparse.csr_array of shape (n_own, n_own + n_halo)
    halo : array of shape (n_halo,)
        Positions of the neighbours that other blocks own, rising.
    """

    vertices: IntArray
    W: Any
    halo: IntArray

    @property
    def n_own(self) -> int:
        """Number of vertices that the block owns."""
        return len(self.vertices)


@dataclass(frozen=True)
class Chosen:
    """The neighbours that the vertices of a block chose.

    Attributes
    ----------
    vertices : array of shape (n_own,)
    neighbors, positions : arrays of shape (n_own, k)
        Their user's numbers and their positions.
    weights : array of shape (n_own, k)
        Of the edges to them.
    """

    vertices: IntArray
    neighbors: IntArray
    positions: IntArray
    weights: FloatArray


def edges_by_owner(chosen: Chosen, block: int, starts: IntArray) -> list[tuple[Any, ...]]:
    """The edges that a block chose, cut by the block that owns the far end.

    Each piece holds the near end (user's number, position), the place of the far end in its block, and the
    weight.
    """
    n, k = chosen.neighbors.shape
    near, far = np.repeat(np.arange(n), k), chosen.positions.ravel()
    owner = np.searchsorted(starts, far, side="right") - 1
    pieces = []
    for q in range(len(starts) - 1):
        of_q = np.flatnonzero(owner == q)
        i = near[of_q]
        ends = (chosen.vertices[i], i + starts[block], far[of_q] - starts[q])
        pieces.append((*ends, chosen.weights.ravel()[of_q].astype(np.float32)))
    return pieces


def joined_rows(
    received: Sequence[tuple[Any, ...]], chosen: Chosen, own: tuple[int, int], n: int
) -> BlockRows:
    """Join `i` and `j` where either chose the other: the rows of ``W`` that a block owns.

    Parameters
    ----------
    received : list
        Edges that each block chose towards this one, as `edges_by_owner` cuts them.
    chosen : Chosen
        By this block.
    own : (start, stop)
        Range of the positions of this block.
    n : int
        Number of all vertices.
    """
    n_own, k = chosen.neighbors.shape
    data = chosen.weights.ravel().astype(np.float32)  # as on one machine
    out = sparse.csr_array((data, chosen.neighbors.ravel(), np.arange(0, n_own * k + 1, k)), shape=(n_own, n))
    vertices, positions, places, weights = (np.concatenate(part) for part in zip(*received, strict=True))
    into = sparse.coo_array((weights, (places, vertices)), shape=(n_own, n))
    W = out.maximum(into.tocsr()).tocsr()
    W.sort_indices()
    numbers, first = np.unique(np.concatenate([chosen.neighbors.ravel(), vertices]), return_index=True)
    positions = np.concatenate([chosen.positions.ravel(), positions])[first]
    return renumbered(chosen.vertices, W, numbers, positions, own)


@dataclass(frozen=True)
class Edges:
    """Further edges of some rows of a block, with the user's numbers as columns."""

    rows: IntArray
    columns: IntArray
    weights: FloatArray

    @classmethod
    def of(cls, matrix: Any) -> "Edges":
        """The entries of the rows of a block in a matrix of all columns."""
        entries = matrix.tocoo()
        return cls(entries.row, entries.col, entries.data)


def with_edges(
    rows: BlockRows,
    columns: IntArray,
    extra: Edges,
    positions: IntArray,
    own: tuple[int, int],
    n: int,
) -> BlockRows:
    """Rows with further edges.

    Parameters
    ----------
    rows : BlockRows
    columns : array
        The user's number of each column.
    extra : Edges
        Between vertices that none joined before.
    positions : array
        Of the far ends.
    own : (start, stop)
        Range of the positions of this block.
    n : int
        Number of all vertices.
    """
    ends = (extra.rows, extra.columns)
    more = sparse.coo_array((extra.weights.astype(np.float32), ends), shape=(rows.n_own, n)).tocsr()
    W = (with_user_columns(rows, columns, 1.0, n) + more).tocsr()
    W.sort_indices()
    numbers, first = np.unique(np.concatenate([columns, extra.columns]), return_index=True)
    every = np.concatenate([np.arange(*own), rows.halo, positions])[first]
    return renumbered(rows.vertices, W, numbers, every, own)


def renumbered(
    vertices: IntArray, W: Any, numbers: IntArray, positions: IntArray, own: tuple[int, int]
) -> BlockRows:
    """Rows whose columns are the places of own vertices, then the halo.

    `numbers` (rising) are the user's numbers that occur as columns, `positions` their positions.
    """
    start, stop = own
    outside = (positions < start) | (positions >= stop)
    halo = np.sort(positions[outside])
    column = np.where(outside, stop - start + np.searchsorted(halo, positions), positions - start)
    indices = column[np.searchsorted(numbers, W.indices)].astype(np.int32)
    width = stop - start + len(halo)
    matrix = sparse.csr_array((W.data, indices, W.indptr), shape=(len(vertices), width))
    return BlockRows(vertices, matrix, halo)


def sharpened(rows: BlockRows, power: float) -> FloatArray:
    """Affinities raised to a power, never quite zero."""
    if power == 1:
        return rows.W.data
    data = rows.W.data**power
    return np.maximum(data, data.dtype.type(WEIGHT_FLOOR), out=data)


def degrees_of(rows: BlockRows, power: float) -> FloatArray:
    """Sum of each row of the sharpened ``W``."""
    W = sparse.csr_array((sharpened(rows, power), rows.W.indices, rows.W.indptr), shape=rows.W.shape)
    return np.asarray(W @ np.ones(W.shape[1]))


def with_user_columns(rows: BlockRows, columns: IntArray, power: float, n: int) -> Any:
    """Rows of the sharpened ``W`` as on one machine: with the user's numbers as columns."""
    parts = (sharpened(rows, power), columns[rows.W.indices], rows.W.indptr)
    return sparse.csr_array(parts, shape=(rows.n_own, n))


def some_rows(
    rows: BlockRows, columns: IntArray, vertices: IntArray, power: float, n: int
) -> tuple[IntArray, Any]:
    """Those of some vertices that the block owns, and their rows of the sharpened ``W``."""
    here = np.flatnonzero(np.isin(rows.vertices, vertices))
    own = BlockRows(rows.vertices[here], rows.W[here], rows.halo)
    return own.vertices, with_user_columns(own, columns, power, n)


def fingerprint(rows: BlockRows, columns: IntArray) -> int:
    """A number that changes with any entry of these rows; its sum over blocks knows no order of them."""
    neighbors = columns[rows.W.indices]
    vertices = np.repeat(rows.vertices, np.diff(rows.W.indptr)).astype(np.uint64)
    mixed = vertices * np.uint64(0x9E3779B97F4A7C15) ^ neighbors.astype(np.uint64) * np.uint64(
        0xC2B2AE3D27D4EB4F
    )
    mixed ^= rows.W.data.astype(np.float64).view(np.uint64) * np.uint64(0xFF51AFD7ED558CCD)
    mixed ^= mixed >> np.uint64(33)
    mixed *= np.uint64(0xC4CEB9FE1A85EC53)
    mixed ^= mixed >> np.uint64(29)
    return int(mixed.sum(dtype=np.uint64))


def heaviest(rows: BlockRows, columns: IntArray, power: float) -> IntArray:
    """The user's number of the neighbour of largest affinity of each vertex; -1 if it has none."""
    from graphwell.backends.aggregation import heaviest_entries

    found = heaviest_entries(rows.W.indptr, rows.W.indices, sharpened(rows, power))
    return np.where(found >= 0, columns[found], -1)


def largest(rows: BlockRows, columns: IntArray, power: float) -> tuple[float, int]:
    """Largest affinity of these rows, and how many they have."""
    return float(sharpened(rows, power).max(initial=0.0)), int(rows.W.nnz)


def condensed(
    rows: BlockRows, columns: IntArray, groups: IntArray, power: float, n_groups: int, unit: float
) -> Any:
    """Sums of these rows of the sharpened ``W`` between groups of vertices; `groups` are those of all."""
    from graphwell.backends.aggregation import condensed_rows

    W = sparse.csr_array((sharpened(rows, power), rows.W.indices, rows.W.indptr), shape=rows.W.shape)
    return condensed_rows(W, groups[rows.vertices], groups[columns], n_groups, unit)


def weight_sums_of(rows: BlockRows, groups: IntArray, n_groups: int) -> tuple[IntArray, IntArray]:
    """Sums and counts of the affinities of a block's rows, by group."""
    return weight_sums(rows.W, groups, n_groups)
