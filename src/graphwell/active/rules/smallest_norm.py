"""The row whose scores have the smallest norm under damped, Poisson-reweighted Laplace learning.

Scores die away with the distance from the labels, so a small norm means far from every label (Miller and
Calder 2023).
"""

import numpy as np

from graphwell._types import BoolArray, FloatArray
from graphwell.active.registry import strategy
from graphwell.active.situation import Situation
from graphwell.active.smooth import row_of_unit, small_graph
from graphwell.active.suggestions import Question

DYING = 0.01
"""Share of its degree by which each unit is tied to the score 0."""


@strategy("smallest norm", "the scores that reach it are smallest in norm", needs_labels=1)
def smallest_norm(situation: Situation, n: int) -> list[Question]:
    """Units that the labels reach least; each is then taken to have a class of its own."""
    graph = small_graph(situation)
    counts, is_open = graph.counts, graph.open.copy()
    questions: list[Question] = []
    while len(questions) < n and is_open.any():
        norms = np.linalg.norm(damped_scores(graph.W, counts), axis=1)
        unit = int(np.where(is_open, norms, np.inf).argmin())
        is_open[unit] = False
        counts = np.hstack([counts, (np.arange(len(counts)) == unit)[:, None].astype(float)])
        questions.append(Question(row_of_unit(situation, unit), "far from every label"))
    return questions


def damped_scores(W: FloatArray, counts: FloatArray, dying: float = DYING) -> FloatArray:
    """Scores that are those of the labels where there are any, and solve ``(L + dying D) u = 0`` elsewhere.

    The Laplacian is that of the edges ``g_i W_ij g_j``, with the Poisson weights `g` of the labels.

    Parameters
    ----------
    W : array of shape (n, n)
    counts : array of shape (n, n_classes)
        Labels of each class at each unit.
    """
    known = counts.sum(axis=1) > 0
    g = poisson_factors(W, known)
    weighted = g[:, None] * W * g
    degrees = weighted.sum(axis=1)
    system = np.diag((1 + dying) * degrees + 1e-12 * (degrees.max(initial=0.0) or 1.0)) - weighted
    scores = np.zeros(counts.shape)
    scores[known] = counts[known] / counts[known].sum(axis=1, keepdims=True)
    free = ~known
    if free.any():
        scores[free] = np.linalg.solve(
            system[np.ix_(free, free)], weighted[np.ix_(free, known)] @ scores[known]
        )
    return scores


def poisson_factors(W: FloatArray, known: BoolArray) -> FloatArray:
    """Weights of the units that are large near labels: the solution of a Poisson equation, made positive."""
    n = len(W)
    sources = known - known.mean()
    L = np.diag(W.sum(axis=1)) - W
    scale = float(L.diagonal().mean()) or 1.0
    g = np.linalg.solve(L + 1e-6 * scale * np.eye(n), sources)
    return np.asarray(g - g.min() + 1e-5 * (np.ptp(g) or 1.0))
