"""CSV, TSV and their relatives, packed or not: how they are written is found, cells go back as they came."""

import bz2
import codecs
import csv
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell.errors import OptionError
from graphwell.io.standard import STANDARD, Source, source_of
from graphwell.io.tables.base import (
    NewColumns,
    ReadingOptions,
    Table,
    TableFormat,
    checked,
    refuse_twins,
    with_new_columns,
)
from graphwell.io.tables.cells import as_text, frame_of, harmless, text_column
from graphwell.memory import check_fits
from graphwell.progress import Progress

DELIMITERS = (",", ";", "\t", "|")
TAB_SUFFIXES = (".tsv", ".tab")
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
}
SAMPLE_BYTES = 1 << 16
SAMPLE_ROWS = 100
ROWS_AT_ONCE = 20_000
BYTES_AT_ONCE = 1 << 20
SCORE_DIGITS = 4
BYTES_PER_CELL = 16 + 8
"""A cell of text, and the number in it."""
_PROBE = "".join(map(chr, range(32, 127))) + ".\r\n\t" * 30
"""What every encoding of a table can hold."""
PLAIN = ReadingOptions()


@dataclass(frozen=True)
class Dialect:
    """How a text table is written down."""

    delimiter: str = ","
    encoding: str = "utf-8"
    newline: str = "\n"
    decimal: str = "."


def read_text(path: Path, options: ReadingOptions = PLAIN) -> Table:
    r"""Read a text table with a header.

    Parameters
    ----------
    path : Path
        ``-`` for standard input.
    options : ReadingOptions
        The delimiter is found by default: the one of ``, ; tab |`` that cuts the first rows into equally many
        cells. So is the encoding: a byte order mark, else UTF-8, else Windows-1252.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("weight;pet\n4.5;cat\n30;dog\n")
    ...     table = read_text(path)
    >>> table.names, table.n_rows, table.stored.delimiter
    (('weight', 'pet'), 2, ';')
    """
    return read_source(source_of(path), options)


def read_source(source: Source, options: ReadingOptions = PLAIN) -> Table:
    """Read a text table from a file, or from bytes that came another way."""
    delimiter = "\t" if options.delimiter in ("tab", "\\t") else options.delimiter
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n\0'):
        problem = "{field} must be one character, or the word tab; got {!r}."
        raise OptionError("delimiter", problem, delimiter)
    with source.open() as file:
        sample = file.read(SAMPLE_BYTES)
    if not sample:
        raise ValueError(f"{source} is empty.")
    for tried in _encodings(source.path, sample, options.encoding):
        try:
            return _read(source, delimiter, tried, options)
        except UnicodeError:
            continue
    expected = options.encoding or "UTF-8 or Windows-1252"
    raise OptionError("encoding", "{} is not written in {}; give its {field}.", source, expected)


def write_text(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write a table and its new columns as text, in the dialect it came in."""
    decimal = table.stored.decimal if isinstance(table.stored, Dialect) else "."
    score = as_text(np.round(new.score, SCORE_DIGITS))
    columns = with_new_columns(table, new) | {"graphwell_score": np.strings.replace(score, ".", decimal)}
    write_cells(columns, table, path, file, safe=new.safe)


def write_cells(
    columns: Mapping[str, Any], like: Table, path: Path, file: IO[bytes], *, safe: bool = False
) -> None:
    """Write columns of one length as text, in the dialect of a table; defused for spreadsheets if asked."""
    dialect = like.stored if isinstance(like.stored, Dialect) else Dialect()
    cells = {name: as_text(column) for name, column in columns.items()}
    if safe:
        cells = {harmless(text_column([name]))[0]: harmless(column) for name, column in cells.items()}
    stream = io.TextIOWrapper(file, encoding=dialect.encoding, newline="")
    writer = csv.writer(stream, delimiter=_delimiter_for(path, dialect), lineterminator=dialect.newline)
    writer.writerow(cells)
    for first in range(0, len(next(iter(cells.values()))), ROWS_AT_ONCE):
        block = (column[first : first + ROWS_AT_ONCE].tolist() for column in cells.values())
        writer.writerows(zip(*block, strict=True))
    stream.flush()
    stream.detach()


def check_text_name(path: Path, field: str) -> None:
    """Refuse the name of a file for text that promises another format."""
    if path != STANDARD and path.suffix.lower() not in PLAIN_TEXT.suffixes:
        problem = "{field} {}: this is written as text; the name must end in {}."
        raise OptionError(field, problem, path, " or ".join(PLAIN_TEXT.suffixes))


def _delimiter_for(path: Path, dialect: Dialect) -> str:
    """The delimiter that the name of the file promises, else the one the table came with."""
    if path.suffix.lower() in TAB_SUFFIXES:
        return "\t"
    return "," if path.suffix.lower() == ".csv" and dialect.delimiter == "\t" else dialect.delimiter


def _encodings(path: Path, sample: bytes, given: str | None) -> tuple[str, ...]:
    """Encodings to try, after refusing what is no text at all."""
    if given is not None:
        try:
            known = _PROBE.encode(given).decode(given) == _PROBE
        except (LookupError, UnicodeError, ValueError):  # idna and its like are no encodings of tables
            known = False
        if not known:
            problem = "{field} {} is not known; utf-8, cp1252 and utf-16 are."
            raise OptionError("encoding", problem, given)
        return (given,)
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


def _read(source: Source, delimiter: str | None, encoding: str, options: ReadingOptions) -> Table:
    path = source.path
    with source.open() as binary, io.TextIOWrapper(binary, encoding=encoding, newline="") as file:
        sample = file.read(SAMPLE_BYTES)
        delimiter = delimiter or _find_delimiter(sample, len(sample) < SAMPLE_BYTES, path)
        _check_fits(source, sample, delimiter)
        file.seek(0)
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        try:
            names, columns = _columns(path, reader, _told(binary, source.size, options.progress))
        except csv.Error as error:
            reason = "a quotation mark is never closed" if str(error) == "unexpected end of data" else error
            raise ValueError(f"{path}, line {reader.line_num}: {reason}.") from None
    refuse_twins(path, names)
    written = dict(zip(names, columns, strict=True))
    frame = frame_of(written, options.decimal)
    commas = [
        np.strings.find(written[name], ",").max(initial=-1) >= 0
        for name in names
        if frame[name].dtype.kind == "f"
    ]
    decimal = options.decimal or ("," if any(commas) else ".")
    dialect = Dialect(delimiter, encoding, "\r\n" if "\r\n" in sample else "\n", decimal)
    return checked(Table(path, frame, dialect, written))


def _check_fits(source: Source, sample: str, delimiter: str) -> None:
    """Refuse a table whose cells would not fit into memory, as a sample of them tells."""
    size = source.size
    cells = (sample.count(delimiter) + sample.count("\n") + 1) / max(1, len(sample)) * size
    check_fits(source, size + BYTES_PER_CELL * cells)


def _columns(path: Path, reader: Any, tell: Callable[[], object]) -> tuple[tuple[str, ...], list[Any]]:
    """Names and columns; empty lines do not count."""
    rows = (row for row in reader if row)
    header = next(rows, None)
    if header is None:
        raise ValueError(f"{path} holds nothing but empty lines.")
    parts: list[list[Any]] = [[text_column([])] for _ in header]
    even = _of_width(len(header), rows, reader, path)
    while block := list(islice(even, ROWS_AT_ONCE)):
        for part, cells in zip(parts, zip(*block, strict=True), strict=True):
            part.append(text_column(cells))
        tell()
    return tuple(name.strip() for name in header), [np.concatenate(part) for part in parts]


def _told(file: IO[bytes], size: int, progress: Progress) -> Callable[[], object]:
    return lambda: progress("reading", min(1.0, file.tell() / size))


def _of_width(width: int, rows: Iterable[list[str]], reader: Any, path: Path) -> Iterator[list[str]]:
    for row in rows:
        if len(row) != width:
            problem = (
                "{}, line {}: {} cells where the header has {}; "
                "the file is truncated, or its {field} is another."
            )
            raise OptionError("delimiter", problem, path, reader.line_num, len(row), width)
        yield row


def _find_delimiter(sample: str, whole: bool, path: Path) -> str:
    """Choose the delimiter that cuts the first rows into the most cells, the same number in each."""
    preferred = "\t" if path.suffix.lower() in TAB_SUFFIXES else ","
    best, most = preferred, 1
    for delimiter in sorted(DELIMITERS, key=lambda candidate: candidate != preferred):
        widths = _widths(sample, delimiter, whole)
        if len(set(widths)) == 1 and widths[0] > most:
            best, most = delimiter, widths[0]
    if most > 1:
        return best
    header = sample.lstrip("\r\n").partition("\n")[0]
    return max((preferred, *DELIMITERS), key=header.count)


def _widths(sample: str, delimiter: str, whole: bool) -> list[int]:
    """Number of cells of the first rows, without the one that the end of the sample may have cut."""
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    try:
        widths = [len(row) for row in islice(reader, SAMPLE_ROWS) if row]
    except csv.Error:
        return []
    return widths if whole or len(widths) == SAMPLE_ROWS else widths[:-1]


OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


def read_packed(path: Path, options: ReadingOptions = PLAIN) -> Table:
    """Unpack a text table and read it; what it declares of its size is not believed."""
    pieces, size = [], 0
    try:
        with OPENERS[path.suffix.lower()](path, "rb") as packed:
            while piece := packed.read(BYTES_AT_ONCE):
                pieces.append(piece)
                size += len(piece)
                check_fits(path, 2 * size)  # the pieces, and all of them together
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # bz2 has no error of its own
            raise
        raise ValueError(f"{path} cannot be unpacked: it is damaged, truncated or something else.") from error
    return read_source(Source(path, b"".join(pieces)), options)


def write_packed(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write a table and its new columns as compressed text, in the dialect it came in."""
    opener = OPENERS[path.suffix.lower()]
    if opener is gzip.open:  # without the time of day: equal tables are equal files
        packed: Any = gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0)
    else:
        packed = opener(file, "wb")
    with packed:
        write_text(table, new, path.with_suffix(""), packed)


PLAIN_TEXT = TableFormat(
    name="CSV, TSV", suffixes=(".csv", ".tsv", ".tab", ".txt"), read=read_text, write=write_text, rank=1
)
PACKED_TEXT = TableFormat(
    name="compressed CSV, TSV",
    suffixes=tuple(f"{kind}{packed}" for packed in OPENERS for kind in (".csv", ".tsv")),
    read=read_packed,
    write=write_packed,
    rank=8,
)
FORMAT = (PLAIN_TEXT, PACKED_TEXT)
