"""The classes of a page: a number and a key for life, a name, a colour."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from graphwell.errors import OptionError

PALETTE = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a800", "#7a5195",
    "#b03060", "#88ccaa", "#8c6d46", "#6699cc", "#997700", "#225533", "#ddaaff", "#774411",
)  # fmt: skip
"""Colours that the colour-blind can tell apart, after Okabe and Ito; then further ones."""
MOST_CLASSES = 250
"""A map holds a byte for each point."""
LONGEST_NAME = 200
KEYS = (*"1234567890", *(f"⇧{digit}" for digit in "1234567890"))
"""That answer with a class, in the order that they are given; ⇧ is Shift."""
COLOR = re.compile(r"#[0-9a-f]{6}")


def clean_name(name: object) -> str:
    r"""A name that can be shown, and written into any file.

    Examples
    --------
    >>> clean_name(" two\nlines ")
    'two lines'
    """
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
    """Classes in the order that they came; every change makes a new list.

    Attributes
    ----------
    entries : tuple of ClassEntry
    next_number : int

    Examples
    --------
    >>> classes = ClassList.named(["cat", "dog"]).added("bird")
    >>> classes.renamed(0, "Cat").without(1).names
    ('Cat', '', 'bird')
    """

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

    def __contains__(self, number: object) -> bool:
        return any(entry.number == number for entry in self.entries)

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

    def renamed(self, number: int, name: str) -> "ClassList":
        """With another name of a class."""
        return self._changed(number, name=self._new_name(name, but=number))

    def recolored(self, number: int, color: str) -> "ClassList":
        """With another colour of a class."""
        if not isinstance(color, str) or not COLOR.fullmatch(color):
            raise OptionError("color", "{field} must be like #0072b2, got {!r}.", color)
        return self._changed(number, color=color)

    def without(self, number: int) -> "ClassList":
        """Without a class."""
        self.check(number)
        return replace(self, entries=tuple(entry for entry in self.entries if entry.number != number))

    def check(self, number: object) -> int:
        """The number of a class that must be there."""
        if not isinstance(number, int) or isinstance(number, bool) or number not in self:
            raise OptionError("class", "There is no such class any more; choose another.")
        return number

    def _changed(self, number: int, name: str | None = None, color: str | None = None) -> "ClassList":
        self.check(number)
        entries = (
            replace(entry, name=name or entry.name, color=color or entry.color)
            if entry.number == number
            else entry
            for entry in self.entries
        )
        return replace(self, entries=tuple(entries))

    def _new_name(self, name: object, but: int | None = None) -> str:
        clean = clean_name(name)
        if any(entry.name == clean and entry.number != but for entry in self.entries):
            raise OptionError("name", "There is a class {!r} already; choose another name.", clean)
        return clean
