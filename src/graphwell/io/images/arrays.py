"""Pictures and classes as arrays of numbers: what `.npy` and `.npz` files share."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError
from graphwell.io.images.base import RefusedError, check_pixels
from graphwell.io.npy import declared

ROOM_FOR_CHANNELS = 4096
LARGEST_CLASS = int(np.iinfo(np.int32).max)


def as_picture(path: Path, values: Any) -> FloatArray:
    """Refuse an array that is neither picture nor volume."""
    if values.ndim not in (2, 3, 4):
        shapes = "(height, width[, depth][, channels])"
        raise ValueError(f"{path} must have the shape {shapes}, not {values.shape}.")
    if values.dtype.kind not in "biuf":
        raise ValueError(f"{path} must hold real numbers, not {values.dtype}.")
    return np.asanyarray(values)


def without_missing(values: Any, missing: Iterable[float] = (), *, has_channels: bool = True) -> Any:
    """Mask what is no number, and points that have one of the `missing` values in every channel.

    Parameters
    ----------
    values : array
    missing : iterable of float
        Each stands for no value.
    has_channels : bool
        Whether the last axis holds channels.

    Returns
    -------
    array, or masked array where something is missing

    Examples
    --------
    >>> without_missing(np.array([[[1.0], [np.nan], [-9999.0]]]), [-9999]).mask[..., 0].tolist()
    [[False, True, True]]
    >>> without_missing(np.array([[[0, 0], [0, 7]]]), [0]).mask.tolist()
    [[[True, True], [False, False]]]
    >>> without_missing(np.array([[1.0, np.inf]]))
    array([[ 1., inf]])
    """
    masked = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, dtype=bool)
    for fill in missing:
        none = values == fill
        masked |= none.all(axis=-1, keepdims=True) if has_channels else none
    return np.ma.array(values, mask=masked) if masked.any() else values


def as_classes(path: Path, values: Any) -> IntArray:
    """Refuse an array that holds no classes."""
    if not np.issubdtype(values.dtype, np.integer):
        problem = "{field} {} must hold integers with -1 for unknown, not {}."
        raise OptionError("seeds", problem, path, values.dtype)
    if values.size and (values.min() < -1 or values.max() > LARGEST_CLASS):
        problem = "{field} {} must hold classes from 0 to {}, and -1 for unknown."
        raise OptionError("seeds", problem, path, LARGEST_CLASS)
    return np.asarray(values.astype(np.int64))


def check_shapes(path: Path, shapes: Sequence[tuple[int, ...]], max_pixels: int) -> None:
    """Refuse arrays of absurd declared size before their memory is asked for."""
    for shape in shapes:
        if len(shape) in (2, 3):
            check_pixels(path, (shape[1], shape[0]), max_pixels)
        if int(np.prod(shape, dtype=object)) > max_pixels * ROOM_FOR_CHANNELS:
            problem = "{} declares an array of shape {}, which is too large."
            raise RefusedError("max_pixels", problem, path, shape)


def declared_shape(file: Any) -> tuple[int, ...]:
    """Shape that the header of an array declares."""
    return declared(file)[0]
