"""Checks of what users give: single values, and arrays of any library, each refused in one sentence."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from graphwell.errors import OptionError

# Weights, widths and steps beyond these overflow in single precision.
SMALLEST, LARGEST = 1e-9, 1e9


def whole_number(field: str, value: Any, at_least: int = 1) -> int:
    """An integer that is large enough."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < at_least:
        wanted = "a positive integer" if at_least == 1 else f"an integer of at least {at_least}"
        raise OptionError(field, "{field} must be {}, got {!r}.", wanted, value)
    return int(value)


def positive_number(field: str, value: Any) -> float:
    """A number above 0 that single precision can work with."""
    if not _is_real(value) or not SMALLEST <= float(value) <= LARGEST:  # a narrow type could not hold these
        problem = "{field} must be positive, and between {:g} and {:g}; got {!r}."
        raise OptionError(field, problem, SMALLEST, LARGEST, value)
    return float(value)


def number_between(
    field: str, value: Any, low: float, high: float, *, ends: bool = False, unit: str = ""
) -> float:
    """A number between two others; these themselves will do if `ends` says so."""
    if not _is_real(value) or not (low < value < high or (ends and value in (low, high))):
        problem = "{field} must lie between {:g} and {:g}{}, got {!r}."
        raise OptionError(field, problem, low, high, unit, value)
    return float(value)


def one_of(field: str, value: Any, known: Iterable[str]) -> str:
    """One of some words."""
    known = tuple(known)
    if not isinstance(value, str) or value not in known:
        raise OptionError(field, "{field} must be one of {}; got {!r}.", ", ".join(known), value)
    return str(value)


def rows_left(n: int, left: int) -> None:
    """Refuse more questions than rows that can be asked for."""
    if left == 0:
        raise OptionError("n", "No row is left to ask for: each has a label, or cannot be told.")
    if n > left:
        problem = "{field} is {:,}, but {:,} rows are left to ask for; give a smaller number."
        raise OptionError("n", problem, n, left)


def _is_real(value: Any) -> bool:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond every floating point number
        return False


# DLPack's numbers for memory that the host can read: its own, and what it shares with a GPU.
HOST = (1, 3, 11, 13)
# How objects tell NumPy and scikit-learn what they hold.
PROTOCOLS = ("__array__", "__array_interface__", "__array_struct__", "__dataframe__")


def as_readable(array: Any, name: str) -> Any:
    """Return what NumPy can read as it is; refuse the rest in a sentence."""
    if isinstance(array, np.matrix):
        array = np.asarray(array)
    foreign = hasattr(array, "__dlpack_device__") and not isinstance(array, np.ndarray | type)
    if foreign and dlpack_device(array, name) not in HOST:
        raise ValueError(
            f'{name} lies in the memory of a device; give device="cuda", or bring it to the host first.'
        )
    if not isinstance(array, np.ndarray) and not _known_to_numpy(array):
        what = type(array).__name__
        raise ValueError(f"{name} is a {what}, which holds no numbers; give an array or a data frame.")
    dtype = getattr(array, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.names:
        raise ValueError(f"{name} has fields with names; give a data frame, pandas.DataFrame({name}) say.")
    if isinstance(dtype, np.dtype) and dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} is complex; give its parts as columns.")
    return array


def dlpack_device(array: Any, name: str = "X") -> int:
    """DLPack's number for the memory that an array says it lies in."""
    try:
        return int(array.__dlpack_device__()[0])
    except Exception as error:
        raise ValueError(
            f"{name} is a {type(array).__name__} whose __dlpack_device__ fails; give a NumPy array."
        ) from error


def _known_to_numpy(array: Any) -> bool:
    if isinstance(array, type | str | bytes):
        return False
    if sparse.issparse(array) or isinstance(array, Sequence | bytearray | memoryview):
        return True
    return any(hasattr(array, protocol) for protocol in PROTOCOLS)
