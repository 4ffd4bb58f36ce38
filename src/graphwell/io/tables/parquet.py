"""Tables in Parquet files. The only module that imports pyarrow."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell.errors import OptionError
from graphwell.io.tables.base import (
    NEW_NAMES,
    NewColumns,
    ReadingOptions,
    Table,
    TableFormat,
    check_table,
    with_new_columns,
)
from graphwell.io.tables.cells import TEXT, is_missing, is_text, typed
from graphwell.memory import check_fits

PLAIN = ReadingOptions()
ROWS_PER_PART = 100_000
ROWS_AT_ONCE = 65_536
"""Cells that are objects of Python at a time."""


@dataclass(frozen=True)
class ParquetTable(Table):
    """A table of Arrow columns; those that are never asked for are never converted."""

    arrow: Any = field(repr=False)

    def column(self, name: str) -> Any:
        """Return a column as text or numbers; missing cells are empty or NaN."""
        pyarrow = require_pyarrow()
        column = self.arrow.column(self.names.index(name))
        kind = column.type
        types = pyarrow.types
        if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
            plain = column.cast(pyarrow.float64()) if column.null_count else column
            return plain.to_numpy()
        if types.is_decimal(kind):
            return column.cast(pyarrow.float64()).to_numpy()
        text = np.empty(len(column), dtype=TEXT)
        for first in range(0, len(column), ROWS_AT_ONCE):
            cells = column.slice(first, ROWS_AT_ONCE).to_pylist()
            text[first : first + len(cells)] = ["" if cell is None else str(cell) for cell in cells]
        return text


def read_parquet(path: Path, options: ReadingOptions = PLAIN) -> ParquetTable:
    """Read a Parquet file; whatever is wrong with it becomes one sentence."""
    opened = _opened(path)
    _check_fits(path, opened.metadata)
    with _told_in_a_sentence(path):
        arrow = opened.read()
        arrow.validate(full=True)
    if arrow.num_columns == 0:
        raise ValueError(f"{path} has no columns.")
    table = ParquetTable(path, tuple(arrow.column_names), arrow.num_rows, arrow)
    check_table(table)
    return table


@dataclass(frozen=True)
class RowGroups:
    """Some row groups of a Parquet file: what a worker reads at a time."""

    path: Path
    groups: tuple[int, ...]
    n_rows: int


def row_groups(path: Path) -> tuple[RowGroups, ...]:
    """Cut a folder of Parquet files, or one file, into parts of whole row groups; empty ones are left out."""
    require_pyarrow()
    files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    if not files:
        problem = "{field} {} is a folder without any file whose name ends in .parquet."
        raise OptionError("table", problem, path)
    parts = [part for file in files for part in _parts_of(file)]
    if not parts:
        raise ValueError(f"{path} has a header but no rows; there is nothing to label.")
    return tuple(parts)


def read_part(part: RowGroups, names: Sequence[str] | None = None) -> ParquetTable:
    """Read a part of a table, or some of its columns."""
    arrow = _opened(part.path).read_row_groups(list(part.groups), None if names is None else list(names))
    table = ParquetTable(part.path, tuple(arrow.column_names), arrow.num_rows, arrow)
    check_table(table)
    return table


def read_columns(path: Path, parts: Sequence[RowGroups], names: Sequence[str]) -> ParquetTable:
    """Read some columns of all parts into one table; a file that lacks one of them is named."""
    pyarrow = require_pyarrow()
    arrows = []
    for part in parts:
        for name in names:
            if name not in _opened(part.path).schema_arrow.names:
                raise ValueError(f"{part.path} has no column {name!r}, which other files of {path} have.")
        arrows.append(read_part(part, names).arrow)
    try:
        arrow = pyarrow.concat_tables(arrows, promote_options="permissive")
    except pyarrow.ArrowException as error:
        raise ValueError(f"The files of {path} disagree about the types of {', '.join(names)}.") from error
    return ParquetTable(path, tuple(names), arrow.num_rows, arrow)


def _parts_of(file: Path) -> list[RowGroups]:
    opened = _opened(file).metadata
    parts: list[RowGroups] = []
    groups: list[int] = []
    rows = 0
    for group in range(opened.num_row_groups):
        groups.append(group)
        rows += opened.row_group(group).num_rows
        if rows >= ROWS_PER_PART or (group == opened.num_row_groups - 1 and rows):
            parts.append(RowGroups(file, tuple(groups), rows))
            groups, rows = [], 0
    return parts


def _check_fits(path: Path, metadata: Any) -> None:
    """Refuse a file that would not fit into memory once it is unpacked."""
    groups = range(metadata.num_row_groups)
    unpacked = sum(metadata.row_group(group).total_byte_size for group in groups)
    check_fits(path, 2 * max(unpacked, 8 * metadata.num_rows * metadata.num_columns))


def _opened(path: Path) -> Any:
    require_pyarrow()
    from pyarrow import parquet

    with _told_in_a_sentence(path):
        return parquet.ParquetFile(path, pre_buffer=False)  # else the packed bytes stay in memory too


@contextmanager
def _told_in_a_sentence(path: Path) -> Iterator[None]:
    pyarrow = require_pyarrow()
    try:
        yield
    except FileNotFoundError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise ValueError(
            f"{path} cannot be read as a Parquet file: it is damaged, truncated or something else."
        ) from error


def write_parquet(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write a table and its new columns; Arrow columns go back as they came."""
    pyarrow = require_pyarrow()
    from pyarrow import parquet

    if isinstance(table, ParquetTable):
        old = [name for name in table.names if name not in NEW_NAMES]
        columns = {name: table.arrow.column(table.names.index(name)) for name in old}
    else:
        columns = {n: _arrow(typed(c)) for n, c in with_new_columns(table, new).items()}
    columns |= {name: _arrow(column) for name, column in new.by_name().items()}
    if new.like is not None:
        columns["graphwell_label"] = _cast(columns["graphwell_label"], columns[new.like].type)
    metadata = table.arrow.schema.metadata if isinstance(table, ParquetTable) else None
    parquet.write_table(pyarrow.table(columns).replace_schema_metadata(metadata), file)


def _arrow(column: Any) -> Any:
    pyarrow = require_pyarrow()
    if is_text(column):
        return pyarrow.array(column.tolist(), pyarrow.string(), mask=np.asarray(column == ""))
    return pyarrow.array(column, mask=is_missing(column))


def _cast(labels: Any, kind: Any) -> Any:
    """Labels in the type of the given labels, where that type can hold them."""
    pyarrow = require_pyarrow()
    try:
        return labels.cast(kind)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
        return labels


def require_pyarrow() -> Any:
    """Return pyarrow, or say how to install it."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(
            'Parquet files need pyarrow, which is not installed: pip install "graphwell[parquet]"'
        ) from error
    return pyarrow


FORMAT = TableFormat(
    name="Parquet",
    suffixes=(".parquet", ".pq"),
    read=read_parquet,
    write=write_parquet,
    extra="parquet",
    require=require_pyarrow,
    rank=2,
)
