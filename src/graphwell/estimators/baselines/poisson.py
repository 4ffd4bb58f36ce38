"""Poisson learning (Calder, Cook, Thorpe, Slepcev 2020)."""

import numpy as np

from graphwell._types import FloatArray
from graphwell.backends import Engine
from graphwell.estimators.baselines.base import Baseline
from graphwell.estimators.registry import method
from graphwell.solve.harmonic import centred, solve_laplacian
from graphwell.solve.problem import Problem


@method("poisson", "labels as sources of a Poisson equation")
class PoissonLearning(Baseline):
    """Labels are sources and sinks of a Poisson equation instead of boundary values.

    On a graph that falls apart, each component has sources that add up to zero by themselves.

    Parameters
    ----------
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.

    Examples
    --------
    >>> W = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> PoissonLearning(metric="precomputed").fit(W, [0, -1, -1, 1]).transduction_
    array([0, 0, 1, 1])
    """

    def _scores(self, problem: Problem, engine: Engine) -> FloatArray:
        known = problem.is_known
        sources = np.zeros((len(known), problem.n_classes))
        sources[known, problem.labels[known]] = 1.0
        sources = centred(problem.graph, sources, known.astype(float)) * known[:, None]
        return solve_laplacian(problem.graph, engine, sources)[0]
