"""A greedy cover of the graph: the row whose neighbourhood holds most rows that no label is near to."""

import numpy as np

from graphwell._counted import counted
from graphwell._types import FloatArray
from graphwell.active.registry import strategy
from graphwell.active.situation import Situation
from graphwell.active.smooth import row_of_unit, small_graph
from graphwell.active.suggestions import Question

STEPS = 4
"""Of a random walk: how far a label covers."""


@strategy("cover", "its neighbourhood holds most rows that no label is near to")
def cover(situation: Situation, n: int) -> list[Question]:
    """Units whose neighbourhood covers most of what the labels and the questions before leave uncovered."""
    graph = small_graph(situation)
    near = neighbourhoods(graph.W)
    covered = near[graph.counts.any(axis=1)].max(axis=0, initial=0.0)
    is_open = graph.open.copy()
    questions: list[Question] = []
    while len(questions) < n and is_open.any():
        gained = np.where(is_open, np.maximum(near - covered, 0.0) @ graph.sizes, -np.inf)
        unit = int(gained.argmax())
        covered = np.maximum(covered, near[unit])
        is_open[unit] = False
        rows = counted(max(1, round(gained[unit])), "row")
        questions.append(Question(row_of_unit(situation, unit), f"stands for {rows}"))
    return questions


def neighbourhoods(W: FloatArray) -> FloatArray:
    """How much a label at each unit (rows) covers each unit: its walks of some steps, 1 at most.

    Examples
    --------
    >>> neighbourhoods(np.array([[0.0, 1], [1, 0]]))
    array([[1., 1.],
           [1., 1.]])
    """
    degrees = W.sum(axis=1)
    walk = np.eye(len(W)) + np.divide(W, degrees[:, None], out=np.zeros(W.shape), where=degrees[:, None] > 0)
    reach = np.linalg.matrix_power(walk / 2, STEPS)
    return np.asarray(reach / reach.max(axis=1, keepdims=True))
