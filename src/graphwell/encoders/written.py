"""Numbers and dates as people write them: decimal commas, thousands, currencies, units; 31.03.2024."""

import re
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray
from graphwell.io.cells import as_numbers

# Characters before and after a number that say nothing about its value in a column of its own.
AROUND = " \t\xa0\u202f$€£¥₹%"
BLANK = re.compile("[\xa0\u202f]")
WITH_A_UNIT = re.compile(r"(.*\d)( ?)([a-zµμ°²³/]{1,7})")
# What may stand behind a number without a blank between them.
UNITS = (
    " kg g mg µg μg lb lbs oz t km m cm mm µm μm nm in ft mi yd s ms min h hr hrs d days yr yrs years l ml "
    "cl dl °c °f ° c k hz khz mhz ghz v mv w kw kwh mwh j kj kcal cal pa kpa hpa bar mbar mmhg mol mmol "
    "mg/dl g/dl mmol/l mg/l g/l usd eur gbp chf px pt rpm km/h mph m/s bpm kb mb gb tb m² m³ km² ha pcs "
)
NUMBER = {
    ".": re.compile(r"[+-]?(?=\.?\d)(\d{1,3}([,' ]\d{3})+|\d+)?(\.\d*)?(e[+-]?\d+)?"),
    ",": re.compile(r"[+-]?(?=,?\d)(\d{1,3}([.' ]\d{3})+|\d+)?(,\d*)?(e[+-]?\d+)?"),
}
THOUSANDS = {".": re.compile("[,' ]"), ",": re.compile("[.' ]")}
# What can only be read with this decimal mark: two decimals, a zero before it, another mark on its left.
CERTAINLY = {
    ".": re.compile(r"[+-]?(0|\d*([,' ]\d{3})*)\.(\d{1,2}|\d{4,}|\d*e.*)|[+-]?0?\.\d+|.*,.*\..*"),
    ",": re.compile(r"[+-]?(0|\d*([.' ]\d{3})*),(\d{1,2}|\d{4,}|\d*e.*)|[+-]?0?,\d+|.*\..*,.*"),
}
INFINITE = {"inf": np.inf, "infinity": np.inf, "-inf": -np.inf, "-infinity": -np.inf}


def read_numbers(cells: Any, missing: BoolArray, decimal: str | None = None) -> tuple[FloatArray, str]:
    """Read a column of text as numbers, NaN where a cell is none, and find their decimal mark."""
    if decimal != ",":
        plain = as_numbers(np.where(missing, "nan", cells))
        if plain is not None:
            return plain, "."
    distinct, places = np.unique(cells[~missing], return_inverse=True)
    texts = _without_unit([_bare(text) for text in distinct.tolist()])
    # The mark that more of the cells can only be read with; a point where they are silent.
    commas, points = (sum(CERTAINLY[mark].fullmatch(text) is not None for text in texts) for mark in ",.")
    decimal = decimal or ("," if commas > points else ".")
    values = np.full(len(cells), np.nan)
    if texts:
        values[~missing] = np.array([_value(text, decimal) for text in texts])[places]
    return values, decimal


def _bare(text: str) -> str:
    """A cell without what may stand around a number; the sign may stand before a currency."""
    sign = "-" if text[:1] in "-\N{MINUS SIGN}" else ""
    bare = text.removeprefix("-").removeprefix("\N{MINUS SIGN}").strip(AROUND)
    return sign + BLANK.sub(" ", bare).lower().replace("\N{MINUS SIGN}", "-") if bare else text


def _without_unit(texts: list[str]) -> list[str]:
    """Cells without the unit that they have in common: 67,2 kg; codes such as 12a keep their letter."""
    parts = [WITH_A_UNIT.fullmatch(text) for text in texts]
    units = {(part[2], part[3]) for part in parts if part is not None}
    if len(units) != 1 or 2 * sum(part is not None for part in parts) < len(texts):
        return texts
    if not all(blank or f" {unit} " in UNITS for blank, unit in units):
        return texts
    return [text if part is None else part[1] for text, part in zip(texts, parts, strict=True)]


def _value(text: str, decimal: str) -> float:
    if NUMBER[decimal].fullmatch(text) is None:
        return INFINITE.get(text, np.nan)
    return float(THOUSANDS[decimal].sub("", text).replace(",", "."))


TIME = r"(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*(?:Z|UTC|[+-]\d{2}:?\d{2})?)?"
YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})" + TIME)
YEAR_LAST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})" + TIME)
NO_TIME = np.datetime64("NaT", "s")


def read_dates(cells: Any, missing: BoolArray) -> Any:
    """Read cells as times, NaT where a cell is none: 2024-03-31, 31.03.2024, with a time of day or without.

    Where both readings of 03/04/2024 are possible in the whole column, a point means day first, and a slash
    month first.
    """
    distinct, places = np.unique(cells[~missing], return_inverse=True)
    matches = [YEAR_FIRST.fullmatch(text) or YEAR_LAST.fullmatch(text) for text in distinct.tolist()]
    parts = [None if m is None else [int(part or 0) for part in m.groups()] for m in matches]
    last = [found for found in parts if found is not None and found[0] < 1000]
    slashes = any("/" in text for text in distinct.tolist())
    day_first = any(p[0] > 12 for p in last) or not (slashes or any(p[1] > 12 for p in last))
    read = np.full(len(distinct), NO_TIME)
    for place, found in enumerate(parts):
        if found is None:
            continue
        first, second, third, hour, minute, seconds = found
        day, month, year = (first, second, third) if day_first else (second, first, third)
        if first >= 1000:
            year, month, day = first, second, third
        try:
            read[place] = np.datetime64(f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{seconds:02}")
        except ValueError:  # the 31st of February
            continue
    values = np.full(len(cells), NO_TIME)
    values[~missing] = read[places]
    return values
