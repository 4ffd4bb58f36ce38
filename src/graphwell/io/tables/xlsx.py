"""Tables in spreadsheets of Excel. The only module that imports openpyxl."""

import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell.errors import OptionError
from graphwell.io.tables.arrays import array_table, column_of
from graphwell.io.tables.base import NewColumns, ReadingOptions, Table, TableFormat, with_new_columns
from graphwell.io.tables.cells import is_missing, is_text, typed
from graphwell.memory import check_fits

PLAIN = ReadingOptions()
BYTES_PER_BYTE = 8
"""Memory that a byte of the unpacked sheet takes while it is read, about."""
MOST_ROWS = 1_048_576
"""Of a sheet, the header among them."""


def read_xlsx(path: Path, options: ReadingOptions = PLAIN) -> Table:
    """Read the first sheet: names in its first row, values of formulas in place of them.

    Empty rows do not count, and neither do columns without a name and a value.
    """
    openpyxl = require_openpyxl()
    try:
        with zipfile.ZipFile(path) as archive:  # what would not fit once it is unpacked is refused
            check_fits(path, BYTES_PER_BYTE * sum(member.file_size for member in archive.infolist()))
        with path.open("rb") as file:
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            rows = [
                row for row in book.worksheets[0].iter_rows(values_only=True) if any(_is_cell(c) for c in row)
            ]
    except (OptionError, FileNotFoundError, MemoryError):
        raise
    except Exception as error:  # zip, XML and openpyxl raise a dozen kinds for bad bytes
        raise ValueError(
            f"{path} cannot be read as a spreadsheet (.xlsx): it is damaged, protected or something else."
        ) from error
    if not rows:
        raise ValueError(f"{path} has nothing on its first sheet.")
    header, *body = rows
    width = max(map(len, rows))
    cells = [[row[place] if place < len(row) else None for row in body] for place in range(width)]
    names = [header[place] if place < len(header) else None for place in range(width)]
    kept = [place for place in range(width) if _is_cell(names[place]) or any(map(_is_cell, cells[place]))]
    named = [(str(names[place] if names[place] is not None else "").strip(), place) for place in kept]
    _refuse_twins(path, [name for name, _ in named])
    return array_table(path, {name: column_of(cells[place], _cell) for name, place in named})


def write_xlsx(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write a table and its new columns on one sheet; text is never taken for a formula."""
    openpyxl = require_openpyxl()
    if table.n_rows >= MOST_ROWS:
        problem = "{field} {}: a sheet of Excel has room for {:,} rows, and there are {:,}; write .csv."
        raise OptionError("output", problem, path, MOST_ROWS - 1, table.n_rows)
    columns = {name: typed(column) for name, column in with_new_columns(table, new).items()}
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("graphwell")
    sheet.append([_as_text(sheet, name) for name in columns])
    for row in zip(*(_values(column) for column in columns.values()), strict=True):
        sheet.append([_as_text(sheet, value) if isinstance(value, str) else value for value in row])
    book.save(file)


def _refuse_twins(path: Path, names: list[str]) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"{path} has several columns named {twice!r}; give each column its own name.")


def _as_text(sheet: Any, text: str) -> Any:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    cell = WriteOnlyCell(sheet, value=ILLEGAL_CHARACTERS_RE.sub("?", text))
    cell.data_type = "s"
    return cell


def _values(column: Any) -> Iterator[Any]:
    gone = np.asarray(column == "") if is_text(column) else is_missing(column)
    for value, empty in zip(column.tolist(), gone.tolist(), strict=True):
        infinite = isinstance(value, float) and not np.isfinite(value)
        yield None if empty else str(value) if infinite else value


def _is_cell(value: Any) -> bool:
    return value is not None and value != ""


def _cell(value: Any) -> str:
    """A value as the text of a cell; dates are written as 2024-03-31."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, datetime):
        return value.isoformat(" ")
    return value.isoformat() if isinstance(value, date | time) else str(value)


def require_openpyxl() -> Any:
    """Return openpyxl, or say how to install it."""
    try:
        import openpyxl
    except ImportError as error:
        raise ImportError(
            'Spreadsheets need openpyxl, which is not installed: pip install "graphwell[xlsx]"'
        ) from error
    return openpyxl


FORMAT = TableFormat(
    name="Excel",
    suffixes=(".xlsx",),
    read=read_xlsx,
    write=write_xlsx,
    extra="xlsx",
    require=require_openpyxl,
    rank=6,
)
