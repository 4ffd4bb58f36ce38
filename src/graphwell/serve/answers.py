"""Classes, the class of each row, and the actions that change them: each can be taken back.

An action is planned, which refuses what makes no sense; then it is written into the journal, and done.
"""

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from graphwell._types import IntArray
from graphwell.errors import OptionError
from graphwell.serve.channel import Command, Event
from graphwell.serve.journal import Action, Journal

# Codes of rows without a class: never asked, cannot be told, asked later.
NOTHING, CANNOT_TELL, SKIPPED = -1, -2, -3
WITHOUT_CLASS = {"cannot tell": CANNOT_TELL, "skip": SKIPPED, "clear": NOTHING}
# Of a label: a smaller one would be kept as 0.
SMALLEST_WEIGHT = float(np.finfo(np.float32).tiny)
# Six colours of Okabe and Ito, then those farthest from all before, seen with and without red or green cones
# (Machado, Oliveira and Fernandes 2009): any two are at least 12.9 apart in CIELAB for all three.
PALETTE = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#2d1ea5", "#78e187",
    "#5a2d00", "#ff4b78", "#005a4b", "#b4d2b4", "#5a78ff", "#965a2d", "#87e14b", "#a5004b",
    "#87d2e1", "#3c2d5a", "#b4a54b", "#0000ff", "#5a5a78", "#96d2ff", "#003c87", "#4b96f0",
    "#5a2d1e", "#3c5ac3", "#5a4b87", "#0000c3", "#3c4bf0", "#3c4bd2",
)  # fmt: skip
# A map holds a byte for each point.
MOST_CLASSES = 250
LONGEST_NAME = 200
# That answer with a class, in the order that they are given; ⇧ is Shift.
KEYS = (*"1234567890", *(f"⇧{digit}" for digit in "1234567890"))
COLOR = re.compile(r"#[0-9a-f]{6}")
# Actions on classes, and what is kept of each.
REMOVING = ("remove class", "merge classes")
OF_CLASSES = {
    "add class": ("name",),
    "rename class": ("class", "name"),
    "color class": ("class", "color"),
    "merge classes": ("class", "into"),
    "remove class": ("class",),
}


def clean_name(name: object) -> str:
    """A name that can be shown, and written into any file: on one line, without control characters."""
    letters = name if isinstance(name, str) else ""
    clean = " ".join("".join(letter if letter.isprintable() else " " for letter in letters).split())
    if not clean or len(clean) > LONGEST_NAME:
        raise OptionError("name", "A class needs a name, of {} letters at most.", LONGEST_NAME)
    return clean


@dataclass(frozen=True)
class ClassEntry:
    """A class; its number never changes and is never given again. Its key stays too, whatever its name."""

    number: int
    name: str
    color: str
    key: str | None = None


@dataclass(frozen=True)
class ClassList:
    """Classes in the order that they came; every change makes a new list."""

    entries: tuple[ClassEntry, ...] = ()
    next_number: int = 0

    @classmethod
    def named(cls, names: Sequence[str]) -> "ClassList":
        """Classes of these names; those that are digits have their own keys."""
        made = cls()
        for name in names:
            made = made.added(name, kept_free=names)
        return made

    def __iter__(self) -> Iterator[ClassEntry]:
        return iter(self.entries)

    @property
    def names(self) -> tuple[str, ...]:
        """Names by number; empty where a class is gone."""
        names = {entry.number: entry.name for entry in self.entries}
        return tuple(names.get(number, "") for number in range(self.next_number))

    def added(self, name: str, kept_free: Sequence[str] = ()) -> "ClassList":
        """With one more class; keys that are kept free are given to classes of that name alone."""
        if self.next_number >= MOST_CLASSES:
            problem = "{field}: a page can show {} classes, and there were as many; merge some in the table."
            raise OptionError("label", problem, MOST_CLASSES)
        color = PALETTE[self.next_number % len(PALETTE)]
        name = self._new_name(name)
        free = [key for key in KEYS if all(entry.key != key for entry in self.entries)]
        others = (key for key in free if key not in kept_free)
        entry = ClassEntry(self.next_number, name, color, name if name in free else next(others, None))
        return ClassList((*self.entries, entry), self.next_number + 1)

    def recolored(self, number: int, color: str) -> "ClassList":
        """With another colour of a class."""
        if not isinstance(color, str) or not COLOR.fullmatch(color):
            raise OptionError("color", "{field} must be like #0072b2, got {!r}.", color)
        return self._with(number, color=color)

    def after(self, action: Action) -> "ClassList":
        """With an action on classes done; one that makes no sense is refused."""
        if action["do"] == "add class":
            made = self.added(action["name"])
            return made.recolored(self.next_number, action["color"]) if "color" in action else made
        number = self.check(action["class"])
        if action["do"] == "rename class":
            return self._with(number, name=self._new_name(action["name"], but=number))
        if action["do"] == "color class":
            return self.recolored(number, action["color"])
        if action["do"] == "merge classes" and self.check(action["into"]) == number:
            raise OptionError("into", "A class cannot be merged into itself; choose another.")
        return replace(self, entries=tuple(entry for entry in self.entries if entry.number != number))

    def check(self, number: object) -> int:
        """The number of a class that must be there."""
        if type(number) is not int or all(entry.number != number for entry in self.entries):
            raise OptionError("class", "There is no such class any more; choose another.")
        return number

    def _with(self, number: int, **new: str) -> "ClassList":
        self.check(number)
        return replace(self, entries=tuple(replace(e, **new) if e.number == number else e for e in self))  # type: ignore[arg-type]

    def _new_name(self, name: object, but: int | None = None) -> str:
        clean = clean_name(name)
        if any(entry.name == clean and entry.number != but for entry in self.entries):
            raise OptionError("name", "There is a class {!r} already; choose another name.", clean)
        return clean


# --------------------------------------------------------------------------------- actions and their history


@dataclass(frozen=True, eq=False)
class Change:
    """The change that an action makes, before and after: codes of some rows or pixels, the classes, and more.

    More are the weights of these rows; of a picture, its strokes.
    """

    rows: IntArray
    codes: tuple[IntArray, IntArray]
    classes: tuple[ClassList, ClassList]
    more: tuple[Any, Any]

    @property
    def labelled(self) -> bool:
        """Whether a label comes or goes."""
        return bool(((self.codes[0] >= 0) | (self.codes[1] >= 0)).any())


class RecordedState(Protocol):
    """The state that actions change."""

    def planned(self, action: Action) -> Change:
        """The change that an action would make; one that makes no sense is refused."""

    def go(self, change: Change, *, back: bool = False) -> None:
        """Do what was planned, or take it back."""


class RecordedPage:
    """A page whose actions change a state: they are on disc before they count, and undo and redo know no end.

    Of an action, the named fields are kept.
    """

    fixed = 0  # first actions, which no undo takes back

    def __init__(self, fields: Mapping[str, Sequence[str]]) -> None:
        self.lock = threading.RLock()
        self.send: Callable[[Event], None] = lambda event: None
        self.fields = {**OF_CLASSES, **fields}
        self.commands: Mapping[str, Command] = {
            **dict.fromkeys(self.fields, self._act),
            "undo": self._undo,
            "redo": self._redo,
        }

    def record(self, state: RecordedState, journal: Journal) -> None:
        """Do the actions of a journal again, and write further ones into it."""
        changes: list[Change] = []

        def again(action: Action) -> None:
            changes.append(state.planned(action))
            state.go(changes[-1])

        journal.replay(again)
        self.state, self.journal, self.changes = state, journal, changes

    def do(self, action: Action) -> Change:
        """Plan an action, write it down, do it."""
        change = self.state.planned(action)
        self.journal.do(action)
        return self._take(change)

    def changed(self, change: Change, *, back: bool = False) -> Any:
        """Tell the windows what was done or taken back; returns what is told the window that did it."""
        raise NotImplementedError

    def _take(self, change: Change) -> Change:
        self.state.go(change)
        self.changes.append(change)
        return change

    def _act(self, message: dict[str, Any]) -> Any:
        names = ("do", *self.fields[message["do"]])
        with self.lock:
            return self.changed(self.do({key: message[key] for key in names if key in message}))

    def _undo(self, _: dict[str, Any]) -> Any:
        with self.lock:
            if len(self.changes) <= self.fixed:
                return None
            self.journal.undo()
            self.state.go(self.changes[-1], back=True)
            return self.changed(self.changes.pop(), back=True)

    def _redo(self, _: dict[str, Any]) -> Any:
        with self.lock:
            if not self.journal.undone:
                return None
            change = self.state.planned(self.journal.undone[-1])
            self.journal.redo()
            return self.changed(self._take(change))


# -------------------------------------------------------------------------------------- the class of each row


class Annotations:
    """Classes, the class of each row or one of the codes for none, and how far each label is trusted.

    Labels of a selection have weights below 1.
    """

    def __init__(self, codes: IntArray, classes: ClassList) -> None:
        self.codes = np.asarray(codes).astype(np.int16)
        self.weights = np.ones(len(codes), dtype=np.float32)
        self.classes = classes

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
        """The change that an action would make; one that makes no sense is refused."""
        do = action["do"]
        if do in OF_CLASSES:
            classes = self.classes.after(action)
            if do not in REMOVING:
                return self._change(classes=classes)
            rows = np.flatnonzero(self.codes == action["class"])
            into, weights = (action["into"], self.weights[rows]) if "merge" in do else (NOTHING, 1.0)
            return self._change(rows, into, weights, classes)
        if do in WITHOUT_CLASS:
            return self._change(self._rows(action), WITHOUT_CLASS[do])
        if do != "label":
            raise OptionError("do", "There is nothing called {!r} to do.", do)
        rows, number = self._rows(action), self.classes.check(action["class"])
        weight = action.get("weight", 1.0)
        if type(weight) not in (int, float) or not SMALLEST_WEIGHT <= weight <= 1:
            raise OptionError("weight", "{field} must be above 0 and at most 1, got {!r}.", weight)
        if weight < 1:  # many at once never overrule one that was looked at
            rows = rows[(self.weights[rows] < 1) | np.isin(self.codes[rows], (NOTHING, SKIPPED))]
        return self._change(rows, number, float(weight))

    def go(self, change: Change, *, back: bool = False) -> None:
        """Do what was planned, or take it back."""
        which = 0 if back else 1
        self.codes[change.rows] = change.codes[which]
        self.weights[change.rows] = change.more[which]
        self.classes = change.classes[which]

    def _change(
        self, rows: Any = (), code: int = NOTHING, weight: Any = 1.0, classes: ClassList | None = None
    ) -> Change:
        rows = np.asarray(rows, dtype=np.int64)
        after = np.full(len(rows), code, dtype=np.int16)
        weights = np.broadcast_to(np.float32(weight), len(rows)).copy()
        return Change(
            rows,
            (self.codes[rows], after),
            (self.classes, self.classes if classes is None else classes),
            (self.weights[rows], weights),
        )

    def _rows(self, action: Action) -> IntArray:
        rows = np.array(action["rows"])
        if rows.ndim != 1 or len(rows) == 0 or rows.dtype.kind != "i":
            raise OptionError("rows", "{field} must be a list of row numbers.")
        if rows.min() < 0 or rows.max() >= len(self.codes):
            raise OptionError("rows", "{field} must lie between 0 and {:,}.", len(self.codes) - 1)
        return np.unique(rows)
