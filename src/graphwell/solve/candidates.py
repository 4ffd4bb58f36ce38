"""Figures by which labellings of a graph can be compared."""

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Engine
from graphwell.solve.problem import Problem
from graphwell.solve.result import Candidate


def candidate_of(
    name: str, problem: Problem, engine: Engine, labels: IntArray, pressure: FloatArray, *, chosen: bool
) -> Candidate:
    """Measure a labelling.

    Parameters
    ----------
    name : str
    problem : Problem
    engine : Engine
        Of the problem's graph.
    labels : array of shape (n,)
        Class of each vertex, on the host.
    pressure : array of shape (n_classes,)
        Pressure on the volume of each class.
    chosen : bool
        Whether this is the one that was chosen.

    Examples
    --------
    Two pairs, cut through one of them:

    >>> from graphwell import Graph
    >>> from graphwell.backends import find_backend
    >>> pairs = Graph.from_affinity(np.kron(np.eye(2), [[0, 1], [1, 0]]))
    >>> problem = Problem(pairs, np.array([0, -1, -1, 1]), n_classes=2)
    >>> engine = find_backend().engine(problem.graph)
    >>> found = candidate_of("start", problem, engine, np.array([0, 0, 0, 1]), np.ones(2), chosen=False)
    >>> found.energy, round(found.normalised_cut, 3), found.overruled
    (1.125, 1.333, 1)
    """
    between = engine.condensed(labels, problem.n_classes).toarray()
    volumes = between.sum(axis=1)
    cut, total = volumes - between.diagonal(), float(volumes.sum()) or 1.0
    energy = float(cut.sum() / total + (pressure * (volumes / total) ** 2).sum())
    normalised = float(np.divide(cut, volumes, out=np.zeros(len(cut)), where=volumes > 0).sum())
    return Candidate(name, energy, normalised, overruled(problem, engine, labels), chosen)


def overruled(problem: Problem, engine: Engine, labels: IntArray) -> int:
    """Number of the given labels whose neighbours lie mostly in another class."""
    present = engine.indicator(
        engine.asarray(labels), engine.xp.ones(problem.graph.n_vertices), problem.n_classes
    )
    voted = engine.argmax(engine.product(present))[problem.is_known]
    return int((voted != problem.labels[problem.is_known]).sum())
