"""Which reader and which writer the name of a table asks for."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from graphwell.io.files import check_input, folder_written_whole
from graphwell.io.formats import Formats
from graphwell.io.standard import STANDARD, written_out
from graphwell.io.tables.base import NewColumns, ReadingOptions, Table, TableFormat
from graphwell.progress import Progress, silent

FORMATS: Formats[TableFormat] = Formats("graphwell.io.tables")
"""Every format of tables; a file of this folder adds one by declaring ``FORMAT = TableFormat(...)``."""


def read_table(
    path: Path, *, delimiter: str | None = None, encoding: str | None = None, progress: Progress = silent
) -> Table:
    r"""Read the table in a file, by the end of its name.

    Parameters
    ----------
    path : Path
        ``-`` for a text table on standard input.
    delimiter, encoding : str, optional
        Of a text table; found by default.
    progress : callable
        Told how much of a text table is read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.tsv"
    ...     _ = path.write_text("weight\tpet\n4.5\tcat\n")
    ...     read_table(path).column("pet")
    array(['cat'], dtype=StringDType())
    """
    found = format_of(path, "table")
    if path != STANDARD:
        check_input(path, "table", folder=found.is_folder)
    progress("reading", None)
    return found.read(path, ReadingOptions(delimiter, encoding, progress))


def write_table(table: Table, new: NewColumns, path: Path, place: Any) -> None:
    """Write a table and its new columns in the format that `path` names, into what `opened_output` gave."""
    format_of(path, "output").write(table, new, path, place)


def opened_output(path: Path) -> AbstractContextManager[Any]:
    """Open what a table is written into, an open file or a new folder; it appears whole or not at all."""
    return folder_written_whole(path) if format_of(path, "output").is_folder else written_out(path)


def format_of(path: Path, field: str) -> TableFormat:
    """Return the format that a name asks for; that of text for ``-``.

    Examples
    --------
    >>> format_of(Path("-"), "table").name
    'CSV, TSV'
    """
    return FORMATS.of(Path("table.csv") if path == STANDARD else path, field)
