"""A graph made ready for questions: where it lies, and its units. Kept, it makes further questions cheap."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from graphwell._types import FloatArray
from graphwell.backends.base import Backend, Engine, PlacedGraph
from graphwell.backends.registry import find_backend
from graphwell.estimators.base import GraphClassifier
from graphwell.graph import Graph
from graphwell.graph.knn import check_metric
from graphwell.progress import Progress, silent
from graphwell.solve.communities import Groundwork, groundwork
from graphwell.solve.kept import KeptEngine

SHARPNESS = 2.0
"""Communities are those of the squared affinities, as in a fit."""


@dataclass(frozen=True, eq=False)
class Survey:
    """A graph, where it lies.

    Attributes
    ----------
    backend : Backend
    graph : PlacedGraph
        As it was given or built, with plain affinities.
    kept : KeptEngine
        What fits of the graph share.
    """

    backend: Backend
    graph: PlacedGraph
    kept: KeptEngine = field(default_factory=KeptEngine, repr=False)

    @property
    def engine(self) -> Engine:
        """Of the graph with squared affinities; fits of the graph share it."""
        return self.kept.of(self.backend, self.graph, SHARPNESS)[1]

    @cached_property
    def ground(self) -> Groundwork:
        """The units, in the memory of this machine."""
        return groundwork(self.engine)

    @cached_property
    def degrees(self) -> FloatArray:
        """Sum of the affinities of each row."""
        return np.asarray(self.backend.to_host(self.graph.degrees), dtype=np.float64)

    @property
    def shown(self) -> Any:
        """The graph as users see it."""
        return self.backend.shown(self.graph)


def survey(
    X: Any,
    *,
    n_neighbors: int = 10,
    scale_neighbor: int = 10,
    metric: str = "euclidean",
    device: str = "cpu",
    n_jobs: int | None = None,
    progress: Progress = silent,
) -> Survey:
    """Build the graph of rows, or take one that is there.

    Parameters
    ----------
    X : array, data frame, sparse matrix, Dask array, Graph or fitted classifier
    n_neighbors, scale_neighbor, metric, device, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.
    progress : callable
        Told the stage and the share of it that is done.

    Examples
    --------
    >>> survey([[0.0], [0.1], [5.0], [5.2]], n_neighbors=1, scale_neighbor=1).graph
    Graph(4 vertices, 2 edges, 2 components)
    """
    if isinstance(X, GraphClassifier):
        return _of_classifier(X)
    backend = find_backend(device, X, n_jobs)
    if isinstance(X, Graph):
        return Survey(backend, backend.place(X))
    check_metric(metric, ("precomputed",))
    if metric == "precomputed":
        return Survey(backend, backend.read_affinities(X)[1])
    rows = backend.read_rows(X, metric)
    return Survey(backend, backend.build_graph(rows, n_neighbors, scale_neighbor, metric, progress))


def _of_classifier(classifier: Any) -> Survey:
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(classifier)
    backend = find_backend(classifier.device, classifier.transduction_, classifier.n_jobs)
    graph = classifier.graph_
    return Survey(backend, backend.place(graph) if isinstance(graph, Graph) else graph)
