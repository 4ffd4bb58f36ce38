"""The row whose answer would change the scores of all rows most (Miller and Bertozzi 2021)."""

import numpy as np

from graphwell._types import FloatArray
from graphwell.active.registry import strategy
from graphwell.active.situation import Situation
from graphwell.active.smooth import NOISE, SmallGraph, questions_in_turn
from graphwell.active.suggestions import Question


@strategy("model change", "its answer would change the scores of all rows most", needs_labels=2)
def model_change(situation: Situation, n: int) -> list[Question]:
    """Units whose likeliest answer would change the scores most, one after the other."""
    return questions_in_turn(situation, n, change, "its answer changes most")


def change(C: FloatArray, graph: SmallGraph, shares: FloatArray) -> FloatArray:
    """Norm of the change of all scores if each unit took its likeliest class.

    ``|e - shares_k| sqrt(sum_i size_i C_ik^2) / (C_kk + noise)``
    """
    likeliest = np.eye(shares.shape[1])[shares.argmax(axis=1)]
    surprise = np.linalg.norm(likeliest - shares, axis=1)
    return np.asarray(surprise * np.sqrt(graph.sizes @ C**2) / (C.diagonal() + NOISE))
