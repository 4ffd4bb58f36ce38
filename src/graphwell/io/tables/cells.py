"""Cells of a table as numbers or as text, and columns of a data frame made of them."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwell._types import BoolArray, FloatArray

if TYPE_CHECKING:
    import pandas

TEXT = np.dtypes.StringDType()
"""The type of a column of text: variable length, 16 bytes a cell where it is short."""

SURELY_A_DECIMAL_COMMA = re.compile(r"^\s*[+-]?\d*,(\d{1,2}|\d{4,})\s*$|^\s*[+-]?0?,\d+\s*$")
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


def typed(column: Any, decimal: str = ".") -> Any:
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
    numbers = as_numbers(column, decimal)
    if numbers is None or is_missing(column).all() or not np.isfinite(numbers[~is_missing(column)]).all():
        return column
    stripped = np.strings.strip(column)
    if bool((np.strings.startswith(stripped, "0") & np.strings.isdigit(stripped) & (stripped != "0")).any()):
        return column  # a name such as a postcode
    whole = bool((np.strings.isdecimal(np.strings.lstrip(stripped, "-"))).all())
    return numbers.astype(np.int64) if whole and np.abs(numbers).max() < 2**53 else numbers


ROWS_AT_ONCE = 65_536
"""Cells that are objects of Python at a time, where they need not all be."""


def frame_of(columns: Mapping[str, Any], decimal: str | None = None) -> "pandas.DataFrame":
    """Columns of numbers or text as a data frame; text becomes numbers where all of it is one.

    Examples
    --------
    >>> frame_of({"x": text_column(["1,5", ""]), "zip": text_column(["02139", "1"])}).dtypes.tolist()
    [dtype('float64'), dtype('O')]
    """
    import pandas

    made = {name: _typed_or_words(column, decimal) for name, column in columns.items()}
    return pandas.DataFrame(made, copy=False)


def _typed_or_words(column: Any, decimal: str | None) -> Any:
    if not is_text(column):
        return column
    column = np.strings.strip(column)
    found = typed(column) if decimal != "," else column
    if is_text(found) and decimal != "." and _has_decimal_commas(column, decimal):
        found = typed(column, ",")
    return words_of(found) if is_text(found) else found


def _has_decimal_commas(column: Any, decimal: str | None) -> bool:
    """Whether the commas of a column can only be decimal ones; 1,234 may be a thousand."""
    if np.strings.find(column, ".").max(initial=-1) >= 0:
        return False
    return decimal == "," or any(map(SURELY_A_DECIMAL_COMMA.search, column.tolist()))


def words_of(column: Any) -> Any:
    """Text as objects of Python, NaN where it is empty; equal cells are one object."""
    known: dict[str, Any] = {"": np.nan}
    words = np.empty(len(column), dtype=object)
    for first in range(0, len(column), ROWS_AT_ONCE):
        part = column[first : first + ROWS_AT_ONCE].tolist()
        words[first : first + len(part)] = [known.setdefault(cell, cell) for cell in part]
    return words


def cells_of(column: Any) -> Any:
    """A column of a data frame as numbers, booleans or text; missing cells are NaN or empty.

    Examples
    --------
    >>> import pandas
    >>> cells_of(pandas.Series(["a", None])), cells_of(pandas.Series([1, None], dtype="Int64"))
    (array(['a', ''], dtype=StringDType()), array([ 1., nan]))
    """
    values = column.to_numpy()
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        return values
    gone = column.isna().to_numpy()
    if getattr(column.dtype, "kind", "O") in "biuf":  # numbers that may be missing
        return (
            column.to_numpy(dtype=float, na_value=np.nan) if gone.any() else values.astype(column.dtype.kind)
        )
    text = np.empty(len(values), dtype=TEXT)
    for first in range(0, len(values), ROWS_AT_ONCE):
        part = slice(first, first + ROWS_AT_ONCE)
        pairs = zip(column.iloc[part].tolist(), gone[part].tolist(), strict=True)
        text[part] = ["" if empty else str(cell) for cell, empty in pairs]
    return text
