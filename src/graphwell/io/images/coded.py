"""Grey pictures whose values are numbers of classes, as programs for labelling write them."""

from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell.io.images.layers import Paints
from graphwell.io.images.paint_search import MOST_CLASSES

UNKNOWN = 255
LEAST_EVEN = 0.75
"""Share of the pixels that have the number of those above and to the left; fewer have in dark photographs."""


def coded_classes(pixels: Any) -> Paints | None:
    """Marks of a picture of numbers; None for any other picture.

    Such a picture is grey and even, and holds the numbers of at least two classes with few gaps: 0, 1, 2 and
    so on, each below 64. Unknown is 255, or 0 where there is no 255.

    Parameters
    ----------
    pixels : array of shape (height, width, 4)
        Red, green, blue and opacity, from 0 to 255.

    Examples
    --------
    >>> numbers = np.repeat([0, 1, 255], 20)[None, :, None].repeat(4, axis=2)
    >>> numbers[..., 3] = 255
    >>> coded_classes(numbers).places[0, ::20]
    array([ 0,  1, -1])
    """
    values = pixels[..., 0]
    if any((pixels[..., c] != values).any() for c in (1, 2)) or (pixels[..., 3] != 255).any():
        return None
    found = np.flatnonzero(np.bincount(values.ravel(), minlength=UNKNOWN + 1))
    unknown = UNKNOWN if UNKNOWN in found else 0
    codes = found[found != unknown]
    if len(codes) < 2 or codes[-1] >= min(MOST_CLASSES, 2 * len(codes) + 1) or not _is_even(values):
        return None
    places = np.full(UNKNOWN + 1, -1)
    places[codes] = np.arange(len(codes))
    return Paints(codes * 0x010101, places[values], 0, 0, True)


def _is_even(values: IntArray) -> bool:
    """Whether most pixels have the number of those above and to the left."""
    above, left = (
        np.diff(values.astype(np.int16), axis=axis, prepend=values.take([0], axis)) for axis in (0, 1)
    )
    return bool(((above == 0) & (left == 0)).mean() >= LEAST_EVEN)
