"""What the methods to compare with share."""

import time
from typing import Any

import numpy as np

from graphwell._types import FloatArray
from graphwell.backends.base import Backend
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.errors import OptionError
from graphwell.estimators.base import GraphClassifier, Solved
from graphwell.graph import Graph
from graphwell.solve.binary import smallest_eigenpairs
from graphwell.solve.problem import Problem
from graphwell.solve.run import Run


class Baseline(GraphClassifier):
    """A method that gives every vertex a score for every class and takes the highest; given labels are kept.

    Parameters
    ----------
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        scale_neighbor: int = 10,
        metric: str = "euclidean",
        *,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.scale_neighbor = scale_neighbor
        self.metric = metric
        self.n_jobs = n_jobs

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        raise NotImplementedError

    def _solve(self, backend: Backend, problem: Problem, run: Run) -> Solved:
        began = time.perf_counter()
        engine = NumbaEngine(backend.shown(problem.graph), self.n_jobs, np.float64)
        possible = self._possible(problem)
        scores = np.where(possible, self._scores(problem, engine), 0.0)
        labels = np.where(possible, scores, -np.inf).argmax(axis=1)
        labels = np.where(problem.is_known, problem.known, labels)
        positive = scores - scores.min(axis=1, keepdims=True, where=scores < 0, initial=0.0)
        seconds = {"solve": time.perf_counter() - began}
        return Solved(problem, engine, labels, positive, seconds=seconds)

    def _possible(self, problem: Problem) -> FloatArray:
        """Whether a class has a label in the component of each vertex: no other can reach it."""
        table = np.zeros((problem.graph.n_components, problem.n_classes), dtype=bool)
        table[problem.graph.components[problem.is_known], problem.labels[problem.is_known]] = True
        return table[problem.graph.components]


def indicators(problem: Problem) -> FloatArray:
    """1 in the column of each given label, 0 elsewhere.

    Examples
    --------
    >>> from graphwell import Graph
    >>> indicators(Problem(Graph.from_affinity([[0, 1], [1, 0]]), np.array([1, -1]), n_classes=2))
    array([[0., 1.],
           [0., 0.]])
    """
    table = np.zeros((len(problem.labels), problem.n_classes))
    known = problem.is_known
    table[known, problem.labels[known]] = 1.0
    return table


def refuse_more_than(most: int, problem: Problem, method: str, why: str) -> None:
    """Refuse a graph that a method has no memory or time for."""
    n = problem.graph.n_vertices
    if n > most:
        instead = "take a part of the rows, or another method"
        raise ValueError(f"{method} can label at most {most:,} rows, got {n:,}: {why}; {instead}.")


def equal_unless_given(class_prior: Any, n_classes: int) -> FloatArray:
    """Shares of the classes: as given, and equal by default."""
    if class_prior is None:
        return np.full(n_classes, 1 / n_classes)
    shares = np.asarray(class_prior)
    if shares.dtype.kind not in "iuf" or shares.shape != (n_classes,):
        wrong = "{field} must hold one share for each of the {} classes, got {!r}."
        raise OptionError("class_prior", wrong, n_classes, class_prior)
    return shares.astype(float)


def features_of(graph: Graph, count: int) -> FloatArray:
    """The points that a graph was made from; as many eigenvectors of it where there are none."""
    if graph.origin is not None:
        return np.asarray(graph.origin.search.points)
    return smallest_eigenpairs(graph, min(count, graph.n_vertices))[1]
