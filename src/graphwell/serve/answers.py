"""What was said of each row, as a fold over the actions of a journal; every action can be taken back."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError
from graphwell.serve.classes import ClassList
from graphwell.serve.journal import Action

NOTHING, CANNOT_TELL, SKIPPED = -1, -2, -3
"""Codes of rows without a class: never asked, cannot be told, asked later."""


SMALLEST_WEIGHT = float(np.finfo(np.float32).tiny)
"""Of a label: a smaller one would be kept as 0."""


@dataclass(frozen=True, eq=False)
class Change:
    """What an action changes: forth to do it, back to undo it.

    Attributes
    ----------
    rows : array of int
    codes, weights : pairs of arrays
        Before and after, for each of the rows.
    classes : pair of ClassList
    """

    rows: IntArray
    codes: tuple[IntArray, IntArray]
    weights: tuple[FloatArray, FloatArray]
    classes: tuple[ClassList, ClassList]

    @property
    def labelled(self) -> bool:
        """Whether a label comes or goes."""
        return bool(((self.codes[0] >= 0) | (self.codes[1] >= 0)).any())


class Answers:
    """Classes, and what was said of each row.

    Parameters
    ----------
    codes : array of shape (n_rows,)
        Class of each row at the beginning, or one of the codes for none.
    classes : ClassList

    Attributes
    ----------
    codes : array of shape (n_rows,)
    weights : array of shape (n_rows,)
        How far each label is trusted; those of a lasso are below 1.
    classes : ClassList

    Examples
    --------
    >>> answers = Answers(np.array([0, -1, -1]), ClassList.named(["cat", "dog"]))
    >>> change = answers.planned({"do": "label", "rows": [1], "class": 1})
    >>> answers.go(change)
    >>> answers.codes
    array([ 0,  1, -1], dtype=int16)
    >>> answers.go(change, back=True)
    >>> answers.codes
    array([ 0, -1, -1], dtype=int16)
    """

    def __init__(self, codes: IntArray, classes: ClassList) -> None:
        self.codes = np.asarray(codes).astype(np.int16)
        self.weights = np.ones(len(codes), dtype=np.float32)
        self.classes = classes
        self._plans: dict[str, Callable[[Action], Change]] = {
            "label": self._label,
            "cannot tell": lambda action: self._said(action, CANNOT_TELL),
            "skip": lambda action: self._said(action, SKIPPED),
            "clear": lambda action: self._said(action, NOTHING),
            "add class": lambda action: self._classes(self.classes.added(action["name"])),
            "rename class": lambda action: self._classes(
                self.classes.renamed(action["class"], action["name"])
            ),
            "color class": lambda action: self._classes(
                self.classes.recolored(action["class"], action["color"])
            ),
            "remove class": lambda action: self._gone(action["class"], NOTHING),
            "merge classes": lambda action: self._gone(action["class"], self._other(action)),
        }

    @property
    def labelled(self) -> IntArray:
        """Rows with a label."""
        return np.flatnonzero(self.codes >= 0)

    @property
    def firm(self) -> IntArray:
        """Class of each row whose label is fully trusted, -2 where it cannot be told, -1 for others."""
        kept = (self.codes == CANNOT_TELL) | ((self.codes >= 0) & (self.weights == 1))
        return np.where(kept, self.codes, NOTHING)

    def planned(self, action: Action) -> Change:
        """What an action would change; one that makes no sense is refused."""
        plan = self._plans.get(action["do"])
        if plan is None:
            raise OptionError("do", "There is nothing called {!r} to do.", action["do"])
        return plan(action)

    def go(self, change: Change, *, back: bool = False) -> None:
        """Do what was planned, or take it back."""
        which = 0 if back else 1
        self.codes[change.rows] = change.codes[which]
        self.weights[change.rows] = change.weights[which]
        self.classes = change.classes[which]

    def _label(self, action: Action) -> Change:
        rows, number = self._rows(action), self.classes.check(action["class"])
        weight = action.get("weight", 1.0)
        if type(weight) not in (int, float) or not SMALLEST_WEIGHT <= weight <= 1:
            raise OptionError("weight", "{field} must be above 0 and at most 1, got {!r}.", weight)
        if weight < 1:  # many at once never overrule one that was looked at
            rows = rows[(self.weights[rows] < 1) | np.isin(self.codes[rows], (NOTHING, SKIPPED))]
        return self._change(rows, number, float(weight))

    def _said(self, action: Action, code: int) -> Change:
        return self._change(self._rows(action), code)

    def _classes(self, after: ClassList) -> Change:
        return self._change(np.empty(0, dtype=np.int64), NOTHING, classes=after)

    def _gone(self, number: Any, code: int) -> Change:
        """A class that is removed, or goes into another."""
        rows = np.flatnonzero(self.codes == self.classes.check(number))
        weights = self.weights[rows] if code >= 0 else 1.0
        return self._change(rows, code, weights, self.classes.without(number))

    def _other(self, action: Action) -> int:
        into = self.classes.check(action["into"])
        if into == action["class"]:
            raise OptionError("into", "A class cannot be merged into itself; choose another.")
        return into

    def _change(
        self, rows: IntArray, code: int, weight: Any = 1.0, classes: ClassList | None = None
    ) -> Change:
        after = np.full(len(rows), code, dtype=np.int16)
        trusted = np.broadcast_to(np.float32(weight), len(rows)).copy()
        return Change(
            rows,
            (self.codes[rows], after),
            (self.weights[rows], trusted),
            (self.classes, self.classes if classes is None else classes),
        )

    def _rows(self, action: Action) -> IntArray:
        rows = np.array(action["rows"])
        if rows.ndim != 1 or len(rows) == 0 or rows.dtype.kind != "i":
            raise OptionError("rows", "{field} must be a list of row numbers.")
        if rows.min() < 0 or rows.max() >= len(self.codes):
            raise OptionError("rows", "{field} must lie between 0 and {:,}.", len(self.codes) - 1)
        return np.unique(rows)
