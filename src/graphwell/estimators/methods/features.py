"""Methods that learn from the features too."""

from collections import Counter
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from graphwell._random import Seed, stream
from graphwell._rows import equal_rows
from graphwell._types import FloatArray, IntArray
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.estimators.methods.base import Baseline, indicators
from graphwell.estimators.registry import method
from graphwell.graph import Graph
from graphwell.solve.binary import smallest_eigenpairs
from graphwell.solve.problem import Problem

STEPS, EIGENVECTORS = (5, 20, 80), (20, 50, 100)  # t and N that are compared; why these is not recorded
DEFAULT = (20, 50)
FOLDS = 3
ROWS_TO_CHOOSE_ON = 4_000


@method("adapted eigenfunctions", "labels join the features, then eigenvectors are fitted", slow=True)
@dataclass(eq=False, repr=False, kw_only=True)
class AdaptedEigenfunctions(Baseline):
    """The classes, diffused from their labels, become features; then labels are fitted by eigenvectors.

    The indicators of the classes diffuse for `t` steps of the random walk ``D^-1 W``. Appended to the
    features, as heavy as these, they give a graph that follows the classes. Scores are the least-squares fit
    of the labels by the first `N` eigenvectors of ``L_s`` of that graph. `t` and `N` are chosen by
    cross-validation on the given labels, on at most 4,000 rows.

    Source: A. Szlam, M. Maggioni, R. Coifman, "Regularization on graphs with function-adapted diffusion
    processes", JMLR 9 (2008). Cost: two graphs and their eigenvectors. It needs features, and several labels
    of each class to choose `t` and `N` by. It fails with few labels, whose diffused indicators say little.

    Parameters
    ----------
    random_state : int, Generator or RandomState, optional
        Seed of the folds.
    n_neighbors, scale_neighbor, metric, n_jobs
        As in `graphwell.DiffuseInterfaceClassifier`; "precomputed" is refused.
    """

    sources = ("szlam2008regularization",)
    random_state: Seed = None

    def _scores(self, problem: Problem, engine: NumbaEngine) -> FloatArray:
        if engine.graph.origin is None:
            raise ValueError(
                "AdaptedEigenfunctions adds to the features, but the graph has none; give features instead."
            )
        steps, count = self._choice(problem, stream(self.random_state, "folds"))
        vectors = self._eigenvectors(problem, steps, count, problem.labels)
        return _fitted(vectors, problem.labels, problem.n_classes)

    def _choice(self, rows: Problem, rng: np.random.Generator) -> tuple[int, int]:
        """Steps and number of eigenvectors with the fewest errors on labels that are hidden in turn."""
        known = np.flatnonzero(rows.labels >= 0)
        counts = np.bincount(rows.labels[known], minlength=rows.n_classes)
        if counts[counts > 0].min() < 2:
            return DEFAULT
        n = len(rows.labels)
        if n > ROWS_TO_CHOOSE_ON:  # all labelled rows, and enough others
            wanted = min(max(0, ROWS_TO_CHOOSE_ON - len(known)), n - len(known))
            others = rng.choice(np.flatnonzero(rows.labels < 0), wanted, replace=False)
            kept = np.sort(np.concatenate([known, others]))
            rows = Problem(self._graph(_points(rows)[kept]), rows.labels[kept], rows.n_classes)
        given = np.flatnonzero(rows.labels >= 0)
        copies = equal_rows([_points(rows)[given]])
        folds = rng.permutation(len(given)) % FOLDS
        folds = folds[np.unique(copies, return_index=True)[1]][copies]  # copies are hidden together
        wrong: Counter[tuple[int, int]] = Counter()
        for steps in STEPS:
            for fold in range(FOLDS):
                hidden, shown = given[folds == fold], rows.labels.copy()
                shown[hidden] = -1
                vectors = self._eigenvectors(rows, steps, max(EIGENVECTORS), shown)
                for count in EIGENVECTORS:
                    found = _fitted(vectors[:, :count], shown, rows.n_classes)[hidden].argmax(axis=1)
                    wrong[steps, count] += int((found != rows.labels[hidden]).sum())
        return min(wrong, key=wrong.__getitem__)

    def _graph(self, points: FloatArray) -> Graph:
        return Graph.of_arranged(points, self.n_neighbors, self.scale_neighbor, "euclidean", self.n_jobs)

    def _eigenvectors(self, rows: Problem, steps: int, count: int, shown: IntArray) -> FloatArray:
        """Leading eigenvectors of the graph of the features with the diffused classes beside them."""
        graph, classes = cast(Graph, rows.graph), np.eye(rows.n_classes + 1)[shown][:, :-1]
        for _ in range(steps):
            classes = (graph.W @ classes) / np.maximum(graph.degrees, np.finfo(float).tiny)[:, None]
        classes /= np.maximum(classes.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        # As heavy as the features: the same mean squared distance from the mean.
        of_points, of_classes = _points(rows).var(axis=0).sum(), classes.var(axis=0).sum()
        weight = np.sqrt(of_points / of_classes) if of_classes > 0 else 0.0
        adapted = self._graph(np.column_stack([_points(rows), weight * classes]))
        return smallest_eigenpairs(adapted, min(count, adapted.n_vertices))[1]


def _points(rows: Problem) -> FloatArray:
    return np.asarray(cast(Any, rows.graph).origin.search.points)


def _fitted(vectors: FloatArray, shown: IntArray, n_classes: int) -> FloatArray:
    """Least-squares fit of the labels by the first eigenvectors, by no more of them than there are labels."""
    known = shown >= 0
    few = vectors[:, : max(1, int(known.sum()))]
    return np.asarray(few @ np.linalg.lstsq(few[known], np.eye(n_classes)[shown[known]], rcond=None)[0])


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
            points = np.asarray(graph.origin.search.points)
        else:
            points = smallest_eigenpairs(graph, min(SPECTRAL_FEATURES, graph.n_vertices))[1]
        rows = StandardScaler().fit_transform(points)
        model = LogisticRegression(max_iter=500).fit(rows[known], problem.labels[known])
        shares[:, present] = model.predict_proba(rows)
        return shares


def _spread(engine: NumbaEngine, values: FloatArray, alpha: float) -> FloatArray:
    found = engine.solve(np.full(len(values), np.sqrt(alpha)), values.copy(), tolerance=1e-6)
    return (1 - alpha) * found.x
