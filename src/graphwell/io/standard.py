"""Standard input and output as files: ``-`` in place of a name."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from graphwell.errors import OptionError
from graphwell.io.files import written_whole
from graphwell.memory import check_fits

STANDARD = Path("-")
NAME = Path("standard input")
"""Its name in reports and sentences."""
BYTES_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Source:
    """Bytes that can be read more than once: those of a file, or all that standard input gave.

    Attributes
    ----------
    path : Path
        As sentences name it.
    content : bytes, optional
        None for a file.
    """

    path: Path
    content: bytes | None = None

    def __str__(self) -> str:
        return str(self.path)

    @property
    def size(self) -> int:
        """Number of bytes."""
        return self.path.stat().st_size if self.content is None else len(self.content)

    def open(self) -> IO[bytes]:
        """Open it at its beginning."""
        return self.path.open("rb") if self.content is None else io.BytesIO(self.content)


def source_of(path: Path) -> Source:
    """The source behind a name; standard input is read to its end, if it fits into memory.

    Examples
    --------
    >>> source_of(Path("pets.csv"))
    Source(path=...('pets.csv'), content=None)
    """
    if path != STANDARD:
        return Source(path)
    if sys.stdin is None:
        raise OptionError("table", "{field} -: there is no standard input; give the name of a file.")
    pieces, size = [], 0
    while piece := sys.stdin.buffer.read(BYTES_AT_ONCE):
        pieces.append(piece)
        size += len(piece)
        check_fits(NAME, 2 * size)  # the pieces, and all of them together
    return Source(NAME, b"".join(pieces))


@contextmanager
def written_out(path: Path) -> Iterator[IO[bytes]]:
    """Like `written_whole`; what goes to standard output is held back until everything has been written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written_out(Path(folder) / "labels.csv") as file:
    ...         _ = file.write(b"label")
    ...     (Path(folder) / "labels.csv").read_text()
    'label'
    """
    if path != STANDARD:
        with written_whole(path) as file:
            yield file
        return
    held = io.BytesIO()
    yield held
    sys.stdout.buffer.write(held.getbuffer())
    sys.stdout.buffer.flush()


def check_standard_output(field: str) -> None:
    """Refuse a standard output that is closed."""
    if sys.stdout is None:
        raise OptionError(field, "{field} -: there is no standard output; give the name of a file.")
