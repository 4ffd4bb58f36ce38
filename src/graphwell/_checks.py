"""Checks of single values that users give: each returns the value, or raises one sentence about it."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from graphwell.errors import OptionError

SMALLEST, LARGEST = 1e-9, 1e9
"""Weights, widths and steps beyond these overflow in single precision."""


def whole_number(field: str, value: Any, at_least: int = 1) -> int:
    """An integer that is large enough.

    Examples
    --------
    >>> whole_number("max_iter", np.int64(3))
    3
    >>> whole_number("max_iter", "3")
    Traceback (most recent call last):
    graphwell.errors.OptionError: max_iter must be a positive integer, got '3'.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < at_least:
        wanted = "a positive integer" if at_least == 1 else f"an integer of at least {at_least}"
        raise OptionError(field, "{field} must be {}, got {!r}.", wanted, value)
    return int(value)


def positive_number(field: str, value: Any) -> float:
    """A number above 0 that single precision can work with.

    Examples
    --------
    >>> positive_number("fidelity", float("inf"))
    Traceback (most recent call last):
    graphwell.errors.OptionError: fidelity must be positive, and between 1e-09 and 1e+09; got inf.
    """
    if not _is_real(value) or not SMALLEST <= value <= LARGEST:
        problem = "{field} must be positive, and between {:g} and {:g}; got {!r}."
        raise OptionError(field, problem, SMALLEST, LARGEST, value)
    return float(value)


def number_between(
    field: str, value: Any, low: float, high: float, *, ends: bool = False, unit: str = ""
) -> float:
    """A number between two others; these themselves will do if `ends` says so.

    Examples
    --------
    >>> number_between("alpha", [1], 0, 1)
    Traceback (most recent call last):
    graphwell.errors.OptionError: alpha must lie between 0 and 1, got [1].
    """
    if not _is_real(value) or not (low < value < high or (ends and value in (low, high))):
        problem = "{field} must lie between {:g} and {:g}{}, got {!r}."
        raise OptionError(field, problem, low, high, unit, value)
    return float(value)


def one_of(field: str, value: Any, known: Iterable[str]) -> str:
    """One of some words.

    Examples
    --------
    >>> one_of("start", ["nearest"], ("nearest", "random"))
    Traceback (most recent call last):
    graphwell.errors.OptionError: start must be one of nearest, random; got ['nearest'].
    """
    known = tuple(known)
    if not isinstance(value, str) or value not in known:
        raise OptionError(field, "{field} must be one of {}; got {!r}.", ", ".join(known), value)
    return str(value)


def rows_left(n: int, left: int) -> None:
    """Refuse more questions than rows that can be asked for.

    Examples
    --------
    >>> rows_left(20, 3)
    Traceback (most recent call last):
    graphwell.errors.OptionError: n is 20, but 3 rows are left to ask for; give a smaller number.
    """
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
