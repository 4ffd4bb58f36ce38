"""Text tables that are compressed: ``.csv.gz`` and its relatives."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from graphwell.errors import OptionError
from graphwell.io.tables.base import NewColumns, ReadingOptions, Table, TableFormat
from graphwell.io.tables.text import TextTable, read_text, write_text
from graphwell.memory import check_fits

PLAIN = ReadingOptions()
OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
BYTES_AT_ONCE = 1 << 20


def read_compressed(path: Path, options: ReadingOptions = PLAIN) -> TextTable:
    r"""Unpack a text table into a temporary file, and read that; nothing is believed about its size.

    Examples
    --------
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv.gz"
    ...     _ = path.write_bytes(gzip.compress(b"weight,pet\n4.5,cat\n"))
    ...     read_compressed(path).names
    ('weight', 'pet')
    """
    with TemporaryDirectory() as folder:
        plain = Path(folder) / path.stem  # without .gz, so that .tsv is known for what it is
        _unpack(path, plain)
        with _named(path, plain):
            return replace(read_text(plain, options), path=path)


def write_compressed(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write a table and its new columns as compressed text, in the dialect it came in."""
    opener = OPENERS[path.suffix.lower()]
    if opener is gzip.open:  # without the time of day: equal tables are equal files
        packed: Any = gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0)
    else:
        packed = opener(file, "wb")
    with packed:
        write_text(table, new, path.with_suffix(""), packed)


def _unpack(path: Path, plain: Path) -> None:
    """Unpack a file as long as what comes out would fit into memory."""
    size = 0
    try:
        with OPENERS[path.suffix.lower()](path, "rb") as packed, plain.open("wb") as file:
            while piece := packed.read(BYTES_AT_ONCE):
                size += len(piece)
                check_fits(path, size)
                file.write(piece)
    except (gzip.BadGzipFile, EOFError, zlib.error, lzma.LZMAError) as error:
        raise _damaged(path) from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise _damaged(path) from error  # bz2 has no error of its own


def _damaged(path: Path) -> ValueError:
    return ValueError(f"{path} cannot be unpacked: it is damaged, truncated or something else.")


@contextmanager
def _named(path: Path, plain: Path) -> Iterator[None]:
    """Errors name the file that the user knows."""
    try:
        yield
    except OptionError as error:
        values = [path if value == plain else value for value in error.sentence.values]
        raise OptionError(error.field, error.sentence.template, *values) from None
    except ValueError as error:
        raise ValueError(str(error).replace(str(plain), str(path))) from None


FORMAT = TableFormat(
    name="compressed CSV, TSV",
    suffixes=tuple(f"{kind}{packed}" for packed in OPENERS for kind in (".csv", ".tsv")),
    read=read_compressed,
    write=write_compressed,
    rank=8,
)
