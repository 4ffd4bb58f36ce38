"""Base of the methods: scores for every vertex and class, and clusters that labels name."""

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphwell._checks import whole_number
from graphwell._random import Seed
from graphwell._threads import thread_count
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.base import Backend
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.encoders.kinds import is_frame
from graphwell.encoders.table import TableEncoder
from graphwell.errors import OptionError
from graphwell.estimators.base import GraphClassifier, Solved
from graphwell.estimators.inputs import refuse_foreign
from graphwell.graph import Graph
from graphwell.graph.canonical import in_order_of_weights
from graphwell.solve.fit import Run
from graphwell.solve.problem import Problem


class ScoringMethod(GraphClassifier):
    """Gives every vertex a score for every class and takes the highest; given labels are kept."""

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        raise NotImplementedError

    def _solve(self, backend: Backend, problem: Problem, run: Run) -> Solved:
        began = time.perf_counter()
        engine = NumbaEngine(backend.shown(problem.graph), self.n_jobs, np.float64)
        possible = classes_in_reach(problem)
        scores = np.where(possible, self._scores(problem, engine), 0.0)
        labels = np.where(possible, scores, -np.inf).argmax(axis=1)
        labels = np.where(problem.is_known, problem.known, labels)
        positive = scores - scores.min(axis=1, keepdims=True, where=scores < 0, initial=0.0)
        seconds = {"solve": time.perf_counter() - began}
        return Solved(engine, labels, positive, seconds=seconds)


@dataclass(eq=False, repr=False)
class Baseline(ScoringMethod):
    """Base of a method of your own: it declares its parameters as fields, and implements ``_scores``.

    Parameters
    ----------
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.
    """

    n_neighbors: int = 10
    scale_neighbor: int = 10
    metric: str = "euclidean"
    n_jobs: int | None = field(default=None, kw_only=True)


def classes_in_reach(problem: Problem) -> BoolArray:
    """Whether a class has a label in the component of each vertex: no other can reach it."""
    table = np.zeros((problem.graph.n_components, problem.n_classes), dtype=bool)
    table[problem.graph.components[problem.is_known], problem.labels[problem.is_known]] = True
    return np.asarray(table[problem.graph.components])


def indicators(problem: Problem) -> FloatArray:
    """1 in the column of each given label, 0 elsewhere."""
    table = np.zeros((len(problem.labels), problem.n_classes))
    known = problem.is_known
    table[known, problem.labels[known]] = 1.0
    return table


def equal_unless_given(class_prior: Any, n_classes: int) -> FloatArray:
    """Shares of the classes: as given, and equal by default."""
    if class_prior is None:
        return np.full(n_classes, 1 / n_classes)
    shares = np.asarray(class_prior)
    if shares.dtype.kind not in "iuf" or shares.shape != (n_classes,):
        wrong = "{field} must hold one share for each of the {} classes, got {!r}."
        raise OptionError("class_prior", wrong, n_classes, class_prior)
    return shares.astype(float)


@dataclass(eq=False, repr=False)
class Clusterer(ScoringMethod):
    """A method that finds clusters of the graph: ``fit_predict(X)`` needs no label.

    With ``fit(X, y)`` it is a classifier: each cluster gets the class that most of its labels have, and one
    without a label that of the clusters it is connected with.

    Parameters
    ----------
    n_clusters : int, optional
        By default the number of classes, where labels are given.
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.
    random_state : int, Generator or RandomState, optional
        Seed of random starts.

    Attributes
    ----------
    labels_ : array of shape (n,)
        Number of the cluster of each row, after ``fit_predict(X)``.
    """

    n_clusters: int | None = None
    n_neighbors: int = 10
    scale_neighbor: int = 10
    metric: str = "euclidean"
    n_jobs: int | None = field(default=None, kw_only=True)
    random_state: Seed = field(default=None, kw_only=True)

    def _clusters(self, graph: Graph, n_clusters: int) -> IntArray:
        """Cluster of each vertex, numbered from 0."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None) -> Any:
        """Find clusters of the rows, in `labels_`; with labels `y`, label every row from them."""
        if y is not None or self.n_clusters is None:
            return super().fit(X, y)
        self.fit_predict(X)
        return self

    def fit_predict(self, X: Any, y: Any = None, **options: Any) -> Any:
        """Return the number of the cluster of each row; with labels, a label for each row.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Graph
            As in `fit`.
        y : array-like of shape (n,), optional
            Labels; unknown ones are -1 (integers), None or NaN.
        **options
            Those of `fit`.
        """
        if y is not None:
            return super().fit_predict(X, y, **options)
        self._check_parameters()
        if self.n_clusters is None:
            raise OptionError("n_clusters", "{field} must be given where there are no labels.")
        refuse_foreign(X)
        backend = self._backend(X)
        if is_frame(X) and self.metric != "precomputed":
            X = TableEncoder(standardise=True).fit_transform(X)
        rows, graph, _ = self._read(backend, X)
        if graph is None:
            sizes = (self.n_neighbors, self.scale_neighbor, self.metric, self.n_jobs)
            graph = Graph.from_features(rows.values, *sizes)
        shown = backend.shown(graph)
        own = in_order_of_weights(shown, thread_count(self.n_jobs))
        if own is None:
            self.labels_ = self._checked_clusters(shown, self.n_clusters)
        else:
            self.labels_ = self._checked_clusters(own.graph, self.n_clusters)[own.order.vertices]
        return self.labels_

    def _checked_clusters(self, graph: Graph, n_clusters: int) -> IntArray:
        count = whole_number("n_clusters", n_clusters)
        if count > graph.n_vertices:
            problem = "{field} is {:,}, but there are {:,} rows; give a smaller number."
            raise OptionError("n_clusters", problem, count, graph.n_vertices)
        return np.zeros(graph.n_vertices, dtype=np.int64) if count == 1 else self._clusters(graph, count)

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        wanted = problem.n_classes if self.n_clusters is None else self.n_clusters
        clusters = self._checked_clusters(engine.graph, min(wanted, engine.graph.n_vertices))
        clusters = np.where(clusters < 0, clusters.max() + 1, clusters)  # rows of no cluster are one more
        return named_clusters(engine.graph, clusters, problem.labels, problem.n_classes)[clusters]


def named_clusters(graph: Graph, clusters: IntArray, labels: IntArray, n_classes: int) -> FloatArray:
    """Share of each class among the labels of each cluster; those without labels take after neighbours."""
    # Those without are harmonic on the graph of clusters: Laplace learning, Zhu, Ghahramani, Lafferty 2003.
    n_clusters = int(clusters.max()) + 1
    counts = np.zeros((n_clusters, n_classes))
    known = labels >= 0
    np.add.at(counts, (clusters[known], labels[known]), 1.0)
    named = counts.sum(axis=1) > 0
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    between = np.zeros((n_clusters, n_clusters))
    rows = np.repeat(clusters, np.diff(graph.W.indptr))
    np.add.at(between, (rows, clusters[graph.W.indices]), graph.W.data)
    np.fill_diagonal(between, 0.0)
    system = np.diag(between.sum(axis=1)) - between
    if not named.all():
        right = between[~named][:, named] @ shares[named]
        shares[~named] = np.linalg.lstsq(system[~named][:, ~named], right, rcond=None)[0]
    return np.clip(shares, 0.0, 1.0)
