"""Tables of arrays (`.npz`), lines of JSON and spreadsheets."""

import json
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell.errors import OptionError
from graphwell.io.arrays import load_arrays
from graphwell.io.cells import (
    NEW_NAMES,
    NewColumns,
    Table,
    cells_of,
    is_text,
    labelled_columns,
    table_of,
    text_column,
    words_of,
)
from graphwell.io.files import decoding, optional
from graphwell.io.text import Reading
from graphwell.memory import check_fits, check_unpacked

JSON_SUFFIXES = (".jsonl", ".ndjson")
JSON_BYTES, SHEET_BYTES = 10, 8  # memory that a byte of JSON takes once it is read, or of an unpacked sheet
ROWS_AT_ONCE = 20_000
MOST_ROWS = 1_048_576  # of a sheet, the header among them


def _column_of(values: Sequence[Any], as_cell: Callable[[Any], str]) -> Any:
    """Values of any types as a column: booleans, numbers with NaN for None, or text."""
    import pandas

    with suppress(OverflowError):  # 1e400 as a whole number
        column = pandas.Series(values)
        if column.dtype.kind in "biuf":
            return column
    return words_of(["" if value is None else as_cell(value) for value in values])


def _objects(columns: dict[str, Any]) -> dict[str, list[Any]]:
    """Columns of a data frame as objects of Python, None where a cell is missing."""
    return {
        name: [None if gone else value for value, gone in zip(column.tolist(), column.isna(), strict=True)]
        for name, column in columns.items()
    }


def _check_archive(path: Path, copies: int) -> None:
    """Refuse an archive that would not fit once it is unpacked; reading says what else is wrong with it."""
    with suppress(zipfile.BadZipFile):
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        check_unpacked(path, path.stat().st_size, unpacked)
        check_fits(path, copies * unpacked)


# --------------------------------------------------------------------------------------------------- arrays


def read_npz(path: Path, options: Reading) -> Table:
    """Read a matrix `X`, whose columns are named X0, X1, ..., and the arrays with one value per row of it."""
    _check_archive(path, 1)
    arrays = load_arrays(path)
    X, y = arrays.get("X"), arrays.get("y")
    if X is None or X.ndim != 2 or X.shape[1] == 0:
        found = "none" if X is None else f"one of shape {X.shape}"
        raise ValueError(f"{path} needs a matrix X with a row per point; it holds {found}.")
    if y is not None and y.shape != (len(X),):
        raise ValueError(
            f"{path}: y has the shape {y.shape}, but X has {len(X):,} rows; give one label per row."
        )
    columns = [(f"X{place}", column) for place, column in enumerate(X.T)]
    columns += [(n, a) for n, a in arrays.items() if a.shape == (len(X),) and not a.dtype.names]
    return table_of(path, [(name, _of_array(path, name, column)) for name, column in columns], arrays)


def _of_array(path: Path, name: str, array: Any) -> Any:
    """Numbers as they are, anything else as text."""
    if array.dtype.kind in "biuf":
        return array
    try:
        cells = [c.decode("utf-8", "replace") if isinstance(c, bytes) else str(c) for c in array.tolist()]
        return words_of(text_column(cells))
    except (UnicodeError, SystemError) as error:  # NumPy stores any 32 bits as a character
        raise ValueError(f"{path}: column {name!r} holds text that is not Unicode.") from error


def write_npz(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write the arrays a table came in, else one array per column, and its new columns.

    Where there is no label it is -1, NaN or empty.
    """
    columns = labelled_columns(table, new)
    kind = "T" if new.like is None else cells_of(table.frame[new.like]).dtype.kind
    none = {"i": -1, "u": -1, "f": np.nan}.get(kind, "")
    labels = [none if label is None else label for label in columns["graphwell_label"]]
    arrays = {name: cells_of(column) for name, column in columns.items()}
    arrays["graphwell_label"] = np.array(labels if kind in "iuf" else list(map(str, labels)))
    if table.path.suffix.lower() == ".npz":
        arrays = {**table.stored, **{name: arrays[name] for name in new.by_name()}}
    with zipfile.ZipFile(file, "w") as archive:  # numpy.savez would refuse an array named "file"
        for name, array in arrays.items():
            values = np.array(array.tolist(), "U") if is_text(array) else np.asanyarray(array)
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, values, allow_pickle=False)


# ------------------------------------------------------------------------------------------- lines of JSON


def read_jsonl(path: Path, options: Reading) -> Table:
    """Read lines of JSON; a key that a row lacks is a missing cell.

    Lists of numbers that are equally long in every row become columns: ``x`` of two numbers x0 and x1. Other
    lists, and objects, stay as text.
    """
    size = path.stat().st_size
    check_fits(path, JSON_BYTES * size)
    records: list[dict[str, Any]] = []
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if text := line.strip().removeprefix(b"\xef\xbb\xbf"):
                records.append(_record(path, number, text))
                if len(records) % ROWS_AT_ONCE == 0:
                    options.progress("reading", min(1.0, file.tell() / max(1, size)))
    columns: list[tuple[str, Any]] = []
    for key in dict.fromkeys(key for record in records for key in record):
        cells = [record.get(key) for record in records]
        matrix = _matrix(cells)
        if matrix is None:
            columns.append((key, _column_of(cells, _as_json)))
        else:
            columns += [(f"{key}{place}", column) for place, column in enumerate(matrix.T)]
    if not columns:
        raise ValueError(f"{path} holds no objects with keys; a table has one JSON object a line.")
    return table_of(path, columns, records)


def _record(path: Path, number: int, text: bytes) -> dict[str, Any]:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(f"{path}, line {number}: this is no JSON; each line holds one object.") from None
    if not isinstance(record, dict):
        kind = type(record).__name__.replace("NoneType", "null")
        raise ValueError(f"{path}, line {number}: a {kind}, where each line must hold one object.")
    return record


def _matrix(cells: list[Any]) -> Any:
    """Lists of numbers as a matrix if all are equally long; None for anything else."""
    widths = {len(cell) if isinstance(cell, list) else 0 for cell in cells}
    if len(widths) > 1 or 0 in widths or any(type(c) not in (int, float) for cell in cells for c in cell):
        return None
    with suppress(OverflowError):  # 1e400 as a whole number
        return np.array(cells, dtype=np.float64)
    return None


def _as_json(value: Any) -> str:
    """A value as the text of a cell; surrogates, which no text can hold, become question marks."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode("utf-8")


def write_jsonl(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write a table and its new columns; objects go back as they came, missing cells are null."""
    records: list[dict[str, Any]] = [{}] * table.n_rows
    given = None
    if table.path.suffix.lower() in JSON_SUFFIXES:
        records, given = table.stored, [record.get(new.like) for record in table.stored]
    columns = _objects(labelled_columns(table, new, given))
    names = list(columns if given is None else new.by_name())
    rows = zip(*(columns[name] for name in names), strict=True)
    for record, row in zip(records, rows, strict=True):
        kept = {key: value for key, value in record.items() if key not in NEW_NAMES}
        line = json.dumps(kept | dict(zip(names, row, strict=True)), ensure_ascii=False, default=str)
        file.write(line.encode("utf-8", "backslashreplace") + b"\n")


# -------------------------------------------------------------------------------------------- spreadsheets


def read_xlsx(path: Path, options: Reading) -> Table:
    """Read the first sheet: names in its first row, values of formulas in place of them.

    Empty rows do not count, and neither do columns without a name and a value.
    """
    openpyxl = require_openpyxl()
    with decoding(path, "a spreadsheet (.xlsx) without a password"):
        _check_archive(path, SHEET_BYTES)
        with path.open("rb") as file:
            sheet = list(openpyxl.load_workbook(file, read_only=True, data_only=True).worksheets[0].rows)
            rows = [[None if cell.value == "" else cell.value for cell in row] for row in sheet]
            empty = (cell for row in sheet for cell in row if cell.value is None and cell.data_type == "n")
            gaps = {cell.coordinate for cell in empty if hasattr(cell, "coordinate")}
            unsaved = []  # formulas without a value: a second look at the sheet, where cells are empty
            for row in openpyxl.load_workbook(file, read_only=True).worksheets[0].rows if gaps else ():
                unsaved += [c.coordinate for c in row if c.data_type == "f" and c.coordinate in gaps]
    if unsaved:
        raise ValueError(
            f"{path}, cell {unsaved[0]}: a formula whose value is not in the file ({len(unsaved):,} such "
            "cells); open the file in a spreadsheet program and save it there."
        )
    rows = [row for row in rows if any(cell is not None for cell in row)]
    if not rows:
        raise ValueError(f"{path} has nothing on its first sheet.")
    columns = []
    for name, *cells in zip_longest(*rows):
        if name is not None or any(cell is not None for cell in cells):
            columns.append((str("" if name is None else name).strip(), _column_of(cells, _as_cell)))
    return table_of(path, columns)


def _as_cell(value: Any) -> str:
    """A value as the text of a cell; dates are written as 2024-03-31."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    return value.isoformat() if isinstance(value, date | time) else str(value)


def write_xlsx(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write a table and its new columns on one sheet; text is never taken for a formula."""
    openpyxl = require_openpyxl()
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    if table.n_rows >= MOST_ROWS:
        problem = "{field} {}: a sheet of Excel has room for {:,} rows, and there are {:,}; write .csv."
        raise OptionError("output", problem, path, MOST_ROWS - 1, table.n_rows)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("graphwell")

    def cell(value: Any) -> Any:
        if value is None or isinstance(value, int) or (isinstance(value, float) and np.isfinite(value)):
            return value
        made = WriteOnlyCell(sheet, value=ILLEGAL_CHARACTERS_RE.sub("?", str(value)))
        made.data_type = "s"
        return made

    columns = _objects(labelled_columns(table, new))
    for row in (columns, *zip(*columns.values(), strict=True)):
        sheet.append([cell(value) for value in row])
    book.save(file)


def require_openpyxl() -> Any:
    """Return openpyxl, or say how to install it."""
    return optional("openpyxl", "Spreadsheets", "xlsx")
