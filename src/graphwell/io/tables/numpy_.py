"""Tables in `.npy` and `.npz` files."""

import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell.io.npy import load_npy, load_npz
from graphwell.io.tables.base import (
    TEXT,
    Answers,
    Table,
    check_table,
    is_text,
    text_column,
    typed,
    with_answers,
)


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


def read_npy(path: Path) -> ArrayTable:
    """Read a matrix, whose columns are named 0, 1, ..., or a structured array.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(Path(folder) / "points.npy", np.zeros((5, 3)))
    ...     read_npy(Path(folder) / "points.npy").names
    ('0', '1', '2')
    """
    array = load_npy(path)
    if array.ndim == 1 and array.dtype.names:
        return _table(path, {name: array[name] for name in array.dtype.names}, {})
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(f"{path} holds an array of shape {array.shape}; a table has rows and columns.")
    return _table(path, _split("", array), {})


def read_npz(path: Path) -> ArrayTable:
    """Read a matrix `X`, whose columns are named X0, X1, ..., and the arrays with one value per row of it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(Path(folder) / "data.npz", X=np.zeros((5, 2)), y=np.zeros(5))
    ...     read_npz(Path(folder) / "data.npz").names
    ('X0', 'X1', 'y')
    """
    whole = load_npz(path)
    X = whole.get("X")
    if X is None or X.ndim != 2 or X.shape[1] == 0:
        found = "none" if X is None else f"one of shape {X.shape}"
        raise ValueError(f"{path} needs a matrix X with a row per point; it holds {found}.")
    columns = _split("X", X)
    y = whole.get("y")
    if y is not None and y.shape != (len(X),):
        raise ValueError(
            f"{path}: y has the shape {y.shape}, but X has {len(X):,} rows; give one label per row."
        )
    columns |= {n: a for n, a in whole.items() if a.shape == (len(X),) and not a.dtype.names}
    return _table(path, columns, whole)


def write_npy(table: Table, answers: Answers, file: IO[bytes]) -> None:
    """Write a table and its answers as one structured array."""
    columns = _plain_columns(table, answers)
    array = np.empty(table.n_rows, dtype=[(name, column.dtype) for name, column in columns.items()])
    for name, column in zip(array.dtype.names or (), columns.values(), strict=True):
        array[name] = column
    np.lib.format.write_array(file, array, allow_pickle=False)


def write_npz(table: Table, answers: Answers, file: IO[bytes]) -> None:
    """Write the arrays a table came in, else one array per column, and its answers."""
    arrays = _plain_columns(table, answers)
    if isinstance(table, ArrayTable) and table.whole:
        arrays = {**table.whole, **{name: arrays[name] for name in answers.columns()}}
    with zipfile.ZipFile(file, "w") as archive:  # numpy.savez would refuse an array named "file"
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)


def _table(path: Path, columns: dict[str, Any], whole: dict[str, Any]) -> ArrayTable:
    table = ArrayTable(path, tuple(columns), len(next(iter(columns.values()))), columns, whole)
    check_table(table)
    return table


def _split(prefix: str, matrix: Any) -> dict[str, Any]:
    return {f"{prefix}{i}": matrix[:, i] for i in range(matrix.shape[1])}


def _readable(column: Any) -> Any:
    """Numbers as they are, anything else as text."""
    if column.dtype.kind in "biuf":
        return column
    if column.dtype.kind == "S":
        return text_column([cell.decode("utf-8", "replace") for cell in column.tolist()])
    return text_column([str(cell) for cell in column.tolist()])


def _plain_columns(table: Table, answers: Answers) -> dict[str, Any]:
    """Columns as arrays that NumPy can save: numbers, or text of fixed width."""
    columns = {name: typed(column) for name, column in with_answers(table, answers).items()}
    columns["graphwell_label"] = _like(typed(table.column(answers.like)), answers.label)
    return {name: np.array(c.tolist(), "U") if is_text(c) else c for name, c in columns.items()}


def _like(column: Any, labels: Any) -> Any:
    """Labels in the type of the column of given labels; none is -1, NaN or an empty text."""
    none = labels == ""
    if column.dtype.kind in "iu":
        return np.where(none, text_column(["-1"]), labels).astype(np.int64)
    if column.dtype.kind == "f":
        return np.where(none, text_column(["nan"]), labels).astype(np.float64)
    return labels.astype(TEXT)
