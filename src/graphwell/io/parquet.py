"""Tables in Parquet files. The only module that imports pyarrow."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from graphwell.io.cells import NEW_NAMES, NewColumns, Table, checked, labelled_columns
from graphwell.io.text import Reading
from graphwell.memory import check_fits

SUFFIXES = (".parquet", ".pq")
ROWS_AT_ONCE = 100_000


@dataclass(frozen=True)
class Stored:
    """The rows of a Parquet file: read a first time for the fit, and again when written."""

    path: Path
    state: tuple[int, ...]  # of the file when it was read; nobody may write into it meanwhile

    def batches(self) -> Iterator[Any]:
        """All rows, as batches of Arrow."""
        if self.state != _state_of(self.path):
            raise ValueError(f"{self.path} was changed while it was worked on; leave it as it is meanwhile.")
        with _errors_in_a_sentence(self.path):
            yield from _opened(self.path).iter_batches(ROWS_AT_ONCE)


def read_parquet(path: Path, options: Reading) -> Table:
    """Read a Parquet file, column by column: at no time are two whole copies in memory."""
    import pandas

    state, opened = _state_of(path), _opened(path)
    stored = opened.metadata
    unpacked = sum(stored.row_group(group).total_byte_size for group in range(stored.num_row_groups))
    check_fits(path, max(unpacked, 8 * stored.num_rows * stored.num_columns))
    names = opened.schema_arrow.names
    if not names:
        raise ValueError(f"{path} has no columns.")
    with _errors_in_a_sentence(path):
        columns = {name: _series(opened.read(columns=[name]).column(name)) for name in names}
    return checked(Table(path, pandas.DataFrame(columns, copy=False), Stored(path, state)))


def _series(column: Any) -> Any:
    """A column of Arrow as one of pandas; what pandas would hold as lists or bytes becomes text."""
    import pandas

    types = require_pyarrow().types
    column.validate(full=True)
    kind = getattr(column.type, "value_type", column.type)
    if types.is_nested(column.type) or types.is_binary(kind) or types.is_large_binary(kind):
        cells = [None if cell is None else str(cell) for cell in column.to_pylist()]
        return pandas.Series(cells, dtype=object)
    return column.to_pandas()


def _state_of(path: Path) -> tuple[int, ...]:
    state = path.stat()
    return state.st_ino, state.st_size, state.st_mtime_ns


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
    if isinstance(table.stored, Stored):
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
