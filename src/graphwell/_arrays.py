"""Arrays of any library as NumPy reads them; what it cannot read is refused in a sentence."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

HOST = (1, 3, 11, 13)
"""DLPack's numbers for memory that the host can read: its own, and what it shares with a GPU."""
PROTOCOLS = ("__array__", "__array_interface__", "__array_struct__", "__dataframe__")
"""How objects tell NumPy and scikit-learn what they hold."""


def as_readable(array: Any, name: str) -> Any:
    """Return an array that NumPy can read, without a copy; sparse matrices and lists as they are.

    Parameters
    ----------
    array : object
        An array of any library: one that NumPy knows, or one that is exported by DLPack alone.
    name : str
        As the user knows it.

    Examples
    --------
    >>> as_readable(np.array([[1.0, 2.0]]), "X")
    array([[1., 2.]])
    >>> as_readable(print, "X")
    Traceback (most recent call last):
    ValueError: X is a builtin_function_or_method, which holds no numbers; give an array or a data frame.
    """
    if isinstance(array, np.ndarray):
        array = np.asarray(array) if isinstance(array, np.matrix) else array
    elif hasattr(array, "__dlpack_device__") and not isinstance(array, type):
        _check_device(array, name)
        array = array if _known_to_numpy(array) else _imported(array, name)
    elif not _known_to_numpy(array):
        what = type(array).__name__
        raise ValueError(f"{name} is a {what}, which holds no numbers; give an array or a data frame.")
    _check_type(array, name)
    return array


def dlpack_device(array: Any, name: str = "X") -> int:
    """DLPack's number for the memory that an array says it lies in."""
    try:
        return int(array.__dlpack_device__()[0])
    except Exception as error:
        raise ValueError(
            f"{name} is a {type(array).__name__} whose __dlpack_device__ fails; give a NumPy array."
        ) from error


def _check_device(array: Any, name: str) -> None:
    if dlpack_device(array, name) not in HOST:
        raise ValueError(
            f'{name} lies in the memory of a device; give device="cuda", or bring it to the host first.'
        )


def _imported(array: Any, name: str) -> Any:
    """The same memory as a NumPy array; libraries and used capsules fail in ways of their own."""
    try:
        return np.from_dlpack(array)
    except Exception as error:
        raise ValueError(
            f"{name} is a {type(array).__name__} that cannot be imported by DLPack ({error}); "
            "give a NumPy array."
        ) from error


def _known_to_numpy(array: Any) -> bool:
    if isinstance(array, type | str | bytes):
        return False
    if sparse.issparse(array) or isinstance(array, Sequence | bytearray | memoryview):
        return True
    return any(hasattr(array, protocol) for protocol in PROTOCOLS)


def _check_type(array: Any, name: str) -> None:
    """Refuse numbers that are no rows of features: complex ones, and fields by name."""
    dtype = getattr(array, "dtype", None)
    if not isinstance(dtype, np.dtype):
        return
    if dtype.names:
        raise ValueError(f"{name} has fields with names; give a data frame, pandas.DataFrame({name}) say.")
    if dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} is complex; give its parts as columns.")
