"""Numbers and dates as people write them: decimal commas, thousands, currencies, units; 31.03.2024."""

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray
from graphwell.io.tables.cells import as_numbers

AROUND = " \t\xa0\u202f$€£¥₹%"
"""Characters before and after a number that say nothing about its value in a column of its own."""
BLANK = "\xa0\u202f"
WITH_A_UNIT = re.compile(r"(.*\d)( ?)([a-zµμ°²³/]{1,7})")
UNITS = (
    " kg g mg µg μg lb lbs oz t km m cm mm µm μm nm in ft mi yd s ms min h hr hrs d days yr yrs years l ml "
    " cl dl °c °f ° c k hz khz mhz ghz v mv w kw kwh mwh j kj kcal cal pa kpa hpa bar mbar mmhg mol mmol "
    " mg/dl g/dl mmol/l mg/l g/l usd eur gbp chf px pt rpm km/h mph m/s bpm kb mb gb tb m² m³ km² ha pcs "
)
"""What may stand behind a number without a blank between them."""
NUMBER = {
    ".": re.compile(r"[+-]?(?=\.?\d)(\d{1,3}([,' ]\d{3})+|\d+)?(\.\d*)?(e[+-]?\d+)?"),
    ",": re.compile(r"[+-]?(?=,?\d)(\d{1,3}([.' ]\d{3})+|\d+)?(,\d*)?(e[+-]?\d+)?"),
}
THOUSANDS = {".": ",' ", ",": ".' "}
CERTAINLY = {
    ".": re.compile(r"[+-]?(0|\d*([,' ]\d{3})*)\.(\d{1,2}|\d{4,}|\d*e.*)|[+-]?0?\.\d+|.*,.*\..*"),
    ",": re.compile(r"[+-]?(0|\d*([.' ]\d{3})*),(\d{1,2}|\d{4,}|\d*e.*)|[+-]?0?,\d+|.*\..*,.*"),
}
"""What can only be read with this decimal mark: two decimals, a zero before it, another mark on its left."""


@dataclass(frozen=True)
class Numbers:
    """Cells read as numbers.

    Attributes
    ----------
    values : array of float
        NaN where a cell is no number.
    read : array of bool
        Which cells are numbers.
    decimal : {".", ","}
        The decimal mark of the column.
    """

    values: FloatArray = field(repr=False)
    read: BoolArray = field(repr=False)
    decimal: str = "."


def read_numbers(cells: Any, missing: BoolArray, decimal: str | None = None) -> Numbers:
    """Read the cells of a column of text as numbers, all with one decimal mark.

    Parameters
    ----------
    cells : array of text
        Without blanks around them.
    missing : array of bool
        Cells that say nothing.
    decimal : {".", ","}, optional
        The decimal mark; found in the cells by default.

    Examples
    --------
    >>> from graphwell.io.tables.cells import text_column
    >>> cells = text_column(["1.234,5", "47,2 %", "€ 3", "?"])
    >>> found = read_numbers(cells, np.array([False, False, False, True]))
    >>> found.values, found.decimal
    (array([1234.5,   47.2,    3. ,    nan]), ',')
    >>> read_numbers(text_column(["67,2 kg", "80 kg"]), np.zeros(2, dtype=bool)).values
    array([67.2, 80. ])
    """
    if decimal != ",":
        plain = as_numbers(np.where(missing, "nan", cells))
        if plain is not None:
            return Numbers(plain, ~missing)
    distinct, places = np.unique(cells[~missing], return_inverse=True)
    texts = _without_unit([_bare(text) for text in distinct.tolist()])
    mark = decimal or _decimal_mark(texts)
    read = np.array([_value(text, mark) for text in texts], dtype=float)
    values = np.full(len(cells), np.nan)
    values[~missing] = read[places] if len(read) else np.nan
    return Numbers(values, ~np.isnan(values), mark)


def _bare(text: str) -> str:
    """A cell without what may stand around a number."""
    sign = "-" if text[:1] in "-\N{MINUS SIGN}" else ""  # the sign may stand before a currency
    bare = text.removeprefix("-").removeprefix("\N{MINUS SIGN}").strip(AROUND)
    for blank in BLANK:
        bare = bare.replace(blank, " ")
    return sign + bare.lower().replace("\N{MINUS SIGN}", "-") if bare else text


def _without_unit(texts: list[str]) -> list[str]:
    """Cells without the unit that they have in common: 67,2 kg; codes such as 12a keep their letter."""
    parts = [WITH_A_UNIT.fullmatch(text) for text in texts]
    units = {(part[2], part[3]) for part in parts if part is not None}
    several = len({unit for _, unit in units}) != 1 or 2 * sum(part is not None for part in parts) < len(
        texts
    )
    if several or not all(blank or unit in UNITS for blank, unit in units):
        return texts
    return [text if part is None else part[1] for text, part in zip(texts, parts, strict=True)]


def _decimal_mark(texts: list[str]) -> str:
    """The mark that more of the cells can only be read with; a point where they are silent."""
    commas, points = (sum(CERTAINLY[mark].fullmatch(text) is not None for text in texts) for mark in ",.")
    return "," if commas > points else "."


def _value(text: str, decimal: str) -> float:
    if NUMBER[decimal].fullmatch(text) is None:
        return np.inf if text in ("inf", "infinity") else -np.inf if text in ("-inf", "-infinity") else np.nan
    for separator in THOUSANDS[decimal]:
        text = text.replace(separator, "")
    return float(text.replace(",", "."))


TIME = r"(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*(?:Z|UTC|[+-]\d{2}:?\d{2})?)?"
YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})" + TIME)
YEAR_LAST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})" + TIME)
NO_TIME = np.datetime64("NaT", "s")


def read_dates(cells: Any, missing: BoolArray) -> Any:
    """Read cells as times, NaT where a cell is none.

    2024-03-31 and 31.03.2024 are understood, with a time of day or without. Where both readings of
    03/04/2024 are possible in the whole column, a point means day first, and a slash month first.

    Examples
    --------
    >>> from graphwell.io.tables.cells import text_column
    >>> read_dates(text_column(["31.03.2024", "1.4.2024", "soon"]), np.zeros(3, dtype=bool))
    array(['2024-03-31T00:00:00', '2024-04-01T00:00:00', 'NaT'], dtype='datetime64[s]')
    """
    distinct, places = np.unique(cells[~missing], return_inverse=True)
    matches = [_parts(text) for text in distinct.tolist()]
    last = [parts for parts in matches if parts is not None and parts[0] < 1000]
    slashes = any("/" in text for text in distinct.tolist())
    day_first = any(parts[0] > 12 for parts in last) or not (slashes or any(parts[1] > 12 for parts in last))
    read = [_time(parts, day_first) for parts in matches]
    values = np.full(len(cells), NO_TIME)
    if read:
        values[~missing] = np.array(read, dtype="datetime64[s]")[places]
    return values


def _parts(text: str) -> tuple[int, ...] | None:
    match = YEAR_FIRST.fullmatch(text) or YEAR_LAST.fullmatch(text)
    return None if match is None else tuple(int(part or 0) for part in match.groups())


def _time(parts: tuple[int, ...] | None, day_first: bool) -> np.datetime64:
    if parts is None:
        return NO_TIME
    first, second, third, hour, minute, second_of_minute = parts
    if first >= 1000:
        year, month, day = first, second, third
    else:
        year, month, day = (third, second, first) if day_first else (third, first, second)
    try:
        return np.datetime64(f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second_of_minute:02}")
    except ValueError:  # the 31st of February
        return NO_TIME
