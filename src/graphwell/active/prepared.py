"""A graph made ready for questions, and labels of any kind as they are read for them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from graphwell._checks import rows_left
from graphwell._random import Seed
from graphwell._rows import fetched
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.active.query import Query, Question, Suggestions
from graphwell.active.strategies import DEFAULT, Strategy
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
from graphwell.graph.knn import check_metric
from graphwell.progress import silent
from graphwell.solve.communities import Aggregates, aggregates_of
from graphwell.solve.fit import KeptEngine, engine_of

SHARPNESS = 2.0
"""Communities are those of the squared affinities, as in a fit."""


@dataclass(frozen=True, eq=False)
class PreparedGraph:
    """A graph where it lies, with all that queries of it share: kept, it makes further questions cheap."""

    backend: Backend
    graph: PlacedGraph
    kept: KeptEngine = field(default_factory=KeptEngine, repr=False)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.graph.n_vertices)

    @property
    def engine(self) -> Engine:
        """Of the graph with squared affinities; fits of the graph share it."""
        with self.kept.open():
            return engine_of(self.backend, self.graph, SHARPNESS)[1]

    @cached_property
    def aggregates(self) -> Aggregates:
        """Small groups of rows, in the memory of this machine."""
        return aggregates_of(self.engine)

    @cached_property
    def degrees(self) -> FloatArray:
        """Sum of the affinities of each row."""
        return np.asarray(self.backend.to_host(self.graph.degrees), dtype=np.float64)

    @property
    def shown(self) -> Any:
        """The graph as users see it."""
        return self.backend.shown(self.graph)

    def ask(
        self,
        strategy: Strategy,
        known: Labels,
        n: int,
        random_state: Seed,
        barred: IntArray,
        scores: Callable[[], FloatArray] | None,
        names: Mapping[Any, str] | None,
    ) -> Suggestions:
        """The rows that a strategy chooses; if they are too few, more follow, apart from each other."""
        is_open: BoolArray = known.codes < 0
        is_open[barred] = False
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise OptionError("n", "{field} must be a number of rows, 1 or more; got {!r}.", n)
        rows_left(n, int(is_open.sum()))
        if len(known.classes) < strategy.needs_labels:
            classes = "a class" if strategy.needs_labels == 1 else f"{strategy.needs_labels} classes"
            problem = "{field} {!r} needs labels of at least {}, and {} known; begin with {!r}."
            so_far = {0: "none is", 1: "one is"}.get(len(known.classes), f"{len(known.classes)} are")
            raise OptionError("strategy", problem, strategy.name, classes, so_far, DEFAULT)
        called = tuple(str((names or {}).get(name, name)) for name in known.classes.tolist())
        query = Query(
            self.engine, self.degrees, self.aggregates, known.codes, called, is_open, scores, random_state
        )
        questions = strategy.choose(query, n)
        if len(questions) < n:
            chosen = np.isin(np.arange(len(is_open)), [question.row for question in questions])
            more = query.batch(self.degrees, n - len(questions), is_open & ~chosen)
            questions += [Question(int(row), "typical row") for row in more]
        return Suggestions(tuple(questions[:n]), strategy.name)


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
        backend = find_backend(X.device if graph is X.graph_ else "cpu", n_jobs=X.n_jobs)
        return PreparedGraph(backend, backend.place(graph) if isinstance(graph, Graph) else graph)
    X = fetched(X) if backend_of_rows(X) else X
    backend = find_backend(device, X, n_jobs)
    if isinstance(X, Graph):
        return PreparedGraph(backend, backend.place(X))
    check_metric(metric, ("precomputed",))
    if metric == "precomputed":
        return PreparedGraph(backend, backend.read_affinities(X)[1])
    if is_frame(X):  # in the scale that `graphwell suggest` gives a table
        X = encoded_frame(X, encoder=TableEncoder(standardise=by_the_data))[1]
    rows = backend.read_rows(X, metric)
    sizes = (n_neighbors, scale_neighbor, metric)
    if backend.name == "cpu":  # the same graph whatever the order of the rows
        return PreparedGraph(backend, Graph.from_features(rows.values, *sizes, n_jobs))
    return PreparedGraph(backend, backend.build_graph(rows, *sizes, silent))


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
