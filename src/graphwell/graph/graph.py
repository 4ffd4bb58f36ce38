"""The graph: an immutable affinity matrix with what made it and what follows from it."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from graphwell._threads import thread_count
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.errors import Gone, counted
from graphwell.graph.checks import (
    check_affinities,
    check_points,
    frozen,
    neighbor_counts,
    read_features,
    read_only,
    rows_differ,
    sound_compressed,
    symmetric_matrix,
)
from graphwell.graph.components import (
    Bridges,
    bridges_between,
    every_component_has,
    number_components,
    with_bridges,
    without_bridges,
)
from graphwell.graph.knn import (
    Change,
    FeatureMap,
    build_search,
    check_neighbors,
    neighbors_of_all,
)
from graphwell.graph.weights import (
    ROWS_AT_ONCE,
    WEIGHT_FLOOR,
    kernel,
    local_scales,
    single_weights,
    symmetric_affinity,
)
from graphwell.progress import Progress, silent


def inverse_roots_of(degrees: FloatArray) -> FloatArray:
    """One over the root of each degree, zero for isolated vertices."""
    roots = np.zeros(len(degrees))
    np.divide(1.0, np.sqrt(degrees), out=roots, where=degrees > 0)
    return roots


@dataclass(frozen=True)
class Origin:
    """The search and the scales that a graph of features was made by; they link new rows to it."""

    features: Callable[[Any], FloatArray]
    search: Any  # a `NeighborSearch`, or that of a GPU
    scales: FloatArray
    n_features: int
    n_neighbors: int
    scale_neighbor: int
    order: Any = None  # a `canonical.Canonical` where the search has rows and columns in another order

    @property
    def points(self) -> FloatArray:
        """The point of each row."""
        return self.search.points if self.order is None else self.search.points[self.order.vertices]

    def query(self, points: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
        """Indices and distances of the nearest of the rows that differ."""
        indices, distances = self.search.query(points, k)
        check_neighbors(indices, distances, len(self.search.points))
        return indices if self.order is None else self.order.firsts[indices], distances

    def affinity_to(self, X: Any, sharpness: float = 1.0) -> Any:
        """Affinities of new rows to the vertices, each row linked to its nearest vertices."""
        X = read_features(X, at_least=1)
        rows = self.features(X if self.order is None else self.order.of_new_rows(X))
        indices, distances = self.query(rows, max(self.n_neighbors, self.scale_neighbor))
        floor = self.scales.min()  # a row among copies has no scale of its own
        tau = np.maximum(distances[:, self.scale_neighbor - 1], floor)
        indices, distances = indices[:, : self.n_neighbors], distances[:, : self.n_neighbors]
        # The weights of the graph, between a row and its nearest rows alone: rows do not change each other.
        weights = kernel(distances, tau[:, None], self.scales[indices]) ** sharpness
        weights = np.maximum(weights, WEIGHT_FLOOR)
        starts = np.arange(0, indices.size + 1, indices.shape[1])
        shape = (len(rows), len(self.scales))
        return sparse.csr_array((weights.ravel(), indices.ravel(), starts), shape=shape)


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An undirected weighted graph on the rows of a data set.

    Build one with `Graph.from_features` or `Graph.from_affinity`.

    Attributes
    ----------
    W : scipy.sparse.csr_array of shape (n, n)
        Symmetric affinities with an empty diagonal.
    S : scipy.sparse.csr_array of shape (n, n)
        Normalised affinities, ``D^-1/2 W D^-1/2``.
    L, L_s : scipy.sparse.csr_array of shape (n, n)
        Laplacian ``D - W`` and symmetric normalised Laplacian ``I - S``.
    degrees : array of shape (n,)
        Sum of each row of `W`.
    components : array of shape (n,)
        Number of the connected component of each vertex.
    recall_ : float
        Share of the true neighbours that the search found (measured on a sample; 1.0 if exact).
    sharpness : float
        Power that the kernel was raised to, see `Graph.sharpened`.
    bridges : Bridges, optional
        Edges that join connected components without a known row to others, see `Graph.bridged`.
    masses : array of shape (n,), optional
        How many rows each vertex stands for, where rows are equal: `W` counts each pair of them.
    """

    W: Any
    origin: Origin | None = None
    sharpness: float = 1.0
    bridges: Bridges | None = None
    masses: FloatArray | None = None

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        """Refuse a matrix that compiled code could not follow: built by hand, unpickled or written into."""
        if getattr(self.W, "format", None) != "csr" or self.W.shape[0] != self.W.shape[1]:
            raise ValueError("A graph needs a square CSR matrix; Graph.from_affinity takes any other.")
        sound_compressed(self.W, "The affinity matrix of the graph")
        check_affinities(self.W.data)
        if self.origin is not None and len(self.origin.scales) != self.n_vertices:
            raise ValueError("The graph has another number of vertices than the features it was made from.")
        if self.bridges is not None and len(self.bridges.rows) != self.n_vertices:
            raise ValueError("The graph has another number of vertices than its bridges were made for.")
        if self.masses is not None and not (len(self.masses) == self.n_vertices and (self.masses > 0).all()):
            raise ValueError("The graph has other vertices than its masses were made for.")

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the fields; what follows from the matrix is computed anew."""
        return {field.name: self.__dict__[field.name] for field in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        wanted = {field.name for field in fields(self)}
        if set(state) != wanted:
            raise ValueError("This is no pickled graph of this version of graphwell; build the graph anew.")
        self.__dict__.update(state)
        self.check()

    @classmethod
    def from_features(
        cls,
        X: Any,
        n_neighbors: int = 10,
        scale_neighbor: int = 10,
        metric: str = "euclidean",
        n_jobs: int | None = None,
        *,
        exact: bool | None = None,
        device: str = "cpu",
        change: Change | None = None,
        progress: Progress = silent,
    ) -> "Graph":
        """Link each row to its nearest rows, with locally scaled weights.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, d)
            Features. Sparse rows are searched in the space of their leading 100 singular vectors.
        n_neighbors : int
            Number of neighbours each row chooses; rows are joined where either chose the other.
        scale_neighbor : int
            The distance to this neighbour is the local scale of a row.
        metric : {"euclidean", "cosine"}
            How rows are compared.
        n_jobs : int, optional
            Threads of the search; all cores by default.
        exact : bool, optional
            Exact (True) or approximate (False) search. By default exact in up to 8 dimensions and up
            to 20,000 rows, approximate with a measured recall of 0.995 above.
        device : {"cpu", "cuda"}
            Where the graph is built. On a GPU the search is exact, and the graph stays there: its matrices
            are fetched when they are asked for. `X` may lie on the GPU already (CuPy, PyTorch).
        change : callable, optional
            Done to rows before they are compared: a metric that was learnt, say. New rows are changed too.
        progress : callable
            Told the stage and the share of it that is done.

        Examples
        --------
        >>> graph = Graph.from_features([[0.0], [1.0], [2.5], [4.5]], n_neighbors=1, scale_neighbor=1)
        >>> graph
        Graph(4 vertices, 3 edges, 1 component)
        """
        from graphwell.backends.registry import find_backend, refuse_rows_of_a_cluster

        refuse_rows_of_a_cluster(X, "Graph.from_features")
        if device != "cpu":
            backend = find_backend(device, X)
            rows = replace(backend.read_rows(X, metric), change=change)
            graph: Graph = backend.shown(
                backend.build_graph(rows, n_neighbors, scale_neighbor, metric, progress)
            )
            return graph
        from graphwell.graph.canonical import graph_of_rows, order_of

        X = read_features(X)
        order = order_of(X, thread_count(n_jobs), columns=change is None)  # a change knows the user's columns
        sizes = (n_neighbors, scale_neighbor, metric, n_jobs)
        graph = cls.of_arranged(order.arranged(X), *sizes, exact=exact, change=change, progress=progress)
        return graph_of_rows(graph, order)

    @classmethod
    def of_arranged(
        cls,
        X: Any,
        n_neighbors: int,
        scale_neighbor: int,
        metric: str,
        n_jobs: int | None = None,
        *,
        exact: bool | None = None,
        change: Change | None = None,
        progress: Progress = silent,
    ) -> "Graph":
        """As `from_features`, of rows that were checked and lie in the order of a fit already."""
        n_neighbors, scale_neighbor = neighbor_counts(n_neighbors, scale_neighbor, X.shape[0])
        features = FeatureMap.fit(X, metric, change)
        points = features(X)
        check_points(float(points.max()), float(points.min()), rows_differ(points))
        k = max(n_neighbors, scale_neighbor)
        progress("neighbours", None)
        search = build_search(points, k, exact=exact, n_jobs=n_jobs)
        indices, distances = neighbors_of_all(search, k, progress)
        tau = local_scales(distances, scale_neighbor)  # equation (3)
        chosen = np.ascontiguousarray(indices[:, :n_neighbors])
        weights = single_weights(chosen, distances[:, :n_neighbors], tau, thread_count(n_jobs))
        del indices, distances  # lists of all rows: what is not needed any more makes room for the matrix
        W = frozen(symmetric_affinity(chosen, weights))
        return cls(W, Origin(features, search, tau, X.shape[1], n_neighbors, scale_neighbor))

    from_networkx = Gone("Graph.from_affinity(networkx.to_scipy_sparse_array(G)).")
    from_igraph = Gone('Graph.from_affinity(g.get_adjacency_sparse("weight")).')
    with_neighbors = Gone("Graph.from_features(X, n_neighbors=n).")
    fingerprint = Gone("(graph.W != other.W).nnz == 0.")
    from_sknetwork = from_pyg = Gone("Graph.from_affinity(A), A a sparse symmetric matrix.")

    @classmethod
    def from_affinity(cls, W: Any) -> "Graph":
        """Take a symmetric non-negative matrix as it is; its diagonal is ignored.

        Parameters
        ----------
        W : sparse matrix or dense array of shape (n, n)
            Affinities; zero means no edge.

        Examples
        --------
        >>> Graph.from_affinity([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
        Graph(3 vertices, 1 edge, 2 components, 1 isolated vertex)
        """
        if isinstance(W, Graph):
            return W
        return cls(frozen(symmetric_matrix(W)))

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
        # Entry by entry: products with diagonal matrices would copy the indices.
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
        numbers = np.full(self.n_vertices, -1, dtype=np.int32 if self.n_vertices < 2**31 else np.int64)
        number_components(self.W.indptr, self.W.indices, numbers, np.empty_like(numbers))
        return read_only(numbers)

    @property
    def n_components(self) -> int:
        """Number of connected components."""
        return int(self.components.max()) + 1

    @cached_property
    def isolated(self) -> IntArray:
        """Indices of the vertices without an edge."""
        return read_only(np.flatnonzero(np.diff(self.W.indptr) == 0))

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
        # Dijkstra's algorithm from all sources at once; strong edges are short.
        lengths = sparse.csr_array((1.0 / self.W.data, self.W.indices, self.W.indptr), shape=self.W.shape)
        given = np.flatnonzero(sources)
        *_, nearest = csgraph.dijkstra(lengths, indices=given, min_only=True, return_predecessors=True)
        return nearest

    @property
    def locality(self) -> IntArray | None:
        """The vertices in an order in which neighbours are near each other, if the search knows one."""
        if self.origin is None:
            return None
        near, order = self.origin.search.locality, self.origin.order
        return near if near is None or order is None else order.firsts[near]

    @property
    def recall_(self) -> float:
        """Share of the true neighbours that the search found."""
        return 1.0 if self.origin is None else self.origin.search.recall

    @property
    def n_neighbors(self) -> int | None:
        """Number of neighbours that each row chose; None if the graph was made from affinities."""
        return None if self.origin is None else self.origin.n_neighbors

    def sharpened(self, power: float) -> "Graph":
        """Return the graph with every affinity raised to a power: 2 squares the kernel.

        Examples
        --------
        >>> Graph.from_affinity([[0, 0.5], [0.5, 0]]).sharpened(2).W.toarray()
        array([[0.  , 0.25],
               [0.25, 0.  ]])
        """
        if power == 1:
            return self
        # exp(-d²/tau²) to a power is the kernel of a smaller scale: no search is needed for it.
        W = self.W
        data = W.data**power
        if self.masses is not None:  # they are no part of what is raised
            data *= products_of_masses(W, self.masses).astype(data.dtype) ** (1 - power)
        np.maximum(data, data.dtype.type(WEIGHT_FLOOR), out=data)
        W = frozen(sparse.csr_array((data, W.indices, W.indptr), shape=W.shape))
        sharp = Graph(W, self.origin, self.sharpness * power, masses=self.masses)
        sharp.__dict__["components"] = self.components
        return sharp

    def weighted(self, masses: FloatArray | None) -> "Graph":
        """Return the graph whose vertices stand for so many rows: the quotient of one that has them all."""
        if masses is None:
            return self
        W = self.W
        data = (W.data * products_of_masses(W, masses)).astype(W.dtype)
        return Graph(
            frozen(sparse.csr_array((data, W.indices, W.indptr), shape=W.shape)), self.origin, masses=masses
        )

    def bridged(self, known: BoolArray) -> "Graph":
        """Return the graph with every component that holds no known row connected to the nearest one.

        Each is linked by its few shortest distances, with the mean weight of its own edges. Bridges of
        before are taken away first. A graph made from affinities has no distances and stays as it is.

        Examples
        --------
        >>> X = [[0.0], [1.0], [9.0], [10.0]]
        >>> graph = Graph.from_features(X, n_neighbors=1, scale_neighbor=1)
        >>> graph.bridged(np.array([True, False, False, False])).bridges.rows
        array([False, False,  True,  True])
        """
        plain = self.unbridged
        if plain.origin is None or every_component_has(plain.components, known, plain.n_components):
            return plain
        bridges = bridges_between(plain.W, plain.origin, plain.components, known)
        W = with_bridges(plain.W, bridges)
        return Graph(W, plain.origin, plain.sharpness, bridges, plain.masses)

    @property
    def unbridged(self) -> "Graph":
        """The graph without bridges."""
        if self.bridges is None:
            return self
        return Graph(without_bridges(self.W, self.bridges), self.origin, self.sharpness, masses=self.masses)

    def affinity_to(self, X: Any) -> Any:
        """Affinities of new rows to the vertices, each row linked to its nearest vertices.

        A row's result does not depend on the other rows. Only for graphs made from features.

        Returns
        -------
        scipy.sparse.csr_array of shape (len(X), n)

        Examples
        --------
        >>> graph = Graph.from_features([[0.0], [1.0], [2.0]], n_neighbors=1, scale_neighbor=1)
        >>> graph.affinity_to([[0.0]]).toarray()
        array([[1., 0., 0.]])
        """
        if self.origin is None:
            raise ValueError("A graph made from affinities has no features to compare new rows with.")
        return self.origin.affinity_to(X, self.sharpness)

    def __repr__(self) -> str:
        parts = [
            counted(self.n_vertices, "vertex", "vertices"),
            counted(self.n_edges, "edge"),
            counted(self.n_components, "component"),
        ]
        if len(self.isolated):
            parts.append(counted(len(self.isolated), "isolated vertex", "isolated vertices"))
        return f"Graph({', '.join(parts)})"


def products_of_masses(W: Any, masses: FloatArray) -> FloatArray:
    """Product of the masses at both ends of each edge."""
    return np.asarray(np.repeat(masses, np.diff(W.indptr)) * masses[W.indices])
