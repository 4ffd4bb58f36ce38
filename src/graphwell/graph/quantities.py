"""What follows from the affinities of a graph."""

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from graphwell._hash import hash_of
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.graph.structure import frozen, read_only
from graphwell.graph.weights import ROWS_AT_ONCE


class Quantities:
    """Degrees, Laplacians and parts of a graph, each computed when it is first asked for.

    Attributes
    ----------
    W : scipy.sparse.csr_array of shape (n, n)
    """

    W: Any

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return int(self.W.shape[0])

    @property
    def n_edges(self) -> int:
        """Number of edges, each counted once."""
        return int(self.W.nnz // 2)

    @cached_property
    def degrees(self) -> FloatArray:
        """Sum of each row of `W`. Equation (4)."""
        W, ones = self.W, np.ones(self.n_vertices)  # some rows at a time: SciPy doubles their precision
        parts = [W[first : first + ROWS_AT_ONCE] @ ones for first in range(0, len(ones), ROWS_AT_ONCE)]
        return read_only(np.concatenate(parts))

    @cached_property
    def inverse_roots(self) -> FloatArray:
        """``D^-1/2``, zero for isolated vertices."""
        return read_only(inverse_roots_of(self.degrees))

    @cached_property
    def S(self) -> Any:
        """Normalised affinity ``D^-1/2 W D^-1/2``; the rows of isolated vertices are empty."""
        W = self.W
        data = W.data * self.inverse_roots[W.indices]
        data *= np.repeat(self.inverse_roots, np.diff(W.indptr))
        return frozen(sparse.csr_array((data, W.indices, W.indptr), shape=W.shape))

    @cached_property
    def L(self) -> Any:
        """Laplacian ``D - W``."""
        return frozen((sparse.diags_array(self.degrees) - self.W).tocsr())

    @cached_property
    def L_s(self) -> Any:
        """Symmetric normalised Laplacian ``I - S``. Equation (5)."""
        return frozen((sparse.eye_array(self.n_vertices) - self.S).tocsr())

    @cached_property
    def components(self) -> IntArray:
        """Number of the connected component of each vertex."""
        from graphwell.graph.adjacency import number_parts

        numbers = np.full(self.n_vertices, -1, dtype=np.int32 if self.n_vertices < 2**31 else np.int64)
        number_parts(self.W.indptr, self.W.indices, numbers, np.empty_like(numbers))
        return read_only(numbers)

    @property
    def n_components(self) -> int:
        """Number of connected components."""
        return int(self.components.max()) + 1

    @cached_property
    def isolated(self) -> IntArray:
        """Indices of the vertices without an edge."""
        return read_only(np.flatnonzero(np.diff(self.W.indptr) == 0))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the affinities."""
        return hash_of(self.W.data, self.W.indices, self.W.indptr)

    @property
    def nbytes(self) -> int:
        """Memory of the affinity matrix in bytes."""
        return int(self.W.data.nbytes + self.W.indices.nbytes + self.W.indptr.nbytes)

    def nearest(self, sources: BoolArray) -> IntArray:
        """Source nearest to each vertex along the graph, edges being as long as 1 / weight; negative if none.

        Examples
        --------
        >>> from graphwell import Graph
        >>> chain = Graph.from_affinity([[0, 1, 0], [1, 0, 0.1], [0, 0.1, 0]])
        >>> chain.nearest(np.array([True, False, True]))
        array([0, 0, 2], dtype=int32)
        """
        lengths = sparse.csr_array((1.0 / self.W.data, self.W.indices, self.W.indptr), shape=self.W.shape)
        given = np.flatnonzero(sources)
        *_, nearest = csgraph.dijkstra(lengths, indices=given, min_only=True, return_predecessors=True)
        return nearest


def inverse_roots_of(degrees: FloatArray) -> FloatArray:
    """One over the root of each degree, zero for isolated vertices.

    Examples
    --------
    >>> inverse_roots_of(np.array([4.0, 0.0]))
    array([0.5, 0. ])
    """
    roots = np.zeros(len(degrees))
    np.divide(1.0, np.sqrt(degrees), out=roots, where=degrees > 0)
    return roots
