"""Methods that learn from the features too."""

from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from graphwell._types import FloatArray
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.estimators.methods.base import Baseline, indicators
from graphwell.estimators.registry import method
from graphwell.graph import Graph
from graphwell.solve.binary import smallest_eigenpairs
from graphwell.solve.problem import Problem


@method("adapted eigenfunctions", "labels join the features, then eigenvectors are fitted", slow=True)
@dataclass(eq=False, repr=False, kw_only=True)
class AdaptedEigenfunctions(Baseline):
    """The classes, diffused from their labels, become features; then labels are fitted by eigenvectors.

    The indicators of the classes diffuse for some steps of the random walk ``D^-1 W``. Appended to the
    features, as heavy as these, they give a graph that follows the classes. Scores are the least-squares fit
    of the labels by the first eigenvectors of ``L_s`` of that graph.

    Source: A. Szlam, M. Maggioni, R. Coifman, "Regularization on graphs with function-adapted diffusion
    processes", JMLR 9 (2008). Cost: two graphs and their eigenvectors. It needs features. It fails with few
    labels, whose diffused indicators say little.

    Parameters
    ----------
    diffusion_steps : int
        Steps of the random walk.
    n_eigenvectors : int
        Number of eigenvectors; no more are taken than there are labels.
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`; "precomputed" is refused.
    """

    sources = ("szlam2008regularization",)
    diffusion_steps: int = 20
    n_eigenvectors: int = 100

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        graph = engine.graph
        if graph.origin is None:
            raise ValueError(
                "AdaptedEigenfunctions adds to the features, but the graph has none; give features instead."
            )
        classes = given = indicators(problem)
        for _ in range(self.diffusion_steps):
            classes = (graph.W @ classes) / np.maximum(graph.degrees, np.finfo(float).tiny)[:, None]
        classes /= np.maximum(classes.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        # As heavy as the features: the same mean squared distance from the mean.
        points = np.asarray(graph.origin.points)
        of_points, of_classes = points.var(axis=0).sum(), classes.var(axis=0).sum()
        weight = np.sqrt(of_points / of_classes) if of_classes > 0 else 0.0
        sizes = self.n_neighbors, self.scale_neighbor, "euclidean", self.n_jobs
        adapted = Graph.of_arranged(np.column_stack([points, weight * classes]), *sizes)
        known = problem.is_known
        count = min(self.n_eigenvectors, adapted.n_vertices, int(known.sum()))
        vectors = smallest_eigenpairs(adapted, count)[1]
        return np.asarray(vectors @ np.linalg.lstsq(vectors[known], given[known], rcond=None)[0])


SPECTRAL_FEATURES = 20


@method("correct and smooth", "a logistic regression, its errors corrected along the graph")
@dataclass(eq=False, repr=False, kw_only=True)
class CorrectAndSmooth(Baseline):
    """A simple model of the features, whose errors and then whose answers are smoothed along the graph.

    A logistic regression on the given labels gives each row a distribution ``Z``. Correct: the errors at the
    labels propagate as ``E = (1 - alpha) (I - alpha S)^-1 (Y - Z)``, are scaled to the mean size that they
    have at labels, and added. Smooth: labels and corrected distributions spread in the same way.

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
    """

    sources = ("huang2021combining",)
    alpha_correct: float = 0.8
    alpha_smooth: float = 0.8

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        given, known = indicators(problem), problem.is_known
        model = self._model(problem, engine)
        errors = np.where(known[:, None], given - model, 0.0)
        # Correct: errors spread; "autoscale" gives each row the mean size of the errors at labels.
        spread = _spread(engine, errors, self.alpha_correct)
        size = np.abs(errors[known]).sum(axis=1).mean()
        lengths = np.abs(spread).sum(axis=1, keepdims=True)
        corrected = model + size * spread / np.maximum(lengths, np.finfo(float).tiny)
        # Smooth: given labels and corrected distributions spread together.
        return np.maximum(_spread(engine, np.where(known[:, None], given, corrected), self.alpha_smooth), 0.0)

    def _model(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        """Distribution of each row by a logistic regression on the rows with labels."""
        known = problem.is_known
        shares = np.zeros((len(known), problem.n_classes))
        present = np.unique(problem.labels[known])
        if len(present) == 1:
            shares[:, present] = 1.0
            return shares
        graph = engine.graph
        if graph.origin is not None:
            points = np.asarray(graph.origin.points)
        else:
            points = smallest_eigenpairs(graph, min(SPECTRAL_FEATURES, graph.n_vertices))[1]
        rows = StandardScaler().fit_transform(points)
        model = LogisticRegression(max_iter=500).fit(rows[known], problem.labels[known])
        shares[:, present] = model.predict_proba(rows)
        return shares


def _spread(engine: NumbaEngine, values: FloatArray, alpha: float) -> FloatArray:
    found = engine.solve(np.full(len(values), np.sqrt(alpha)), values.copy(), tolerance=1e-6)
    return (1 - alpha) * found.x
