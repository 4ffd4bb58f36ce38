"""Tables in `.npz` files: a matrix `X`, and arrays with one value per row of it."""

import zipfile
from pathlib import Path
from typing import IO

import numpy as np

from graphwell.io.npy import load_npz
from graphwell.io.tables.arrays import ArrayTable, array_table, savable_columns, split_matrix
from graphwell.io.tables.base import NewColumns, ReadingOptions, Table, TableFormat

PLAIN = ReadingOptions()


def read_npz(path: Path, options: ReadingOptions = PLAIN) -> ArrayTable:
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
    columns = split_matrix("X", X)
    y = whole.get("y")
    if y is not None and y.shape != (len(X),):
        raise ValueError(
            f"{path}: y has the shape {y.shape}, but X has {len(X):,} rows; give one label per row."
        )
    columns |= {n: a for n, a in whole.items() if a.shape == (len(X),) and not a.dtype.names}
    return array_table(path, columns, whole)


def write_npz(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write the arrays a table came in, else one array per column, and its new columns."""
    arrays = savable_columns(table, new)
    if isinstance(table, ArrayTable) and table.whole:
        arrays = {**table.whole, **{name: arrays[name] for name in new.by_name()}}
    with zipfile.ZipFile(file, "w") as archive:  # numpy.savez would refuse an array named "file"
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)


FORMAT = TableFormat(name=".npz", suffixes=(".npz",), read=read_npz, write=write_npz, rank=4)
