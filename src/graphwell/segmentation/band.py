"""The descent on a picture: only pixels near a border move."""

from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.segmentation.grid import WEAKEST_COLOR, Grid

STEP_SIZE = 0.4
TRUST = 0.1
"""Weight of the evidence beside a pixel's neighbours, whose weights add up to 1."""
START_R = 0.2
"""Half of what separates a pixel in the middle of its class from the border: it can move either way."""


class Band:
    """Points of a grid that may change their class, with their links and their evidence.

    The energy is that of the graph with the weights of `Stencil`, where a point counts by the sum of its
    weights, and has one further neighbour: its evidence.

    Parameters
    ----------
    grid : Grid
    values : array of shape (n_channels, grid.size)
    color_scale : float
    points : array of shape (n,)
        Flat places in the grid.
    evidence : array of shape (n, n_classes)
        Adds up to 1 for each point.
    labels, r : arrays of shape (grid.size,)
        Class of each point, and ``r = 1/2 - |offset|``; sweeps move them.
    """

    def __init__(
        self,
        grid: Grid,
        values: FloatArray,
        color_scale: float,
        points: IntArray,
        evidence: FloatArray,
        labels: IntArray,
        r: FloatArray,
    ) -> None:
        self.grid, self.labels, self.r = grid, labels, r
        self._spare = labels.copy(), r.copy()
        self.movers = grid.engine.movers(
            grid, values, points, evidence, float(color_scale) ** -2, WEAKEST_COLOR
        )

    def sweep(self, epsilon: float, count: int) -> tuple[float, int]:
        """Do `count` Jacobi sweeps at one epsilon; return the energy and how many classes changed."""
        now = self.labels, self.r
        return self.grid.engine.sweep(
            self.grid, self.movers, TRUST, now, self._spare, epsilon, STEP_SIZE, count
        )

    def shares(self) -> FloatArray:
        """Share of the class of each point in what it and its neighbours say."""
        return self.grid.engine.shares(self.grid, self.movers, self.labels, self.r)

    def own_evidence(self) -> FloatArray:
        """What the evidence says for the class of each point."""
        own = self.labels[self.movers.points].astype(np.int64)[:, None]
        return np.take_along_axis(self.movers.evidence, own, axis=1)[:, 0]


def near_borders(labels: IntArray, width: int, ndimage: Any) -> BoolArray:
    """Points at most so far from a point of another class, along each axis.

    Examples
    --------
    >>> from scipy import ndimage
    >>> near_borders(np.array([0, 0, 0, 1, 1, 1]), 1, ndimage).astype(int)
    array([0, 1, 1, 1, 1, 0])
    """
    border = np.zeros_like(labels, dtype=np.uint8)
    for axis in range(labels.ndim):
        before, after = (np.moveaxis(border, axis, 0)[part] for part in (slice(None, -1), slice(1, None)))
        lines = np.moveaxis(labels, axis, 0)
        differ = lines[1:] != lines[:-1]
        before |= differ
        after |= differ
    return grown(border, width, ndimage)


def grown(chosen: Any, width: int, ndimage: Any) -> BoolArray:
    """All points at most so far from a chosen one, along each axis.

    Examples
    --------
    >>> from scipy import ndimage
    >>> grown(np.array([False, False, False, True]), 2, ndimage).astype(int)
    array([0, 1, 1, 1])
    """
    found = chosen.astype(np.uint8)
    for axis in range(chosen.ndim):
        found = ndimage.maximum_filter1d(found, 2 * width + 1, axis, mode="constant")
    return found.astype(bool)
