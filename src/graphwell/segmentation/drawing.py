"""A segmented picture or volume to look at: classes in colours, borders, and uncertainty as grey."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import ndimage

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.segmentation.features import read_picture
from graphwell.segmentation.narrow_band import near_borders

if TYPE_CHECKING:
    from graphwell.segmentation.segmenter import DoubtfulSquare

# Pictures that are no 8-bit pictures are stretched so that this share of them is not cut off.
BRIGHTEST_SHARE = 0.995
HATCHED = (255, 0, 255)
# Share of the colour of its class in a pixel of the overlay.
TINT = 0.3
# Pixels of the shorter side of a picture for each pixel of an outline's width.
SIDE_PER_OUTLINE = 400
# Of the contact sheet, in pixels.
WIDEST_TILE, MARGIN = 1200, 8
Colors = Mapping[int, tuple[int, int, int]]
# Of an overlay, and of a sheet that shows four pictures of each.
MOST_SLICES, MOST_ROWS = 16, 6
WIDEST_SLICE = 400


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
    tiles = [tinted(shown, part, colors) for shown, part in _slices(MOST_SLICES, image, labels)]
    return tiles[0] if labels.ndim == 2 else in_rows(tiles, math.ceil(math.sqrt(len(tiles))), WIDEST_SLICE)


def tinted(picture: Any, labels: IntArray, colors: Colors) -> Any:
    """The overlay of a picture in 8-bit colours, as it is shown."""
    paint = painted(labels, colors)
    mixed = (1 - TINT) * picture + TINT * paint[..., :3]
    picture = np.where(paint[..., 3:] > 0, np.round(mixed), picture).astype(np.uint8)
    width = outline_width(labels.shape)
    border = near_borders(labels, 0, ndimage)
    if width > 1:
        border = ndimage.maximum_filter(border, 2 * width - 1)
    picture[border] = paint[..., :3][border]
    rows, columns = np.arange(labels.shape[0])[:, None], np.arange(labels.shape[1])
    picture[(labels < 0) & ((rows + columns) % (6 * width) < 2 * width)] = HATCHED
    return picture


def outline_width(shape: tuple[int, ...]) -> int:
    """Width in pixels, on each side of a border."""
    return max(1, round(min(shape[:2]) / SIDE_PER_OUTLINE))


def contact_sheet(
    image: Any,
    seeds: IntArray,
    labels: IntArray,
    doubt: FloatArray,
    colors: Colors,
    squares: "Sequence[DoubtfulSquare]" = (),
) -> Any:
    """One picture to look at: the picture and its marks above, its labels and their doubt below.

    `squares` are drawn where they lie, on the doubt. Large pictures are thinned out. Of a volume some slices
    are shown, a row for each.
    """
    tiles: list[Any] = []
    for shown, marks, classes, grey in _slices(MOST_ROWS, image, seeds, labels, doubt):
        tiles += four_views(shown, marks, classes, grey, colors)
    for square in squares:
        tiles[-1] = _framed(tiles[-1], square)
    return in_rows(tiles, 2, WIDEST_TILE) if labels.ndim == 2 else in_rows(tiles, 4, WIDEST_SLICE)


def four_views(
    picture: Any, seeds: IntArray, labels: IntArray, doubt: FloatArray, colors: Colors
) -> list[Any]:
    """A picture in 8-bit colours, its marks, its labels and their doubt."""
    paint = painted(seeds, colors)
    marks = np.where(paint[..., 3:] > 0, paint[..., :3], picture // 3)
    grey = np.repeat((as_grey(doubt) // 257).astype(np.uint8)[..., None], 3, axis=2)
    return [picture, marks, tinted(picture, labels, colors), grey]


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


def _framed(grey: Any, square: "DoubtfulSquare") -> Any:
    """The same with a frame around a square."""
    half, width = square.side // 2 + 1, 2 * outline_width(grey.shape)
    rows, columns = np.arange(grey.shape[0])[:, None], np.arange(grey.shape[1])
    off = np.maximum(abs(rows - square.row), abs(columns - square.column))
    return np.where(
        ((off >= half) & (off < half + width))[..., None], np.array(HATCHED, dtype=np.uint8), grey
    )


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


def white_on_black(mask: BoolArray) -> Any:
    """The pixels of one class as a picture."""
    return np.where(mask, 255, 0).astype(np.uint8)


def _slices(most: int, image: Any, *planes: Any) -> list[tuple[Any, ...]]:
    """A picture in 8-bit colours and its planes; of a volume, slices from the first to the last."""
    if planes[0].ndim == 2:
        return [(as_shown(image), *planes)]
    height, width, depth = image.shape[:3]
    flat = np.asarray(image).reshape(height, width * depth, -1)  # so that all slices are made bright together
    shown = as_shown(flat).reshape(height, width, depth, 3)
    chosen = np.unique(np.linspace(0, depth - 1, min(depth, most)).round().astype(int))
    return [tuple(plane[:, :, z] for plane in (shown, *planes)) for z in chosen]
