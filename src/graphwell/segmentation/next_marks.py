"""Where in a segmented picture further marks would help most: squares that hold most doubt."""

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from graphwell._types import BoolArray, FloatArray, IntArray

SIDE = 0.1
"""Side of a square, as a share of the picture's shorter side."""
LEAST_DOUBT = 0.001
"""Mean doubt below which a square is not worth a mark."""


@dataclass(frozen=True)
class DoubtfulSquare:
    """A square part of a picture: its middle, its side in pixels, and its mean doubt from 0 to 1."""

    row: int
    column: int
    side: int
    doubt: float


def squares_to_mark(doubt: FloatArray, seeds: IntArray, n: int = 5) -> tuple[DoubtfulSquare, ...]:
    """Find the squares of a picture that hold most doubt, none of them marked yet, and apart from each other.

    Parameters
    ----------
    doubt : array of shape (height, width)
        From 0 to 1.
    seeds : array of shape (height, width)
        Known classes, -1 where unknown.
    n : int
        Most squares to return.

    Examples
    --------
    >>> doubt = np.zeros((40, 40))
    >>> doubt[30:34, 8:12] = 0.5
    >>> squares_to_mark(doubt, np.full((40, 40), -1))
    (DoubtfulSquare(row=32, column=10, side=4, doubt=0.5),)
    """
    side = max(1, round(SIDE * min(doubt.shape)))
    mean = ndimage.uniform_filter(np.asarray(doubt, dtype=np.float32), side, mode="constant")
    marked = ndimage.maximum_filter((seeds >= 0).astype(np.uint8), side, mode="constant") > 0
    free: BoolArray = ~marked
    found: list[DoubtfulSquare] = []
    while len(found) < n:
        left = np.where(free, mean, -1)
        row, column = (int(at) for at in np.unravel_index(left.argmax(), left.shape))
        if left[row, column] < LEAST_DOUBT:
            break
        found.append(DoubtfulSquare(row, column, side, round(float(left[row, column]), 3)))
        top, left_end = max(0, row - 2 * side), max(0, column - 2 * side)
        free[top : row + 2 * side + 1, left_end : column + 2 * side + 1] = False
    return tuple(found)
