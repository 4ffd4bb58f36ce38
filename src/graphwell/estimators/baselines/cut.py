"""Labels of the smallest cut with given class sizes (Holtz, Chen, Cloninger, Saito, Mishne 2024)."""

import numpy as np

from graphwell._types import FloatArray
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.estimators.baselines.base import Baseline, equal_unless_given, indicators
from graphwell.estimators.registry import method
from graphwell.solve.problem import Problem

LARGEST_DEGREE = 6.0
"""Weights are scaled to it: with much larger ones the iteration does not settle."""
SHARES_OF_DEGREE = (0.0, 0.025, 0.05, 0.075, 0.1)


@method(
    "cut",
    "the smallest cut with given class sizes",
    told_sizes=True,
    slow=True,
    sources=("holtz2024continuous",),
)
class CutLearning(Baseline):
    """The smallest cut among labellings with exact class sizes, by a relaxation that is tight in the end.

    Minimises ``tr(X' (L - s D) X) / 2`` over matrices whose rows sum to 1, whose columns sum to the class
    sizes, and which are not negative; rows of labels are fixed. For ``s = 0`` that is convex; as `s` grows to
    0.1 solutions move into the corners. Alternating directions: a linear system with the sums as constraints,
    then entries below zero cut off.

    Source: C. Holtz, P. Chen, A. Cloninger, N. Saito, G. Mishne, "Continuous partitioning for graph-based
    semi-supervised learning", NeurIPS 2024. Cost: a linear system on the graph in each iteration. It needs to
    be told the class sizes, and fails where they are wrong.

    Parameters
    ----------
    class_prior : array of shape (n_classes,), optional
        Share of each class, in the order of the sorted classes; equal by default.
    penalty : float
        Weight of the distance between the two halves of an iteration.
    max_iter : int
        Iterations for each `s`; fewer when the scores settle.
    tol : float
        They have settled when no entry moves by more than this.
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.

    Examples
    --------
    >>> W = [[0, 1, 0, 0], [1, 0, 3, 0], [0, 3, 0, 1], [0, 0, 1, 0]]
    >>> CutLearning(metric="precomputed").fit(W, [0, -1, -1, 1]).transduction_
    array([0, 0, 1, 1])
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        scale_neighbor: int = 10,
        metric: str = "euclidean",
        *,
        class_prior: FloatArray | None = None,
        penalty: float = 1.0,
        max_iter: int = 60,
        tol: float = 1e-3,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(n_neighbors, scale_neighbor, metric, n_jobs=n_jobs)
        self.class_prior = class_prior
        self.penalty = penalty
        self.max_iter = max_iter
        self.tol = tol

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        penalty, tol = self.penalty, self.tol
        shares = equal_unless_given(self.class_prior, problem.n_classes)
        given, free = indicators(problem), ~problem.is_known
        sizes = np.maximum(shares * len(free) - given.sum(axis=0), 0.0)
        sizes *= free.sum() / max(sizes.sum(), 1.0)
        x = np.where(free[:, None], sizes / max(1, free.sum()), given)
        dual = np.zeros_like(x)
        for share in SHARES_OF_DEGREE:
            system = _Constrained(engine, free, given, sizes, penalty, share)
            positive_x = np.maximum(x, 0.0)
            for _ in range(self.max_iter):
                x = system.solve(penalty * (positive_x - dual))
                moved, positive_x = positive_x, np.maximum(x + dual, 0.0)
                dual += x - positive_x
                if np.abs(positive_x - moved).max() < tol and np.abs(x - positive_x).max() < tol:
                    break
        return np.maximum(x, 0.0)


class _Constrained:
    """Solves ``(L - s D + penalty I) x = right + labels`` on free vertices under the two sums."""

    def __init__(
        self,
        engine: NumbaEngine,
        free: FloatArray,
        given: FloatArray,
        sizes: FloatArray,
        penalty: float,
        share: float,
    ) -> None:
        unit = LARGEST_DEGREE / max(float(engine.graph.degrees.max()), np.finfo(float).tiny)
        degrees = unit * engine.graph.degrees
        self.root = np.sqrt((1 - share) * degrees + penalty)
        self.scaling = np.where(free, np.sqrt(degrees) / self.root, 0.0)
        self.engine, self.free, self.given, self.sizes = engine, free[:, None], given, sizes
        self.pull = unit * (engine.graph.W @ given)
        self.ones = self._plain(free[:, None].astype(float))

    def solve(self, right: FloatArray) -> FloatArray:
        """The scores; rows of labels are as given."""
        n_classes = right.shape[1]
        right = np.where(self.free, right + self.pull, 0.0)
        x = self._plain(right - right.mean(axis=1, keepdims=True)) + 1 / n_classes
        lacking = (self.sizes - (x * self.free).sum(axis=0)) / max(float(self.ones.sum()), 1e-300)
        return np.where(self.free, x + self.ones * lacking, self.given)

    def _plain(self, right: FloatArray) -> FloatArray:
        """The solution without the sums; zero on the rows of labels."""
        solved = self.engine.solve(self.scaling, right / self.root[:, None]).x
        return np.where(self.free, solved / self.root[:, None], 0.0)
