"""Which columns of a table have which role, and which are its features."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

import numpy as np

from graphwell._types import FloatArray
from graphwell.errors import OptionError, Sentence
from graphwell.io.tables.base import NEW_NAMES, Table
from graphwell.io.tables.cells import as_numbers, first_that_is_no_number

NAMES_SHOWN = 8


@dataclass(frozen=True)
class Roles:
    """What the columns of a table are for.

    Attributes
    ----------
    label : str
        Column of the given labels.
    features : tuple of str, optional
        Columns to compare rows by; all numeric ones without another role by default.
    drop : tuple of str
        Columns that are no features.
    row_id : str, optional
        Column that names the rows.
    truth : str, optional
        Column of the true labels, to compare the result with.
    unknown : tuple of str
        Cells of `label` and `truth` that mean unknown, besides empty ones and NA.
    decimal : str
        The decimal point of the features.
    """

    label: str
    features: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    row_id: str | None = None
    truth: str | None = None
    unknown: tuple[str, ...] = ()
    decimal: str = "."

    def __post_init__(self) -> None:
        if self.features is not None and not any(name.strip() for name in self.features):
            raise OptionError("features", "{field} names no column; name at least one, or leave it out.")
        if self.decimal not in (".", ","):
            raise OptionError("decimal", "{field} must be a point or a comma, got {!r}.", self.decimal)


@dataclass(frozen=True)
class FeatureColumns:
    """Features of every row, and what the user should know about the choice of columns."""

    names: tuple[str, ...]
    X: FloatArray = field(repr=False)
    notes: tuple[Sentence, ...] = ()


def named_columns(table: Table, roles: Roles) -> tuple[str, ...]:
    """The columns of labels, names and truth; every name that the roles hold is checked."""
    asked = {"label": roles.label, "row_id": roles.row_id, "truth": roles.truth}
    named = [find_column(table, name, field) for field, name in asked.items() if name is not None]
    for name in roles.drop:
        find_column(table, name, "drop")
    for name in roles.features or ():
        if name in (*named, *roles.drop):
            raise OptionError("features", "{field} {}: the column has another role already.", name)
    return tuple(named)


def find_column(table: Table, name: str, field: str) -> str:
    """Return the name of a column that must be there.

    A name that is close to one of the table is suggested.
    """
    if name in table.names:
        return name
    close = get_close_matches(name, table.names, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"its columns are {listed(table.names)}."
    raise OptionError(field, "{field} {}: {} has no such column; {}", name, table.path, hint)


def read_features(table: Table, roles: Roles) -> FeatureColumns:
    """Take the columns asked for, or every numeric one that has a name, a value and no other role."""
    if roles.features is not None:
        names = tuple(find_column(table, name, "features") for name in dict.fromkeys(roles.features))
        columns = [_must_be_numbers(table, name, roles.decimal) for name in names]
        return FeatureColumns(names, np.column_stack(columns))
    numbers: dict[str, FloatArray] = {}
    text, empty = [], []
    taken = {roles.label, roles.row_id, roles.truth, *roles.drop, *NEW_NAMES, ""}
    for name in table.names:
        if name in taken:
            continue
        column = as_numbers(table.column(name), roles.decimal)
        if column is None:
            text.append(name)
        elif np.isnan(column).all():
            empty.append(name)
        else:
            numbers[name] = column
    if not numbers:
        raise _no_features(table, text)
    notes = _skipped(table, text, empty, numbers)
    return FeatureColumns(tuple(numbers), np.column_stack(list(numbers.values())), notes)


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


def _no_features(table: Table, text: Sequence[str]) -> OptionError:
    problem = "{} has no numeric column that could be a feature"
    if any(as_numbers(table.column(name), ",") is not None for name in text):
        problem += "; with a decimal comma, {decimal=','} would read {}."
        return OptionError("decimal", problem, table.path, listed(text))
    problem += "; there is only text in {}." if text else "."
    return OptionError("features", problem, table.path, listed(text))


def _skipped(
    table: Table, text: Sequence[str], empty: Sequence[str], used: dict[str, FloatArray]
) -> tuple[Sentence, ...]:
    notes = []
    if text:
        notes.append(Sentence("Not used as features, since they hold text: {}.", (listed(text),)))
    if empty:
        notes.append(Sentence("Not used as features, since they hold no value: {}.", (listed(empty),)))
    if "" in table.names:
        place = table.names.index("") + 1
        notes.append(Sentence("Not used as a feature, since it has no name: column {}.", (place,)))
    counting = np.arange(table.n_rows)
    rows = [n for n, column in used.items() if table.n_rows > 2 and (column - column[0] == counting).all()]
    if rows:
        note = "Used as a feature although it just counts the rows: {}; {drop} leaves it out."
        notes.append(Sentence(note, (listed(rows),)))
    return tuple(notes)
