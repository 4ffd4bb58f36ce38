"""The label nearest along the graph."""

import numpy as np

from graphwell._types import FloatArray
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.estimators.baselines.base import Baseline
from graphwell.estimators.registry import method
from graphwell.solve.problem import Problem


@method("nearest", "the label nearest along the graph", sources=("dijkstra1959note",))
class NearestLabel(Baseline):
    """Every vertex takes the label nearest along the graph, an edge being as long as 1 / weight.

    Parameters
    ----------
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.

    Examples
    --------
    >>> W = [[0, 1, 0], [1, 0, 3], [0, 3, 0]]
    >>> NearestLabel(metric="precomputed").fit(W, [0, -1, 1]).transduction_
    array([0, 1, 1])
    """

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        return (engine.nearest(problem.labels)[:, None] == np.arange(problem.n_classes)).astype(float)
