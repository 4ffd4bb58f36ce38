"""Which columns of a table have which role, and what becomes of the others."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphwell._types import FloatArray
from graphwell.columns.fate import Fate, column_note, left_out
from graphwell.columns.names import hint
from graphwell.columns.plain_encoder import PlainEncoder
from graphwell.errors import OptionError, Sentence
from graphwell.io.tables.base import NEW_NAMES, Table
from graphwell.io.tables.cells import text_column
from graphwell.jobs.label_column import LabelColumn


@dataclass(frozen=True)
class Roles:
    """What the columns of a table are for.

    Attributes
    ----------
    label : str
        Column of the given labels; empty if there is none yet.
    features : tuple of str, optional
        Columns to compare rows by; all that say something and have no other role by default.
    drop : tuple of str
        Columns that are no features.
    row_id : str, optional
        Column that names the rows.
    truth : str, optional
        Column of the true labels, to compare the result with.
    unknown : tuple of str
        Cells of `label` and `truth` that mean unknown, besides empty ones and NA, in place of ``?``,
        ``unknown`` and the like.
    decimal : str, optional
        The decimal point of the features; found in each column by default.
    as_number, as_category : tuple of str
        Features whose kind is known.
    """

    label: str
    features: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    row_id: str | None = None
    truth: str | None = None
    unknown: tuple[str, ...] = ()
    decimal: str | None = None
    as_number: tuple[str, ...] = ()
    as_category: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.features is not None and not any(name.strip() for name in self.features):
            raise OptionError("features", "{field} names no column; name at least one, or leave it out.")
        if self.decimal not in (None, ".", ","):
            raise OptionError("decimal", "{field} must be a point or a comma, got {!r}.", self.decimal)


@dataclass(frozen=True)
class FeatureColumns:
    """Features of every row, and what became of every column.

    Attributes
    ----------
    names : tuple of str
        The columns that rows are compared by.
    X : array
        Their cells as numbers.
    outputs, kinds : tuples of str
        Name and kind of each column of `X`, as in `graphwell.TableEncoder`.
    fates : tuple of Fate
        What became of each column of the table.
    """

    names: tuple[str, ...]
    X: FloatArray = field(repr=False)
    outputs: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    fates: tuple[Fate, ...] = ()

    @property
    def notes(self) -> tuple[Sentence, ...]:
        """What the user should look at."""
        return tuple(column_note(fate) for fate in self.fates if fate.warns)


def named_columns(table: Table, roles: Roles) -> tuple[str, ...]:
    """The columns of labels, names and truth; every name that the roles hold is checked."""
    asked = {"label": roles.label or None, "row_id": roles.row_id, "truth": roles.truth}
    named = [find_column(table, name, field) for field, name in asked.items() if name is not None]
    for name in roles.drop:
        find_column(table, name, "drop")
    for field_ in ("features", "as_number", "as_category"):
        for name in getattr(roles, field_) or ():
            if find_column(table, name, field_) in (*named, *roles.drop):
                raise OptionError(field_, "{field} {}: the column has another role already.", name)
    return tuple(named)


def find_column(table: Table, name: str, field: str) -> str:
    """Return the name of a column that must be there.

    A name that is close to one of the table is suggested.
    """
    if name in table.names:
        return name
    problem = "{field} {}: {} has no such column; {}"
    raise OptionError(field, problem, name, table.path, hint(name, table.names))


def read_features(
    table: Table,
    roles: Roles,
    given: LabelColumn | None = None,
    *,
    fill: bool = True,
    matrix: bool = True,
) -> FeatureColumns:
    """Turn the columns into numbers, and say what became of each.

    Parameters
    ----------
    table : Table
    roles : Roles
    given : LabelColumn, optional
        The given labels: a column that repeats them is left out.
    fill : bool
        Fill missing cells in; otherwise they are NaN.
    matrix : bool
        Make the matrix; otherwise it is empty, and one column at a time is in memory.
    """
    roled = _fates_of_roles(table, roles)
    labels = None if given is None else text_column([*given.names, ""])[given.codes]
    encoder = PlainEncoder(
        features=roles.features, drop=roles.drop, as_number=roles.as_number, as_category=roles.as_category,
        decimal=roles.decimal, missing="fill" if fill else "keep",
    )  # fmt: skip
    columns = tuple(name for name in table.names if name not in roled)
    try:
        cells = _Columns(table, columns)
        X = encoder.fit_transform(cells, labels) if matrix else _nothing(encoder.fit(cells, labels))
    except OptionError as error:
        raise OptionError(
            error.field, f"{{}}: {error.sentence.template}", table.path, *error.sentence.values
        ) from None
    roled |= {fate.name: fate for fate in encoder.fates_}
    fates = tuple(roled[name] for name in table.names)
    return FeatureColumns(tuple(encoder.encoders_), X, encoder.outputs_, encoder.kinds_, fates)


def _nothing(encoder: PlainEncoder) -> FloatArray:
    """A matrix without rows, for the columns of an encoder."""
    return np.empty((0, len(encoder.kinds_)))


@dataclass(frozen=True)
class _Columns(Mapping[str, Any]):
    """Some columns of a table, each taken from it when it is asked for."""

    table: Table
    names: tuple[str, ...]

    def __getitem__(self, name: str) -> Any:
        return self.table.column(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def _fates_of_roles(table: Table, roles: Roles) -> dict[str, Fate]:
    """Columns that are no features whatever they hold."""
    fates = {name: left_out(name, "", "of an earlier run") for name in NEW_NAMES if name in table.names}
    if roles.features is None and table.usual_features is not None:
        beside = [name for name in table.names if name not in table.usual_features]
        fates |= {name: left_out(name, "", "beside what rows are compared by") for name in beside}
    asked = {
        roles.truth: ("truth", "the truth"),
        roles.row_id: ("name", "names of the rows"),
        roles.label: ("label", "the given labels"),
    }
    for name, (kind, words) in asked.items():
        if name in table.names:
            assert name is not None
            fates[name] = Fate(name, kind, Sentence(words), used=False)
    return fates
