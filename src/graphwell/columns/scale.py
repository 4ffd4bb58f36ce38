"""What brings columns of numbers to one scale, beside columns that have their own."""

from typing import Any

import numpy as np

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
    if scale == "standard":
        middle, spread = np.nanmean(rows, axis=0), np.nanstd(rows, axis=0)
    else:
        low, middle, high = np.nanpercentile(rows, [25, 50, 75], axis=0)
        spread = high - low
    worth = np.where(kinds == "step", WORTH_OF_STEPS, 1.0)
    numbers = np.isin(kinds, WANT_A_SCALE)
    factor = worth / np.where(spread > 0, spread, 1.0)
    return np.where(numbers, middle, 0.0), np.where(numbers, factor, 1.0)
