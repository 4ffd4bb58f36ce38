"""Tables as lines of JSON: one object a row."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell.io.tables.arrays import column_of, is_number
from graphwell.io.tables.base import (
    NEW_NAMES,
    NewColumns,
    ReadingOptions,
    Table,
    TableFormat,
    check_table,
    with_new_columns,
)
from graphwell.io.tables.cells import as_text, is_missing, is_text, typed
from graphwell.memory import check_fits

PLAIN = ReadingOptions()
BYTES_PER_BYTE = 10
"""Memory that a byte of JSON takes once it is read, about: objects of short numbers take most."""
ROWS_AT_ONCE = 20_000


@dataclass(frozen=True)
class JsonTable(Table):
    """A table of JSON objects, kept as they came.

    Attributes
    ----------
    records : list of dict
    lists : dict
        Name of the key and place in its list, for columns that come from lists of numbers.
    """

    records: list[dict[str, Any]] = field(repr=False)
    lists: dict[str, tuple[str, int]] = field(repr=False)

    def column(self, name: str) -> Any:
        """Return a column as numbers where all cells are numbers, as text otherwise."""
        if name in self.lists:
            key, place = self.lists[name]
            return np.array([record[key][place] for record in self.records], dtype=np.float64)
        return column_of([record.get(name) for record in self.records], _as_cell)


def read_jsonl(path: Path, options: ReadingOptions = PLAIN) -> JsonTable:
    r"""Read lines of JSON; a key that a row lacks is a missing cell.

    Lists of numbers that are equally long in every row become columns: ``x`` of two numbers x0 and x1. Other
    lists, and objects, stay as text.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.jsonl"
    ...     _ = path.write_text('{"size": [4, 5.5], "pet": "cat"}\n{"size": [30, 1]}\n')
    ...     table = read_jsonl(path)
    >>> table.names, table.column("size1"), table.column("pet")
    (('size0', 'size1', 'pet'), array([5.5, 1. ]), array(['cat', ''], dtype=StringDType()))
    """
    size = path.stat().st_size
    check_fits(path, BYTES_PER_BYTE * size)
    records = []
    with path.open("rb") as file:
        for record in _records(path, file):
            records.append(record)
            if len(records) % ROWS_AT_ONCE == 0:
                options.progress("reading", min(1.0, file.tell() / size))
    keys = dict.fromkeys(key for record in records for key in record)
    lists: dict[str, tuple[str, int]] = {}
    names: list[str] = []
    for key in keys:
        width = _width(key, records)
        lists |= {f"{key}{place}": (key, place) for place in range(width)}
        names += [f"{key}{place}" for place in range(width)] or [key]
    if not names:
        raise ValueError(f"{path} holds no objects with keys; a table has one JSON object a line.")
    table = JsonTable(path, tuple(names), len(records), records, lists)
    check_table(table)
    return table


def write_jsonl(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write a table and its new columns; objects go back as they came, missing cells are null."""
    old = _old_records(table, new)
    added = {name: _json_values(column) for name, column in new.by_name().items()}
    given = {} if new.like is None else _given_labels(table, new.like)
    added["graphwell_label"] = [given.get(str(label), label) for label in added["graphwell_label"]]
    cells = (dict(zip(added, row, strict=True)) for row in zip(*added.values(), strict=True))
    for record, further in zip(old, cells, strict=True):
        line = json.dumps({**record, **further}, ensure_ascii=False)
        file.write(line.encode("utf-8", "backslashreplace") + b"\n")


def _records(path: Path, file: IO[bytes]) -> Iterator[dict[str, Any]]:
    """The objects of a file; empty lines do not count."""
    for number, line in enumerate(file, start=1):
        text = line.strip().removeprefix(b"\xef\xbb\xbf")
        if not text:
            continue
        try:
            record = json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError(f"{path}, line {number}: this is no JSON; each line holds one object.") from None
        if not isinstance(record, dict):
            kind = type(record).__name__.replace("NoneType", "null")
            raise ValueError(f"{path}, line {number}: a {kind}, where each line must hold one object.")
        yield record


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


def _old_records(table: Table, new: NewColumns) -> Iterator[dict[str, Any]]:
    if isinstance(table, JsonTable):
        for record in table.records:
            yield {key: value for key, value in record.items() if key not in NEW_NAMES}
        return
    columns = {name: _json_values(typed(column)) for name, column in with_new_columns(table, new).items()}
    old = {name: cells for name, cells in columns.items() if name not in NEW_NAMES}
    for row in zip(*old.values(), strict=True):
        yield dict(zip(old, row, strict=True))


def _given_labels(table: Table, like: str) -> dict[str, Any]:
    """The given labels as values of JSON, by their text."""
    if isinstance(table, JsonTable):
        values: list[Any] = [record.get(like) for record in table.records]
    else:
        values = _json_values(typed(table.column(like)))
    texts = as_text(table.column(like)).tolist()
    return {text: value for text, value in zip(texts, values, strict=True) if value is not None}


def _json_values(column: Any) -> list[Any]:
    gone = is_missing(column) if not is_text(column) else np.asarray(column == "")
    return [None if empty else value for value, empty in zip(column.tolist(), gone.tolist(), strict=True)]


FORMAT = TableFormat(
    name="JSON lines", suffixes=(".jsonl", ".ndjson"), read=read_jsonl, write=write_jsonl, rank=5
)
