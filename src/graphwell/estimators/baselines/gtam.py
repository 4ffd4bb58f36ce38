"""Graph transduction by alternating minimisation (Wang, Jebara, Chang 2008)."""

import numpy as np

from graphwell._types import FloatArray
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.estimators.baselines.base import Baseline, indicators, refuse_more_than
from graphwell.estimators.registry import method
from graphwell.solve.problem import Problem

MOST_ROWS = 10_000


@method(
    "gtam", "labels one more vertex at a time, where it costs least", slow=True, sources=("wang2008graph",)
)
class GTAM(Baseline):
    """Graph transduction by alternating minimisation: one vertex after another gets a label for good.

    Scores and labels minimise ``tr(F' L_s F) + mu |F - Z|^2`` together. For fixed labels the scores are
    ``F = P Z`` with ``P = mu / (1 + mu) (I - S / (1 + mu))^-1``, which leaves ``tr(Z' A Z)`` with
    ``A = P' L_s P + mu (P - I)^2``. `Z` holds the labels, weighted by degree, each class adding up to 1. In
    each step the vertex and class with the least slope ``(A Z)_ij`` become a label.

    Source: J. Wang, T. Jebara, S.-F. Chang, "Graph transduction via alternating minimization", ICML 2008.
    Cost: memory n^2, time n^3, so at most 10,000 rows. It needs to be told nothing more. It fails where an
    early wrong label draws others after it, as labels are never taken back.

    Parameters
    ----------
    mu : float
        Weight of the labels against smoothness.
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.

    Examples
    --------
    >>> W = [[0, 1, 0], [1, 0, 3], [0, 3, 0]]
    >>> GTAM(metric="precomputed").fit(W, [0, -1, 1]).transduction_
    array([0, 1, 1])
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        scale_neighbor: int = 10,
        metric: str = "euclidean",
        *,
        mu: float = 99.0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(n_neighbors, scale_neighbor, metric, n_jobs=n_jobs)
        self.mu = mu

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        refuse_more_than(MOST_ROWS, problem, "GTAM", "it inverts a matrix of all pairs")
        smoothing, cost = _matrices(engine.graph.S.toarray(), self.mu)
        degrees = np.maximum(engine.graph.degrees, np.finfo(float).tiny)
        labels = indicators(problem) * degrees[:, None]
        slopes, totals = cost @ labels, labels.sum(axis=0)
        open_ = self._possible(problem) & ~problem.is_known[:, None]
        while open_.any():
            relative = np.where(open_, slopes / np.maximum(totals, np.finfo(float).tiny), np.inf)
            vertex, label = np.unravel_index(relative.argmin(), relative.shape)
            labels[vertex, label] = degrees[vertex]
            slopes[:, label] += degrees[vertex] * cost[:, vertex]
            totals[label] += degrees[vertex]
            open_[vertex] = False
        shares = smoothing @ (labels / np.maximum(totals, np.finfo(float).tiny))
        return (labels > 0) + shares / (1 + shares.max())


def _matrices(S: FloatArray, mu: float) -> tuple[FloatArray, FloatArray]:
    """The matrix `P` that makes scores from labels, and the cost `A` of labels."""
    identity = np.eye(len(S))
    P = mu / (1 + mu) * np.linalg.inv(identity - S / (1 + mu))
    return P, P.T @ (P - S @ P) + mu * (P - identity) @ (P - identity)
