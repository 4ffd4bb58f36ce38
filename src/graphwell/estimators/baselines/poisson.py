"""Poisson learning (Calder, Cook, Thorpe, Slepcev 2020)."""

import numpy as np

from graphwell._types import FloatArray
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.estimators.baselines.base import Baseline, indicators
from graphwell.estimators.registry import method
from graphwell.solve.problem import Problem
from graphwell.solve.start import centred, solve_laplacian


@method("poisson", "labels as sources of a Poisson equation", sources=("calder2020poisson",))
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

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        known = problem.is_known
        sources = indicators(problem)
        sources = centred(engine, problem.graph, sources, known.astype(float)) * known[:, None]
        found, _ = solve_laplacian(engine, problem.graph, sources)
        return np.asarray(centred(engine, problem.graph, found, problem.graph.degrees))
