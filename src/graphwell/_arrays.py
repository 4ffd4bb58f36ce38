"""Arrays of either library: what the solvers need besides the functions that NumPy and CuPy share.

A solver takes its functions from the arrays it is given, so the same lines run on the CPU and on a GPU.
Nothing here imports CuPy: an array of it can only come from code that did.
"""

import sys
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray


def namespace(array: Any) -> Any:
    """Return the library of an array: its functions take and give arrays that lie where this one does.

    Examples
    --------
    >>> namespace(np.zeros(3)).__name__
    'numpy'
    """
    return np if isinstance(array, np.ndarray) else sys.modules[type(array).__module__.partition(".")[0]]


def to_host(array: Any) -> Any:
    """Return the array as a NumPy array; one that is such an array already is not copied."""
    return array if isinstance(array, np.ndarray) else array.get()


def divided(a: Any, b: Any, where: Any) -> Any:
    """Return ``a / b`` where a mask allows it, and 0 elsewhere.

    Examples
    --------
    >>> divided(np.array([1.0, 2.0]), np.array([2.0, 0.0]), np.array([True, False]))
    array([0.5, 0. ])
    """
    xp = namespace(b)
    if xp is np:
        shape = np.broadcast_shapes(np.shape(a), b.shape)
        return np.divide(a, b, out=np.zeros(shape, dtype=np.result_type(a, b)), where=where)
    return xp.where(where, a / xp.where(where, b, 1), 0)


def column_dots(a: FloatArray, b: FloatArray) -> FloatArray:
    """Dot product of each column of `a` with that of `b`, in double precision and on the host.

    Examples
    --------
    >>> column_dots(np.array([[1.0, 2.0], [3.0, 4.0]]), np.ones((2, 2)))
    array([4., 6.])
    """
    if isinstance(a, np.ndarray):
        return np.einsum("ij,ij->j", a, b, dtype=np.float64)
    import graphwell.backends.cuda.reductions as reductions

    return reductions.column_dots(a, b)


def combine(a: FloatArray, x: FloatArray, b: FloatArray, y: FloatArray) -> None:
    """Replace `x` by ``a x + b y``, column by column; the factors `a` and `b` are on the host.

    Examples
    --------
    >>> x = np.array([[1.0, 2.0]])
    >>> combine(np.array([1.0, 10.0]), x, np.array([2.0, 0.0]), np.array([[3.0, 4.0]]))
    >>> x
    array([[ 7., 20.]])
    """
    if isinstance(x, np.ndarray):
        if (a != 1).any():
            x *= a.astype(x.dtype)
        x += y if (b == 1).all() else b.astype(x.dtype) * y
        return
    import graphwell.backends.cuda.reductions as reductions

    reductions.combine(a, x, b, y)


def group_sums(groups: IntArray, values: FloatArray, n_groups: int) -> FloatArray:
    """Sum of the values of each group.

    Examples
    --------
    >>> group_sums(np.array([0, 1, 0]), np.array([1.0, 2.0, 3.0]), 2)
    array([4., 2.])
    """
    if isinstance(values, np.ndarray):
        return np.bincount(groups, values, minlength=n_groups)
    import graphwell.backends.cuda.reductions as reductions

    return reductions.group_sums(groups, values, n_groups)


def group_minima(groups: IntArray, values: FloatArray, n_groups: int) -> FloatArray:
    """Smallest value of each group.

    Examples
    --------
    >>> group_minima(np.array([0, 1, 0]), np.array([1.0, 2.0, 3.0]), 2)
    array([1., 2.])
    """
    if isinstance(values, np.ndarray):
        lowest = np.full(n_groups, np.inf)
        np.minimum.at(lowest, groups, values)
        return lowest
    import graphwell.backends.cuda.reductions as reductions

    return reductions.group_minima(groups, values, n_groups)
