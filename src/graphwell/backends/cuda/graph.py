"""The graph on a GPU: built there, kept there, and fetched by whoever asks for its matrices."""

from dataclasses import replace
from functools import cached_property
from typing import Any

from graphwell.backends.cuda._cupy import GpuArray, cupy, memory_in_words
from graphwell.backends.cuda.cells import CudaCellSearch, search_for
from graphwell.backends.cuda.matrix import GpuMatrix
from graphwell.backends.cuda.points import Points
from graphwell.graph import Graph
from graphwell.graph.checks import check_points, frozen
from graphwell.graph.components import (
    Bridges,
    bridges_between,
    every_component_has,
    with_bridges,
    without_bridges,
)
from graphwell.graph.graph import Origin
from graphwell.graph.knn import FeatureMap
from graphwell.graph.weights import WEIGHT_FLOOR, locally_scaled


class CudaGraph(Graph):
    """A `Graph` whose arrays lie on the GPU: degrees, components, and all that solvers ask for.

    `W` and what follows from it are fetched when asked for; users get a `FetchedGraph`.
    """

    matrix: GpuMatrix
    _unsharpened: Graph | None

    def __init__(
        self,
        matrix: GpuMatrix,
        origin: Origin | None = None,
        sharpness: float = 1.0,
        unsharpened: Graph | None = None,
        bridges: Bridges | None = None,
    ) -> None:
        self.__dict__.update(
            matrix=matrix, origin=origin, sharpness=sharpness, _unsharpened=unsharpened, bridges=bridges
        )

    @classmethod
    def of(cls, graph: Graph) -> "CudaGraph":
        """The graph on the GPU; one that came from there is not copied again."""
        if isinstance(graph, cls):
            return graph
        if isinstance(graph, FetchedGraph):
            return graph.placed
        with memory_in_words("the graph", 3 * graph.nbytes):
            placed = cls(GpuMatrix.from_host(graph.W), graph.origin, graph.sharpness, bridges=graph.bridges)
            # Taken over, so that no sum is rounded in another way than on the host.
            placed.__dict__["degrees"] = cupy().asarray(graph.degrees)
            placed.__dict__["normalised"] = GpuMatrix.from_host(graph.S)
            return placed

    @classmethod
    def from_points(
        cls, points: GpuArray, features: FeatureMap, n_features: int, n_neighbors: int, scale_neighbor: int
    ) -> "CudaGraph":
        """Link each row to its nearest rows, with locally scaled weights.

        Parameters
        ----------
        points : array of shape (n, d)
            Rows whose Euclidean distance is the metric; on the host if they have no room on the GPU.
        features : FeatureMap
            What made them from the user's rows.
        n_features : int
            Features of those.
        n_neighbors, scale_neighbor : int
        """
        _check(Points(points))
        search = search_for(points, max(n_neighbors, scale_neighbor))
        matrix, tau = _link(search, n_neighbors, scale_neighbor)
        return cls(matrix, Origin(features, search, tau, n_features, n_neighbors, scale_neighbor))

    @cached_property
    def W(self) -> Any:
        """Affinities, fetched from the GPU."""
        return frozen(self.matrix.to_host())

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return self.matrix.n_rows

    @property
    def n_edges(self) -> int:
        """Number of edges, each counted once."""
        return len(self.matrix.data) // 2

    @cached_property
    def degrees(self) -> GpuArray:
        """Sum of each row of `W`, on the GPU."""
        return self.matrix.row_sums

    @cached_property
    def normalised(self) -> GpuMatrix:
        """``D^-1/2 W D^-1/2`` on the GPU."""
        return self.matrix.normalised()

    @property
    def cell_by_cell(self) -> GpuArray | None:
        """The vertices in an order in which near ones follow each other, if the search has one."""
        search = None if self.origin is None else self.origin.search
        return search.tiles.order if isinstance(search, CudaCellSearch) else None

    @cached_property
    def components(self) -> GpuArray:
        """Number of the connected component of each vertex, on the GPU."""
        if self._unsharpened is not None:
            return self._unsharpened.components
        return self.matrix.components()

    @cached_property
    def n_components(self) -> int:
        """Number of connected components."""
        return int(self.components.max()) + 1

    def sharpened(self, power: float) -> "CudaGraph":
        """Return the graph with every affinity raised to a power."""
        if power == 1:
            return self
        cp, data = cupy(), self.matrix.data
        raised = data * data if power == 2 else data**power
        matrix = self.matrix.with_data(cp.maximum(raised, data.dtype.type(WEIGHT_FLOOR)))
        return CudaGraph(matrix, self.origin, self.sharpness * power, unsharpened=self)

    def bridged(self, known: GpuArray) -> "CudaGraph":
        """Return the graph with every part that holds no known row joined to the nearest part."""
        plain = self.unbridged
        if plain.origin is None or every_component_has(plain.components, known, plain.n_components):
            return plain
        on_host = (cupy().asnumpy(values) for values in (plain.components, known))
        bridges = bridges_between(plain.W, plain.origin, *on_host)
        matrix = GpuMatrix.from_host(with_bridges(plain.W, bridges))
        return CudaGraph(matrix, plain.origin, plain.sharpness, bridges=bridges)

    @property
    def unbridged(self) -> "CudaGraph":
        """The graph without bridges."""
        if self.bridges is None:
            return self
        return CudaGraph(
            GpuMatrix.from_host(without_bridges(self.W, self.bridges)), self.origin, self.sharpness
        )

    def nearest(self, sources: GpuArray) -> GpuArray:
        """Source nearest to each vertex along the graph; -1 where none is in reach."""
        return self.matrix.nearest(sources)


class FetchedGraph(Graph):
    """A graph of the host whose matrix still lies on the GPU, until it is asked for."""

    placed: CudaGraph

    def __init__(self, placed: CudaGraph) -> None:
        self.__dict__.update(placed=placed, sharpness=placed.sharpness, bridges=placed.bridges)

    @cached_property
    def W(self) -> Any:
        """Affinities, fetched from the GPU."""
        return self.placed.W

    @cached_property
    def origin(self) -> Origin | None:
        """Search and scales that the graph was made by; new rows are compared with it on the GPU."""
        origin = self.placed.origin
        return origin and replace(origin, scales=cupy().asnumpy(origin.scales))

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return self.placed.n_vertices

    def check(self) -> None:
        """Check the matrix where it has been fetched, and may have been written into."""
        if "W" in self.__dict__:
            super().check()

    def __reduce__(self) -> Any:
        return Graph, (self.W, self.origin, self.sharpness, self.bridges)


def _check(points: Points) -> None:
    """Refuse points that no graph can be made of."""
    lows, highs, _ = points.bounds()
    check_points(float(highs.max()), float(lows.min()), bool((highs > lows).any()))


def _link(search: Any, n_neighbors: int, scale_neighbor: int) -> tuple[GpuMatrix, GpuArray]:
    """Affinities of the points of a search to their neighbours, and the local scales."""
    indices, distances = search.of_all(max(n_neighbors, scale_neighbor))
    with memory_in_words("the graph", len(indices) * n_neighbors * 80):
        chosen, weights, tau = locally_scaled(indices, distances, n_neighbors, scale_neighbor)
        return GpuMatrix.from_neighbors(chosen, weights), tau
