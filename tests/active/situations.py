"""Small situations to choose questions in."""

from typing import Any

import numpy as np

from graphwell.active.labels import read_answers
from graphwell.active.situation import Situation
from graphwell.active.survey import survey
from graphwell.graph import Graph
from tests.helpers import clusters


def situation_of(graph: Graph, y: Any = None, closed: Any = (), scores: Any = None) -> Situation:
    """What strategies see of a graph with these labels."""
    place = survey(graph)
    known = read_answers(y, graph.n_vertices)
    is_open = known.codes < 0
    is_open[list(closed)] = False
    given = None if scores is None else lambda: scores
    return Situation(place.engine, place.degrees, place.ground, known.codes, known.names, is_open, given)


def labelled(truth: Any, rows: Any) -> Any:
    """Labels of some rows, -1 elsewhere."""
    y = np.full(len(truth), -1)
    y[rows] = truth[rows]
    return y


def five_clusters() -> tuple[Graph, Any]:
    """Five clear clusters, one of them small."""
    return clusters([60, 60, 60, 60, 12])


def rows_of(questions: Any) -> list[int]:
    """Row numbers of questions, after a check that none comes twice."""
    rows = [question.row for question in questions]
    assert len(set(rows)) == len(rows)
    assert all(question.reason for question in questions)
    return rows
