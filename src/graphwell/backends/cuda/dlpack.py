"""Arrays that lie on a GPU already: taken over without a copy, and given back as what they came as."""

import sys
from typing import Any

import numpy as np

from graphwell._checks import dlpack_device
from graphwell.backends.cuda._cupy import GpuArray, cupy
from graphwell.backends.cuda.points import room
from graphwell.graph.knn import Change, FeatureMap

ON_GPU_MEMORY = (2, 13)
"""DLPack's numbers for the memory of a GPU, and for memory that a GPU shares with its host."""


def is_on_gpu(array: Any) -> bool:
    """Whether an array of any library lies in the memory of an NVIDIA GPU.

    Examples
    --------
    >>> is_on_gpu(np.zeros(3)), is_on_gpu([1.0, 2.0])
    (False, False)
    """
    if isinstance(array, np.ndarray) or not hasattr(array, "__dlpack_device__"):
        return False
    return dlpack_device(array) in ON_GPU_MEMORY


def taken(array: Any) -> Any:
    """The same memory as a CuPy array."""
    cp = cupy()
    if isinstance(array, cp.ndarray):
        return array
    try:
        return cp.from_dlpack(_detached(array))
    except Exception as error:  # a capsule that was used, a device that is not there
        raise ValueError(
            f"A {type(array).__name__} cannot be imported by DLPack ({error}); give a CuPy array."
        ) from error


def given_back(array: Any, like: Any) -> Any:
    """A CuPy array, in the same memory, or one of the host as an array of the library that `like` is of."""
    root = type(like).__module__.partition(".")[0]
    root = "jax.numpy" if root in ("jax", "jaxlib") else root
    library = sys.modules.get(root)
    array = cupy().asarray(array)
    return array if root == "cupy" or library is None else library.from_dlpack(array)


def fetched(array: Any) -> Any:
    """An array of any library as a NumPy array."""
    return taken(array).get() if is_on_gpu(array) else np.asarray(array)


def rows_on_gpu(X: Any) -> GpuArray:
    """Rows of features that lie on a GPU, checked as those of the host are."""
    cp = cupy()
    rows = taken(X)
    if rows.dtype.kind not in "biuf":
        raise ValueError(f"X must hold real numbers, got {rows.dtype}; give its parts as columns.")
    if rows.ndim != 2:
        raise ValueError(f"X must have two dimensions, rows and features; got {rows.ndim}.")
    if rows.shape[0] < 2 or rows.shape[1] < 1:
        raise ValueError(f"X must have at least 2 rows and 1 feature, got shape {rows.shape}.")
    if rows.dtype not in (np.float32, np.float64):
        rows = rows.astype(np.float64)
    if not bool(cp.isfinite(rows).all()):
        raise ValueError("Input X contains NaN or infinity; fill or remove such rows first.")
    return rows


def points_on_gpu(X: Any, metric: str, change: Change | None = None) -> tuple[GpuArray, FeatureMap]:
    """Checked rows in the space that is searched, and what brings other rows there.

    They are on the GPU, unless they come from the host and have no room there.
    """
    cp = cupy()
    if not is_on_gpu(X):
        features = FeatureMap.fit(X, metric, change)
        rows = features(X)
        return cp.asarray(rows) if rows.nbytes <= room() else rows, features
    if change is not None:
        X = change(X)
    if metric == "cosine":
        norms = cp.sqrt((X * X).sum(axis=1, keepdims=True))
        X = X / cp.where(norms > 0, norms, 1)
    return cp.ascontiguousarray(X), FeatureMap(metric, change=change)


def _detached(array: Any) -> Any:
    """A tensor that autograd follows is exported as the values it has."""
    return array.detach() if hasattr(array, "detach") else array
