"""The kinds of columns, wherever the table came from: numbers, yes or no, categories, texts, dates."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from numbers import Number
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray
from graphwell._unknown import says_nothing
from graphwell.encoders.written import NO_TIME, read_dates, read_numbers
from graphwell.io.tables.cells import EMPTY_CELLS, TEXT, as_numbers, as_text, is_missing, is_text, text_column

SAY_NOTHING = text_column([*EMPTY_CELLS, "?", "None", "none", "na", "NaT"])
FRAMES = {"pandas": ("DataFrame",), "polars": ("DataFrame",), "pyarrow": ("Table", "RecordBatch")}
CATEGORICAL = ("category", "categorical", "enum", "dictionary")
"""How the types of categories begin in pandas, polars and Arrow."""
NUMERIC = ("int", "uint", "float", "double", "halffloat")
"""How the types of numbers begin in polars and Arrow."""


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a column.

    Attributes
    ----------
    values : array
        Text, numbers (NaN where missing), booleans, or ``datetime64`` (NaT where missing).
    declared : str, optional
        "category" or "boolean" where the type of the column says so.
    """

    values: Any = field(repr=False)
    declared: str | None = None

    @cached_property
    def missing(self) -> BoolArray:
        """Where a cell says nothing."""
        if is_text(self.values):
            return np.isin(self.text, SAY_NOTHING)
        if self.values.dtype.kind == "M":
            return np.isnat(self.values)
        return is_missing(self.values)

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


def is_frame(X: Any) -> bool:
    """Whether something is a data frame: of pandas, polars or Arrow.

    Examples
    --------
    >>> is_frame(np.eye(2))
    False
    """
    library = type(X).__module__.partition(".")[0]
    return any(cls.__name__ in FRAMES.get(library, ()) for cls in type(X).__mro__)


def column_names(X: Any) -> tuple[str, ...]:
    """Names of the columns of a frame or a mapping, in order."""
    names: Any = X.keys() if isinstance(X, Mapping) else getattr(X, "column_names", None) or X.columns
    if getattr(names, "nlevels", 1) > 1:
        raise ValueError(
            f"X has column names of {names.nlevels} levels; join them to one name each, as in "
            "X.columns = ['_'.join(map(str, name)) for name in X.columns]."
        )
    found = tuple(str(name) for name in names)
    twice = (
        next((name for name in found if found.count(name) > 1), None)
        if len(set(found)) < len(found)
        else None
    )
    if twice is not None:
        raise ValueError(f"X has several columns named {twice!r}; give each column its own name.")
    return found


class ColumnCells(Mapping[str, Cells]):
    """Cells of a data frame, or of a mapping from names to arrays; a column is read when it is asked for.

    Numbers are read anew each time, which costs little, so that a table of them is never in memory twice.
    Whatever takes long to read is kept.

    Parameters
    ----------
    X : data frame, or mapping

    Examples
    --------
    >>> cells = ColumnCells({"size": np.array([1.0, 2.0]), "kind": ["a", None]})
    >>> cells["kind"].text, cells["kind"].missing
    (array(['a', ''], dtype=StringDType()), array([False,  True]))
    """

    def __init__(self, X: Any) -> None:
        keys = tuple(X) if isinstance(X, Mapping) else range(len(column_names(X)))
        self._keys = dict(zip(column_names(X), keys, strict=True))
        self._source = X
        self._kept: dict[str, Cells] = {}

    def __getitem__(self, name: str) -> Cells:
        if name in self._kept:
            return self._kept[name]
        column = _column(self._source, self._keys[name])
        cells = _cells(name, column)
        if not _is_numeric(column):
            self._kept[name] = cells
        return cells

    def __contains__(self, name: object) -> bool:
        return name in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


def _column(X: Any, key: Any) -> Any:
    if isinstance(X, Mapping):
        return X[key]
    if hasattr(X, "iloc"):
        return X.iloc[:, key]
    return X.to_series(key) if hasattr(X, "to_series") else X.column(key)


def _is_numeric(column: Any) -> bool:
    """Whether a column is one of numbers as NumPy holds them: a view, or copied at once."""
    dtype = getattr(column, "dtype", None)
    if isinstance(dtype, np.dtype):
        return dtype.kind in "biuf"
    return not hasattr(column, "iloc") and _type_of(column).startswith(NUMERIC)


def _type_of(column: Any) -> str:
    return str(getattr(column, "dtype", getattr(column, "type", ""))).lower()


def _cells(name: str, column: Any) -> Cells:
    kind = _type_of(column)
    if kind.startswith(CATEGORICAL):
        return Cells(_from_objects(name, _as_objects(column), of_text=True), "category")
    if _is_numeric(column) or isinstance(getattr(column, "dtype", None), np.dtype | type(TEXT)):
        values = np.asarray(column)
    else:
        values = _as_objects(column)
    if values.dtype.kind in "OU":
        values = _from_objects(name, values.astype(object))
    if values.dtype.kind == "m":
        values = values / np.timedelta64(1, "D")
    if values.dtype.kind == "c":
        raise ValueError(f"The column {name!r} holds complex numbers; give their parts as columns.")
    declared = "boolean" if values.dtype.kind == "b" or kind.startswith("bool") else None
    return Cells(values, declared)


def _as_objects(column: Any) -> Any:
    values = np.empty(len(column), dtype=object)
    values[:] = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    return values


def _from_objects(name: str, values: Any, *, of_text: bool = False) -> Any:
    """Objects as booleans, numbers or times where all are such, and as text where they are mixed."""
    gone = np.fromiter((says_nothing(value) for value in values), bool, len(values))
    known = values[~gone]
    if not of_text and len(known):
        if _all(known, lambda v: isinstance(v, bool | np.bool_)):
            return known.astype(bool) if not gone.any() else _with_holes(known, gone)
        if _all(known, lambda v: isinstance(v, Number | np.number) and not isinstance(v, complex)):
            return _with_holes(known, gone)
        if _all(known, lambda v: isinstance(v, date | np.datetime64)):
            return _times(known, gone)
    wrong = next((v for v in known if not isinstance(v, str | Number | np.generic | date)), None)
    if wrong is not None:
        raise ValueError(
            f"The column {name!r} holds values of the type {type(wrong).__name__}; "
            "each cell must be one number, word, text or date."
        )
    return text_column(["" if empty else str(value) for value, empty in zip(values, gone, strict=True)])


def _all(values: Any, test: Callable[[Any], bool]) -> bool:
    return all(map(test, values))


def _with_holes(known: Any, gone: BoolArray) -> Any:
    values = np.full(len(gone), np.nan)
    values[~gone] = known.astype(float)
    return values


def _times(known: Any, gone: BoolArray) -> Any:
    values = np.full(len(gone), NO_TIME)
    values[~gone] = [np.datetime64(_without_zone(value)) for value in known]
    return values


def _without_zone(value: Any) -> Any:
    """A time in UTC where it has a zone, which NumPy has not."""
    if getattr(value, "tzinfo", None) is None:
        return value
    return (value - value.utcoffset()).replace(tzinfo=None)


# ------------------------------------------------------------------------------------------------- kinds

SHARE_OF_A_KIND = 0.95
"""From this share of numbers on a column is one of numbers, and likewise for dates."""
MOST_CATEGORIES = 30
WORDS_OF_A_TEXT = 3.0
"""Mean number of words from which on different cells are texts rather than names."""
BOOLEANS = ({"true", "false"}, {"yes", "no"}, {"t", "f"}, {"y", "n"}, {"on", "off"})
MEANS_YES = ("true", "yes", "t", "y", "on")


@dataclass(frozen=True, eq=False)
class Look:
    """A column, and what it holds.

    Attributes
    ----------
    kind : {"number", "boolean", "category", "text", "date", "empty"}
    values : array
        Numbers, booleans as 0 and 1, times, or text.
    missing : array of bool
        Cells that say nothing of this kind.
    bad : array of int
        Rows whose cell says something else.
    decimal : str
        Decimal mark of numbers.
    """

    kind: str
    values: Any = field(repr=False)
    missing: BoolArray = field(repr=False)
    bad: Any = field(repr=False)
    decimal: str = "."


def look_at(cells: Cells, wanted: str | None = None, decimal: str | None = None) -> Look:
    """Say what kind of column it is, and read it as such.

    Parameters
    ----------
    cells : Cells
    wanted : str, optional
        The kind, where it is known.
    decimal : {".", ","}, optional
        Decimal mark of numbers; found by default.

    Examples
    --------
    >>> from graphwell.io.tables.cells import text_column
    >>> look_at(Cells(text_column(["1,5", "", "2"]))).values
    array([1.5, nan, 2. ])
    >>> look_at(Cells(text_column(["yes", "no", "no"]))).kind
    'boolean'
    """
    wanted = wanted or cells.declared
    if wanted in (None, "number") and decimal != ",":
        plain = _plain_numbers(cells, codes_too=wanted is not None)
        if plain is not None:
            return plain
    readers = {"number": _numbers, "boolean": _booleans, "date": _dates}
    if cells.missing.all() and wanted is None:
        return _made("empty", cells, cells.text, cells.missing)
    if wanted in readers:
        return readers[wanted](cells, decimal)
    if wanted is not None:
        return _made(wanted, cells, cells.text, cells.missing)
    found = (read(cells, decimal) for kind, read in readers.items() if _may_be(cells, kind))
    return next((look for look in found if _is_of_its_kind(look, cells)), None) or _words(cells)


def _plain_numbers(cells: Cells, *, codes_too: bool) -> Look | None:
    """The look of a column of text that reads as numbers at once, as most columns of large files do."""
    numbers = cells.plain_numbers
    if numbers is None or np.isnan(numbers).all() or not (codes_too or not _has_codes(cells.text)):
        return None
    return Look("number", numbers, np.isnan(numbers), np.zeros(0, dtype=int))


def _has_codes(text: Any) -> bool:
    """Whether digits are names rather than numbers somewhere, such as the postcode 02139.

    Examples
    --------
    >>> from graphwell.io.tables.cells import text_column
    >>> _has_codes(text_column(["02139"])), _has_codes(text_column(["0", "0.5"]))
    (True, False)
    """
    zero_first = np.strings.startswith(text, "0") & (np.strings.str_len(text) > 1)
    return bool(np.strings.isdecimal(text[zero_first]).any())


def _may_be(cells: Cells, kind: str) -> bool:
    if is_text(cells.values):
        return True
    return kind == {"M": "date", "b": "boolean"}.get(cells.values.dtype.kind, "number")


def _is_of_its_kind(look: Look, cells: Cells) -> bool:
    """Whether nearly all cells are of a kind; or most of them, and all others are one and the same word."""
    known = int((~cells.missing).sum())
    read = known - len(look.bad)
    if look.kind == "number" and is_text(cells.values) and _has_codes(cells.text):
        return False
    if read >= SHARE_OF_A_KIND * known:
        return True
    others = cells.text[look.bad]
    return look.kind == "number" and 2 * read > known and len(np.unique(others)) == 1


def _numbers(cells: Cells, decimal: str | None) -> Look:
    if not is_text(cells.values):
        dtype = cells.values.dtype if cells.values.dtype in (np.float32, np.float64) else np.float64
        return _made("number", cells, cells.values.astype(dtype, copy=False), cells.missing)
    found = read_numbers(cells.text, cells.missing, decimal)
    return _made("number", cells, found.values, ~found.read, found.decimal)


def _booleans(cells: Cells, _: str | None) -> Look:
    if not is_text(cells.values):
        return _made("boolean", cells, cells.values.astype(float), cells.missing)
    words = np.strings.lower(cells.text)
    known = set(np.unique(words[~cells.missing])[:3].tolist())
    if not any(known <= pair for pair in BOOLEANS):
        return _made("boolean", cells, cells.text, np.ones(len(words), dtype=bool))
    yes = np.isin(words, np.array(MEANS_YES, dtype=words.dtype))
    return _made("boolean", cells, np.where(cells.missing, np.nan, yes), cells.missing)


def _dates(cells: Cells, _: str | None) -> Look:
    times = cells.values.astype("datetime64[s]") if not is_text(cells.values) else None
    if times is None:
        times = read_dates(cells.text, cells.missing)
    return _made("date", cells, times, np.isnat(times))


def _words(cells: Cells) -> Look:
    """Categories where words come back, else text."""
    known = cells.text[~cells.missing]
    distinct = len(np.unique(known))
    few = distinct <= MOST_CATEGORIES and 2 * distinct <= len(known)
    return _made("category" if few else "text", cells, cells.text, cells.missing)


def _made(kind: str, cells: Cells, values: Any, missing: BoolArray, decimal: str = ".") -> Look:
    return Look(kind, values, missing, np.flatnonzero(missing & ~cells.missing), decimal)
