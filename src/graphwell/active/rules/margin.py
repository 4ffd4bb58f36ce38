"""The row whose two likeliest classes are nearest to each other."""

import numpy as np

from graphwell._types import FloatArray
from graphwell.active.apart import best_apart
from graphwell.active.registry import strategy
from graphwell.active.situation import Situation
from graphwell.active.suggestions import Question


@strategy("margin", "the two likeliest classes are nearest to each other", needs_labels=2)
def margin(situation: Situation, n: int) -> list[Question]:
    """Rows at borders, apart from each other."""
    rows = best_apart(situation, -margins_of(situation.shares), n)
    return [Question(int(row), border(situation, int(row))) for row in rows]


def margins_of(shares: FloatArray) -> FloatArray:
    """Distance between the two largest shares of each row.

    Examples
    --------
    >>> margins_of(np.array([[0.5, 0.2, 0.3]])).round(2)
    array([0.2])
    """
    two = np.partition(shares, -2, axis=1)[:, -2:]
    return np.asarray(two[:, 1] - two[:, 0])


def border(situation: Situation, row: int) -> str:
    """Which classes a row lies between, in words."""
    first, second = np.argsort(-situation.shares[row], kind="stable")[:2]
    return f"border between {situation.names[first]} and {situation.names[second]}"
