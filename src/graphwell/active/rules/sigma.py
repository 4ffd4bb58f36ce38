"""The row that lowers the variance of the mean of a smooth function most (Ma, Garnett and Schneider 2013)."""

import numpy as np

from graphwell._types import FloatArray
from graphwell.active.registry import strategy
from graphwell.active.situation import Situation
from graphwell.active.smooth import NOISE, SmallGraph, questions_in_turn
from graphwell.active.suggestions import Question


@strategy("sigma", "lowers the variance of the mean of a smooth function most")
def sigma(situation: Situation, n: int) -> list[Question]:
    """Units whose label lowers the variance of the mean most, one after the other."""
    return questions_in_turn(situation, n, mean_variance_lowered, "tells most about the whole")


def mean_variance_lowered(C: FloatArray, graph: SmallGraph, shares: FloatArray) -> FloatArray:
    """By how much the variance of the sum over all rows falls with a label at each unit.

    ``(sum_i size_i C_ik)^2 / (C_kk + noise)``
    """
    return np.asarray((graph.sizes @ C) ** 2 / (C.diagonal() + NOISE))
