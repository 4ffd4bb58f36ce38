"""Cells of a table as numbers or as text."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray

TEXT = np.dtypes.StringDType()
"""The type of a column of text: variable length, 16 bytes a cell where it is short."""

EMPTY_CELLS = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null")
"""Cells that say nothing, in a column of text."""


def text_column(cells: Sequence[str]) -> Any:
    """Cells as a column of text.

    Examples
    --------
    >>> text_column(["a", "bc"])
    array(['a', 'bc'], dtype=StringDType())
    """
    return np.array(cells, dtype=TEXT)


def is_text(column: Any) -> bool:
    """Whether a column holds text rather than numbers."""
    return bool(column.dtype == TEXT)


def is_missing(column: Any) -> BoolArray:
    """Where a column says nothing.

    Examples
    --------
    >>> is_missing(text_column(["a", "NA", " ", "nan"]))
    array([False,  True,  True,  True])
    >>> is_missing(np.array([1.0, np.nan]))
    array([False,  True])
    """
    if is_text(column):
        return np.isin(np.strings.strip(column), text_column(EMPTY_CELLS))
    if np.issubdtype(column.dtype, np.floating):
        return np.isnan(column)
    return np.zeros(len(column), dtype=bool)


def as_numbers(column: Any, decimal: str = ".") -> FloatArray | None:
    """Return a column as floating point numbers with NaN for missing cells; None if it is not numeric.

    Examples
    --------
    >>> as_numbers(text_column(["1", " 2.5e3", "NA"]))
    array([1.0e+00, 2.5e+03,     nan])
    >>> as_numbers(text_column(["1", "two"])) is None
    True
    """
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


def first_that_is_no_number(column: Any, decimal: str = ".") -> int:
    """Index of the first cell that `as_numbers` cannot read."""
    low, high = 0, len(column)
    while high - low > 1:  # the first half that is not numeric holds it
        middle = (low + high) // 2
        low, high = (low, middle) if as_numbers(column[low:middle], decimal) is None else (middle, high)
    return low


def as_text(column: Any) -> Any:
    """Return a column as text: whole numbers without a point, nothing where a cell is missing.

    Examples
    --------
    >>> as_text(np.array([1.0, 2.5, np.nan]))
    array(['1', '2.5', ''], dtype=StringDType())
    >>> as_text(np.array([True, False]))
    array(['true', 'false'], dtype=StringDType())
    """
    if is_text(column):
        return column
    if column.dtype.kind == "b":
        return np.where(column, text_column(["true"]), text_column(["false"]))
    text = column.astype(TEXT)
    if column.dtype.kind in "Mm":
        text[np.isnat(column)] = ""
    if column.dtype.kind != "f":
        return text
    whole = np.isfinite(column) & (column == np.rint(column)) & (np.abs(column) < 2**53)
    text[whole] = column[whole].astype(np.int64).astype(TEXT)
    text[np.isnan(column)] = ""
    return text


FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def is_formula(column: Any) -> BoolArray:
    """Where a spreadsheet would take a cell for a formula: text that begins as one, and is no number.

    Examples
    --------
    >>> is_formula(text_column(["=1+1", "-5", "-x", "a"]))
    array([ True, False,  True, False])
    """
    if not is_text(column):
        return np.zeros(len(column), dtype=bool)
    begins = np.strings.startswith(column, FORMULA_STARTS[0])
    for sign in FORMULA_STARTS[1:]:
        begins |= np.strings.startswith(column, sign)
    for place in np.flatnonzero(begins):
        begins[place] = as_numbers(column[place : place + 1]) is None
    return np.asarray(begins)


def harmless(column: Any) -> Any:
    """Put an apostrophe before the cells that a spreadsheet would run; it shows them as they were.

    Examples
    --------
    >>> harmless(text_column(["=cmd|' /C calc'!A0", "a"]))
    array(["'=cmd|' /C calc'!A0", 'a'], dtype=StringDType())
    """
    found = is_formula(column)
    return np.where(found, np.strings.add("'", column), column) if found.any() else column


def typed(column: Any) -> Any:
    """Return a column of text as whole numbers, else as numbers, where that loses nothing a reader sees.

    Examples
    --------
    >>> typed(text_column(["1", "20"])), typed(text_column(["1.5", ""]))
    (array([ 1, 20]), array([1.5, nan]))
    >>> typed(text_column(["007", "1"]))
    array(['007', '1'], dtype=StringDType())
    """
    if not is_text(column):
        return column
    numbers = as_numbers(column)
    if numbers is None or is_missing(column).all() or not np.isfinite(numbers[~is_missing(column)]).all():
        return column
    stripped = np.strings.strip(column)
    if bool((np.strings.startswith(stripped, "0") & np.strings.isdigit(stripped) & (stripped != "0")).any()):
        return column  # a name such as a postcode
    whole = bool((np.strings.isdecimal(np.strings.lstrip(stripped, "-"))).all())
    return numbers.astype(np.int64) if whole and np.abs(numbers).max() < 2**53 else numbers
