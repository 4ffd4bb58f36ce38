"""Wide tables looked at some columns at a time."""

from collections.abc import Callable
from typing import Any

import numpy as np

COLUMNS_AT_ONCE = 8
"""So many numbers in double precision are a line of the processor's cache."""


def by_columns(function: Callable[[Any], Any], X: Any) -> Any:
    """What a function says of each column, asked some columns at a time: its temporary arrays stay small.

    Parameters
    ----------
    function : callable
        Takes columns of `X`, returns an array whose last axis has an entry for each.
    X : array of shape (n, d)

    Examples
    --------
    >>> by_columns(lambda columns: columns.max(axis=0), np.arange(40.0).reshape(2, 20))[:3]
    array([20., 21., 22.])
    """
    groups = range(0, X.shape[1], COLUMNS_AT_ONCE)
    return np.concatenate([function(X[:, first : first + COLUMNS_AT_ONCE]) for first in groups], axis=-1)
