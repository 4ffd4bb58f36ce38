"""Values that stand for nothing known, whatever library they come from."""

from collections.abc import Collection
from numbers import Number
from typing import Any

import numpy as np

from graphwell._types import BoolArray

UNKNOWN = -1
# Labels, in small letters, that mean unknown unless the user names others.
SPELLINGS = {"", "?", "-", "na", "n/a", "#n/a", "<na>", "nan", "nat", "none", "null"} | {
    "unknown", "missing", "todo", "unlabeled", "unlabelled",
}  # fmt: skip


def as_numpy_reads_them(y: Any) -> Any:
    """Labels of Polars and Arrow as a list: as arrays, integers with gaps would be floating point numbers."""
    if type(y).__module__.partition(".")[0] not in ("polars", "pyarrow"):
        return y
    convert = getattr(y, "to_pylist", None) or getattr(y, "to_list", None)
    return y if convert is None else convert()


def says_nothing(value: Any) -> bool:
    """Whether a value is None, NaN, NaT, or what pandas has in their place."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    not_a = (float, np.floating, np.datetime64, np.timedelta64)
    return isinstance(value, not_a) and bool(np.isnan(value))


def markers(unknown: Any) -> tuple[Any, ...]:
    """Markers of unknown labels, given as one or as several."""
    if unknown is None:
        return ()
    several = isinstance(unknown, Collection | np.ndarray) and not isinstance(unknown, str | bytes)
    return tuple(unknown) if several else (unknown,)


def is_marked(values: Any, unknown: Any) -> BoolArray:
    """Where an array of labels holds one of the markers; of another kind than the labels, none is there."""
    found = np.zeros(len(values), dtype=bool)
    for marker in markers(unknown):
        if says_nothing(marker):
            continue  # it is unknown already
        as_text = isinstance(marker, str)
        if values.dtype == object:
            same = (isinstance(v, str) == as_text and not says_nothing(v) and v == marker for v in values)
            found |= np.fromiter(same, bool, len(values))
        elif (values.dtype.kind in "UT") == as_text:
            found |= values == marker
    return found


def is_spelled(values: Any, unknown: Any = None) -> BoolArray:
    """Where text means unknown: one of `SPELLINGS`, or where the user names markers, empty text alone."""
    if values.dtype.kind not in "OUT":
        return np.zeros(len(values), dtype=bool)
    spellings = {""} if markers(unknown) else SPELLINGS
    found = (isinstance(v, str) and v.strip().casefold() in spellings for v in values.tolist())
    return np.fromiter(found, bool, len(values))


def is_known(y: Any, unknown: Any = None) -> BoolArray:
    """Which labels are known: not None, NaN, masked, a marker or so spelled, and not -1 among numbers."""
    if type(y) is np.ndarray and y.dtype.kind in "iu" and not markers(unknown):
        return np.asarray(y.ravel() != UNKNOWN)  # by the million: one by one they took seconds
    values = np.asarray(as_numpy_reads_them(y), dtype=object).ravel()
    nothing = np.fromiter(map(says_nothing, values), bool, len(values))
    nothing |= np.ma.getmaskarray(y).ravel() if isinstance(y, np.ma.MaskedArray) else False
    nothing |= is_spelled(values, unknown)
    numbers = all(isinstance(value, Number | np.number) for value in values[~nothing])
    return ~(nothing | is_marked(values, [*markers(unknown), *([UNKNOWN] if numbers else [])]))
