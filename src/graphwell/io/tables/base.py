"""What a table is, whatever file it came from; reading and writing by the end of a file's name."""

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwell._types import BoolArray, FloatArray
from graphwell.io.files import check_input, folder_written_whole
from graphwell.io.formats import FileFormat, Formats
from graphwell.io.standard import STANDARD, written_out
from graphwell.io.tables.cells import as_text, cells_of
from graphwell.progress import Progress, silent

if TYPE_CHECKING:
    import pandas

NEW_NAMES = (
    "graphwell_label",
    "graphwell_score",
    "graphwell_reachable",
    "graphwell_given",
    "graphwell_bridged",
)
"""Columns that are added; the last is there only if any row was bridged."""


@dataclass(frozen=True, eq=False)
class Table:
    """A data frame, and what its format needs to write the file back as it was.

    Attributes
    ----------
    path : Path
    frame : pandas.DataFrame
    stored : object
        Kept by the format: a dialect, the arrays of a `.npz` file, ...
    written : mapping
        Cells as they stand in a file of text, by name; empty for formats that have types.
    usual_features : tuple of str, optional
        Columns to compare rows by where the user names none; None for all that say something.
    usual_affinity : sparse matrix, optional
        Graph of the rows that is used where the user says nothing of how to compare them.
    """

    path: Path
    frame: "pandas.DataFrame" = field(repr=False)
    stored: Any = field(repr=False, default=None)
    written: Mapping[str, Any] = field(repr=False, default_factory=dict)
    usual_features: tuple[str, ...] | None = None
    usual_affinity: Any = field(repr=False, default=None)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.frame.columns)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.frame)

    def column(self, name: str) -> Any:
        """Return a column as text, as it stands in the file, or as numbers; missing cells are "" or NaN."""
        return self.written[name] if name in self.written else cells_of(self.frame[name])

    def text(self, name: str) -> Any:
        """Return the cells of a column as text."""
        return as_text(self.column(name))


@dataclass(frozen=True)
class NewColumns:
    """What is added to every row of a table.

    Attributes
    ----------
    like : str, optional
        The column of the given labels, whose type the new labels take where the format has types; text
        without it.
    label : array of text
        Empty where no label could be given.
    score : array of float
        NaN where no label could be given.
    reachable, given : arrays of bool
    bridged : array of bool, optional
        Where any row was bridged.
    safe : bool
        Whether a text table gets an apostrophe before cells that a spreadsheet would run.
    """

    like: str | None
    label: Any
    score: FloatArray
    reachable: BoolArray
    given: BoolArray
    bridged: BoolArray | None = None
    safe: bool = False

    def by_name(self) -> dict[str, Any]:
        """Return the new columns by name."""
        columns = (self.label, self.score, self.reachable, self.given, self.bridged)
        named = zip(NEW_NAMES, columns, strict=True)
        return {name: column for name, column in named if column is not None}


@dataclass(frozen=True)
class ReadingOptions:
    """What a reader may want to know: delimiter, encoding and decimal mark of text, all found by default."""

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    progress: Progress = silent


@dataclass(frozen=True, kw_only=True)
class TableFormat(FileFormat):
    """A format of tables: a file of this folder declares one as ``FORMAT``, or several in a tuple.

    Attributes
    ----------
    read : callable
        Takes a path and `ReadingOptions`, returns a `Table`; ends with `checked`.
    write : callable
        Takes a table, its new columns, the name of the output and an open file, or a new folder where the
        format is one.
    """

    read: Callable[[Path, ReadingOptions], Table]
    write: Callable[[Table, NewColumns, Path, Any], None]


FORMATS: Formats[TableFormat] = Formats("graphwell.io.tables")
"""Every format of tables; a file of this folder adds one by declaring ``FORMAT = TableFormat(...)``."""


def read_table(
    path: str | Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    progress: Progress = silent,
) -> "pandas.DataFrame":
    r"""Read any table as a data frame of pandas, as `graphwell classify` reads it.

    The end of the name says which format: CSV and its relatives (compressed ones too), Parquet, Excel, JSON
    lines, ``.npy``, ``.npz`` and AnnData. Of text the delimiter, the encoding and the decimal mark are found;
    columns of numbers become numbers, unless a zero in front shows that they are names, as in 02139. Other
    cells stay as they are written; empty ones are missing.

    Parameters
    ----------
    path : str or Path
        ``-`` for a text table on standard input.
    delimiter, encoding : str, optional
        Of a text table.
    decimal : {".", ","}, optional
        Decimal mark of numbers in text.
    progress : callable
        Told how much of the file is read.

    Examples
    --------
    >>> import tempfile
    >>> import graphwell as gw
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("weight;pet\n4,5;cat\n30;\n")
    ...     frame = gw.read_table(path)
    >>> frame["weight"].tolist(), frame["pet"].isna().tolist()
    ([4.5, 30.0], [False, True])
    """
    return open_table(
        Path(path), delimiter=delimiter, encoding=encoding, decimal=decimal, progress=progress
    ).frame


def open_table(
    path: Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    progress: Progress = silent,
) -> Table:
    """Read a table as `read_table` does, and keep what is needed to write it back."""
    found = format_of(path, "table")
    if path != STANDARD:
        check_input(path, "table", folder=found.is_folder)
    progress("reading", None)
    return found.read(path, ReadingOptions(delimiter, encoding, decimal, progress))


def write_table(table: Table, new: NewColumns, path: Path, place: Any) -> None:
    """Write a table and its new columns in the format that `path` names, into what `opened_output` gave."""
    format_of(path, "output").write(table, new, path, place)


def opened_output(path: Path) -> AbstractContextManager[Any]:
    """Open what a table is written into, an open file or a new folder; it appears whole or not at all."""
    return folder_written_whole(path) if format_of(path, "output").is_folder else written_out(path)


def format_of(path: Path, field: str) -> TableFormat:
    """Return the format that a name asks for; that of text for ``-``."""
    return FORMATS.of(Path("table.csv") if path == STANDARD else path, field)


def checked(table: Table) -> Table:
    """Refuse a table without rows, or with two columns of one name."""
    refuse_twins(table.path, table.names)
    if table.n_rows == 0:
        raise ValueError(f"{table.path} has a header but no rows; there is nothing to label.")
    return table


def refuse_twins(path: Path, names: tuple[str, ...]) -> None:
    """Refuse two columns of one name."""
    for name, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"{path} has {count} columns named {name!r}; give each column its own name.")


def with_new_columns(table: Table, new: NewColumns) -> dict[str, Any]:
    """Return all columns of a table in order, then the new ones; those of an earlier run are replaced."""
    old = {name: table.column(name) for name in table.names if name not in NEW_NAMES}
    return {**old, **new.by_name()}
