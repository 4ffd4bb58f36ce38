"""Arrays that lie on a card already: taken over without a copy, and given back as what they came as."""

import sys
from typing import Any

import numpy as np

from graphwell.engines.cuda._cupy import CardArray, cupy
from graphwell.graph.features import METRICS, FeatureMap

ON_CARD = (2, 13)
"""DLPack's numbers for the memory of a card, and for memory that a card shares with its host."""


def is_on_card(array: Any) -> bool:
    """Whether an array of any library lies in the memory of an NVIDIA card.

    Examples
    --------
    >>> is_on_card(np.zeros(3)), is_on_card([1.0, 2.0])
    (False, False)
    """
    if isinstance(array, np.ndarray) or not hasattr(array, "__dlpack_device__"):
        return False
    return int(array.__dlpack_device__()[0]) in ON_CARD


def taken(array: Any) -> Any:
    """The same memory as a CuPy array."""
    cp = cupy()
    return array if isinstance(array, cp.ndarray) else cp.from_dlpack(_detached(array))


def given_back(array: Any, like: Any) -> Any:
    """A CuPy array, in the same memory, or one of the host as an array of the library that `like` is of."""
    root = type(like).__module__.partition(".")[0]
    root = "jax.numpy" if root in ("jax", "jaxlib") else root
    library = sys.modules.get(root)
    array = cupy().asarray(array)
    return array if root == "cupy" or library is None else library.from_dlpack(array)


def fetched(array: Any) -> Any:
    """An array of any library as a NumPy array."""
    return taken(array).get() if is_on_card(array) else np.asarray(array)


def rows_on_card(X: Any) -> CardArray:
    """Rows of features that lie on a card, checked as those of the host are."""
    cp = cupy()
    rows = taken(X)
    if rows.ndim != 2:
        raise ValueError(f"X must have two dimensions, rows and features; got {rows.ndim}.")
    if rows.shape[0] < 2 or rows.shape[1] < 1:
        raise ValueError(f"X must have at least 2 rows and 1 feature, got shape {rows.shape}.")
    if rows.dtype not in (np.float32, np.float64):
        rows = rows.astype(np.float64)
    if not bool(cp.isfinite(rows).all()):
        raise ValueError("Input X contains NaN or infinity; fill or remove such rows first.")
    return rows


def points_on_card(X: Any, metric: str) -> tuple[CardArray, FeatureMap]:
    """Checked rows in the space that is searched, on the card, and what brings other rows there."""
    if metric not in METRICS:
        raise ValueError(f"metric must be one of {', '.join(METRICS)}, got {metric!r}.")
    cp = cupy()
    if not is_on_card(X):
        features = FeatureMap.fit(X, metric)
        return cp.asarray(features(X)), features
    if metric == "cosine":
        norms = cp.sqrt((X * X).sum(axis=1, keepdims=True))
        X = X / cp.where(norms > 0, norms, 1)
    return cp.ascontiguousarray(X), FeatureMap(metric)


def _detached(array: Any) -> Any:
    """A tensor that autograd follows is exported as the values it has."""
    return array.detach() if hasattr(array, "detach") else array
