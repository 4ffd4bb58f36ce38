"""The scale of columns whose rows lie on a cluster, from a sample of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphwell.encoders.columns import shift_and_factor
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
        As in `graphwell.jobs.options.TableOptions`; "auto" leaves it to the method.
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
    from graphwell.estimators.tuning.maps import Scale

    change = Scale(*shift_and_factor(in_memory(X[_some_rows(len(X))]), np.array(kinds), scale))
    if isinstance(X, np.ndarray):
        return change(X)
    return X.map_blocks(change, dtype=np.float64, meta=np.empty((0, 0)))


def _some_rows(n: int) -> Any:
    if n <= ROWS_LOOKED_AT:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, ROWS_LOOKED_AT, replace=False))
