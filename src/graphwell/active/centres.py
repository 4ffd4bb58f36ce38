"""The most central rows of parts of a graph: those that speak for the others."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from graphwell._types import FloatArray, IntArray
from graphwell.active.parts import Parts
from graphwell.active.situation import Situation

STEPS = 30
"""Of the power iteration: enough to find the core of a part, too few to end in a knot of copies."""
ROWS_LOOKED_AT = 60


def central_rows(situation: Situation, parts: Parts, chosen: Sequence[int]) -> IntArray:
    """The most central row of each chosen part, among those that may be asked; -1 if there is none.

    Central is what the leading eigenvector of the part's own weights is large at. It is found on the units;
    of a large graph the best units are then taken apart, and their rows compared.

    Parameters
    ----------
    situation : Situation
    parts : Parts
    chosen : sequence of int
        Numbers of parts.
    """
    ground = situation.ground
    centrality = unit_centrality(situation, parts, chosen)
    if len(ground.members) == ground.W.shape[0]:
        row_of_unit = np.argsort(ground.members)
        return np.array([_best(situation, row_of_unit[units], values) for units, values in centrality])
    candidates = [_candidates(situation, units, values) for units, values in centrality]
    return _compared(situation, centrality, candidates)


def unit_centrality(
    situation: Situation, parts: Parts, chosen: Sequence[int]
) -> list[tuple[IntArray, FloatArray]]:
    """Units of each chosen part, and how central their rows are."""
    found = []
    for part in chosen:
        units = np.flatnonzero(parts.of_units == part)
        W = situation.ground.W[units][:, units]
        found.append((units, leading(W, situation.sizes[units])))
    return found


def leading(W: Any, sizes: IntArray) -> FloatArray:
    """How central each group is: some power iterations with its weights, for groups of several rows.

    Examples
    --------
    >>> W = sparse.csr_array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> leading(W, np.ones(3)).round(3)
    array([0.707, 1.   , 0.707])
    """
    x, per_row = np.ones(len(sizes)), 1 / np.maximum(sizes, 1)
    shift = 0.5 * float((per_row * (W @ x)).max(initial=0.0))  # without it, a star of rows would flicker
    for _ in range(STEPS):
        x = per_row * (W @ x) + shift * x
        x = x / (x.max(initial=0.0) or 1.0)
    return x


def _best(situation: Situation, rows: IntArray, values: FloatArray) -> int:
    """The open row of highest value; of equals that of highest degree."""
    asked = situation.open[rows]
    if not asked.any():
        return -1
    rows, values = rows[asked], values[asked]
    return int(rows[np.lexsort((-situation.degrees[rows], -values))[0]])


def _candidates(situation: Situation, units: IntArray, values: FloatArray) -> IntArray:
    """Open rows of the most central units of a part."""
    order = units[np.argsort(-values, kind="stable")]
    order = order[situation.open_units[order]]
    enough = int(np.searchsorted(np.cumsum(situation.sizes[order]), ROWS_LOOKED_AT)) + 1
    near = np.isin(situation.ground.members, order[:enough])
    return np.flatnonzero(near & situation.open)


def _compared(
    situation: Situation, centrality: list[tuple[IntArray, FloatArray]], candidates: list[IntArray]
) -> IntArray:
    """The best candidate of each part: all candidates are set apart from their units for a moment."""
    members, n_units = situation.ground.members.copy(), len(situation.sizes)
    rows = np.concatenate([*candidates, np.empty(0, dtype=np.int64)]).astype(np.int64)
    members[rows] = n_units + np.arange(len(rows))
    W = sparse.csr_array(situation.engine.condensed(members, n_units + len(rows)))
    sizes = np.bincount(members, minlength=n_units + len(rows))
    found, first = [], 0
    for (units, _), of_part in zip(centrality, candidates, strict=True):
        here = np.concatenate([units, n_units + first + np.arange(len(of_part))])
        values = leading(W[here][:, here], sizes[here])[len(units) :]
        found.append(_best(situation, of_part, values))
        first += len(of_part)
    return np.array(found, dtype=np.int64)
