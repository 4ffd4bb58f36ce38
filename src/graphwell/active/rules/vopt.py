"""The row that lowers the variance of a smooth function most (Ji and Han 2012)."""

import numpy as np

from graphwell._types import FloatArray
from graphwell.active.registry import strategy
from graphwell.active.situation import Situation
from graphwell.active.smooth import NOISE, SmallGraph, questions_in_turn
from graphwell.active.suggestions import Question


@strategy("vopt", "lowers the variance of a smooth function most")
def vopt(situation: Situation, n: int) -> list[Question]:
    """Units whose label lowers the sum of all variances most, one after the other."""
    return questions_in_turn(situation, n, variance_lowered, "tells most about other rows")


def variance_lowered(C: FloatArray, graph: SmallGraph, shares: FloatArray) -> FloatArray:
    """By how much the sum of the variances of all rows falls with a label at each unit.

    ``sum_i size_i C_ik^2 / (C_kk + noise)``
    """
    return np.asarray(graph.sizes @ C**2 / (C.diagonal() + NOISE))
