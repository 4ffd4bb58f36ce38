"""What kind of column it is."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphwell._types import BoolArray
from graphwell.columns.cells import Cells
from graphwell.columns.dates import read_dates
from graphwell.columns.numbers import read_numbers
from graphwell.io.tables.cells import is_text

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
