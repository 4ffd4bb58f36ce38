"""Rows at random: what every other strategy is compared with, and an unbiased sample."""

import numpy as np

from graphwell._random import stream
from graphwell.active.registry import strategy
from graphwell.active.situation import Situation
from graphwell.active.suggestions import Question


@strategy("random", "any row, each with the same chance")
def at_random(situation: Situation, n: int) -> list[Question]:
    """Open rows, each with the same chance."""
    rng = stream(situation.random_state, f"questions after {situation.n_asked}")
    return [Question(int(row), "at random") for row in rng.permutation(np.flatnonzero(situation.open))[:n]]
