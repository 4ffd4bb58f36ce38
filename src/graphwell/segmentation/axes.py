"""Which axes of an image are places, which one holds channels, and how far apart points lie."""

import math
from typing import Any

import numpy as np

from graphwell.errors import OptionError


def channels_last(image: Any, channel_axis: int | None) -> Any:
    """The image with its channels along the last axis, one channel where it has no such axis.

    Examples
    --------
    >>> channels_last(np.zeros((3, 40, 50)), 0).shape
    (40, 50, 3)
    >>> channels_last(np.zeros((30, 40, 50)), None).shape
    (30, 40, 50, 1)
    """
    image = image if isinstance(image, np.ma.MaskedArray) else np.asarray(image)
    if image.ndim not in (2, 3, 4):
        raise ValueError(
            f"image must have the shape (height, width[, depth][, channels]), got {image.shape}."
        )
    if image.ndim == 2 or (image.ndim == 3 and channel_axis is None):
        return image[..., None]
    if isinstance(channel_axis, int | np.integer) and -image.ndim <= channel_axis < image.ndim:
        return np.moveaxis(image, channel_axis, -1)
    problem = "{field} must be an axis of the image of shape {}, got {!r}."
    raise OptionError("channel_axis", problem, image.shape, channel_axis)


def without_single_points(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The sides of a volume that hold more than one point, at least two; those of a picture as they are.

    Examples
    --------
    >>> without_single_points((40, 1, 50)), without_single_points((1, 1, 7)), without_single_points((1, 7))
    ((40, 50), (7, 1), (1, 7))
    """
    if len(shape) == 2:
        return shape
    longer = tuple(side for side in shape if side > 1)
    return longer + (1,) * (2 - len(longer))


def relative_spacing(spacing: Any, shape: tuple[int, ...]) -> tuple[float, ...]:
    """Distances between points along each axis of `without_single_points`, the smallest of them 1.

    Examples
    --------
    >>> relative_spacing((0.5, 0.5, 2), (10, 10, 10)), relative_spacing((0.5, 9, 2), (10, 1, 10))
    ((1.0, 1.0, 4.0), (1.0, 4.0))
    """
    if spacing is None:
        return (1.0,) * len(without_single_points(shape))
    try:
        given = [float(one) for one in spacing]
    except (TypeError, ValueError):
        given = []
    if len(given) != len(shape) or not all(math.isfinite(one) and one > 0 for one in given):
        problem = "{field} must be {} positive numbers, one for each axis of the points, got {!r}."
        raise OptionError("spacing", problem, len(shape), spacing)
    if len(shape) > 2:
        given = [one for one, side in zip(given, shape, strict=True) if side > 1] or [1.0]
    smallest = min(given)
    return tuple(one / smallest for one in given) + (1.0,) * (2 - len(given))
