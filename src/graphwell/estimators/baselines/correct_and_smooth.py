"""Correct and smooth (Huang, He, Singh, Lim, Benson 2020)."""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from graphwell._types import FloatArray
from graphwell.backends.conjugate_gradients import conjugate_gradients
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.estimators.baselines.base import Baseline, features_of, indicators
from graphwell.estimators.registry import method
from graphwell.solve.problem import Problem

SPECTRAL_FEATURES = 20


@method(
    "correct and smooth",
    "a logistic regression, its errors corrected along the graph",
    sources=("huang2021combining",),
)
class CorrectAndSmooth(Baseline):
    """A simple model of the features, whose errors and then whose answers are smoothed along the graph.

    A logistic regression on the given labels gives each row a distribution ``Z``. Correct: the errors at the
    labels spread as ``E = (1 - alpha) (I - alpha S)^-1 (Y - Z)``, are scaled to the mean size that they have
    at labels, and added. Smooth: labels and corrected distributions spread in the same way.

    Source: Q. Huang, H. He, A. Singh, S.-N. Lim, A. Benson, "Combining label propagation and simple models
    out-performs graph neural networks", ICLR 2021. Cost: two linear systems on the graph, and the model. It
    needs features; a graph without any lends its leading eigenvectors. It fails where labels are too few to
    train the model.

    Parameters
    ----------
    alpha_correct, alpha_smooth : float
        Between 0 and 1: how far errors and answers spread.
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> CorrectAndSmooth(n_neighbors=2, scale_neighbor=2).fit(X, [0, -1, -1, 1, -1, -1]).transduction_
    array([0, 0, 0, 1, 1, 1])
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        scale_neighbor: int = 10,
        metric: str = "euclidean",
        *,
        alpha_correct: float = 0.8,
        alpha_smooth: float = 0.8,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(n_neighbors, scale_neighbor, metric, n_jobs=n_jobs)
        self.alpha_correct = alpha_correct
        self.alpha_smooth = alpha_smooth

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        given, known = indicators(problem), problem.is_known
        model = self._model(problem, engine)
        errors = np.where(known[:, None], given - model, 0.0)
        spread = _spread(engine, errors, self.alpha_correct)
        size = np.abs(errors[known]).sum(axis=1).mean()
        lengths = np.abs(spread).sum(axis=1, keepdims=True)
        corrected = model + size * spread / np.maximum(lengths, np.finfo(float).tiny)
        return np.maximum(_spread(engine, np.where(known[:, None], given, corrected), self.alpha_smooth), 0.0)

    def _model(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        """Distribution of each row by a logistic regression on the rows with labels."""
        known = problem.is_known
        shares = np.zeros((len(known), problem.n_classes))
        present = np.unique(problem.labels[known])
        if len(present) == 1:
            shares[:, present] = 1.0
            return shares
        rows = StandardScaler().fit_transform(features_of(engine.graph, SPECTRAL_FEATURES))
        model = LogisticRegression(max_iter=500).fit(rows[known], problem.labels[known])
        shares[:, present] = model.predict_proba(rows)
        return shares


def _spread(engine: NumbaEngine, values: FloatArray, alpha: float) -> FloatArray:
    system = engine.system(np.full(len(values), np.sqrt(alpha)))
    return (1 - alpha) * conjugate_gradients(system, values, tolerance=1e-6).x
