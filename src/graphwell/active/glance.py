"""A first look at the answers: labels from the graph of communities alone, long before a fit is done."""

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.active.labels import Answers
from graphwell.active.survey import Survey
from graphwell.solve.multilevel import overview
from graphwell.solve.problem import Problem


def glance(place: Survey, known: Answers, trust: FloatArray | None = None) -> IntArray:
    """Class number of each row, -1 where no label reaches.

    What a fit looks at before its descent (see `graphwell.solve.multilevel`), without its start: whole
    communities take a class. It depends on the answers alone, not on fits before.

    Parameters
    ----------
    place : Survey
    known : Answers
    trust : array of shape (n,), optional
        How far each label is trusted.

    Examples
    --------
    >>> from graphwell.active.labels import read_answers
    >>> from graphwell.active.survey import survey
    >>> place = survey([[0.0], [0.1], [0.3], [5.0], [5.1], [5.3]], n_neighbors=2, scale_neighbor=1)
    >>> glance(place, read_answers(["a", None, None, None, None, "b"], 6))
    array([0, 0, 0, 1, 1, 1])
    """
    backend, engine, n_classes = place.backend, place.engine, len(known.classes)
    labels = backend.asarray(known.codes)
    problem = Problem(
        place.graph, labels, n_classes, trust=None if trust is None else backend.asarray(trust), implicit=True
    )
    if n_classes < 2:
        found = np.zeros(len(known.codes), dtype=np.int64)
    else:
        nothing = engine.indicator(labels, engine.xp.zeros(len(known.codes)), n_classes)
        found = np.asarray(engine.to_host(overview(problem, engine, nothing).labels), dtype=np.int64)
    return np.where(np.asarray(engine.to_host(problem.reachable)), found, -1)
