"""Links between neighbours on a grid: half of them are kept, in 16 bits, and no index at all."""

from functools import cached_property

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.pixels import UNIT
from graphwell.progress import tell
from graphwell.segmentation.grid import WEAKEST_COLOR, Grid

TINY = 1e-300
TELL_EVERY = 8
TOLERANCE = 1e-4
"""Relative residual at which scores are exact enough."""


class Stencil:
    """The graph of a picture: points within a radius are linked by how alike they are.

    The weights are those of `pixel_graph`, ``exp(-|c_i - c_j|² / h²) exp(-distance² / R²)``.

    Parameters
    ----------
    grid : Grid
    values : array of shape (*grid.shape, n_channels)
    color_scale : float
        h, the colour difference that counts as one.
    """

    def __init__(self, grid: Grid, values: FloatArray, color_scale: float) -> None:
        self.grid = grid
        planes = grid.pads(np.moveaxis(values.astype(np.float32, copy=False), -1, 0))
        self.weights = grid.engine.link(grid, planes, float(color_scale) ** -2, WEAKEST_COLOR)

    def product(self, planes: FloatArray) -> FloatArray:
        """The weights times each plane of shape (n_planes, grid.size)."""
        return self.grid.engine.product(self.grid, self.weights, planes)

    @cached_property
    def degrees(self) -> FloatArray:
        """Sum of the weights of each point."""
        return self.product(self.grid.inside[None])[0]

    def regions(self) -> IntArray:
        """Number of the region of each point, below `grid.size`: no link of like colours joins regions."""
        grid = self.grid
        weakest = np.round(WEAKEST_COLOR * grid.nearness / UNIT).astype(np.uint16)
        return grid.crop(grid.engine.joined(grid, self.weights, weakest))

    def diffuse(self, known: BoolArray, scores: FloatArray, most_iterations: int) -> None:
        """Make scores harmonic where nothing is known, in place, by conjugate gradients.

        Parameters
        ----------
        known : array of shape (grid.size,)
            Where the scores are given.
        scores : array of shape (n_classes, grid.size)
            What they are there, and a guess elsewhere.
        most_iterations : int
        """
        grid, engine = self.grid, self.grid.engine
        free = ((grid.inside > 0) & ~known & (self.degrees > 0)).astype(np.float32)
        inverse = free / np.maximum(self.degrees, np.finfo(np.float32).tiny)
        r = (self.product(scores) - self.degrees * scores) * free
        p, image = inverse * r, np.zeros_like(r)
        length = np.multiply(r, p, dtype=np.float64).sum(axis=1)
        enough = TOLERANCE**2 * engine.to_host(length)
        for iteration in range(most_iterations):
            left = engine.to_host(length)
            if (left <= enough).all():
                break
            if iteration % TELL_EVERY == 0:
                tell(max(iteration / most_iterations, _share_done(left, enough)))
            curvature = engine.apply(grid, self.weights, self.degrees, free, p, image)
            now = engine.advance(grid, inverse, scores, r, p, image, (length, curvature))
            engine.turn(grid, inverse, r, p, (now, length))
            length = now
        tell(1.0)


def _share_done(length: FloatArray, enough: FloatArray) -> float:
    """How far the residuals have fallen on their way, in powers."""
    left = np.log(np.maximum(length / np.maximum(enough, TINY), 1.0)).max()
    return float(np.clip(1 + left / (2 * np.log(TOLERANCE)), 0.0, 1.0))
