"""Cells of AnnData in folders of Zarr."""

import shutil
import warnings
from pathlib import Path
from typing import Any

from graphwell.io.tables.annotated import (
    AnnotatedTable,
    annotated_table,
    new_annotated,
    require_anndata,
    rewrite,
    with_labels,
)
from graphwell.io.tables.base import NewColumns, ReadingOptions, Table, TableFormat, check_table
from graphwell.io.zarr_store import changed_zarr, opened_zarr, require_zarr

PLAIN = ReadingOptions()


def read_zarr(path: Path, options: ReadingOptions = PLAIN) -> AnnotatedTable:
    """Read `obs` and what cells are compared by; the counts themselves are not touched."""
    with opened_zarr(path) as stored:
        table = annotated_table(path, stored)
    check_table(table)
    return table


def write_zarr(table: Table, new: NewColumns, path: Path, folder: Any) -> None:
    """Write the folder that the table came in, with the new columns in `obs`; or numbers as `X`."""
    if isinstance(table, AnnotatedTable) and table.path.suffix.lower() in FORMAT.suffixes:
        shutil.copytree(table.path, folder, dirs_exist_ok=True)
        with changed_zarr(folder) as stored:
            rewrite(stored, with_labels(table, new))
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of AnnData: which version of Zarr it will write one day
            new_annotated(table, new).write_zarr(folder)


def _require() -> None:
    require_anndata()
    require_zarr()


FORMAT = TableFormat(
    name="AnnData in Zarr",
    suffixes=(".zarr",),
    read=read_zarr,
    write=write_zarr,
    extra="anndata",
    require=_require,
    is_folder=True,
    rank=8,
)
