"""Tables in Parquet files, whole and in parts. The only module that imports pyarrow."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from graphwell.errors import OptionError
from graphwell.io.cells import NEW_NAMES, NewColumns, Table, checked, labelled_columns
from graphwell.io.text import Reading
from graphwell.memory import check_fits, give_back

SUFFIXES = (".parquet", ".pq")
ROWS_PER_PART = 100_000


@dataclass(frozen=True)
class RowGroups:
    """Some row groups of a Parquet file, or all: read a first time for the fit, and again when written."""

    path: Path
    groups: tuple[int, ...]
    n_rows: int
    state: tuple[int, ...] = ()  # of the file when it was read, where nobody may write into it meanwhile

    def batches(self) -> Iterator[Any]:
        """All rows, as batches of Arrow."""
        if self.state and self.state != _state_of(self.path):
            raise ValueError(f"{self.path} was changed while it was worked on; leave it as it is meanwhile.")
        with _errors_in_a_sentence(self.path):
            yield from _opened(self.path).iter_batches(ROWS_PER_PART, row_groups=list(self.groups))


def read_parquet(path: Path, options: Reading) -> Table:
    """Read a Parquet file, column by column: at no time are two whole copies in memory."""
    state, opened = _state_of(path), _opened(path)
    groups, n_rows = tuple(range(opened.metadata.num_row_groups)), opened.metadata.num_rows
    unpacked = sum(opened.metadata.row_group(group).total_byte_size for group in groups)
    check_fits(path, max(unpacked, 8 * n_rows * opened.metadata.num_columns))
    names = opened.schema_arrow.names
    if not names:
        raise ValueError(f"{path} has no columns.")
    with _errors_in_a_sentence(path):
        columns = {name: _series(opened.read(columns=[name]).column(name)) for name in names}
    return _table(path, columns, RowGroups(path, groups, n_rows, state))


def _table(path: Path, columns: dict[str, Any], stored: RowGroups | None = None) -> Table:
    import pandas

    return checked(Table(path, pandas.DataFrame(columns, copy=False), stored))


def _series(column: Any, *, few: bool = False) -> Any:
    """A column of Arrow as one of pandas; what pandas would hold as lists or bytes becomes text.

    With `few`, text becomes categories, which take little memory where words come back.
    """
    import pandas

    types = require_pyarrow().types
    column.validate(full=True)
    kind = getattr(column.type, "value_type", column.type)
    if types.is_nested(column.type) or types.is_binary(kind) or types.is_large_binary(kind):
        cells = [None if cell is None else str(cell) for cell in column.to_pylist()]
        return pandas.Series(cells, dtype=object)
    return column.to_pandas(strings_to_categorical=few)


def _state_of(path: Path) -> tuple[int, ...]:
    state = path.stat()
    return state.st_ino, state.st_size, state.st_mtime_ns


# ---------------------------------------------------------------------------------------- folders of files


def row_groups(path: Path) -> tuple[RowGroups, ...]:
    """Cut a folder of Parquet files, or one file, into parts of whole row groups; empty ones are left out."""
    require_pyarrow()
    files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    if not files:
        problem = "{field} {} is a folder without any file whose name ends in .parquet."
        raise OptionError("table", problem, path)
    parts: list[RowGroups] = []
    for file in files:
        opened = _opened(file).metadata
        groups, rows = [], 0
        for group in range(opened.num_row_groups):
            groups.append(group)
            rows += opened.row_group(group).num_rows
            if rows >= ROWS_PER_PART or (group == opened.num_row_groups - 1 and rows):
                parts.append(RowGroups(file, tuple(groups), rows))
                groups, rows = [], 0
    if not parts:
        raise ValueError(f"{path} has a header but no rows; there is nothing to label.")
    return tuple(parts)


def read_part(part: RowGroups, names: Sequence[str] | None = None) -> Table:
    """Read a part of a table, or some of its columns."""
    arrow = _read(part, names)
    return _table(part.path, {name: _series(arrow.column(name)) for name in arrow.column_names}, part)


def _read(part: RowGroups, names: Sequence[str] | None = None) -> Any:
    return _opened(part.path).read_row_groups(list(part.groups), None if names is None else list(names))


def read_columns(path: Path, parts: Sequence[RowGroups], names: Sequence[str] | None = None) -> Table:
    """Read some columns of some parts, or all, in types that hold every part; words become categories."""
    pyarrow = require_pyarrow()
    names = _opened(parts[0].path).schema_arrow.names if names is None else names
    schemas = []
    for file in dict.fromkeys(part.path for part in parts):
        schema = _opened(file).schema_arrow
        missing = next((name for name in names if name not in schema.names), None)
        if missing is not None:
            raise ValueError(f"{file} has no column {missing!r}, which other files of {path} have.")
        schemas.append(schema)
    columns = {}
    for name in names:
        try:
            of_name = [pyarrow.schema([schema.field(schema.names.index(name))]) for schema in schemas]
            common = pyarrow.unify_schemas(of_name, promote_options="permissive").field(0).type
            read = [_read(part, [name]).column(0).cast(common) for part in parts]
        except pyarrow.ArrowException as error:
            raise ValueError(f"The files of {path} disagree about the types of {name}.") from error
        chunks = [chunk for column in read for chunk in column.chunks]
        columns[name] = _series(pyarrow.chunked_array(chunks, common), few=True)
    return _table(path, columns)


def give_back_read() -> None:
    """Return to the system what was read and nobody needs any more; Arrow would keep it for later."""
    require_pyarrow().default_memory_pool().release_unused()
    give_back()


def _opened(path: Path) -> Any:
    require_pyarrow()
    from pyarrow import parquet

    with _errors_in_a_sentence(path):
        return parquet.ParquetFile(path, pre_buffer=False)  # else the packed bytes stay in memory too


@contextmanager
def _errors_in_a_sentence(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise
    except (require_pyarrow().ArrowException, OSError, ValueError) as error:
        raise ValueError(
            f"{path} cannot be read as a Parquet file: it is damaged, truncated or something else."
        ) from error


# ------------------------------------------------------------------------------------------------- writing


def write_parquet(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write a table and its new columns, some rows at a time; Arrow columns go back as they came."""
    pyarrow = require_pyarrow()
    import pandas
    from pyarrow import parquet

    columns = labelled_columns(table, new)
    if isinstance(table.stored, RowGroups):
        pieces, schema = table.stored.batches(), _opened(table.path).schema_arrow
    else:
        frame = pandas.DataFrame({name: columns[name] for name in columns if name not in NEW_NAMES})
        arrow = pyarrow.Table.from_pandas(frame, preserve_index=False)
        pieces, schema = iter([arrow]), arrow.schema
    kept = [name for name in schema.names if name not in NEW_NAMES]
    types = {name: schema.field(name).type for name in kept}
    added = {name: pyarrow.array(columns[name], from_pandas=True) for name in new.by_name()}
    if new.like is not None:  # labels in the type of the given ones, where that type can hold them
        with suppress(pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
            added["graphwell_label"] = added["graphwell_label"].cast(types[new.like])
    types |= {name: column.type for name, column in added.items()}
    full = pyarrow.schema(list(types.items()), metadata=schema.metadata)
    first = 0
    with parquet.ParquetWriter(file, full) as writer:
        for piece in pieces:
            columns = {name: piece.column(name) for name in kept}
            columns |= {name: column.slice(first, piece.num_rows) for name, column in added.items()}
            writer.write_table(pyarrow.table(columns, schema=full))
            first += piece.num_rows


def require_pyarrow() -> Any:
    """Return pyarrow, or say how to install it."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(
            'Parquet files need pyarrow, which is not installed: pip install "graphwell[parquet]"'
        ) from error
    return pyarrow
