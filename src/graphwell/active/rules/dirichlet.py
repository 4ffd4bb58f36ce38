"""The row whose class shares vary most under Dirichlet learning (Miller and Murray 2024)."""

import numpy as np

from graphwell._types import FloatArray
from graphwell.active.registry import strategy
from graphwell.active.situation import Situation
from graphwell.active.smooth import DAMPING, laplacian, row_of_unit, small_graph
from graphwell.active.suggestions import Question

PRIOR = 1.0
"""Labels of each class that every row is taken to have had."""


@strategy("dirichlet", "the shares of its classes vary most under Dirichlet learning")
def dirichlet(situation: Situation, n: int) -> list[Question]:
    """Units of the highest variance; each is then taken to have its likeliest class."""
    graph = small_graph(situation)
    reach = reaches(graph.W)
    counts = np.hstack([graph.counts, np.zeros((len(reach), 1))])  # the last class is one not met yet
    labels = PRIOR / counts.shape[1] + reach @ counts
    is_open = graph.open.copy()
    questions: list[Question] = []
    while len(questions) < n and is_open.any():
        values = np.where(is_open, graph.sizes * variances(labels), -np.inf)
        unit = int(values.argmax())
        labels[:, labels[unit].argmax()] += reach[:, unit]
        is_open[unit] = False
        questions.append(Question(row_of_unit(situation, unit), "few labels near"))
    return questions


def reaches(W: FloatArray) -> FloatArray:
    """How much of a label at each unit (columns) reaches each unit; 1 at the unit itself."""
    K = np.linalg.inv(laplacian(W) + DAMPING * np.eye(len(W)))
    return np.asarray(np.clip(K / K.diagonal(), 0.0, None))


def variances(labels: FloatArray) -> FloatArray:
    """Sum of the variances of class shares that have a Dirichlet distribution.

    Examples
    --------
    >>> variances(np.array([[1.0, 1.0]]))
    array([0.16666667])
    """
    total = labels.sum(axis=1, keepdims=True)
    mean = labels / total
    return np.sum(mean * (1 - mean), axis=1) / (total[:, 0] + 1)
