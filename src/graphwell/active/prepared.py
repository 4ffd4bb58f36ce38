"""A graph made ready for questions, and labels of any kind as they are read for them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from graphwell._rows import fetched
from graphwell._threads import thread_count
from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Backend, Engine, PlacedGraph
from graphwell.backends.registry import backend_of_rows, find_backend
from graphwell.encoders.kinds import is_frame
from graphwell.encoders.table import TableEncoder
from graphwell.errors import OptionError
from graphwell.estimators.base import GraphClassifier
from graphwell.estimators.inputs import encoded_frame
from graphwell.estimators.labels import Labels, NoKnownLabelError, read_labels
from graphwell.estimators.tuning.metrics import by_the_data
from graphwell.graph import Graph
from graphwell.graph.canonical import Canonical, RowsGraph, graph_of_rows, in_order_of_weights, order_of
from graphwell.graph.knn import check_metric
from graphwell.progress import silent
from graphwell.solve.communities import Aggregates, aggregates_of
from graphwell.solve.fit import EngineCache, engine_of

SHARPNESS = 2.0
"""Communities are those of the squared affinities, as in a fit."""


@dataclass(frozen=True, eq=False)
class PreparedGraph:
    """A graph where it lies, with all that queries of it share: kept, it makes further questions cheap.

    On this machine its vertices are in the order of their content, so that the order of the rows decides
    nothing; `rows` has the row of each.
    """

    backend: Backend
    graph: PlacedGraph
    rows: IntArray
    given: Graph | None = None  # the graph in the order of the user
    cache: EngineCache = field(default_factory=EngineCache, repr=False)

    @property
    def shown(self) -> Any:
        """The graph as users see it."""
        return self.backend.shown(self.graph) if self.given is None else self.given

    @property
    def engine(self) -> Engine:
        """Of the graph with squared affinities; fits of the graph share it."""
        with self.cache.open():
            return engine_of(self.backend, self.graph, SHARPNESS)[1]

    @cached_property
    def aggregates(self) -> Aggregates:
        """Small groups of vertices, in the memory of this machine."""
        return aggregates_of(self.engine)

    @cached_property
    def degrees(self) -> FloatArray:
        """Sum of the affinities of each vertex."""
        return np.asarray(self.backend.to_host(self.graph.degrees), dtype=np.float64)


def prepare(
    X: Any,
    *,
    n_neighbors: int = 10,
    scale_neighbor: int = 10,
    metric: str = "euclidean",
    device: str = "cpu",
    n_jobs: int | None = None,
) -> PreparedGraph:
    """Build the graph of rows, or take one that is there."""
    if isinstance(X, GraphClassifier):
        check_is_fitted(X)
        graph: Any = getattr(X.graph_, "fetched", X.graph_)  # of a cluster
        return placed(find_backend(X.device if graph is X.graph_ else "cpu", n_jobs=X.n_jobs), graph)
    X = fetched(X) if backend_of_rows(X) else X
    backend = find_backend(device, X, n_jobs)
    if isinstance(X, Graph):
        return placed(backend, X)
    check_metric(metric, ("precomputed",))
    if metric == "precomputed":
        return placed(backend, backend.shown(backend.read_affinities(X)[1]))
    if is_frame(X):  # in the scale that `graphwell suggest` gives a table
        X = encoded_frame(X, encoder=TableEncoder(standardise=by_the_data))[1]
    rows = backend.read_rows(X, metric)
    sizes = (n_neighbors, scale_neighbor, metric)
    if backend.name == "cpu":
        return placed(backend, Graph.from_features(rows.values, *sizes, n_jobs), rows.values)
    return placed(backend, backend.build_graph(rows, *sizes, silent))


def placed(backend: Backend, graph: Any, X: Any = None) -> PreparedGraph:
    """A graph of rows X, or of nothing that is known, where a backend computes."""
    if not isinstance(graph, Graph):
        return PreparedGraph(backend, graph, np.arange(graph.n_vertices))
    rows, threads = np.arange(graph.n_vertices), thread_count(getattr(backend, "n_jobs", None))
    own = in_order_of_weights(graph, threads)
    if own is not None:
        return PreparedGraph(backend, backend.place(own.graph), own.order.firsts, graph)
    if isinstance(graph, RowsGraph):  # equal rows keep the order of the user
        rows = np.argsort(graph.vertices, kind="stable")
    elif X is not None:
        rows = order_of(X, threads).firsts
    ordered = graph_of_rows(graph, Canonical(rows, None, np.zeros(0, np.int64)))
    return PreparedGraph(backend, backend.place(ordered), rows, graph)


def known_labels(y: Any, n: int) -> Labels:
    """Labels of any kind, or none at all."""
    try:
        if y is not None:
            return read_labels(y, n)
    except NoKnownLabelError:
        pass
    return Labels(np.full(n, -1), np.empty(0, dtype=object))


def labels_of(classifier: Any) -> Labels:
    """Labels that a classifier was given."""
    labels, classes = fetched(classifier.transduction_), classifier.classes_
    return Labels(np.where(classifier._given, np.searchsorted(classes, labels), -1), classes)


def scores_of(classifier: Any) -> FloatArray:
    """Scores that a classifier found, zeros where no label reaches; fetched from where they lie."""
    reached = fetched(classifier.reachable_)
    return np.where(reached[:, None], fetched(classifier.label_distributions_), 0.0)


def row_numbers(rows: Iterable[int], n: int, field: str) -> IntArray:
    """Row numbers, checked."""
    found = np.asarray(list(rows))
    if len(found) and (found.dtype.kind not in "iu" or found.ndim != 1):
        raise OptionError(field, "{field} must hold row numbers; got {!r}.", found.tolist()[0])
    wrong = found[(found < 0) | (found >= n)]
    if len(wrong):
        problem = "{field} names row {}, but the rows are numbered from 0 to {:,}."
        raise OptionError(field, problem, int(wrong[0]), n - 1)
    return found.astype(np.int64)
