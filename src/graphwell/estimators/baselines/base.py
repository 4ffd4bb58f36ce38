"""What the methods to compare with share."""

import time

import numpy as np

from graphwell._types import FloatArray
from graphwell.backends.base import Backend
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.estimators.base import GraphClassifier, Solved
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
