"""What brings columns of numbers to one scale, beside columns that have their own."""

from typing import Any

import numpy as np

from graphwell._rows import by_columns
from graphwell._types import FloatArray
from graphwell.columns.encoders import WANT_A_SCALE, WORTH_OF_STEPS


def shift_and_factor(rows: FloatArray, kinds: Any, scale: str = "standard") -> tuple[FloatArray, FloatArray]:
    """Shift and factor of each column; few different numbers count less, other kinds stay as they are.

    Parameters
    ----------
    rows : array of shape (n, d)
        NaN where unknown.
    kinds : array of shape (d,)
        Kind of each column, as in `graphwell.TableEncoder`.
    scale : {"standard", "robust"}
        By mean and standard deviation, or by median and the range of the middle half.

    Examples
    --------
    >>> shift_and_factor(np.array([[1.0, 30.0], [3.0, 10.0]]), np.array(["number", "indicator"]))
    (array([2., 0.]), array([1., 1.]))
    """
    middle, spread = by_columns(_standard if scale == "standard" else _robust, rows)
    rounding = len(rows) * np.finfo(np.float64).eps * np.abs(middle)
    worth = np.where(kinds == "step", WORTH_OF_STEPS, 1.0)
    numbers = np.isin(kinds, WANT_A_SCALE)
    factor = worth / np.where(spread > rounding, spread, 1.0)
    return np.where(numbers, middle, 0.0), np.where(numbers, factor, 1.0)


def _standard(columns: FloatArray) -> FloatArray:
    precise = np.asarray(columns, dtype=np.float64)  # sums in single precision lose what they add
    return np.stack([np.nanmean(precise, axis=0), np.nanstd(precise, axis=0)])


def _robust(columns: FloatArray) -> FloatArray:
    low, middle, high = np.nanpercentile(np.asarray(columns, dtype=np.float64), [25, 50, 75], axis=0)
    return np.stack([middle, high - low])
