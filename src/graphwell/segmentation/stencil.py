"""Links between neighbours on a grid: half of them are kept, in 16 bits, and no index at all."""

from dataclasses import dataclass

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.pixels import UNIT
from graphwell.progress import tell
from graphwell.segmentation.grid import WEAKEST_COLOR, Grid, Window

TINY = 1e-300
TELL_EVERY = 8
TOLERANCE = 1e-4
"""Relative residual at which scores are exact enough."""


@dataclass(frozen=True, eq=False)
class Pull:
    """What draws points to classes, beside their links.

    Attributes
    ----------
    weights : array of shape (grid.size,)
    toward : array of shape (n_classes, grid.size)
        The weights, times the scores that they draw to.
    """

    weights: FloatArray
    toward: FloatArray


@dataclass(frozen=True, eq=False)
class Stencil:
    """The graph of a picture: points within a radius are linked by how alike they are.

    Attributes
    ----------
    grid : Grid
    weights : array
        Of all links that point forward.
    degrees : array of shape (grid.size,)
        Sum of the weights of each point.
    """

    grid: Grid
    weights: IntArray
    degrees: FloatArray

    @classmethod
    def of(cls, grid: Grid, planes: FloatArray, color_scale: float) -> "Stencil":
        """The weights ``exp(-|c_i - c_j|² / h²) exp(-distance² / R²)``.

        Parameters
        ----------
        grid : Grid
        planes : array of shape (n_channels, grid.size)
            Values of the points.
        color_scale : float
            h, the colour difference that counts as one.
        """
        engine = grid.engine
        weights = engine.link(grid, planes, float(color_scale) ** -2, WEAKEST_COLOR)
        return cls(grid, weights, engine.product(grid, weights, grid.inside[None])[0])

    def part(self, window: Window) -> "Stencil":
        """The same in a part of the picture; what lies around it stays linked to it."""
        return Stencil(
            self.grid.part(window), self.grid.cut(self.weights, window), self.grid.cut(self.degrees, window)
        )

    def product(self, planes: FloatArray) -> FloatArray:
        """The weights times each plane of shape (n_planes, grid.size)."""
        return self.grid.engine.product(self.grid, self.weights, planes)

    def regions(self) -> IntArray:
        """Number of the region of each point, below `grid.size`: no link of like colours joins regions."""
        grid = self.grid
        weakest = np.round(WEAKEST_COLOR * grid.nearness / UNIT).astype(np.uint16)
        return grid.crop(grid.engine.joined(grid, self.weights, weakest))

    def diffuse(
        self,
        known: BoolArray,
        scores: FloatArray,
        most_iterations: int,
        rest: FloatArray | None = None,
        pull: Pull | None = None,
    ) -> FloatArray:
        """Make scores the mean of their neighbours' where nothing is known, in place, by conjugate gradients.

        Parameters
        ----------
        known : array of shape (grid.size,)
            Where the scores are given.
        scores : array of shape (n_classes, grid.size)
            What they are there, and a guess elsewhere.
        most_iterations : int
        rest : array of shape (n_classes,), optional
            What may be left of each class, as an earlier call returned it.
        pull : Pull, optional
            One further neighbour of each point, whose score is given.

        Returns
        -------
        array of shape (n_classes,)
            What is left: squared residuals, each over the sum of the weights of its point.
        """
        grid, engine = self.grid, self.grid.engine
        sums = self.degrees if pull is None else self.degrees + pull.weights
        free = ((grid.inside > 0) & ~known & (sums > 0)).astype(np.float32)
        inverse = free / np.maximum(sums, np.finfo(np.float32).tiny)
        r = self.product(scores) - sums * scores
        if pull is not None:
            r += pull.toward
        r *= free
        p, image = inverse * r, np.zeros_like(r)
        length = np.multiply(r, p, dtype=np.float64).sum(axis=1)
        left = engine.to_host(length)
        enough = TOLERANCE**2 * left if rest is None else np.maximum(TOLERANCE**2 * left, rest)
        for iteration in range(most_iterations):
            if (left <= enough).all():
                break
            if iteration % TELL_EVERY == 0:
                tell(max(iteration / most_iterations, _share_done(left, enough)))
            curvature = engine.apply(grid, self.weights, sums, free, p, image)
            now = engine.advance(grid, inverse, scores, r, p, image, (length, curvature))
            engine.turn(grid, inverse, r, p, (now, length))
            length, left = now, engine.to_host(now)
        tell(1.0)
        return left


def _share_done(length: FloatArray, enough: FloatArray) -> float:
    """How far the residuals have fallen on their way, in powers."""
    left = np.log(np.maximum(length / np.maximum(enough, TINY), 1.0)).max()
    return float(np.clip(1 + left / (2 * np.log(TOLERANCE)), 0.0, 1.0))
