"""A segmented picture to look at: classes in colours, borders on the picture, and uncertainty as grey."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import ndimage

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.segmentation.features import read_picture

BRIGHTEST_SHARE = 0.995
"""Pictures that are no 8-bit pictures are stretched so that this share of them is not cut off."""
HATCHED = (255, 0, 255)
Colors = Mapping[int, tuple[int, int, int]]


def painted(labels: IntArray, colors: Colors) -> Any:
    """Labels as red, green, blue and opacity.

    Examples
    --------
    >>> painted(np.array([[5, -1]]), {5: (255, 0, 0)}).tolist()
    [[[255, 0, 0, 255], [0, 0, 0, 0]]]
    """
    classes = np.array(sorted(colors))
    table = np.array([(*colors[c], 255) for c in classes] + [(0, 0, 0, 0)], dtype=np.uint8)
    places = np.where(labels >= 0, np.searchsorted(classes, labels), len(classes))
    return table[places]


def overlay(image: Any, labels: IntArray, colors: Colors) -> Any:
    """The picture with the border of each region drawn in the colour of its class.

    Pixels without a class are hatched.

    Examples
    --------
    >>> overlay(np.zeros((1, 4)), np.array([[0, 0, 0, 1]]), {0: (9, 0, 0), 1: (0, 9, 0)})[0].tolist()
    [[0, 0, 0], [0, 0, 0], [9, 0, 0], [0, 9, 0]]
    """
    picture = as_shown(image)
    border = borders(labels)
    picture[border] = painted(labels, colors)[..., :3][border]
    rows, columns = np.indices(labels.shape)
    picture[(labels < 0) & ((rows + columns) % 6 < 2)] = HATCHED
    return picture


def uncertainty(score: FloatArray, reachable: BoolArray) -> FloatArray:
    """How doubtful each pixel is, from 0 to 1.

    Examples
    --------
    >>> uncertainty(np.array([[0.75, 0.0]]), np.array([[True, False]])).tolist()
    [[0.25, 1.0]]
    """
    return np.where(reachable, 1.0 - score, 1.0).astype(np.float32)


def as_grey(doubt: FloatArray) -> Any:
    """Uncertainty as 16-bit grey: black is certain.

    White is 1/2, where two classes are even, or more: few pixels ever have more.
    """
    return np.round(65535 * np.clip(2 * doubt, 0, 1)).astype(np.uint16)


def borders(labels: IntArray) -> BoolArray:
    """Pixels with a neighbour of another class beside, above or below them.

    Examples
    --------
    >>> borders(np.array([[0, 0, 0, 1]])).astype(int)
    array([[0, 0, 1, 1]])
    """
    size = [(3, 1), (1, 3)]
    return np.asarray(
        np.any([ndimage.maximum_filter(labels, s) != ndimage.minimum_filter(labels, s) for s in size], axis=0)
    )


def as_shown(image: Any) -> Any:
    """A picture of any kind as 8-bit red, green and blue; of many channels, first, middle and last."""
    values = read_picture(image)
    channels = values.shape[2]
    if channels < 3:
        values = np.repeat(values[..., :1], 3, axis=2)
    elif channels > 4:
        values = values[..., [channels - 1, channels // 2, 0]]
    values = values[..., :3]
    low, high = float(values.min()), float(np.quantile(values, BRIGHTEST_SHARE))
    if low < 0 or high < 0.25:  # dark or signed data would be invisible
        values = (values - low) / ((high - low) or 1.0)
    return np.round(255 * np.clip(values, 0, 1)).astype(np.uint8)


def white_on_black(mask: BoolArray) -> Any:
    """The pixels of one class as a picture.

    Examples
    --------
    >>> white_on_black(np.array([[True, False]])).tolist()
    [[255, 0]]
    """
    return np.where(mask, 255, 0).astype(np.uint8)
