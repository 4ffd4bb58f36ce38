"""A batch whose rows lie apart: no two say the same."""

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.active.situation import Situation
from graphwell.active.suggestions import Question

PARTS_PER_QUESTION = 4


def best_apart(situation: Situation, values: FloatArray, n: int, among: BoolArray | None = None) -> IntArray:
    """Rows of the highest values, at most one of each small part and none beside another.

    Only when nothing else is left, further rows of the same parts follow. Of rows with equal values the one
    of the highest degree comes first.

    Parameters
    ----------
    situation : Situation
    values : array of shape (n_rows,)
    n : int
    among : array of bool, optional
        Rows to choose from; all that may be asked by default.
    """
    left = situation.open.copy() if among is None else situation.open & among
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[np.lexsort((-situation.degrees, -values))] = np.arange(len(values))
    parts = situation.parts(PARTS_PER_QUESTION * n).of_rows
    chosen: list[int] = []
    free = left.copy()
    while len(chosen) < n and left.any():
        if not free.any():
            free = left.copy()
        row = int(np.argmin(np.where(free, ranks, len(ranks))))
        chosen.append(row)
        left[row] = free[row] = False
        free &= (parts != parts[row]) & ~beside(situation, row)
    return np.array(chosen, dtype=np.int64)


def in_turn(situation: Situation, lists: Sequence[list[Question]], n: int) -> list[Question]:
    """Questions of several lists in turn, none beside another as long as there are others."""
    left: dict[int, Question] = {}
    for question in (q for several in zip_longest(*lists) for q in several if q is not None):
        left.setdefault(question.row, question)
    chosen: list[Question] = []
    near = np.zeros(len(situation.open), dtype=bool)
    for question in left.values():
        if len(chosen) < n and not near[question.row]:
            chosen.append(question)
            near |= beside(situation, question.row)
    return [*chosen, *(question for question in left.values() if question not in chosen)][:n]


def beside(situation: Situation, row: int) -> BoolArray:
    """Rows in the units next to the unit of a row."""
    ground = situation.ground
    unit = ground.members[row]
    near = np.zeros(ground.W.shape[0], dtype=bool)
    near[ground.W.indices[ground.W.indptr[unit] : ground.W.indptr[unit + 1]]] = True
    near[unit] = True
    return near[ground.members]
