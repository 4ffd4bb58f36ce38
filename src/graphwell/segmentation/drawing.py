"""A segmented picture or volume to look at: classes in colours, borders, and uncertainty as grey."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import ndimage

from graphwell._types import FloatArray, IntArray
from graphwell.segmentation.features import read_picture
from graphwell.segmentation.narrow_band import near_borders

# Pictures that are no 8-bit pictures are stretched so that this share of them is not cut off.
BRIGHTEST_SHARE = 0.995
HATCHED = (255, 0, 255)
# Share of the colour of its class in a pixel of the overlay.
TINT = 0.3
# Pixels of the shorter side of a picture for each pixel of an outline's width.
SIDE_PER_OUTLINE = 400
Colors = Mapping[int, tuple[int, int, int]]
# Of a volume's overlay: slices, pixels of the longer side of each, and between them.
MOST_SLICES, WIDEST_SLICE, MARGIN = 16, 400, 8


def painted(labels: IntArray, colors: Colors) -> Any:
    """Labels as red, green, blue and opacity."""
    classes = np.array(sorted(colors))
    table = np.array([(*colors[c], 255) for c in classes] + [(0, 0, 0, 0)], dtype=np.uint8)
    places = np.where(labels >= 0, np.searchsorted(classes, labels), len(classes))
    return table[places]


def overlay(image: Any, labels: IntArray, colors: Colors) -> Any:
    """A picture, or slices of a volume, tinted with the colours of the classes, and outlined in them.

    Outlines grow with the picture. Pixels without a class are hatched.
    """
    tiles = [tinted(shown, part, colors) for shown, part in _slices(image, labels)]
    return tiles[0] if labels.ndim == 2 else in_rows(tiles, math.ceil(math.sqrt(len(tiles))), WIDEST_SLICE)


def tinted(picture: Any, labels: IntArray, colors: Colors) -> Any:
    """The overlay of a picture in 8-bit colours, as it is shown."""
    paint = painted(labels, colors)
    mixed = (1 - TINT) * picture + TINT * paint[..., :3]
    picture = np.where(paint[..., 3:] > 0, np.round(mixed), picture).astype(np.uint8)
    width = max(1, round(min(labels.shape[:2]) / SIDE_PER_OUTLINE))  # in pixels, on each side of a border
    border = near_borders(labels, 0, ndimage)
    if width > 1:
        border = ndimage.maximum_filter(border, 2 * width - 1)
    picture[border] = paint[..., :3][border]
    rows, columns = np.arange(labels.shape[0])[:, None], np.arange(labels.shape[1])
    picture[(labels < 0) & ((rows + columns) % (6 * width) < 2 * width)] = HATCHED
    return picture


def in_rows(tiles: Sequence[Any], columns: int, widest: int) -> Any:
    """Pictures of one size in rows of so many, thinned out where a side is longer than `widest`."""
    step = -(-max(tiles[0].shape) // widest)
    tiles = [tile[::step, ::step] for tile in tiles]
    height, width = tiles[0].shape[:2]
    rows = -(-len(tiles) // columns)
    size = rows * (height + MARGIN) - MARGIN, columns * (width + MARGIN) - MARGIN
    sheet = np.full((*size, 3), 255, dtype=np.uint8)
    for number, tile in enumerate(tiles):
        top, left = (number // columns) * (height + MARGIN), (number % columns) * (width + MARGIN)
        sheet[top : top + height, left : left + width] = tile
    return sheet


def as_grey(doubt: FloatArray) -> Any:
    """Uncertainty as 16-bit grey: black is certain.

    White is 1/2, where two classes are even, or more: few pixels ever have more.
    """
    return np.round(65535 * np.clip(2 * doubt, 0, 1)).astype(np.uint16)


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


def _slices(image: Any, labels: IntArray) -> list[tuple[Any, Any]]:
    """A picture in 8-bit colours and its labels; of a volume, slices from the first to the last."""
    if labels.ndim == 2:
        return [(as_shown(image), labels)]
    height, width, depth = image.shape[:3]
    flat = np.asarray(image).reshape(height, width * depth, -1)  # so that all slices are made bright together
    shown = as_shown(flat).reshape(height, width, depth, 3)
    chosen = np.unique(np.linspace(0, depth - 1, min(depth, MOST_SLICES)).round().astype(int))
    return [(shown[:, :, z], labels[:, :, z]) for z in chosen]
