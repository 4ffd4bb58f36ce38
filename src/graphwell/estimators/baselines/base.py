"""What the methods to compare with share."""

import time

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends import Engine, make_engine
from graphwell.estimators.base import GraphClassifier
from graphwell.solve.problem import Problem


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

    def _scores(self, problem: Problem, engine: Engine) -> FloatArray:
        raise NotImplementedError

    def _solve(self, problem: Problem) -> tuple[IntArray, FloatArray]:
        began = time.perf_counter()
        engine = make_engine(problem.graph, n_jobs=self.n_jobs, dtype=np.float64)
        scores = np.where(self._possible(problem), self._scores(problem, engine), 0.0)
        self.timings_["solve"] = time.perf_counter() - began
        labels = np.where(self._possible(problem), scores, -np.inf).argmax(axis=1)
        labels = np.where(problem.is_known, problem.known, labels)
        return labels, scores - scores.min(axis=1, keepdims=True, where=scores < 0, initial=0.0)

    def _possible(self, problem: Problem) -> FloatArray:
        """Whether a class has a label in the component of each vertex: no other can reach it."""
        table = np.zeros((problem.graph.n_components, problem.n_classes), dtype=bool)
        table[problem.graph.components[problem.is_known], problem.labels[problem.is_known]] = True
        return table[problem.graph.components]
