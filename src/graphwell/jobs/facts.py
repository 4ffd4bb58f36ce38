"""What a table says before anything is fitted, whether it lies in one place or on a cluster."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from graphwell.columns.fate import Fate
from graphwell.errors import Sentence
from graphwell.io.tables.base import NEW_NAMES, Table
from graphwell.io.tables.cells import as_text
from graphwell.jobs.columns import FeatureColumns, Roles
from graphwell.jobs.label_column import (
    LabelColumn,
    agreement_hint,
    check_given,
    match_classes,
    read_label_column,
    with_named_classes,
)


@dataclass(frozen=True, eq=False)
class TableFacts:
    """Labels, truth and names of all rows of a table.

    Attributes
    ----------
    path : Path
    features : tuple of str
        Columns that rows are compared by.
    fates : tuple of Fate
        What became of each column.
    given : LabelColumn
        The given labels.
    truth : LabelColumn, optional
        The true ones, numbered like the given labels.
    ids : array of text, optional
        Names of the rows.
    notes : tuple of Sentence
        What the user should know.
    """

    path: Path
    features: tuple[str, ...]
    fates: tuple[Fate, ...] = field(repr=False)
    given: LabelColumn
    truth: LabelColumn | None
    ids: Any = field(repr=False)
    notes: tuple[Sentence, ...]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.given.codes)

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes."""
        return self.given.names


def read_given(table: Table, roles: Roles, classes: tuple[str, ...] = ()) -> LabelColumn:
    """Read the given labels, of these classes too; those that teach nothing are refused."""
    given = with_named_classes(read_label_column(table, roles.label, roles.unknown), classes)
    check_given(table, roles.label, given)
    return given


def table_facts(
    table: Table, roles: Roles, given: LabelColumn, features: FeatureColumns, names: tuple[str, ...]
) -> TableFacts:
    """Put together what is known of a table.

    Parameters
    ----------
    table : Table
        With the columns of truth and row names, for all rows.
    roles : Roles
    given : LabelColumn
    features : FeatureColumns
        Of any number of rows.
    names : tuple of str
        All columns of the file.
    """
    truth = None
    if roles.truth is not None:
        truth = match_classes(read_label_column(table, roles.truth, roles.unknown), given.names)
    ids = None if roles.row_id is None else as_text(table.column(roles.row_id))
    hints = [] if truth is None else agreement_hint(given, truth)
    notes = (*features.notes, *given.notes, *hints, *_replaced(names))
    return TableFacts(table.path, features.names, features.fates, given, truth, ids, notes)


def _replaced(names: tuple[str, ...]) -> list[Sentence]:
    old = [name for name in NEW_NAMES if name in names]
    note = "Columns of an earlier run were not used and are replaced: {}."
    return [Sentence(note, (", ".join(old),))] if old else []
