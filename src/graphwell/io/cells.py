"""Tables in memory: a data frame, its cells as numbers or as text, and the columns that a fit adds."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwell._types import BoolArray, FloatArray
from graphwell.errors import Sentence

if TYPE_CHECKING:
    import pandas

TEXT = np.dtypes.StringDType()
"""The type of a column of text: variable length, 16 bytes a cell where it is short."""
EMPTY_CELLS = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null")
"""Cells of text that mean a missing value."""
SURELY_A_DECIMAL_COMMA = re.compile(r"^\s*[+-]?\d*,(\d{1,2}|\d{4,})\s*$|^\s*[+-]?0?,\d+\s*$")
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
NEW_NAMES = (
    "graphwell_label",
    "graphwell_score",
    "graphwell_reachable",
    "graphwell_given",
    "graphwell_bridged",
    "graphwell_status",
    "graphwell_suggested",
    "graphwell_given_score",
)
"""Columns that are added; `bridged` only if any row was, `status` only by the page of `graphwell label`, the
last two if given labels were checked."""


@dataclass(frozen=True, eq=False)
class Table:
    """A data frame, and what its format needs to write the file back as it was."""

    path: Path
    frame: "pandas.DataFrame" = field(repr=False)
    stored: Any = field(repr=False, default=None)  # kept by the format: a dialect, arrays of `.npz`, ...
    # Cells as they stand in a file of text, by name; empty for formats that have types.
    written: Mapping[str, Any] = field(repr=False, default_factory=dict)
    usual_features: tuple[str, ...] | None = None  # to compare rows by, where the user names none
    usual_affinity: Any = field(repr=False, default=None)  # a graph of the rows, used in the same case
    vectors: Any = field(repr=False, default=None)  # a data frame that rows are compared by instead
    groups: Any = field(repr=False, default=None)  # equal where rows are nearly equal by their vectors
    notes: tuple[Sentence, ...] = ()

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
    """The columns that are added to a table."""

    like: str | None  # the column of given labels, whose type the new ones take where the format has types
    label: Any  # text, empty where no label could be given
    score: FloatArray  # NaN there
    reachable: BoolArray
    given: BoolArray
    bridged: BoolArray | None = None  # where any row was bridged
    safe: bool = False  # put an apostrophe before cells of text that a spreadsheet would run
    status: Any = None  # text
    suggested: Any = None  # classes for given labels that the rest of the data contradicts, else empty
    given_score: Any = None  # out-of-fold probabilities of those labels, else NaN

    def by_name(self) -> dict[str, Any]:
        """Return the new columns by name."""
        columns = {name: getattr(self, name.removeprefix("graphwell_")) for name in NEW_NAMES}
        return {name: column for name, column in columns.items() if column is not None}


def table_of(
    path: Path, columns: Iterable[tuple[str, Any]], stored: Any = None, written: Any = None
) -> Table:
    """A table of named columns; one without rows, or with two columns of one name, is refused."""
    import pandas

    columns = list(columns)
    for name, count in Counter(name for name, _ in columns).items():
        if count > 1:
            raise ValueError(f"{path} has {count} columns named {name!r}; give each column its own name.")
    frame = pandas.DataFrame(dict(columns), copy=False)
    if len(frame) == 0:
        raise ValueError(f"{path} has a header but no rows; there is nothing to label.")
    return Table(path, frame, stored, written or {})


def labelled_columns(table: Table, new: NewColumns, given: Sequence[Any] | None = None) -> dict[str, Any]:
    """Columns of the data frame, then the new ones; those of an earlier run are replaced.

    Labels are as the `given` ones stand in the frame, or in the file: 1, 1.0 or "1".
    """
    import pandas

    columns = {name: table.frame[name] for name in table.names if name not in NEW_NAMES}
    for name, column in new.by_name().items():
        columns[name] = pandas.Series(words_of(column) if is_text(column) else column)
    if new.like is not None:
        given = table.frame[new.like].tolist() if given is None else given
        as_given = dict(zip(table.text(new.like).tolist(), given, strict=True)) | {"": None}
        labels = [as_given.get(label, label) for label in new.label.tolist()]
        columns["graphwell_label"] = pandas.Series(labels, dtype=object)
    return columns


# ------------------------------------------------------------------------------------------------- columns


def text_column(cells: Sequence[str]) -> Any:
    """Cells as a column of text."""
    return np.array(cells, dtype=TEXT)


def is_text(column: Any) -> bool:
    """Whether a column holds text rather than numbers."""
    return bool(column.dtype == TEXT)


def is_missing(column: Any) -> BoolArray:
    """Where the cells of a column are missing."""
    if is_text(column):
        return np.isin(np.strings.strip(column), text_column(EMPTY_CELLS))
    return np.isnan(column) if column.dtype.kind == "f" else np.zeros(len(column), dtype=bool)


def as_numbers(column: Any, decimal: str = ".") -> FloatArray | None:
    """Return a column as floating point numbers with NaN for missing cells; None if it is not numeric."""
    if not is_text(column):
        return column.astype(np.float64) if column.dtype.kind in "biuf" else None
    if bool((np.strings.find(column, "_") >= 0).any()):
        return None  # Python reads 1_000 as a number; in a table it is a name
    cells = np.where(is_missing(column), "nan", np.strings.strip(column))
    if decimal != ".":
        cells = np.strings.replace(cells, decimal, ".")
    try:
        return np.asarray(cells.astype(np.float64))
    except ValueError:
        return None


def as_text(column: Any) -> Any:
    """Return a column as text: whole numbers without a point, nothing where a cell is missing."""
    if is_text(column):
        return column
    if column.dtype.kind == "b":
        return np.where(column, text_column(["true"]), text_column(["false"]))
    text = column.astype(TEXT)
    if column.dtype.kind in "Mm":
        text[np.isnat(column)] = ""
    if column.dtype.kind == "f":
        column = column.astype(np.float64)
        whole = np.isfinite(column) & (column == np.rint(column)) & (np.abs(column) < 2**53)
        text[whole] = column[whole].astype(np.int64).astype(TEXT)
        text[np.isnan(column)] = ""
    return text


def is_formula(column: Any) -> BoolArray:
    """Where a spreadsheet would take a cell for a formula: text that begins as one, and is no number."""
    if not is_text(column):
        return np.zeros(len(column), dtype=bool)
    begins = np.logical_or.reduce([np.strings.startswith(column, sign) for sign in FORMULA_STARTS])
    for place in np.flatnonzero(begins):
        begins[place] = as_numbers(column[place : place + 1]) is None
    return np.asarray(begins)


# --------------------------------------------------------------------------------- columns of a data frame


def column_of_frame(cells: Any, decimal: str | None = None) -> Any:
    """A column of text as numbers where all of it is one, else as words of pandas, NaN where it is empty.

    Commas are decimal ones if one of them can be nothing else: 1,234 may be a thousand.
    """
    cells = np.strings.strip(cells)
    numbers = as_numbers(cells) if decimal != "," else None
    may_be = numbers is None and decimal != "." and np.strings.find(cells, ".").max(initial=-1) < 0
    if may_be and (decimal == "," or any(map(SURELY_A_DECIMAL_COMMA.search, cells.tolist()))):
        numbers = as_numbers(cells, ",")
    gone = is_missing(cells)
    # Numbers with a zero in front are names, such as the postcode 02139.
    names = np.strings.startswith(cells, "0") & np.strings.isdigit(cells) & (cells != "0")
    if numbers is None or gone.all() or not np.isfinite(numbers[~gone]).all() or names.any():
        return words_of(cells)
    whole = bool(np.strings.isdecimal(np.strings.lstrip(cells, "-")).all())
    return numbers.astype(np.int64) if whole and np.abs(numbers).max() < 2**53 else numbers


def words_of(column: Any) -> Any:
    """Text as objects of Python, NaN where it is empty; equal cells are one object."""
    known: dict[str, Any] = {"": np.nan}
    return np.fromiter((known.setdefault(cell, cell) for cell in column), object, len(column))


def cells_of(column: Any) -> Any:
    """A column of a data frame as numbers, booleans or text; missing cells are NaN or empty."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        return column.to_numpy()
    gone = column.isna().to_numpy()
    kind = getattr(column.dtype, "kind", "O")
    if kind in "biuf":  # numbers that may be missing
        if gone.any():
            return column.to_numpy(dtype=float, na_value=np.nan)
        return column.to_numpy().astype(kind)
    pairs = zip(column.tolist(), gone.tolist(), strict=True)
    return text_column(["" if empty else str(cell) for cell, empty in pairs])
