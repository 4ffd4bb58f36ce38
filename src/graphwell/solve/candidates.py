"""Figures by which labellings of a graph can be compared, all measured in one walk over its edges."""

from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Engine
from graphwell.solve.problem import Problem
from graphwell.solve.result import Candidate

TABLE_AT_MOST = 4
"""Entries of a table for each value that is looked up in it."""


def measured_candidates(
    problem: Problem, engine: Engine, labellings: dict[str, IntArray], pressure: FloatArray, chosen: str
) -> tuple[Candidate, ...]:
    """Measure labellings.

    Parameters
    ----------
    problem : Problem
    engine : Engine
        Of the problem's graph.
    labellings : dict of str to array of shape (n,)
        Class of each vertex, on the host.
    pressure : array of shape (n_classes,)
        Pressure on the volume of each class.
    chosen : str
        Name of the one that was chosen.

    Examples
    --------
    Two pairs, cut through one of them:

    >>> from graphwell import Graph
    >>> from graphwell.backends import find_backend
    >>> pairs = Graph.from_affinity(np.kron(np.eye(2), [[0, 1], [1, 0]]))
    >>> problem = Problem(pairs, np.array([0, -1, -1, 1]), n_classes=2)
    >>> engine = find_backend().engine(problem.graph)
    >>> labellings = {"start": np.array([0, 0, 0, 1]), "descent": np.array([0, 0, 1, 1])}
    >>> start, descent = measured_candidates(problem, engine, labellings, np.ones(2), "descent")
    >>> start.energy, round(start.normalised_cut, 3), start.overruled
    (1.125, 1.333, 1)
    >>> descent.energy, descent.overruled, descent.chosen
    (0.5, 0, True)
    """
    given = np.asarray(engine.to_host(problem.labels))
    groups, first = treated_alike(list(labellings.values()), given >= 0)
    W = engine.condensed(groups, len(first))
    return tuple(
        _candidate(name, W, labels[first], given[first], pressure, chosen=name == chosen)
        for name, labels in labellings.items()
    )


def treated_alike(labellings: list[IntArray], apart: IntArray) -> tuple[IntArray, IntArray]:
    """Groups of vertices that every labelling puts into the same class, and the first vertex of each.

    Vertices that are set apart are groups of their own.

    Examples
    --------
    >>> treated_alike([np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])], np.array([True, False, False, False]))
    (array([3, 0, 1, 2]), array([1, 2, 3, 0]))
    """
    together = np.zeros(len(apart), dtype=np.int64)
    for labels in labellings:
        together = ranked(together * (int(labels.max()) + 1) + labels)
    alone = np.flatnonzero(apart)
    together[alone] = len(apart) + np.arange(len(alone))
    groups = ranked(together)
    first = np.empty(int(groups.max()) + 1, dtype=np.int64)
    first[groups[::-1]] = np.arange(len(groups))[::-1]  # of several vertices the last that is written stays
    return groups, first


def ranked(codes: IntArray) -> IntArray:
    """Rank of each code among those that occur: from a table of all codes, or by sorting if it were large.

    Examples
    --------
    >>> ranked(np.array([7, 3, 7])), ranked(np.array([700, 3, 700]))
    (array([1, 0, 1]), array([1, 0, 1]))
    """
    bound = int(codes.max()) + 1
    if bound > TABLE_AT_MOST * len(codes):
        return np.unique(codes, return_inverse=True)[1]
    is_there = np.zeros(bound, dtype=bool)
    is_there[codes] = True
    return (np.cumsum(is_there) - 1)[codes]


def _candidate(
    name: str, W: Any, labels: IntArray, given: IntArray, pressure: FloatArray, *, chosen: bool
) -> Candidate:
    """Figures of one labelling, from the affinities between groups of vertices."""
    n_classes = len(pressure)
    rows = np.repeat(np.arange(len(labels)), np.diff(W.indptr))
    votes = np.bincount(
        rows * n_classes + labels[W.indices], weights=W.data, minlength=len(labels) * n_classes
    ).reshape(len(labels), n_classes)
    between = np.stack([votes[labels == k].sum(axis=0) for k in range(n_classes)])
    volumes = between.sum(axis=1)
    cut, total = volumes - between.diagonal(), float(volumes.sum()) or 1.0
    energy = float(cut.sum() / total + (pressure * (volumes / total) ** 2).sum())
    normalised = float(np.divide(cut, volumes, out=np.zeros(n_classes), where=volumes > 0).sum())
    known = np.flatnonzero(given >= 0)
    overruled = int((votes[known].max(axis=1) > votes[known, given[known]]).sum())
    return Candidate(name, energy, normalised, overruled, chosen)
