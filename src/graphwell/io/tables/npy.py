"""Tables in `.npy` files: a matrix, or a structured array."""

from pathlib import Path
from typing import IO

import numpy as np

from graphwell.io.npy import load_npy
from graphwell.io.tables.arrays import ArrayTable, array_table, savable_columns, split_matrix
from graphwell.io.tables.base import NewColumns, ReadingOptions, Table, TableFormat

PLAIN = ReadingOptions()


def read_npy(path: Path, options: ReadingOptions = PLAIN) -> ArrayTable:
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
        return array_table(path, {name: array[name] for name in array.dtype.names}, {})
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(f"{path} holds an array of shape {array.shape}; a table has rows and columns.")
    return array_table(path, split_matrix("", array), {})


def write_npy(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write a table and its new columns as one structured array."""
    columns = savable_columns(table, new)
    array = np.empty(table.n_rows, dtype=[(name, column.dtype) for name, column in columns.items()])
    for name, column in zip(array.dtype.names or (), columns.values(), strict=True):
        array[name] = column
    np.lib.format.write_array(file, array, allow_pickle=False)


FORMAT = TableFormat(name=".npy", suffixes=(".npy",), read=read_npy, write=write_npy, rank=3)
