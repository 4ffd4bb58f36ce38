"""The label nearest along the graph."""

import numpy as np

from graphwell._types import FloatArray
from graphwell.backends import Engine
from graphwell.estimators.baselines.base import Baseline
from graphwell.estimators.registry import method
from graphwell.solve.problem import Problem
from graphwell.solve.start import nearest_labels


@method("nearest", "the label nearest along the graph")
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

    def _scores(self, problem: Problem, engine: Engine) -> FloatArray:
        return (nearest_labels(problem)[:, None] == np.arange(problem.n_classes)).astype(float)
