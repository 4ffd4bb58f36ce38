"""Laplace learning, or harmonic functions (Zhu, Ghahramani, Lafferty 2003), and two ways to reweight it."""

import numpy as np

from graphwell._types import FloatArray
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.errors import in_short
from graphwell.estimators.baselines.base import Baseline
from graphwell.estimators.registry import method
from graphwell.solve.problem import Problem
from graphwell.solve.start import laplace_scores, poisson_weights

WEIGHTS = ("none", "wnll", "poisson")


@method("laplace", "each vertex is the weighted mean of its neighbours", sources=("zhu2003semisupervised",))
@method(
    "laplace wnll",
    "Laplace learning, edges at the labels raised",
    parameters={"weights": "wnll"},
    sources=("zhu2003semisupervised", "shi2017weighted"),
)
@method(
    "laplace poisson",
    "Laplace learning on Poisson weights",
    parameters={"weights": "poisson"},
    sources=("zhu2003semisupervised", "calder2020poisson"),
)
class LaplaceLearning(Baseline):
    """Each unlabelled vertex is the weighted mean of its neighbours.

    Parameters
    ----------
    weights : {"none", "wnll", "poisson"}
        Plain; edges at labels multiplied by about half the number of points per label (Shi, Osher, Zhu 2017);
        or weights from a Poisson equation (Calder et al. 2020).
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.

    Examples
    --------
    >>> W = [[0, 1, 0], [1, 0, 3], [0, 3, 0]]
    >>> clf = LaplaceLearning(metric="precomputed").fit(W, [0, -1, 1])
    >>> clf.label_distributions_[1]
    array([0.25, 0.75])
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        scale_neighbor: int = 10,
        metric: str = "euclidean",
        *,
        weights: str = "none",
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(n_neighbors, scale_neighbor, metric, n_jobs=n_jobs)
        self.weights = weights

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        if self.weights not in WEIGHTS:
            raise ValueError(f"weights must be one of {', '.join(WEIGHTS)}, got {in_short(self.weights)}.")
        factors = None
        if self.weights == "wnll":
            labels = problem.is_known
            factors = np.where(labels, (1 + len(labels) / labels.sum()) / 2, 1.0)
        elif self.weights == "poisson":
            factors, _ = poisson_weights(problem, engine)
        return laplace_scores(problem, engine, factors).values
