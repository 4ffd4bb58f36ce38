"""Strokes, polygons and masks turned into marked pixels: the one rasteriser of every drawing.

Points are (x, y) from the top left corner of the picture: the middle of its first pixel is (0.5, 0.5).
A pixel is marked if its middle is covered; later shapes cover earlier ones.
"""

from itertools import pairwise
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray

ERASED = -1
THINNEST = 1.0
"""Width of the thinnest stroke: it marks at least one pixel in each row or column that it crosses."""
FARTHEST = 1e7
"""Points farther away than this, in pixels, are none."""


class Raster:
    """Pixels that are marked shape by shape."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self.classes: IntArray = np.full(shape, ERASED)

    def stroke(self, points: Any, number: int, width: float = THINNEST) -> None:
        """Mark what lies within half a width of a line through all points; one point makes a disk."""
        line = _as_points(points)
        half = min(max(float(width), THINNEST), FARTHEST) / 2
        for start, end in pairwise(line):
            self._fill(_band(start, end, half), number)
        for point in line:
            self._disk(point, half, number)

    def polygon(self, points: Any, number: int) -> None:
        """Mark what lies inside a closed line; where it crosses itself, by the even-odd rule."""
        corners = _as_points(points)
        if not self._fill(corners, number):
            self._disk(corners.mean(axis=0), THINNEST / 2, number)  # too small to hold the middle of a pixel

    def mask(self, mask: BoolArray, number: int, top: int = 0, left: int = 0) -> None:
        """Mark the true pixels of a rectangle whose first pixel is in the row `top`, the column `left`."""
        rows, columns = np.nonzero(mask)
        rows, columns = rows + top, columns + left
        height, width = self.classes.shape
        inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        self.classes[rows[inside], columns[inside]] = number

    def _fill(self, corners: FloatArray, number: int) -> bool:
        """Mark a polygon; say whether it covers the middle of any pixel, outside the picture too."""
        height, width = self.classes.shape
        left, top = np.floor(corners.min(axis=0)).clip(0, (width, height)).astype(int)
        right, bottom = np.ceil(corners.max(axis=0)).clip(0, (width, height)).astype(int)
        if right <= left or bottom <= top:
            return True
        inside = _inside(corners - (left, top), bottom - top, right - left)
        self.classes[top:bottom, left:right][inside] = number
        return bool(inside.any())

    def _disk(self, middle: FloatArray, half: float, number: int) -> None:
        height, width = self.classes.shape
        column, row = np.floor(middle)
        left, top = np.floor(middle - half).clip(0, (width, height)).astype(int)
        right, bottom = np.ceil(middle + half).clip(0, (width, height)).astype(int)
        x = np.arange(left, right) + 0.5 - middle[0]
        y = np.arange(top, bottom)[:, None] + 0.5 - middle[1]
        self.classes[top:bottom, left:right][x**2 + y**2 <= half**2] = number
        if 0 <= row < height and 0 <= column < width:
            self.classes[int(row), int(column)] = number


def _as_points(points: Any) -> FloatArray:
    found = np.asarray(points, dtype=np.float64)
    if found.ndim != 2 or found.shape[1] != 2 or not len(found) or not (np.abs(found) <= FARTHEST).all():
        raise ValueError(f"points must be a list of pairs of numbers, got {str(points)[:60]}")
    return found


def _band(start: FloatArray, end: FloatArray, half: float) -> FloatArray:
    """Corners of the rectangle around a piece of a line."""
    along = end - start
    length = float(np.hypot(*along))
    if length == 0:
        return np.repeat(start[None], 4, axis=0)
    side = np.array([-along[1], along[0]]) * (half / length)
    return np.array([start + side, end + side, end - side, start - side])


def _inside(corners: FloatArray, height: int, width: int) -> BoolArray:
    """Whether the middle of each pixel of a small rectangle lies inside a polygon.

    Each side of the polygon flips all pixels to the right of it, row by row.
    """
    x, y = corners.T
    next_x, next_y = np.roll(x, -1), np.roll(y, -1)
    first = np.ceil(np.minimum(y, next_y) - 0.5).clip(0, height).astype(int)
    last = np.ceil(np.maximum(y, next_y) - 0.5).clip(0, height).astype(int)
    side = np.repeat(np.arange(len(x)), last - first)
    rows = np.arange(len(side)) - np.repeat(np.cumsum(last - first) - last, last - first)
    slope = (next_x[side] - x[side]) / (next_y[side] - y[side])
    crossing = x[side] + (rows + 0.5 - y[side]) * slope
    flips = np.zeros((height, width + 1), dtype=np.uint8)
    np.add.at(flips, (rows, np.ceil(crossing - 0.5).clip(0, width).astype(int)), 1)
    return np.asarray(np.cumsum(flips[:, :width], axis=1, dtype=np.uint8) % 2 == 1)
