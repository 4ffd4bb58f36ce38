"""Tables made of arrays: what `.npy` and `.npz` files share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from graphwell.io.tables.base import NewColumns, Table, check_table, with_new_columns
from graphwell.io.tables.cells import TEXT, is_text, text_column, typed


@dataclass(frozen=True)
class ArrayTable(Table):
    """A table made of arrays.

    Attributes
    ----------
    whole : dict
        The arrays of a `.npz` file as they came, empty for a `.npy` file.
    """

    columns: dict[str, Any] = field(repr=False)
    whole: dict[str, Any] = field(repr=False)

    def column(self, name: str) -> Any:
        """Return a column as text or numbers."""
        try:
            return _readable(self.columns[name])
        except (UnicodeError, SystemError) as error:  # NumPy stores any 32 bits as a character
            raise ValueError(f"{self.path}: column {name!r} holds text that is not Unicode.") from error


def array_table(path: Path, columns: dict[str, Any], whole: dict[str, Any]) -> ArrayTable:
    """A table of these columns, checked."""
    table = ArrayTable(path, tuple(columns), len(next(iter(columns.values()))), columns, whole)
    check_table(table)
    return table


def split_matrix(prefix: str, matrix: Any) -> dict[str, Any]:
    """Columns of a matrix by name: the prefix and their number."""
    return {f"{prefix}{i}": matrix[:, i] for i in range(matrix.shape[1])}


def _readable(column: Any) -> Any:
    """Numbers as they are, anything else as text."""
    if column.dtype.kind in "biuf":
        return column
    if column.dtype.kind == "S":
        return text_column([cell.decode("utf-8", "replace") for cell in column.tolist()])
    return text_column([str(cell) for cell in column.tolist()])


def column_of(values: Sequence[Any], as_cell: Callable[[Any], str]) -> Any:
    """Values of any types as a column: booleans, numbers with NaN for None, or text.

    Examples
    --------
    >>> column_of([1, None], str), column_of([1, "two", None], str)
    (array([ 1., nan]), array(['1', 'two', ''], dtype=StringDType()))
    """
    known = [value for value in values if value is not None]
    whole = len(known) == len(values)
    if known and whole and all(isinstance(value, bool) for value in known):
        return np.array(values)
    if known and all(map(is_number, known)):
        small = whole and all(isinstance(value, int) and abs(value) < 2**63 for value in known)
        return np.array([np.nan if v is None else v for v in values], np.int64 if small else np.float64)
    return text_column(["" if value is None else as_cell(value) for value in values])


def is_number(value: Any) -> bool:
    """Whether a value is a number, which True is not.

    Examples
    --------
    >>> is_number(1.5), is_number(True)
    (True, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool)


def savable_columns(table: Table, new: NewColumns) -> dict[str, Any]:
    """Columns as arrays that NumPy can save: numbers, or text of fixed width."""
    columns = {name: typed(column) for name, column in with_new_columns(table, new).items()}
    if new.like is not None:
        columns["graphwell_label"] = _like(typed(table.column(new.like)), new.label)
    return {name: np.array(c.tolist(), "U") if is_text(c) else c for name, c in columns.items()}


def _like(column: Any, labels: Any) -> Any:
    """Labels in the type of the column of given labels; none is -1, NaN or an empty text."""
    none = labels == ""
    if column.dtype.kind in "iu":
        return np.where(none, text_column(["-1"]), labels).astype(np.int64)
    if column.dtype.kind == "f":
        return np.where(none, text_column(["nan"]), labels).astype(np.float64)
    return labels.astype(TEXT)
