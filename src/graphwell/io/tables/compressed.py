"""Text tables that are compressed: ``.csv.gz`` and its relatives."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from graphwell.io.standard import Source
from graphwell.io.tables.base import NewColumns, ReadingOptions, Table, TableFormat
from graphwell.io.tables.text import TextTable, read_source, write_text
from graphwell.memory import check_fits

PLAIN = ReadingOptions()
OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
BYTES_AT_ONCE = 1 << 20


def read_compressed(path: Path, options: ReadingOptions = PLAIN) -> TextTable:
    r"""Unpack a text table and read it; what it declares of its size is not believed.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv.gz"
    ...     _ = path.write_bytes(gzip.compress(b"weight,pet\n4.5,cat\n"))
    ...     read_compressed(path).names
    ('weight', 'pet')
    """
    return read_source(Source(path, _unpacked(path)), options)


def write_compressed(table: Table, new: NewColumns, path: Path, file: IO[bytes]) -> None:
    """Write a table and its new columns as compressed text, in the dialect it came in."""
    opener = OPENERS[path.suffix.lower()]
    if opener is gzip.open:  # without the time of day: equal tables are equal files
        packed: Any = gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0)
    else:
        packed = opener(file, "wb")
    with packed:
        write_text(table, new, path.with_suffix(""), packed)


def _unpacked(path: Path) -> bytes:
    """What is in a file, as long as it fits into memory."""
    pieces, size = [], 0
    try:
        with OPENERS[path.suffix.lower()](path, "rb") as packed:
            while piece := packed.read(BYTES_AT_ONCE):
                pieces.append(piece)
                size += len(piece)
                check_fits(path, 2 * size)  # the pieces, and all of them together
    except (gzip.BadGzipFile, EOFError, zlib.error, lzma.LZMAError) as error:
        raise _damaged(path) from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise _damaged(path) from error  # bz2 has no error of its own
    return b"".join(pieces)


def _damaged(path: Path) -> ValueError:
    return ValueError(f"{path} cannot be unpacked: it is damaged, truncated or something else.")


FORMAT = TableFormat(
    name="compressed CSV, TSV",
    suffixes=tuple(f"{kind}{packed}" for packed in OPENERS for kind in (".csv", ".tsv")),
    read=read_compressed,
    write=write_compressed,
    rank=8,
)
