"""Dates as people write them."""

import re
from typing import Any

import numpy as np

from graphwell._types import BoolArray

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
