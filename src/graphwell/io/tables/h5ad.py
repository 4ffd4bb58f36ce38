"""Cells of AnnData in `.h5ad` files."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from graphwell.errors import OptionError
from graphwell.io.tables.annotated import (
    AnnotatedTable,
    annotated_table,
    new_annotated,
    require_anndata,
    rewrite,
    with_labels,
)
from graphwell.io.tables.base import NewColumns, ReadingOptions, Table, TableFormat, check_table

PLAIN = ReadingOptions()


def read_h5ad(path: Path, options: ReadingOptions = PLAIN) -> AnnotatedTable:
    """Read `obs` and one representation of the cells; the counts themselves are not touched."""
    require_anndata()
    import h5py

    try:
        opened = h5py.File(path, "r")
    except OSError as error:
        raise ValueError(
            f"{path} cannot be read as an .h5ad file: it is damaged or something else."
        ) from error
    with opened as stored:
        try:
            table = annotated_table(path, stored)
        except OptionError:
            raise
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} cannot be read as an .h5ad file: a part of it is damaged.") from error
    check_table(table)
    return table


def write_h5ad(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write the file that the table came in, with the new columns in `obs`; or numbers as `X`."""
    require_anndata()
    import h5py

    with TemporaryDirectory() as folder:  # HDF5 needs a file of its own
        copy = Path(folder) / "cells.h5ad"
        if isinstance(table, AnnotatedTable) and table.path.suffix.lower() in FORMAT.suffixes:
            shutil.copyfile(table.path, copy)
            with h5py.File(copy, "r+") as stored:
                rewrite(stored, with_labels(table, new))
        else:
            new_annotated(table, new).write_h5ad(copy)
        with copy.open("rb") as written:
            shutil.copyfileobj(written, file)


FORMAT = TableFormat(
    name="AnnData",
    suffixes=(".h5ad",),
    read=read_h5ad,
    write=write_h5ad,
    extra="anndata",
    require=require_anndata,
    rank=7,
)
