"""The descent on a picture: only pixels near a border move."""

from typing import Any

import numpy as np
from scipy import ndimage

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.cpu import band_kernels as kernels
from graphwell.backends.cpu.stencil_kernels import UNIT
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
    """

    def __init__(
        self, grid: Grid, values: FloatArray, color_scale: float, points: IntArray, evidence: FloatArray
    ) -> None:
        self.grid, self.points = grid, points
        self.evidence = np.ascontiguousarray(evidence, dtype=np.float32)
        self.weights = np.empty((len(points), 2 * len(grid.steps)), dtype=np.uint16)
        self.sums = np.empty(len(points), dtype=np.float32)
        self._share(
            kernels.link_some, points, values, grid.pieces, grid.steps, grid.nearness,
            float(color_scale) ** -2, WEAKEST_COLOR, self.weights, self.sums,
        )  # fmt: skip

    @property
    def n_parts(self) -> int:
        """Into how many parts the points are cut."""
        return -(-len(self.points) // kernels.POINTS)

    def sweep(self, labels: IntArray, r: FloatArray, epsilon: float, count: int) -> tuple[float, int]:
        """Do `count` Jacobi sweeps at one epsilon, in place; return the energy and how many classes changed.

        Parameters
        ----------
        labels, r : arrays of shape (grid.size,)
            Class of each point, and ``r = 1/2 - |offset|``.
        epsilon : float
        count : int
        """
        changes, energies = np.zeros(self.n_parts, dtype=np.int64), np.zeros(self.n_parts)
        moved, changed = (labels.copy(), r.copy()), 0
        now, following = (labels, r), moved
        for _ in range(count):
            self._share(
                kernels.sweep_some, self.points, self.grid.steps, self.weights, self.sums, self.evidence,
                TRUST, *now, *following, epsilon, STEP_SIZE, changes, energies,
            )  # fmt: skip
            changed += int(changes.sum())
            now, following = following, now
        if now[0] is not labels:
            labels[self.points], r[self.points] = now[0][self.points], now[1][self.points]
        return float(energies.sum()), changed

    def shares(self, labels: IntArray, r: FloatArray) -> FloatArray:
        """Share of the class of each point in what it and its neighbours say."""
        own = labels[self.points]
        same = r[self.points] / np.float32(UNIT)
        total = same.copy()
        steps = self.grid.steps
        for column, step in enumerate([*steps, *-steps]):
            there = self.points + step
            said = self.weights[:, column] * r[there]
            total += said
            same += np.where(labels[there] == own, said, 0)
        return np.asarray(same / np.maximum(total, np.finfo(np.float32).tiny))

    def _share(self, kernel: Any, *arguments: Any) -> None:
        self.grid.pool.share(self.n_parts, lambda first, last: kernel(first, last, *arguments))


def near_borders(labels: IntArray, width: int) -> BoolArray:
    """Points at most so far from a point of another class, along each axis.

    Examples
    --------
    >>> near_borders(np.array([0, 0, 0, 1, 1, 1]), 1).astype(int)
    array([0, 1, 1, 1, 1, 0])
    """
    border = np.zeros(labels.shape, dtype=np.uint8)
    for axis in range(labels.ndim):
        before, after = (np.moveaxis(border, axis, 0)[part] for part in (slice(None, -1), slice(1, None)))
        lines = np.moveaxis(labels, axis, 0)
        differ = lines[1:] != lines[:-1]
        before |= differ
        after |= differ
    return grown(border.astype(bool), width)


def grown(chosen: BoolArray, width: int) -> BoolArray:
    """All points at most so far from a chosen one, along each axis.

    Examples
    --------
    >>> grown(np.array([False, False, False, True]), 2).astype(int)
    array([0, 1, 1, 1])
    """
    found = chosen.astype(np.uint8)
    for axis in range(chosen.ndim):
        found = ndimage.maximum_filter1d(found, 2 * width + 1, axis, mode="constant")
    return found.astype(bool)
