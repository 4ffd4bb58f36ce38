"""Cutting a graph in two with a small cut and balanced sides, and in more by cutting again.

The Cheeger cut of a set is the weight of the cut divided by the measure of the smaller side. The measure of a
vertex is 1 for the ratio cut, and its degree for the normalised one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from graphwell._types import BoolArray, FloatArray, IntArray

Split: TypeAlias = Callable[["Piece"], BoolArray]
"""Cuts a connected piece in two: True on one side."""


@dataclass(frozen=True, eq=False)
class Piece:
    """A graph with a measure of its vertices.

    Attributes
    ----------
    W : scipy.sparse.csr_array
        Symmetric weights, without a diagonal.
    measure : array of shape (n,)
        All positive.
    """

    W: Any
    measure: FloatArray

    @classmethod
    def of(cls, W: Any, *, by_degree: bool) -> "Piece":
        """A whole graph, measured by degrees or by counting; isolated vertices measure next to nothing."""
        W = sparse.csr_array(W, dtype=np.float64)
        W.setdiag(0.0)
        W.eliminate_zeros()
        W.sort_indices()
        degrees = W @ np.ones(W.shape[0])
        least = 1e-9 * float(degrees.max(initial=0.0)) or 1.0
        return cls(W, np.maximum(degrees, least) if by_degree else np.ones(W.shape[0]))

    def part(self, members: IntArray) -> "Piece":
        """The graph of some of the vertices; their measures stay."""
        W = sparse.csr_array(self.W[members][:, members])
        W.sort_indices()
        return Piece(W, self.measure[members])

    def cheeger(self, side: BoolArray) -> float:
        """The Cheeger cut of a set; infinite if it is empty or everything.

        Examples
        --------
        >>> piece = Piece.of(sparse.csr_array([[0.0, 2, 0], [2, 0, 1], [0, 1, 0]]), by_degree=False)
        >>> piece.cheeger(np.array([True, True, False]))
        1.0
        """
        inside = float(self.measure[side].sum())
        smaller = min(inside, float(self.measure.sum()) - inside)
        if not side.any() or side.all():
            return float("inf")
        return float(side @ (self.W @ (~side).astype(float))) / smaller


def best_threshold(piece: Piece, f: FloatArray) -> BoolArray:
    """The set of the lowest Cheeger cut among those where `f` is below some value.

    Examples
    --------
    >>> W = sparse.csr_array([[0.0, 2, 0, 0], [2, 0, 1, 0], [0, 1, 0, 3], [0, 0, 3, 0]])
    >>> best_threshold(Piece.of(W, by_degree=False), np.array([0.1, 0.2, 0.3, 0.4]))
    array([ True,  True, False, False])
    """
    from graphwell.backends.cpu.cut_kernels import cuts_in_order

    order = np.argsort(f, kind="stable")
    cuts = cuts_in_order(piece.W.indptr, piece.W.indices, piece.W.data, order)[:-1]
    inside = np.cumsum(piece.measure[order])
    smaller = np.minimum(inside[:-1], inside[-1] - inside[:-1])
    values = np.where(np.diff(f[order]) > 0, cuts / np.maximum(smaller, np.finfo(float).tiny), np.inf)
    side = np.zeros(len(f), dtype=bool)
    side[order[: int(values.argmin()) + 1]] = True
    return side


def partition(piece: Piece, n_clusters: int, split: Split) -> IntArray:
    """Cut pieces in two until there are enough of them.

    Cut is the piece that leaves the lowest sum, over all parts, of the cut divided by the measure. A piece
    that falls apart is cut for nothing, along its components and as evenly as they allow.

    Parameters
    ----------
    piece : Piece
    n_clusters : int
        At most the number of vertices.
    split : callable
        How a connected piece is cut in two.

    Returns
    -------
    array of shape (n,)
        Cluster of each vertex.

    Examples
    --------
    >>> W = sparse.csr_array(np.kron(np.eye(3), 1 - np.eye(2)))
    >>> partition(Piece.of(W, by_degree=False), 3, split=lambda piece: best_threshold(piece, np.arange(2.0)))
    array([0, 0, 1, 1, 2, 2])
    """
    clusters = np.zeros(piece.W.shape[0], dtype=np.int64)
    proposals: dict[int, tuple[IntArray, BoolArray]] = {}
    for number in range(1, n_clusters):
        for cluster in range(number):
            members = np.flatnonzero(clusters == cluster)
            if cluster not in proposals and len(members) > 1:
                proposals[cluster] = members, cut_in_two(piece.part(members), split)
        best = min(proposals, key=lambda cluster: _multiway(piece, clusters, number, *proposals[cluster]))
        members, side = proposals.pop(best)
        clusters[members[side]] = number
    return clusters


def cut_in_two(piece: Piece, split: Split) -> BoolArray:
    """Cut a piece along its components if it has several, else by `split`."""
    count, component = sparse.csgraph.connected_components(piece.W, directed=False)
    if count == 1:
        return split(piece) if len(piece.measure) > 2 else np.array([True, False])
    sizes = np.bincount(component, weights=piece.measure)
    sides, chosen = np.zeros(2), np.zeros(count, dtype=bool)
    for one in np.argsort(-sizes, kind="stable"):
        lighter = int(sides[1] < sides[0])
        chosen[one] = bool(lighter)
        sides[lighter] += sizes[one]
    return chosen[component]


def _multiway(piece: Piece, clusters: IntArray, number: int, members: IntArray, side: BoolArray) -> float:
    """Sum over all parts of the cut divided by the measure, if a part were cut so."""
    after = clusters.copy()
    after[members[side]] = number
    rows = np.repeat(after, np.diff(piece.W.indptr))
    apart = rows != after[piece.W.indices]
    cuts = np.bincount(rows[apart], weights=piece.W.data[apart], minlength=number + 1)
    return float((cuts / np.bincount(after, weights=piece.measure)).sum())
