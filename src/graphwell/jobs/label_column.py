"""What the label columns of a table say."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell._unknown import hardly_classes, is_spelled, same_but_for_case, told_of_spellings
from graphwell.errors import OptionError, Sentence
from graphwell.io.tables.base import Table
from graphwell.io.tables.cells import as_text, is_missing, text_column

MOST_CLASSES = 1000
MOST_FRACTIONS = 10
ROWS_AT_ONCE = 65_536


@dataclass(frozen=True)
class LabelColumn:
    """Labels as class numbers: -1 where unknown."""

    names: tuple[str, ...]
    codes: IntArray = field(repr=False)
    notes: tuple[Sentence, ...] = ()

    def narrow(self) -> "LabelColumn":
        """The same labels with numbers of as few bytes as their names need.

        Examples
        --------
        >>> LabelColumn(("a", "b"), np.array([0, -1, 1])).narrow().codes
        array([ 0, -1,  1], dtype=int8)
        """
        from graphwell.backends.arrays import narrow

        return replace(self, codes=narrow(self.codes, len(self.names) + 1))


def read_label_column(table: Table, name: str, unknown: Sequence[str] = ()) -> LabelColumn:
    """Read a column of labels: empty and NA cells are unknown, and those listed, or else the usual spellings.

    Where nothing is listed, no cell is unknown otherwise and the labels are whole numbers, -1 is.
    """
    cells, places = _different_cells([table.column(name)], table.n_rows)
    marks = text_column([mark.strip() for mark in unknown])
    spelled = is_spelled(cells, unknown)
    is_unknown = is_missing(cells) | np.isin(cells, marks) | spelled
    counts = np.bincount(places, minlength=len(cells))
    told = told_of_spellings(dict(zip(cells[spelled].tolist(), counts[spelled].tolist(), strict=True)))
    notes = [] if told is None else [told]
    if "-1" in cells[~is_unknown].tolist() and all(map(_is_whole, cells[~is_unknown].tolist())):
        if is_unknown.any() or unknown:
            notes.append(
                Sentence('-1 is a class in column {!r}; if it means unknown, give {unknown="-1"}.', (name,))
            )
        else:
            is_unknown = cells == "-1"
    found = cells[~is_unknown]
    order = _in_order(found.tolist())
    codes = np.full(len(cells), -1, dtype=np.int32)
    codes[np.flatnonzero(~is_unknown)[order]] = np.arange(len(order))
    names = tuple(str(found[i]) for i in order)
    return LabelColumn(names, codes[places], (*notes, *_odd_names(name, names)))


def _different_cells(pieces: Iterable[Any], n_rows: int) -> tuple[Any, IntArray]:
    """The different cells of a column as text, and which of them each row has.

    Some rows at a time: all cells as text would take far more memory than their numbers.
    """
    numbers: dict[str, int] = {}
    places, done = np.empty(n_rows, dtype=np.int32), 0
    for column in pieces:
        for first in range(0, len(column), ROWS_AT_ONCE):
            part = column[first : first + ROWS_AT_ONCE]
            cells, within = np.unique(np.strings.strip(as_text(part)), return_inverse=True)
            of_part = [numbers.setdefault(cell, len(numbers)) for cell in cells.tolist()]
            places[done : done + len(part)] = np.array(of_part, dtype=np.int32)[within]
            done += len(part)
    return text_column(list(numbers)), places


def with_named_classes(given: LabelColumn, named: Sequence[str]) -> LabelColumn:
    """Add classes that were named; a note tells which of them have no label yet."""
    known = {_key(name) for name in given.names}
    further = list(dict.fromkeys(name.strip() for name in named if _key(name.strip()) not in known))
    if not further:
        return given
    every = [*given.names, *further]
    order = _in_order(every)
    new = np.append(np.argsort(order), -1).astype(np.int32)
    note = "No row has the label {} yet; rows get it only if {class_prior} gives its size."
    notes = (*given.notes, Sentence(note, (", ".join(further),)))
    return LabelColumn(tuple(every[i] for i in order), new[given.codes], notes)


def class_number(name: str, names: Sequence[str]) -> int | None:
    """Number of a class by its name, 1 and 1.0 being one; None if there is none of the name.

    Examples
    --------
    >>> class_number("1.0", ["0", "1"]), class_number("b", ["a"])
    (1, None)
    """
    return next((code for code, other in enumerate(names) if _key(other) == _key(name)), None)


def check_given(table: Table, name: str, given: LabelColumn) -> None:
    """Refuse labels that nothing can be learnt from."""
    known, n_classes = int((given.codes >= 0).sum()), len(given.names)
    if known == 0:
        problem = "{} has no known label in column {!r}; label at least one row of every class."
        raise OptionError("label", problem, table.path, name)
    if n_classes == 1:
        problem = "Column {!r} of {} names a single class, {!r}; label rows of at least two classes."
        if given.names[0] == "1" and "-1" in as_text(table.column(name)).tolist():
            problem += ' There -1 means unknown; if it is a class, give {unknown=""}.'
        raise OptionError("label", problem, name, table.path, given.names[0])
    fractions = [
        name for name in given.names if isinstance(_key(name), float) and not float(name).is_integer()
    ]
    if len(fractions) > MOST_FRACTIONS:
        problem = (
            "Column {!r} of {} holds {:,} different fractions, such as {}; classes are names or whole "
            "numbers, so cut them into classes first, or name the column of labels with {field}."
        )
        raise OptionError("label", problem, name, table.path, len(fractions), fractions[0])
    if n_classes > MOST_CLASSES and 2 * n_classes > known:
        problem = "Column {!r} of {} names {:,} classes on {:,} rows; is it the column of labels?"
        raise OptionError("label", problem, name, table.path, n_classes, known)


def match_classes(truth: LabelColumn, names: Sequence[str]) -> LabelColumn:
    """Number the classes of a second column like those of the first; its further classes come after.

    1 and 1.0 are one class: a tool that met a missing label may have written the other.
    """
    known = {_key(name): code for code, name in enumerate(names)}
    every = list(names)
    for name in truth.names:
        if _key(name) not in known:
            known[_key(name)] = len(every)
            every.append(name)
    new = np.array([known[_key(name)] for name in truth.names] + [-1], dtype=np.int32)
    return LabelColumn(tuple(every), new[truth.codes], truth.notes)


def agreement_hint(given: LabelColumn, truth: LabelColumn) -> list[Sentence]:
    """A hint where the truth never says what a given label says: it may be written in other names.

    Examples
    --------
    >>> given, truth = LabelColumn(("a",), np.array([0, -1])), LabelColumn(("a", "A"), np.array([1, 1]))
    >>> len(agreement_hint(given, truth)), len(agreement_hint(given, given))
    (1, 0)
    """
    both = (given.codes >= 0) & (truth.codes >= 0)
    shared = set(truth.codes[truth.codes >= 0].tolist()) & set(range(len(given.names)))
    if not len(truth.names) or (truth.codes < 0).all():
        return []
    if (given.codes[both] == truth.codes[both]).any() or (not both.any() and shared):
        return []
    first = truth.names[int(truth.codes[truth.codes >= 0][0])]
    note = "{truth} never agrees with a given label: it says {!r} and labels say {!r}; are its names others?"
    return [Sentence(note, (first, given.names[0]))]


def _odd_names(column: str, names: Sequence[str]) -> list[Sentence]:
    """Names that hardly mean a class, and classes that may be one."""
    odd = "{!r} is a class in column {!r}; if it means unknown, give {unknown=…}."
    notes = [
        Sentence(odd.replace("…", f'"{name}"'), (name, column))
        for name in hardly_classes(names)
        if name != "-1" and not set("{}") & set(name)
    ]
    same = same_but_for_case(names)
    if same:
        note = "The classes {} of column {!r} differ only in case or blanks; are they one class?"
        notes.append(Sentence(note, (" and ".join(map(repr, same)), column)))
    return notes


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def _key(name: str) -> object:
    try:
        return float(name)
    except ValueError:
        return name


def _in_order(names: list[str]) -> Any:
    """Order of class names: by value where all are numbers, else by the alphabet."""
    values = [_key(name) for name in names]
    keys: list[Any] = values if all(isinstance(value, float) for value in values) else names
    return np.array(sorted(range(len(names)), key=lambda i: keys[i]), dtype=int)
