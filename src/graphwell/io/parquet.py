"""Tables in Parquet files."""

from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from graphwell.io.cells import NEW_NAMES, NewColumns, Table, labelled_columns, table_of
from graphwell.io.files import decoding, optional
from graphwell.io.text import Reading
from graphwell.memory import check_fits

SUFFIXES = (".parquet", ".pq")
ROWS_AT_ONCE = 100_000


def read_parquet(path: Path, options: Reading) -> Table:
    """Read a Parquet file, column by column: at no time are two whole copies in memory.

    What is kept for writing is the state of the file, which is read a second time then.
    """
    state, opened = _state_of(path), _opened(path)
    metadata, names = opened.metadata, opened.schema_arrow.names
    unpacked = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    check_fits(path, max(unpacked, 8 * metadata.num_rows * metadata.num_columns))
    if not names:
        raise ValueError(f"{path} has no columns.")
    with decoding(path, "a Parquet file"):
        columns = [(name, _series(opened.read(columns=[name]).column(0))) for name in names]
    return table_of(path, columns, state)


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

    with decoding(path, "a Parquet file"):
        return parquet.ParquetFile(path, pre_buffer=False)  # else the packed bytes stay in memory too


def write_parquet(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write a table and its new columns, some rows at a time; Arrow columns go back as they came."""
    pyarrow = require_pyarrow()
    import pandas
    from pyarrow import parquet

    columns = labelled_columns(table, new)
    if table.path.suffix.lower() in SUFFIXES:
        if table.stored != _state_of(table.path):
            raise ValueError(f"{table.path} was changed while it was worked on; leave it as it is meanwhile.")
        opened = _opened(table.path)
        pieces, schema = opened.iter_batches(ROWS_AT_ONCE), opened.schema_arrow
    else:
        frame = pandas.DataFrame({name: columns[name] for name in columns if name not in NEW_NAMES})
        arrow = pyarrow.Table.from_pandas(frame, preserve_index=False)
        pieces, schema = iter([arrow]), arrow.schema
    kept = [name for name in schema.names if name not in NEW_NAMES]
    added = {name: pyarrow.array(columns[name], from_pandas=True) for name in new.by_name()}
    if new.like is not None:  # labels in the type of the given ones, where that type can hold them
        with suppress(pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
            added["graphwell_label"] = added["graphwell_label"].cast(schema.field(new.like).type)
    fields = [schema.field(name) for name in kept]
    fields += [pyarrow.field(name, column.type) for name, column in added.items()]
    full = pyarrow.schema(fields, metadata=schema.metadata)
    first = 0
    with parquet.ParquetWriter(file, full) as writer:
        for piece in pieces:
            arrays = [piece.column(name) for name in kept]
            arrays += [column.slice(first, piece.num_rows) for column in added.values()]
            writer.write_table(pyarrow.table(arrays, schema=full))
            first += piece.num_rows


def require_pyarrow() -> Any:
    """Return pyarrow, or say how to install it."""
    return optional("pyarrow", "Parquet files", "parquet")
