"""How good the labels were after each fit: noted in the journal, and read from there after a new start."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from graphwell.active.accuracy import AccuracyEstimate, Checked

Point = dict[str, float]


class LearningCurve:
    """Estimates of the accuracy by the number of labels.

    Parameters
    ----------
    notes : sequence of mapping
        Of a journal, oldest first.

    Attributes
    ----------
    points : list of dict
        By growing number of labels; a fit to fewer labels forgets those after it. None is added where it is
        too early for a figure.
    checked : dict of int to Checked
        What answers had checked, by row, as old as it was after the last note.

    Examples
    --------
    >>> note = {"labels": 3, "share": 0.5, "low": 0.2, "high": 0.8, "checked": [[7, 0.6, True]]}
    >>> curve = LearningCurve([note])
    >>> curve.points
    [{'labels': 3, 'share': 0.5, 'low': 0.2, 'high': 0.8}]
    >>> curve.checked
    {7: Checked(score=0.6, right=True, age=0)}
    """

    def __init__(self, notes: Sequence[Mapping[str, Any]] = ()) -> None:
        self.points: list[Point] = []
        self.checked: dict[int, Checked] = {}
        for fits_since, note in zip(range(len(notes) - 1, -1, -1), notes, strict=True):
            point = {name: _number(note[name]) for name in ("labels", "share", "low", "high")}
            self._add(point, is_early=bool(note.get("early")))
            if note.get("anew"):
                self.checked = {}
            for row, score, right in note["checked"]:
                self.checked[int(_number(row))] = Checked(_number(score), bool(right), fits_since)

    def add(
        self,
        labels: int,
        found: AccuracyEstimate,
        checked: Mapping[int, Checked],
        *,
        is_early: bool = False,
    ) -> dict[str, Any] | None:
        """Add what is known after a fit; returns the note for the journal, None if nothing is new."""
        low, high = found.interval
        point = {"labels": labels, "share": float(found.share), "low": float(low), "high": float(high)}
        if self.points and point == self.points[-1] and not checked:
            return None
        self._add(point, is_early)
        anew = found.n_checked == len(checked)  # what was checked before no longer counts
        new = [[int(row), float(check.score), check.right] for row, check in checked.items()]
        return {**point, "checked": new, "early": is_early, "anew": anew}

    def _add(self, point: Point, is_early: bool) -> None:
        before = [other for other in self.points if other["labels"] < point["labels"]]
        self.points = before if is_early else [*before, point]


def _number(value: Any) -> float:
    """A number as a note must hold it."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is no number")
    return value
