"""Which columns of a table are features, and what its label columns say."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.io.tables.base import (
    NEW_COLUMNS,
    Table,
    as_numbers,
    as_text,
    first_that_is_no_number,
    is_missing,
    text_column,
)

NAMES_SHOWN = 8
MOST_CLASSES = 1000


@dataclass(frozen=True)
class Features:
    """Features of every row, and what the user should know about the choice of columns."""

    names: tuple[str, ...]
    X: FloatArray = field(repr=False)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Classes:
    """Labels as class numbers: -1 where unknown."""

    names: tuple[str, ...]
    codes: IntArray = field(repr=False)
    notes: tuple[str, ...] = ()


def find_column(table: Table, name: str, option: str) -> str:
    """Return the name of a column that must be there.

    A name that is close to one of the table is suggested.
    """
    if name in table.names:
        return name
    close = get_close_matches(name, table.names, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"its columns are {listed(table.names)}."
    raise ValueError(f"{option} {name}: {table.path} has no such column; {hint}")


def choose_features(
    table: Table, wanted: Sequence[str] | None, taken: Sequence[str], decimal: str = "."
) -> Features:
    """Take the columns asked for, or all numeric ones.

    Parameters
    ----------
    table : Table
    wanted : sequence of str, optional
        Columns that must be numeric. By default every numeric column that has a name and a value.
    taken : sequence of str
        Columns that have another role.
    decimal : str
        The decimal point.
    """
    if wanted is not None:
        names = tuple(find_column(table, name, "--features") for name in dict.fromkeys(wanted))
        return Features(names, np.column_stack([_must_be_numbers(table, name, decimal) for name in names]))
    numbers: dict[str, FloatArray] = {}
    text, empty = [], []
    for name in table.names:
        if name in taken or name in NEW_COLUMNS or not name:
            continue
        column = as_numbers(table.column(name), decimal)
        if column is None:
            text.append(name)
        elif np.isnan(column).all():
            empty.append(name)
        else:
            numbers[name] = column
    if not numbers:
        raise ValueError(_no_features(table, text, decimal))
    return Features(
        tuple(numbers), np.column_stack(list(numbers.values())), _skipped(table, text, empty, numbers)
    )


def read_classes(table: Table, name: str, unknown: Sequence[str] = ()) -> Classes:
    """Read a column of labels; empty and NA cells, and those listed, are unknown.

    Where no cell is unknown otherwise and the labels are whole numbers, -1 is.
    """
    cells = np.strings.strip(as_text(table.column(name)))
    marks = text_column([mark.strip() for mark in unknown])
    is_unknown = is_missing(cells) | np.isin(cells, marks)
    notes = []
    if bool((cells[~is_unknown] == "-1").any()) and all(
        map(_is_whole, np.unique(cells[~is_unknown]).tolist())
    ):
        if is_unknown.any():
            notes.append(f"-1 is a class in column {name!r}; if it means unknown, give --unknown -1.")
        else:
            is_unknown = cells == "-1"
    found, positions = np.unique(cells[~is_unknown], return_inverse=True)
    order = _in_order(found.tolist())
    codes = np.full(table.n_rows, -1)
    codes[~is_unknown] = np.argsort(order)[positions] if len(order) else -1
    return Classes(tuple(str(found[i]) for i in order), codes, tuple(notes))


def check_given(table: Table, name: str, given: Classes) -> None:
    """Refuse labels that nothing can be learnt from."""
    known = int((given.codes >= 0).sum())
    if known == 0:
        raise ValueError(
            f"{table.path} has no known label in column {name!r}; label at least one row of every class."
        )
    if len(given.names) == 1:
        raise ValueError(
            f"Column {name!r} of {table.path} names a single class, {given.names[0]!r}; "
            "label rows of at least two classes."
        )
    if len(given.names) > MOST_CLASSES and 2 * len(given.names) > known:
        raise ValueError(
            f"Column {name!r} of {table.path} names {len(given.names):,} classes on {known:,} rows; "
            "is it the column of labels?"
        )


def match_classes(truth: Classes, names: Sequence[str]) -> Classes:
    """Number the classes of a second column like those of the first; its further classes come after.

    1 and 1.0 are one class: a tool that met a missing label may have written the other.
    """
    known = {_key(name): code for code, name in enumerate(names)}
    every = list(names)
    for name in truth.names:
        if _key(name) not in known:
            known[_key(name)] = len(every)
            every.append(name)
    new = np.array([known[_key(name)] for name in truth.names] + [-1])
    return Classes(tuple(every), new[truth.codes], truth.notes)


def listed(names: Sequence[str]) -> str:
    """Name a few, count the rest.

    Examples
    --------
    >>> listed(["a", "b"])
    'a, b'
    >>> listed([str(i) for i in range(100)])
    '0, 1, 2, 3, 4, 5, 6, 7 and 92 more'
    """
    shown = ", ".join(names[:NAMES_SHOWN])
    return shown if len(names) <= NAMES_SHOWN else f"{shown} and {len(names) - NAMES_SHOWN} more"


def _must_be_numbers(table: Table, name: str, decimal: str) -> FloatArray:
    column = table.column(name)
    numbers = as_numbers(column, decimal)
    if numbers is None:
        row = first_that_is_no_number(column, decimal)
        raise ValueError(
            f"{table.path}, row {row + 1}: the feature {name!r} is {str(column[row])!r}, which is no number."
        )
    return numbers


def _no_features(table: Table, text: Sequence[str], decimal: str) -> str:
    message = f"{table.path} has no numeric column that could be a feature"
    if any(as_numbers(table.column(name), ",") is not None for name in text):
        return f"{message}; with a decimal comma, --decimal ',' would read {listed(text)}."
    return f"{message}; there is only text in {listed(text)}." if text else f"{message}."


def _skipped(
    table: Table, text: Sequence[str], empty: Sequence[str], used: dict[str, FloatArray]
) -> tuple[str, ...]:
    notes = []
    if text:
        notes.append(f"Not used as features, since they hold text: {listed(text)}.")
    if empty:
        notes.append(f"Not used as features, since they hold no value: {listed(empty)}.")
    if "" in table.names:
        notes.append(f"Not used as a feature, since it has no name: column {table.names.index('') + 1}.")
    counting = np.arange(table.n_rows)
    rows = [n for n, column in used.items() if table.n_rows > 2 and (column - column[0] == counting).all()]
    if rows:
        notes.append(
            f"Used as a feature although it just counts the rows: {listed(rows)}; --drop leaves it out."
        )
    return tuple(notes)


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
