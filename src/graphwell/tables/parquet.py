"""Tables in Parquet files. The only module that imports pyarrow."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell.tables.table import (
    Answers,
    Table,
    check_table,
    is_missing,
    is_text,
    text_column,
    typed,
    with_answers,
)


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
        return text_column(["" if cell is None else str(cell) for cell in column.to_pylist()])


def read_parquet(path: Path) -> ParquetTable:
    """Read a Parquet file; whatever is wrong with it becomes one sentence."""
    pyarrow = require_pyarrow()
    from pyarrow import parquet

    try:
        arrow = parquet.ParquetFile(path).read()
        arrow.validate(full=True)
    except FileNotFoundError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise ValueError(
            f"{path} cannot be read as a Parquet file: it is damaged, truncated or something else."
        ) from error
    if arrow.num_columns == 0:
        raise ValueError(f"{path} has no columns.")
    table = ParquetTable(path, tuple(arrow.column_names), arrow.num_rows, arrow)
    check_table(table)
    return table


def write_parquet(table: Table, answers: Answers, file: IO[bytes]) -> None:
    """Write a table and its answers; Arrow columns go back as they came."""
    pyarrow = require_pyarrow()
    from pyarrow import parquet

    if isinstance(table, ParquetTable):
        old = [name for name in table.names if name not in answers.columns()]
        columns = {name: table.arrow.column(table.names.index(name)) for name in old}
        kind = table.arrow.schema.field(table.names.index(answers.like)).type
    else:
        columns = {n: _arrow(typed(c)) for n, c in with_answers(table, answers).items()}
        kind = columns[answers.like].type
    columns |= {name: _arrow(column) for name, column in answers.columns().items()}
    columns["graphwell_label"] = _cast(columns["graphwell_label"], kind)
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
