"""Links between neighbours on a grid: half of them are kept, in 16 bits, and no index at all."""

from functools import cached_property

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.cpu import stencil_kernels as kernels
from graphwell.progress import tell
from graphwell.segmentation.grid import WEAKEST_COLOR, Grid

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
        self.weights = np.zeros((len(grid.steps), grid.size), dtype=np.uint16)
        grid.share(
            kernels.link, kernels.CHUNK, planes, grid.pieces, grid.steps, grid.nearness,
            float(color_scale) ** -2, WEAKEST_COLOR, self.weights,
        )  # fmt: skip

    def product(self, planes: FloatArray) -> FloatArray:
        """The weights times each plane of shape (n_planes, grid.size)."""
        out = np.zeros_like(planes)
        self.grid.share(kernels.multiply, kernels.CHUNK, self.grid.steps, self.weights, planes, out)
        return out

    @cached_property
    def degrees(self) -> FloatArray:
        """Sum of the weights of each point."""
        return self.product(self.grid.inside[None])[0]

    def regions(self) -> IntArray:
        """Number of the region of each point: regions are joined by no link of like colours."""
        grid = self.grid
        parents = np.arange(grid.size)
        weakest = np.round(WEAKEST_COLOR * grid.nearness / kernels.UNIT).astype(np.uint16)
        kernels.join(grid.begin, grid.end, grid.steps, self.weights, weakest, parents)
        return np.unique(grid.crop(parents), return_inverse=True)[1].reshape(grid.shape)

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
        grid = self.grid
        free = ((grid.inside > 0) & ~known & (self.degrees > 0)).astype(np.float32)
        inverse = free / np.maximum(self.degrees, np.finfo(np.float32).tiny)
        r = (self.product(scores) - self.degrees * scores) * free
        p, image = inverse * r, np.zeros_like(r)
        dots = np.zeros((grid.n_parts(kernels.CHUNK), len(scores)))
        length = np.einsum("kn,kn->k", r, p, dtype=np.float64)
        enough = TOLERANCE**2 * length
        for iteration in range(most_iterations):
            if (length <= enough).all():
                break
            tell(max(iteration / most_iterations, _share_done(length, enough)))
            grid.share(
                kernels.apply, kernels.CHUNK, grid.steps, self.weights, self.degrees, free, p, image, dots
            )
            steps = _divided(length, dots.sum(axis=0))
            grid.share(kernels.advance, kernels.CHUNK, inverse, scores, r, p, image, steps, dots)
            now = dots.sum(axis=0)
            grid.share(kernels.turn, kernels.CHUNK, inverse, r, p, _divided(now, length))
            length = now
        tell(1.0)


def _share_done(length: FloatArray, enough: FloatArray) -> float:
    """How far the residuals have fallen on their way, in powers."""
    left = np.log(np.maximum(_divided(length, enough), 1.0)).max()
    return float(np.clip(1 + left / (2 * np.log(TOLERANCE)), 0.0, 1.0))


def _divided(above: FloatArray, below: FloatArray) -> FloatArray:
    """Quotients, 0 where there is nothing left to do."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
