"""Functions on a graph in small that vary slowly: their covariance, and what a label takes away from it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.active.situation import Situation
from graphwell.active.suggestions import Question
from graphwell.solve.coarse import summed_rows

DAMPING = 0.01
"""What is added to the eigenvalues of the normalised Laplacian: how much a function may vary as a whole."""
NOISE = 0.01
"""Variance of an answer."""


@dataclass(frozen=True, eq=False)
class SmallGraph:
    """A graph in at most a thousand units.

    Attributes
    ----------
    members : array of shape (n_rows,)
        Unit of each row.
    W : array of shape (n_units, n_units)
        Affinities between units, without those inside.
    sizes : array of shape (n_units,)
        Rows of each unit.
    counts : array of shape (n_units, n_classes)
        Labels of each class in each unit.
    open : array of shape (n_units,)
        Whether a unit has a row that may be asked.
    """

    members: IntArray
    W: FloatArray
    sizes: FloatArray
    counts: FloatArray
    open: BoolArray


Gain: TypeAlias = Callable[[FloatArray, SmallGraph, FloatArray], FloatArray]
"""Given covariance, graph and shares of the units: what a label at each unit is worth."""


def small_graph(situation: Situation) -> SmallGraph:
    """The graph in small, with the labels."""
    ground, labels = situation.small, situation.labels
    members, n = ground.members, ground.W.shape[0]
    W = ground.W.toarray()
    np.fill_diagonal(W, 0.0)
    known = labels >= 0
    counts = np.zeros((n, max(1, situation.n_classes)))
    np.add.at(counts, (members[known], labels[known]), 1.0)
    is_open = np.bincount(members[situation.open], minlength=n) > 0
    return SmallGraph(members, W, np.bincount(members, minlength=n).astype(float), counts, is_open)


def laplacian(W: FloatArray) -> FloatArray:
    """The normalised Laplacian, 1 on the diagonal; rows of isolated units are those of the identity.

    Examples
    --------
    >>> laplacian(np.array([[0.0, 4.0], [4.0, 0.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    degrees = W.sum(axis=1)
    roots = np.divide(1.0, np.sqrt(degrees), out=np.zeros(len(W)), where=degrees > 0)
    return np.eye(len(W)) - roots[:, None] * W * roots


def covariance(graph: SmallGraph) -> FloatArray:
    """Covariance of a smooth random function, given the labels: ``(L_s + damping + labels / noise)^-1``."""
    known = np.diag(graph.counts.sum(axis=1) / NOISE)
    return np.linalg.inv(laplacian(graph.W) + DAMPING * np.eye(len(graph.W)) + known)


def conditioned(C: FloatArray, unit: int) -> FloatArray:
    """The covariance after one more label, at a unit.

    Examples
    --------
    >>> conditioned(np.array([[1.0, 0.5], [0.5, 1.0]]), 0).round(2)
    array([[0.01, 0.  ],
           [0.  , 0.75]])
    """
    return C - np.outer(C[unit], C[unit]) / (C[unit, unit] + NOISE)


def mean_shares(graph: SmallGraph, shares: FloatArray) -> FloatArray:
    """Mean shares of the rows of each unit."""
    return summed_rows(graph.members, shares, len(graph.W)) / graph.sizes[:, None]


def row_of_unit(situation: Situation, unit: int) -> int:
    """The open row of highest degree in a unit of the graph in small."""
    rows = np.flatnonzero((situation.small.members == unit) & situation.open)
    return int(rows[np.argmax(situation.degrees[rows])])


def questions_in_turn(situation: Situation, n: int, gain: Gain, reason: str) -> list[Question]:
    """Units of the highest gain, one after the other; the covariance is conditioned on each.

    Parameters
    ----------
    situation : Situation
    n : int
    gain : callable
        Of the covariance, the graph and the shares of its units.
    reason : str
    """
    graph = small_graph(situation)
    C, is_open = covariance(graph), graph.open.copy()
    questions: list[Question] = []
    shares = mean_shares(graph, situation.shares) if situation.n_classes else np.ones((len(C), 1))
    while len(questions) < n and is_open.any():
        unit = int(np.where(is_open, gain(C, graph, shares), -np.inf).argmax())
        questions.append(Question(row_of_unit(situation, unit), reason))
        C = conditioned(C, unit)
        is_open[unit] = False
    return questions
