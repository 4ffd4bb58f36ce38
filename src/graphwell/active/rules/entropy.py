"""The row whose class is least decided among all classes."""

import numpy as np

from graphwell._types import FloatArray
from graphwell.active.apart import best_apart
from graphwell.active.registry import strategy
from graphwell.active.rules.margin import border
from graphwell.active.situation import Situation
from graphwell.active.suggestions import Question


@strategy("entropy", "the class is least decided among all", needs_labels=2)
def entropy(situation: Situation, n: int) -> list[Question]:
    """Rows of the highest entropy, apart from each other."""
    rows = best_apart(situation, entropies_of(situation.shares), n)
    return [Question(int(row), border(situation, int(row))) for row in rows]


def entropies_of(shares: FloatArray) -> FloatArray:
    """Entropy of each row of shares.

    Examples
    --------
    >>> entropies_of(np.array([[1.0, 0.0], [0.5, 0.5]])).round(3)
    array([0.   , 0.693])
    """
    return -np.sum(shares * np.log(np.maximum(shares, 1e-300)), axis=1) + 0.0
