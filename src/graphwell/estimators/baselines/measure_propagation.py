"""Measure propagation (Subramanya, Bilmes 2011)."""

import numpy as np

from graphwell._types import FloatArray
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.estimators.baselines.base import Baseline, indicators
from graphwell.estimators.registry import method
from graphwell.solve.problem import Problem

SMALLEST = 1e-300


@method(
    "measure propagation",
    "neighbours have distributions with little divergence",
    sources=("subramanya2011semisupervised",),
)
class MeasurePropagation(Baseline):
    """Every vertex has a distribution over the classes; those of neighbours diverge as little as possible.

    Minimises ``sum_labelled KL(r_i, q_i) + mu sum_ij w_ij KL(p_i, q_j) - nu sum_i H(p_i)`` over two
    distributions `p` and `q` at each vertex, in turn. With ``g_i = nu + mu sum_j w_ij``:

        p_i ~ exp((mu / g_i) sum_j w_ij log q_j)
        q_i = (r_i [i labelled] + mu sum_j w_ij p_j) / ([i labelled] + mu sum_j w_ij)

    The weight ``w_ii`` of a vertex to itself holds its `p` and `q` together.

    Source: A. Subramanya, J. Bilmes, "Semi-supervised learning with measure propagation", JMLR 12 (2011).
    Cost: time n for each iteration, and as many iterations as labels need to reach every vertex. It needs to
    be told nothing more. It fails with very few labels, as the entropy term makes distant vertices even.

    Parameters
    ----------
    mu : float
        Weight of the divergence between neighbours.
    nu : float
        Weight of the entropy.
    self_weight : float
        Weight of each vertex to itself.
    tol : float
        Ends when an iteration lowers the objective by less than this share of it.
    max_iter : int
        Largest number of iterations.
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.

    Examples
    --------
    >>> W = [[0, 1, 0], [1, 0, 3], [0, 3, 0]]
    >>> MeasurePropagation(metric="precomputed").fit(W, [0, -1, 1]).transduction_
    array([0, 1, 1])
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        scale_neighbor: int = 10,
        metric: str = "euclidean",
        *,
        mu: float = 0.1,
        nu: float = 0.01,
        self_weight: float = 1.0,
        tol: float = 1e-6,
        max_iter: int = 1000,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(n_neighbors, scale_neighbor, metric, n_jobs=n_jobs)
        self.mu = mu
        self.nu = nu
        self.self_weight = self_weight
        self.tol = tol
        self.max_iter = max_iter

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        mu, nu, own = self.mu, self.nu, self.self_weight
        W, given = engine.graph.W, indicators(problem)
        degrees = (engine.graph.degrees + own)[:, None]
        known = problem.is_known[:, None]
        q = np.full(given.shape, 1 / problem.n_classes)
        before = np.inf
        for _ in range(self.max_iter):
            logs = np.log(np.maximum(q, SMALLEST))
            pull = mu * (W @ logs + own * logs)
            p = _softmax(pull / (nu + mu * degrees))
            logs_of_p = np.log(np.maximum(p, SMALLEST))
            q = (given + mu * (W @ p + own * p)) / (known + mu * degrees)
            logs = np.log(np.maximum(q, SMALLEST))
            cross = float((p * (W @ logs + own * logs)).sum())
            inside = float(((nu + mu * degrees) * p * logs_of_p).sum())
            objective = inside - mu * cross - float(logs[given > 0].sum())
            if before - objective <= self.tol * abs(objective):
                break
            before = objective
        return p


def _softmax(values: FloatArray) -> FloatArray:
    raised = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
