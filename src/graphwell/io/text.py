"""CSV, TSV and their relatives, packed or not: how they are written is found, cells go back as they came.

The reader is Python's own: pandas takes a short row for one with empty cells, and a truncated file must be
refused. Cells become columns of NumPy's text some rows at a time: 60,000 rows of 14 columns take 53 MB with
their numbers, where objects of pandas alone take 75.
"""

import bz2
import codecs
import csv
import gzip
import io
import lzma
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell.errors import OptionError, Sentence, warn_user
from graphwell.io.cells import (
    NEW_NAMES,
    NewColumns,
    Table,
    as_text,
    column_of_frame,
    is_formula,
    table_of,
    text_column,
)
from graphwell.io.files import STANDARD, decoding
from graphwell.memory import check_fits, check_unpacked
from graphwell.progress import Progress, silent

DELIMITERS = (",", ";", "\t", "|")
SUFFIXES, TAB_SUFFIXES = (".csv", ".tsv", ".tab", ".txt"), (".tsv", ".tab")
OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
PACKED_SUFFIXES = tuple(f"{kind}{packed}" for packed in OPENERS for kind in (".csv", ".tsv"))
BYTE_ORDER_MARKS = {  # UTF-32 before UTF-16, whose mark it begins with
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive (.npz or a spreadsheet)",
    b"PAR1": "a Parquet file",
    b"\x93NUMPY": "a .npy file",
    b"\x1f\x8b": "a gzip archive",
    b"\x89PNG": "a PNG picture",
    b"%PDF": "a PDF document",
    b"<!DOCTYPE": "a page of the web",
    b"<html": "a page of the web",
    b"[{": "JSON, of which one object a line (.jsonl) is read",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet; save it as .xlsx",
}
PROBE = "".join(map(chr, range(32, 127))) + ".\r\n\t" * 30  # what every encoding of a table can hold
OF_EXCEL = re.compile("sep=(.)\r?\n", re.IGNORECASE)
FRACTION, NAMES_SHOWN = re.compile(r"-?\d+[.,]\d+"), 5
SAMPLE_BYTES, SAMPLE_ROWS = 1 << 16, 100
ROWS_AT_ONCE, BYTES_AT_ONCE = 20_000, 1 << 20
BYTES_PER_CELL = 16 + 8  # a cell of text, and the number in it
LONGEST_CELL = 10_000_000  # a book has a million characters
SCORE_DIGITS = 4


@dataclass(frozen=True)
class Reading:
    """How a table of text is read: delimiter, encoding and decimal mark, all found by default."""

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    progress: Progress = silent


@dataclass(frozen=True)
class Dialect:
    """How a table of text was written; kept for writing."""

    delimiter: str = ","
    encoding: str = "utf-8"
    newline: str = "\n"
    decimal: str = "."


def read_text(path: Path, options: Reading) -> Table:
    """Read a table of text, from standard input if its name is ``-``, unpacked if its name says so."""
    delimiter = "\t" if options.delimiter in ("tab", "\\t") else options.delimiter
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n\0'):
        problem = "{field} must be one character, or the word tab; got {!r}."
        raise OptionError("delimiter", problem, delimiter)
    name = Path("standard input") if path == STANDARD else path
    with _opened(path) as file:
        sample = file.read(SAMPLE_BYTES)
        if not sample:
            raise ValueError(f"{name} is empty.")
        for encoding in _encodings(name, sample, options.encoding):
            with suppress(UnicodeError):
                return _read(name, file, delimiter, encoding, options)
    expected = options.encoding or "UTF-8 or Windows-1252"
    raise OptionError("encoding", "{} is not written in {}; give its {field}.", name, expected)


def _opened(path: Path) -> IO[bytes]:
    """A file at its beginning; what is packed or comes from standard input is held in memory, if it fits."""
    if path == STANDARD:
        if sys.stdin is None:
            raise OptionError("table", "{field} -: there is no standard input; give the name of a file.")
        return _in_memory("standard input", sys.stdin.buffer)
    opener = OPENERS.get(path.suffix.lower())
    if opener is None:
        return path.open("rb")
    with decoding(path, "a packed table"), opener(path, "rb") as packed:
        return _in_memory(path, packed, path.stat().st_size)


def _in_memory(name: object, file: Any, n_packed: float = math.inf) -> IO[bytes]:
    """All bytes of a stream, whose size nobody knows before."""
    held = io.BytesIO()
    while piece := file.read(BYTES_AT_ONCE):
        held.write(piece)
        check_unpacked(name, n_packed, held.tell())
        check_fits(name, 2 * held.tell())  # a buffer that grows is copied
    held.seek(0)
    return held


def _encodings(path: Path, sample: bytes, given: str | None) -> tuple[str, ...]:
    """Encodings to try, after refusing what is no text at all."""
    if given is not None:
        with suppress(LookupError, UnicodeError, ValueError):  # idna and its like are no encodings of tables
            if PROBE.encode(given).decode(given) == PROBE:
                return (given,)
        problem = "{field} {} is not known; utf-8, cp1252 and utf-16 are."
        raise OptionError("encoding", problem, given)
    for magic, name in OTHER_FORMATS.items():
        if sample.startswith(magic):
            raise ValueError(f"{path} is not a text table: it looks like {name}.")
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if sample.startswith(mark):
            return (encoding,)
    if b"\0" in sample:
        problem = "{} is not a text table, or in an unusual {field}: it holds zero bytes."
        raise OptionError("encoding", problem, path)
    return ("utf-8", "cp1252")


def _read(path: Path, binary: IO[bytes], delimiter: str | None, encoding: str, options: Reading) -> Table:
    size = binary.seek(0, io.SEEK_END)
    binary.seek(0)
    file = io.TextIOWrapper(binary, encoding=encoding, newline="")
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        sample = file.read(SAMPLE_BYTES)
        file.seek(0)
        told = OF_EXCEL.match(sample)
        if told is not None:  # a line for Excel, which says the delimiter
            file.readline()
            delimiter, sample = delimiter or told[1], sample[told.end() :]
        delimiter = delimiter or _find_delimiter(sample, len(sample) < SAMPLE_BYTES, path)
        cells = (sample.count(delimiter) + sample.count("\n") + 1) / max(1, len(sample)) * size
        check_fits(path, size + BYTES_PER_CELL * cells)
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        try:
            rows = _rows(path, reader, 0 if told is None else 1)
            header = [name.strip() for name in next(rows, [])]
            if not header:
                raise ValueError(f"{path} holds nothing but empty lines.")
            parts: list[list[Any]] = [[text_column([])] for _ in header]
            while block := list(islice(rows, ROWS_AT_ONCE)):
                for of_column, column in zip(parts, zip(*block, strict=True), strict=True):
                    of_column.append(text_column(column))
                options.progress("reading", min(1.0, binary.tell() / max(1, size)))
        except csv.Error as error:
            reason = "a quotation mark is never closed" if str(error) == "unexpected end of data" else error
            raise ValueError(f"{path}, line {reader.line_num}: {reason}.") from None
    finally:
        csv.field_size_limit(before)
        file.detach()  # else it would be closed, and another encoding could not be tried
    columns = zip(header, map(np.concatenate, parts), strict=True)
    # Spreadsheets are exported with empty columns behind the others.
    named = [(name, column) for name, column in columns if name or bool((column != "").any())]
    made, has_commas = [], False
    for name, as_written in named:
        made.append((name, column_of_frame(as_written, options.decimal)))
        has_commas |= made[-1][1].dtype.kind == "f" and np.strings.find(as_written, ",").max(initial=-1) >= 0
    decimal = options.decimal or ("," if has_commas else ".")
    dialect = Dialect(delimiter, encoding, "\r\n" if "\r\n" in sample else "\n", decimal)
    found = table_of(path, made, dialect, dict(named))
    if any(FRACTION.fullmatch(name) for name in header):
        text = "The columns of {} are called {}: if its first line is a row, put a line of names above it."
        warn_user(Sentence(text, (path.name, ", ".join(header[:NAMES_SHOWN]))))
    return found


def _rows(path: Path, reader: Any, skipped: int) -> Iterator[list[str]]:
    """Rows as wide as the header, which is the first; empty lines do not count."""
    width = 0
    for row in filter(None, reader):
        width = width or len(row)
        if len(row) != width:
            problem = "{}, line {}: {} cells where the header has {}; "
            problem += (
                "remove what stands above the line with the names of the columns, or give its {field}."
                if width == 1
                else "the file is truncated, or its {field} is another."
            )
            line = reader.line_num + skipped
            raise OptionError("delimiter", problem, path, line, len(row), width)
        yield row


def _find_delimiter(sample: str, whole: bool, path: Path) -> str:
    """Choose the delimiter that cuts the first rows into the most cells, the same number in each."""
    preferred = "\t" if path.suffix.lower() in TAB_SUFFIXES else ","
    best, most = preferred, 1
    for delimiter in sorted(DELIMITERS, key=lambda candidate: candidate != preferred):
        reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
        widths: list[int] = []
        with suppress(csv.Error):
            widths = [len(row) for row in islice(reader, SAMPLE_ROWS) if row]
        if not whole and len(widths) < SAMPLE_ROWS:
            widths = widths[:-1]  # the end of the sample may have cut it
        if len(set(widths)) == 1 and widths[0] > most:
            best, most = delimiter, widths[0]
    if most > 1:
        return best
    header = sample.lstrip("\r\n").partition("\n")[0]
    return max((preferred, *DELIMITERS), key=header.count)


# ------------------------------------------------------------------------------------------------- writing


def write_text(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write a table and its new columns as text, in the dialect it came in, packed if the name says so."""
    decimal = table.stored.decimal if isinstance(table.stored, Dialect) else "."
    columns = {name: table.column(name) for name in table.names if name not in NEW_NAMES} | new.by_name()
    for name, score in (("graphwell_score", new.score), ("graphwell_given_score", new.given_score)):
        if score is not None:
            columns[name] = np.strings.replace(as_text(np.round(score, SCORE_DIGITS)), ".", decimal)
    opener = OPENERS.get(path.suffix.lower())
    if opener is None:
        write_cells(columns, table, path, file, safe=new.safe)
        return
    # Without the time of day in .gz: equal tables are equal files.
    in_gzip = opener is gzip.open
    packed: Any = gzip.GzipFile("", "wb", fileobj=file, mtime=0) if in_gzip else opener(file, "wb")
    with packed:
        write_cells(columns, table, path.with_suffix(""), packed, safe=new.safe)


def write_cells(
    columns: Mapping[str, Any], like: Table, path: Path, file: IO[bytes], *, safe: bool = False
) -> None:
    """Write columns of one length as text, in the dialect of a table.

    If asked, an apostrophe stands before what a spreadsheet would run; it shows the rest.
    """
    dialect = like.stored if isinstance(like.stored, Dialect) else Dialect()
    delimiter, suffix = dialect.delimiter, path.suffix.lower()
    if suffix in TAB_SUFFIXES or (suffix == ".csv" and delimiter == "\t"):  # as the name promises
        delimiter = "\t" if suffix in TAB_SUFFIXES else ","
    names, cells = text_column(list(columns)), [as_text(column) for column in columns.values()]
    if safe:
        names, *cells = (np.where(is_formula(c), np.strings.add("'", c), c) for c in (names, *cells))
    stream = io.TextIOWrapper(file, encoding=dialect.encoding, newline="")
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=dialect.newline)
    writer.writerow(names.tolist())
    for first in range(0, len(cells[0]), ROWS_AT_ONCE):
        writer.writerows(zip(*(c[first : first + ROWS_AT_ONCE].tolist() for c in cells), strict=True))
    stream.flush()
    stream.detach()


def check_text_name(path: Path, field: str) -> None:
    """Refuse the name of a file for text that promises another format."""
    if path != STANDARD and path.suffix.lower() not in SUFFIXES:
        problem = "{field} {}: this is written as text; the name must end in {}."
        raise OptionError(field, problem, path, " or ".join(SUFFIXES))
