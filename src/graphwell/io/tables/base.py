"""What a table is, whatever file it came from, and what a file that adds a format declares."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphwell._types import BoolArray, FloatArray
from graphwell.io.formats import FileFormat
from graphwell.progress import Progress, silent


@dataclass(frozen=True)
class Table(ABC):
    """Columns by name, all of one length; each file format has its own kind."""

    path: Path
    names: tuple[str, ...]
    n_rows: int

    @property
    def usual_features(self) -> tuple[str, ...] | None:
        """Columns to compare rows by where the user names none; None for all that say something."""
        return None

    @property
    def usual_affinity(self) -> Any:
        """Graph of the rows that is used where the user says nothing of how to compare them, or None."""
        return None

    @abstractmethod
    def column(self, name: str) -> Any:
        """Return a column as text (dtype `cells.TEXT`) or numbers; missing cells are empty or NaN."""

    def column_in_pieces(self, name: str) -> Iterator[Any]:
        """Return a column some rows at a time, where it need not be in memory as a whole."""
        yield self.column(name)


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


NEW_NAMES = (
    "graphwell_label",
    "graphwell_score",
    "graphwell_reachable",
    "graphwell_given",
    "graphwell_bridged",
)
"""The last is there only if any row was bridged."""


@dataclass(frozen=True)
class ReadingOptions:
    """What a reader may want to know; each takes what it needs.

    Attributes
    ----------
    delimiter, encoding : str, optional
        Of a text table; found by default.
    progress : callable
        Told how much of the file is read.
    """

    delimiter: str | None = None
    encoding: str | None = None
    progress: Progress = silent


@dataclass(frozen=True, kw_only=True)
class TableFormat(FileFormat):
    """A format of tables: a file of this folder declares one as ``FORMAT``.

    Attributes
    ----------
    read : callable
        Takes a path and `ReadingOptions`, returns a `Table`; ends with `check_table`.
    write : callable
        Takes a table, its new columns, the name of the output and an open file, or a new folder where the
        format is one.
    """

    read: Callable[[Path, ReadingOptions], Table]
    write: Callable[[Table, NewColumns, Path, Any], None]


def check_table(table: Table) -> None:
    """Refuse a table without rows, or with two columns of one name.

    Every reader ends with this.
    """
    twice = [name for name, count in Counter(table.names).items() if count > 1]
    if twice:
        raise ValueError(
            f"{table.path} has {Counter(table.names)[twice[0]]} columns named {twice[0]!r}; "
            "give each column its own name."
        )
    if table.n_rows == 0:
        raise ValueError(f"{table.path} has a header but no rows; there is nothing to label.")


def with_new_columns(table: Table, new: NewColumns) -> dict[str, Any]:
    """Return all columns of a table in order, then the new ones; those of an earlier run are replaced."""
    old = {name: table.column(name) for name in table.names if name not in NEW_NAMES}
    return {**old, **new.by_name()}
