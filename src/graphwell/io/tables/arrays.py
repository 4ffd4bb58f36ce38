"""Tables of arrays and objects: `.npy`, `.npz` and lines of JSON."""

import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell.io.npy import load_npy, load_npz
from graphwell.io.tables.base import (
    NEW_NAMES,
    NewColumns,
    ReadingOptions,
    Table,
    TableFormat,
    checked,
    refuse_twins,
    with_new_columns,
)
from graphwell.io.tables.cells import TEXT, is_missing, is_text, text_column, typed, words_of
from graphwell.memory import check_fits

PLAIN = ReadingOptions()
BYTES_PER_BYTE = 10
"""Memory that a byte of JSON takes once it is read, about: objects of short numbers take most."""
ROWS_AT_ONCE = 20_000


def array_table(path: Path, columns: Mapping[str, Any], stored: Any = None) -> Table:
    """A table of these columns: numbers as they are, anything else as text."""
    import pandas

    made = {name: _readable(path, name, column) for name, column in columns.items()}
    return checked(Table(path, pandas.DataFrame(made, copy=False), stored))


def _readable(path: Path, name: str, column: Any) -> Any:
    if column.dtype.kind in "biuf":
        return column
    try:
        as_cell = (lambda cell: cell.decode("utf-8", "replace")) if column.dtype.kind == "S" else str
        return words_of(column if is_text(column) else text_column([as_cell(c) for c in column.tolist()]))
    except (UnicodeError, SystemError) as error:  # NumPy stores any 32 bits as a character
        raise ValueError(f"{path}: column {name!r} holds text that is not Unicode.") from error


def column_of(values: Sequence[Any], as_cell: Callable[[Any], str]) -> Any:
    """Values of any types as a column: booleans, numbers with NaN for None, or text.

    Examples
    --------
    >>> column_of([1, None], str), column_of([1, "two", None], str)
    (array([ 1., nan]), array(['1', 'two', ''], dtype=StringDType()))
    """
    known = [value for value in values if value is not None]
    whole = len(known) == len(values)
    if known and whole and all(isinstance(value, bool) for value in known):
        return np.array(values)
    if known and all(map(is_number, known)):
        small = whole and all(isinstance(value, int) and abs(value) < 2**63 for value in known)
        return np.array([np.nan if v is None else v for v in values], np.int64 if small else np.float64)
    return text_column(["" if value is None else as_cell(value) for value in values])


def is_number(value: Any) -> bool:
    """Whether a value is a number, which True is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


# ------------------------------------------------------------------------------------------- .npy and .npz


def read_npy(path: Path, options: ReadingOptions = PLAIN) -> Table:
    """Read a matrix, whose columns are named 0, 1, ..., or a structured array."""
    array = load_npy(path)
    if array.ndim == 1 and array.dtype.names:
        return array_table(path, {name: array[name] for name in array.dtype.names})
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(f"{path} holds an array of shape {array.shape}; a table has rows and columns.")
    return array_table(path, _split("", array))


def read_npz(path: Path, options: ReadingOptions = PLAIN) -> Table:
    """Read a matrix `X`, whose columns are named X0, X1, ..., and the arrays with one value per row of it."""
    whole = load_npz(path)
    X = whole.get("X")
    if X is None or X.ndim != 2 or X.shape[1] == 0:
        found = "none" if X is None else f"one of shape {X.shape}"
        raise ValueError(f"{path} needs a matrix X with a row per point; it holds {found}.")
    y = whole.get("y")
    if y is not None and y.shape != (len(X),):
        raise ValueError(
            f"{path}: y has the shape {y.shape}, but X has {len(X):,} rows; give one label per row."
        )
    beside = {n: a for n, a in whole.items() if a.shape == (len(X),) and not a.dtype.names}
    return array_table(path, _split("X", X) | beside, whole)


def _split(prefix: str, matrix: Any) -> dict[str, Any]:
    return {f"{prefix}{i}": matrix[:, i] for i in range(matrix.shape[1])}


def write_npy(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write a table and its new columns as one structured array."""
    columns = _savable(table, new)
    array = np.empty(table.n_rows, dtype=[(name, column.dtype) for name, column in columns.items()])
    for name, column in zip(array.dtype.names or (), columns.values(), strict=True):
        array[name] = column
    np.lib.format.write_array(file, array, allow_pickle=False)


def write_npz(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write the arrays a table came in, else one array per column, and its new columns."""
    arrays = _savable(table, new)
    if table.path.suffix.lower() == ".npz":
        arrays = {**table.stored, **{name: arrays[name] for name in new.by_name()}}
    with zipfile.ZipFile(file, "w") as archive:  # numpy.savez would refuse an array named "file"
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)


def _savable(table: Table, new: NewColumns) -> dict[str, Any]:
    """Columns as arrays that NumPy can save: numbers, or text of fixed width."""
    columns = {name: typed(column) for name, column in with_new_columns(table, new).items()}
    if new.like is not None:  # labels in the type of the given ones; none is -1, NaN or an empty text
        kind = typed(table.column(new.like)).dtype.kind
        none = {"i": "-1", "u": "-1", "f": "nan"}.get(kind, "")
        labels = np.where(new.label == "", text_column([none]), new.label)
        to = np.int64 if kind in "iu" else np.float64 if kind == "f" else TEXT
        columns["graphwell_label"] = labels.astype(to)
    return {name: np.array(c.tolist(), "U") if is_text(c) else c for name, c in columns.items()}


# ------------------------------------------------------------------------------------------- lines of JSON


def read_jsonl(path: Path, options: ReadingOptions = PLAIN) -> Table:
    r"""Read lines of JSON; a key that a row lacks is a missing cell.

    Lists of numbers that are equally long in every row become columns: ``x`` of two numbers x0 and x1. Other
    lists, and objects, stay as text.
    """
    size = path.stat().st_size
    check_fits(path, BYTES_PER_BYTE * size)
    records: list[dict[str, Any]] = []
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if text := line.strip().removeprefix(b"\xef\xbb\xbf"):
                records.append(_record(path, number, text))
                if len(records) % ROWS_AT_ONCE == 0:
                    options.progress("reading", min(1.0, file.tell() / size))
    columns: list[tuple[str, Any]] = []
    for key in dict.fromkeys(key for record in records for key in record):
        width = _width(key, records)
        for place in range(width):
            numbers = np.array([record[key][place] for record in records], dtype=np.float64)
            columns.append((f"{key}{place}", numbers))
        if not width:
            columns.append((key, column_of([record.get(key) for record in records], _as_cell)))
    if not columns:
        raise ValueError(f"{path} holds no objects with keys; a table has one JSON object a line.")
    refuse_twins(path, tuple(name for name, _ in columns))
    return array_table(path, dict(columns), records)


def write_jsonl(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write a table and its new columns; objects go back as they came, missing cells are null."""
    records = table.stored if table.path.suffix.lower() in (".jsonl", ".ndjson") else None
    added = {name: _json_values(column) for name, column in new.by_name().items()}
    if new.like is not None:
        like = _json_values(typed(table.column(new.like)))
        given = like if records is None else [record.get(new.like) for record in records]
        said = dict(zip(table.text(new.like).tolist(), given, strict=True))
        added["graphwell_label"] = [
            said[label] if said.get(label) is not None else label for label in added["graphwell_label"]
        ]
    cells = (dict(zip(added, row, strict=True)) for row in zip(*added.values(), strict=True))
    for record, further in zip(_old_records(table, records), cells, strict=True):
        kept = {key: value for key, value in record.items() if key not in NEW_NAMES}
        line = json.dumps({**kept, **further}, ensure_ascii=False)
        file.write(line.encode("utf-8", "backslashreplace") + b"\n")


def _record(path: Path, number: int, text: bytes) -> dict[str, Any]:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(f"{path}, line {number}: this is no JSON; each line holds one object.") from None
    if not isinstance(record, dict):
        kind = type(record).__name__.replace("NoneType", "null")
        raise ValueError(f"{path}, line {number}: a {kind}, where each line must hold one object.")
    return record


def _width(key: str, records: list[dict[str, Any]]) -> int:
    """Length of the lists of numbers under a key; 0 if there is anything else in any row."""
    first = records[0].get(key)
    if not isinstance(first, list) or not first:
        return 0
    same = all(
        isinstance(cell := record.get(key), list) and len(cell) == len(first) and all(map(is_number, cell))
        for record in records
    )
    return len(first) if same else 0


def _as_cell(value: Any) -> str:
    """A value as the text of a cell; surrogates, which no text can hold, become question marks."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode("utf-8")


def _old_records(table: Table, records: list[dict[str, Any]] | None) -> Iterator[dict[str, Any]]:
    if records is not None:
        yield from records
        return
    columns = {name: _json_values(typed(table.column(name))) for name in table.names}
    for row in zip(*columns.values(), strict=True):
        yield dict(zip(columns, row, strict=True))


def _json_values(column: Any) -> list[Any]:
    gone = is_missing(column) if not is_text(column) else np.asarray(column == "")
    return [None if empty else value for value, empty in zip(column.tolist(), gone.tolist(), strict=True)]


FORMAT = (
    TableFormat(name=".npy", suffixes=(".npy",), read=read_npy, write=write_npy, rank=3),
    TableFormat(name=".npz", suffixes=(".npz",), read=read_npz, write=write_npz, rank=4),
    TableFormat(
        name="JSON lines", suffixes=(".jsonl", ".ndjson"), read=read_jsonl, write=write_jsonl, rank=5
    ),
)
