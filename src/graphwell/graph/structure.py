"""Sparse matrices that keep their word: SciPy and compiled loops follow stored indices without looking."""

from typing import Any

import numpy as np
from scipy import sparse

COMPRESSED = ("csr", "csc", "bsr")


def sound_sparse(matrix: Any, name: str) -> Any:
    """Return a sparse matrix whose stored indices have been checked; any other object as it is.

    Parameters
    ----------
    matrix : object
    name : str
        As the user knows it.

    Examples
    --------
    >>> wrong = sparse.csr_array(np.eye(2))
    >>> wrong.indices[0] = 10**6
    >>> sound_sparse(wrong, "X")
    Traceback (most recent call last):
    ValueError: X is a sparse matrix with column indices outside of its 2 columns; it is damaged, ...
    """
    if not sparse.issparse(matrix):
        return matrix
    if matrix.ndim != 2:
        raise ValueError(f"{name} must have two dimensions, got {matrix.ndim}.")
    if matrix.format == "coo":
        _check_coordinates(matrix, name)
    elif matrix.format in COMPRESSED:
        check_compressed(matrix, name)
    else:
        matrix = _converted(matrix, name)
    return matrix


def _converted(matrix: Any, name: str) -> Any:
    """Lists, dictionaries and diagonals in a form whose indices can be checked."""
    try:
        if matrix.format == "lil":  # SciPy takes the lengths of one half for those of the other
            lengths = [[len(row) for row in half] for half in (matrix.rows, matrix.data)]
            if lengths[0] != lengths[1] or len(lengths[0]) != matrix.shape[0]:
                raise ValueError("rows and data differ")
            matrix = matrix.tocsr()
            check_compressed(matrix, name)
        else:
            matrix = matrix.tocoo()
            _check_coordinates(matrix, name)
    except (AttributeError, IndexError, TypeError, ValueError, OverflowError) as error:
        raise _damaged(name, "stored entries that do not fit its shape") from error
    return matrix


def check_compressed(matrix: Any, name: str) -> None:
    """Refuse a CSR, CSC or BSR matrix whose stored indices lead outside of it."""
    pointers, indices, data = matrix.indptr, matrix.indices, matrix.data
    arrays = all(isinstance(array, np.ndarray) for array in (pointers, indices, data))
    if not arrays or pointers.dtype.kind != "i" or indices.dtype.kind != "i":
        raise _damaged(name, "indices that are no integers")
    height, width = matrix.blocksize if matrix.format == "bsr" else (1, 1)
    n_rows, n_columns = matrix.shape[0] // height, matrix.shape[1] // width
    major, minor = (n_columns, n_rows) if matrix.format == "csc" else (n_rows, n_columns)
    dimensions = 3 if matrix.format == "bsr" else 1
    if pointers.ndim != 1 or indices.ndim != 1 or data.ndim != dimensions or len(pointers) != major + 1:
        raise _damaged(name, "stored arrays that do not fit its shape")
    entries, rising = int(pointers[-1]), pointers[1:] >= pointers[:-1]  # differences could overflow
    if pointers[0] != 0 or not rising.all() or entries > min(len(indices), len(data)):
        raise _damaged(name, "row pointers that do not rise from 0 to the number of its entries")
    if entries and (indices[:entries].min() < 0 or indices[:entries].max() >= minor):
        across = "row" if matrix.format == "csc" else "column"
        raise _damaged(name, f"{across} indices outside of its {minor:,} {across}s")


def _check_coordinates(matrix: Any, name: str) -> None:
    for indices, size in zip(matrix.coords, matrix.shape, strict=True):
        if not isinstance(indices, np.ndarray) or indices.dtype.kind != "i" or indices.ndim != 1:
            raise _damaged(name, "indices that are no integers")
        if len(indices) != len(matrix.data):
            raise _damaged(name, "stored arrays of different lengths")
        if len(indices) and (indices.min() < 0 or indices.max() >= size):
            raise _damaged(name, f"indices outside of its shape {matrix.shape}")


def _damaged(name: str, what: str) -> ValueError:
    return ValueError(f"{name} is a sparse matrix with {what}; it is damaged, build it anew.")


def frozen(matrix: Any) -> Any:
    """Make a sparse matrix read-only."""
    for array in (matrix.data, matrix.indices, matrix.indptr):
        read_only(array)
    return matrix


def read_only(array: Any) -> Any:
    """Make an array read-only.

    Examples
    --------
    >>> read_only(np.zeros(1)).flags.writeable
    False
    """
    array.flags.writeable = False
    return array
