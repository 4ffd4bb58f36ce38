"""The scale of columns whose rows lie on a cluster, from a sample of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwell._types import FloatArray
from graphwell.columns.encoders import WANT_A_SCALE, WORTH_OF_STEPS
from graphwell.jobs.summary import in_memory

ROWS_LOOKED_AT = 65_536
"""All rows of smaller tables; a mean or a median of so many is off by about a 200th of the spread."""


def scaled_columns(X: Any, scale: str, kinds: Sequence[str]) -> Any:
    """Scale the columns of numbers; which rows are looked at does not depend on how these are cut.

    Parameters
    ----------
    X : array of shape (n, d)
        Of NumPy or of Dask; stays where it is.
    scale : {"auto", "none", "standard", "robust"}
        As in `graphwell.jobs.preprocess.Preprocessing`; "auto" leaves it to the method.
    kinds : sequence of str
        Kind of each column, as in `graphwell.TableEncoder`.

    Examples
    --------
    >>> scaled_columns(np.array([[1.0, 30.0], [3.0, 10.0]]), "standard", ["number", "number"])
    array([[-1.,  1.],
           [ 1., -1.]])
    """
    if scale in ("auto", "none"):
        return X
    from graphwell.metric.maps import Scale

    change = Scale(*_scale(in_memory(X[_some_rows(len(X))]), scale, np.array(kinds)))
    if isinstance(X, np.ndarray):
        return change(X)
    return X.map_blocks(change, dtype=np.float64, meta=np.empty((0, 0)))


def _some_rows(n: int) -> Any:
    if n <= ROWS_LOOKED_AT:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, ROWS_LOOKED_AT, replace=False))


def _scale(rows: FloatArray, scale: str, kinds: Any) -> tuple[FloatArray, FloatArray]:
    """Shift and factor of each column; few different numbers count less, other kinds have their scale."""
    if scale == "standard":
        middle, spread = np.nanmean(rows, axis=0), np.nanstd(rows, axis=0)
    else:
        low, middle, high = np.nanpercentile(rows, [25, 50, 75], axis=0)
        spread = high - low
    worth = np.where(kinds == "step", WORTH_OF_STEPS, 1.0)
    numbers = np.isin(kinds, WANT_A_SCALE)
    factor = worth / np.where(spread > 0, spread, 1.0)
    return np.where(numbers, middle, 0.0), np.where(numbers, factor, 1.0)
