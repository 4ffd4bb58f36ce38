"""Label spreading, or learning with local and global consistency (Zhou et al. 2003)."""

import numpy as np

from graphwell._types import FloatArray
from graphwell.backends.conjugate_gradients import conjugate_gradients
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.errors import in_short
from graphwell.estimators.baselines.base import Baseline, indicators
from graphwell.estimators.registry import method
from graphwell.solve.problem import Problem


@method(
    "spreading", "local and global consistency: labels spread along all walks", sources=("zhou2003learning",)
)
class LabelSpreading(Baseline):
    """Scores are ``(I - alpha S)^-1 Y``: labels spread along all walks, shorter ones counting more.

    Parameters
    ----------
    alpha : float
        Between 0 and 1: how much a vertex takes from its neighbours.
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.

    Examples
    --------
    >>> W = [[0, 1, 0], [1, 0, 3], [0, 3, 0]]
    >>> LabelSpreading(metric="precomputed").fit(W, [0, -1, 1]).transduction_
    array([0, 1, 1])
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        scale_neighbor: int = 10,
        metric: str = "euclidean",
        *,
        alpha: float = 0.99,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(n_neighbors, scale_neighbor, metric, n_jobs=n_jobs)
        self.alpha = alpha

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha must lie between 0 and 1, got {in_short(self.alpha)}.")
        known = problem.is_known
        labels = indicators(problem)
        system = engine.system(np.full(len(known), np.sqrt(self.alpha)))
        return conjugate_gradients(system, labels, tolerance=1e-6).x
