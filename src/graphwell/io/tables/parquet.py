"""Tables in Parquet files. The only module that imports pyarrow."""

from abc import abstractmethod
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
)
from graphwell.io.tables.cells import TEXT, is_missing, is_text, typed
from graphwell.memory import check_fits, give_back

PLAIN = ReadingOptions()
ROWS_PER_PART = 100_000
ROWS_AT_ONCE = 65_536
"""Cells that are objects of Python at a time."""


@dataclass(frozen=True)
class ArrowTable(Table):
    """A table of Arrow columns; those that are never asked for are never converted."""

    @property
    @abstractmethod
    def schema(self) -> Any:
        """Names and types of the columns."""

    @abstractmethod
    def arrow_column(self, name: str) -> Any:
        """Return a column as Arrow holds it."""

    @abstractmethod
    def pieces(self) -> Iterator[Any]:
        """All rows in order, as tables or batches of Arrow."""

    def column(self, name: str) -> Any:
        """Return a column as text or numbers; missing cells are empty or NaN."""
        return _cells_of(self.arrow_column(name))


def _cells_of(column: Any) -> Any:
    """A column of Arrow as text or numbers; missing cells are empty or NaN."""
    pyarrow = require_pyarrow()
    types = pyarrow.types
    if types.is_integer(column.type) or types.is_floating(column.type):
        return column.to_numpy()
    if types.is_decimal(column.type) or (types.is_boolean(column.type) and column.null_count):
        return column.cast(pyarrow.float64()).to_numpy()
    if types.is_boolean(column.type):
        return column.to_numpy()
    text = np.empty(len(column), dtype=TEXT)
    for first in range(0, len(column), ROWS_AT_ONCE):
        cells = column.slice(first, ROWS_AT_ONCE).to_pylist()
        text[first : first + len(cells)] = ["" if cell is None else str(cell) for cell in cells]
    return text


@dataclass(frozen=True)
class PartTable(ArrowTable):
    """A part of a table, in memory."""

    arrow: Any = field(repr=False)

    @property
    def schema(self) -> Any:
        """Names and types of the columns."""
        return self.arrow.schema

    def arrow_column(self, name: str) -> Any:
        """Return a column as Arrow holds it."""
        return self.arrow.column(self.names.index(name))

    def pieces(self) -> Iterator[Any]:
        """All rows at once."""
        yield self.arrow


@dataclass(frozen=True)
class ParquetTable(ArrowTable):
    """A Parquet file whose columns are read when they are asked for: it is never in memory as a whole.

    Attributes
    ----------
    opened : pyarrow.parquet.ParquetFile
    mark : tuple of int
        What tells whether somebody wrote into the file since.
    """

    opened: Any = field(repr=False)
    mark: tuple[int, ...] = field(repr=False)

    @property
    def schema(self) -> Any:
        """Names and types of the columns."""
        return self.opened.schema_arrow

    def arrow_column(self, name: str) -> Any:
        """Read a column."""
        self._check_unchanged()
        with _told_in_a_sentence(self.path):
            return self.opened.read(columns=[name]).column(name)

    def pieces(self) -> Iterator[Any]:
        """All rows, some at a time."""
        self._check_unchanged()
        with _told_in_a_sentence(self.path):
            yield from self.opened.iter_batches(batch_size=ROWS_PER_PART)

    def _check_unchanged(self) -> None:
        if _mark_of(self.path) != self.mark:
            raise ValueError(f"{self.path} was changed while it was worked on; leave it as it is meanwhile.")


def read_parquet(path: Path, options: ReadingOptions = PLAIN) -> ParquetTable:
    """Open a Parquet file; whatever is wrong with it becomes one sentence, at once."""
    opened = _opened(path)
    _check_fits(path, opened.metadata)
    names = tuple(opened.schema_arrow.names)
    if not names:
        raise ValueError(f"{path} has no columns.")
    table = ParquetTable(path, names, opened.metadata.num_rows, opened, _mark_of(path))
    check_table(table)
    with _told_in_a_sentence(path):
        for name in names:
            table.arrow_column(name).validate(full=True)
    return table


def _mark_of(path: Path) -> tuple[int, ...]:
    state = path.stat()
    return state.st_ino, state.st_size, state.st_mtime_ns


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


@dataclass(frozen=True)
class FolderTable(ArrowTable):
    """Some columns of all parts of a table; each part is read when it is asked for.

    Attributes
    ----------
    parts : tuple of RowGroups
    common : pyarrow.Schema
        Types that hold the cells of every part.
    """

    parts: tuple[RowGroups, ...] = field(repr=False)
    common: Any = field(repr=False)

    @property
    def schema(self) -> Any:
        """Names and types of the columns."""
        return self.common

    def arrow_column(self, name: str) -> Any:
        """Return a column of all parts as Arrow holds it."""
        chunks = [chunk for column in self._columns(name) for chunk in column.chunks]
        return require_pyarrow().chunked_array(chunks, self.common.field(name).type)

    def pieces(self) -> Iterator[Any]:
        """All rows, one part after the other."""
        for part in self.parts:
            yield read_part(part, self.names).arrow.cast(self.common)

    def column_in_pieces(self, name: str) -> Iterator[Any]:
        """Return a column part by part."""
        return map(_cells_of, self._columns(name))

    def _columns(self, name: str) -> Iterator[Any]:
        wanted = self.common.field(name).type
        for part in self.parts:
            column = read_part(part, [name]).arrow.column(name)
            with _told_of_types(self.path, [name]):
                column = column.cast(wanted)
            yield column


def read_part(part: RowGroups, names: Sequence[str] | None = None) -> PartTable:
    """Read a part of a table, or some of its columns."""
    arrow = _opened(part.path).read_row_groups(list(part.groups), None if names is None else list(names))
    table = PartTable(part.path, tuple(arrow.column_names), arrow.num_rows, arrow)
    check_table(table)
    return table


def read_columns(path: Path, parts: Sequence[RowGroups], names: Sequence[str] | None = None) -> FolderTable:
    """Look at all columns of some parts, or at some; a file that lacks one of them is named."""
    pyarrow = require_pyarrow()
    names = _opened(parts[0].path).schema_arrow.names if names is None else names
    schemas = [_schema_of(file, path, names) for file in dict.fromkeys(part.path for part in parts)]
    with _told_of_types(path, names):
        common = pyarrow.unify_schemas(schemas, promote_options="permissive")
    table = FolderTable(path, tuple(names), sum(part.n_rows for part in parts), tuple(parts), common)
    check_table(table)
    return table


def _schema_of(file: Path, path: Path, names: Sequence[str]) -> Any:
    """Types of some columns of a file of a folder."""
    schema = _opened(file).schema_arrow
    missing = next((name for name in names if name not in schema.names), None)
    if missing is not None:
        raise ValueError(f"{file} has no column {missing!r}, which other files of {path} have.")
    return require_pyarrow().schema([schema.field(schema.names.index(name)) for name in names])


@contextmanager
def _told_of_types(path: Path, names: Sequence[str]) -> Iterator[None]:
    try:
        yield
    except require_pyarrow().ArrowException as error:
        raise ValueError(f"The files of {path} disagree about the types of {', '.join(names)}.") from error


def give_back_read() -> None:
    """Return to the system what was read and nobody needs any more; Arrow would keep it for later."""
    require_pyarrow().default_memory_pool().release_unused()
    give_back()


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
    check_fits(path, max(unpacked, 8 * metadata.num_rows * metadata.num_columns))


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
    """Write a table and its new columns, some rows at a time; Arrow columns go back as they came."""
    pyarrow = require_pyarrow()
    from pyarrow import parquet

    source = table if isinstance(table, ArrowTable) else _as_arrow(table)
    kept = [name for name in source.names if name not in NEW_NAMES]
    added = {name: _arrow(column) for name, column in new.by_name().items()}
    types = {name: source.schema.field(name).type for name in kept}
    if new.like is not None:
        added["graphwell_label"] = _cast(added["graphwell_label"], types[new.like])
    types |= {name: column.type for name, column in added.items()}
    schema = pyarrow.schema(list(types.items()), metadata=source.schema.metadata)
    first = 0
    with parquet.ParquetWriter(file, schema) as writer:
        for piece in source.pieces():
            columns = {name: piece.column(name) for name in kept}
            columns |= {name: column.slice(first, piece.num_rows) for name, column in added.items()}
            writer.write_table(pyarrow.table(columns, schema=schema))
            first += piece.num_rows


def _as_arrow(table: Table) -> PartTable:
    """Any table as one of Arrow, in memory."""
    names = tuple(name for name in table.names if name not in NEW_NAMES)
    arrow = require_pyarrow().table({name: _arrow(typed(table.column(name))) for name in names})
    return PartTable(table.path, names, table.n_rows, arrow)


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
