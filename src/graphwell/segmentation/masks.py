"""Points of an image that are masked: they are no points, and nothing passes through them."""

from typing import Any

import numpy as np
from scipy import ndimage

from graphwell._types import BoolArray, IntArray


def without_mask(image: Any) -> tuple[Any, BoolArray | None]:
    """An image of shape (*shape, channels) as a plain array, and which of its points are masked, if any.

    Masked points take the values of the nearest others, so that a blur beside them changes little.

    Examples
    --------
    >>> image = np.ma.masked_invalid([[[1.0], [np.nan], [3.0], [3.0]]])
    >>> values, masked = without_mask(image)
    >>> values.ravel(), masked
    (array([1., 1., 3., 3.]), array([[False,  True, False, False]]))
    """
    if not isinstance(image, np.ma.MaskedArray):
        return image, None
    masked: BoolArray = np.asarray(np.ma.getmaskarray(image).any(axis=-1))
    values = np.asarray(np.ma.getdata(image))
    if not masked.any():
        return values, None
    if masked.all():
        raise ValueError("image is masked everywhere; there is nothing to segment.")
    nearest = ndimage.distance_transform_edt(masked, return_distances=False, return_indices=True)
    return values[tuple(nearest)], masked


def pieces_between(masked: BoolArray) -> IntArray:
    """Number of the piece of each point, -1 where it is masked: points of a piece touch, corners too.

    Examples
    --------
    >>> pieces_between(np.array([[False, True, False]]))
    array([[ 0, -1,  1]])
    """
    numbers, _ = ndimage.label(~masked, structure=np.ones((3,) * masked.ndim, dtype=bool))
    return np.asarray(numbers, dtype=np.int64) - 1
