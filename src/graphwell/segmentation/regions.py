"""Regions that contrast cuts off on all sides, and whether marks speak for them."""

from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.segmentation.grid import WEAKEST_COLOR, Grid
from graphwell.segmentation.seeds import Seeds
from graphwell.segmentation.stencil import Stencil

FAR = 1e6
"""Farther than any colour from another."""


class Regions:
    """The regions of one size of a picture.

    Parameters
    ----------
    grid : Grid
    planes : array of shape (n_channels, size)
        Colours.
    scale : float
        Colour difference that counts as one.

    Attributes
    ----------
    of_points : array of the shape of the grid
        Number of the region of each point; not all numbers are in use.
    """

    def __init__(self, grid: Grid, planes: FloatArray, scale: float) -> None:
        self.grid, self.planes, self.scale = grid, planes, scale
        self.of_points = grid.engine.xp.ascontiguousarray(Stencil.of(grid, planes, scale).regions())
        self._spoken: tuple[Seeds, BoolArray] | None = None

    @cached_property
    def sizes(self) -> IntArray:
        """Points of each region, by number."""
        return np.bincount(self.of_points.ravel())

    def spoken_for(self, seeds: Seeds) -> BoolArray:
        """Whether each region, by number, holds a seed or has the colour of one."""
        if self._spoken is not None and self._spoken[0] is seeds:
            return self._spoken[1]
        engine, (numbers, colors) = self.grid.engine, self._colors
        found = self.sizes == 0
        found[self.of_points.ravel()[engine.asarray(seeds.places)]] = True
        left = engine.to_host(~found)[numbers]
        found[engine.asarray(numbers[left][self._are_colors_of(seeds, colors[left])])] = True
        self._spoken = seeds, found
        return found

    @cached_property
    def _colors(self) -> tuple[IntArray, FloatArray]:
        """Numbers in use, and a row for each: the piece of the region, then its mean colour; on the host."""
        host = self.grid.engine.to_host
        numbers = np.flatnonzero(host(self.sizes))
        there = self.grid.engine.asarray(numbers)
        rows = [FAR * host(self.grid.pieces[there])]
        for plane in self.planes:
            sums = np.bincount(self.of_points.ravel(), self.grid.crop(plane).ravel())
            rows.append(host(sums[there] / self.sizes[there]))
        return numbers, np.stack(rows, axis=1)

    def _are_colors_of(self, seeds: Seeds, rows: FloatArray) -> BoolArray:
        """Which rows of regions have a colour as like that of a seed as those of linked neighbours are."""
        host = self.grid.engine.to_host
        places = self.grid.engine.asarray(self.grid.places(seeds.coordinates))
        # Colours do not speak across a mask: other pieces are farther than any colour.
        marked = [FAR * host(self.grid.pieces[places]), *(host(plane[places]) for plane in self.planes)]
        apart, _ = cKDTree(np.stack(marked, axis=1)).query(rows)
        return np.asarray(apart < self.scale * np.sqrt(-np.log(WEAKEST_COLOR)))
