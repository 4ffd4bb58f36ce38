"""A segmented volume to look at: some of its slices side by side."""

import math
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.segmentation.drawing import Colors, as_shown, four_views, in_rows, tinted

MOST_SLICES, MOST_ROWS = 16, 6
"""Of an overlay, and of a sheet that shows four pictures of each."""
WIDEST_TILE = 400


def overlay_of_slices(volume: Any, labels: IntArray, colors: Colors) -> Any:
    """Slices from the first to the last, tinted with the colours of the classes and outlined in them.

    Parameters
    ----------
    volume : array of shape (height, width, depth[, channels])
    labels : array of shape (height, width, depth)
    colors : mapping
        Red, green and blue of each class.

    Examples
    --------
    >>> volume, labels = np.zeros((10, 20, 9)), np.zeros((10, 20, 9), dtype=int)
    >>> overlay_of_slices(volume, labels, {0: (9, 0, 0)}).shape
    (46, 76, 3)
    """
    shown = _shown(volume)
    tiles = [tinted(shown[:, :, z], labels[:, :, z], colors) for z in _chosen(labels.shape[2], MOST_SLICES)]
    return in_rows(tiles, math.ceil(math.sqrt(len(tiles))), WIDEST_TILE)


def sheet_of_slices(volume: Any, seeds: IntArray, labels: IntArray, doubt: FloatArray, colors: Colors) -> Any:
    """Some slices below each other: the volume, its marks, its labels and their doubt.

    Examples
    --------
    >>> volume, labels = np.zeros((10, 20, 2)), np.zeros((10, 20, 2), dtype=int)
    >>> sheet_of_slices(volume, labels, labels, volume, {0: (9, 0, 0)}).shape
    (28, 104, 3)
    """
    shown, tiles = _shown(volume), []
    for z in _chosen(labels.shape[2], MOST_ROWS):
        tiles += four_views(shown[:, :, z], seeds[:, :, z], labels[:, :, z], doubt[:, :, z], colors)
    return in_rows(tiles, 4, WIDEST_TILE)


def _shown(volume: Any) -> Any:
    """8-bit colours of all slices, made bright together."""
    height, width, depth = volume.shape[:3]
    flat = np.asarray(volume).reshape(height, width * depth, -1)
    return as_shown(flat).reshape(height, width, depth, 3)


def _chosen(depth: int, most: int) -> list[int]:
    """Numbers of slices, evenly from the first to the last."""
    return np.unique(np.linspace(0, depth - 1, min(depth, most)).round().astype(int)).tolist()
