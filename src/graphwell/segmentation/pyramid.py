"""The image pyramid: a picture made ready for seeds, at all sizes that are needed.

Which seed decides a region is found on levels of at most `WORKING_PIXELS` pixels, coarsest first: scores that
propagate from the seeds, and the color model. Where exactly the borders run is found by the descent, on the
largest of these levels and then on each larger one up to the picture itself. Level n was halved n times.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.cpu.pixels import Pixels
from graphwell.memory import allowed
from graphwell.progress import in_pieces, listening
from graphwell.segmentation.color_model import BLUR, ColorModel, posterior, posterior_times_margin
from graphwell.segmentation.features import (
    PictureFeatures,
    border_blur,
    border_color_scale,
    halved,
    is_noisy,
    noise_left,
    smoothed,
    start_blur,
    start_color_scale,
)
from graphwell.segmentation.propagation import Propagation, enlarged, propagate
from graphwell.segmentation.seeds import Seeds, pieces_between
from graphwell.segmentation.stencil import WEAKEST_COLOR, PixelGrid, Stencil

# Pixels of the largest level on which scores are found, and of the smallest where memory is short.
WORKING_PIXELS, LEAST_WORKING_PIXELS = 400_000, 25_000
# About the memory of a pixel, each of its channels, a pixel of the working level, each of its scores.
PIXEL_BYTES, CHANNEL_BYTES, WORKING_BYTES, SCORE_BYTES = 64, 20, 700, 32
COARSEST_PIXELS = 4000
# Regions of fewer pixels are specks: they take the class of what surrounds them.
SMALLEST_REGION = 49
# Of the time of a propagation, about; the color model takes the rest.
SCORES_SHARE = 0.7
# Farther than any colour from another.
FAR = 1e6
# Called with the share of the work that is done.
Reporter = Callable[[float], object]


class ImagePyramid:
    """A picture at all its levels, with their links and its color model."""

    def __init__(
        self,
        features: PictureFeatures,
        radius: float,
        color_scale: float | None,
        smoothing: float | None,
        engine: Pixels,
        report: Reporter,
        working_pixels: int = WORKING_PIXELS,
    ) -> None:
        self.radius, self.engine, self.color_scale = radius, engine, color_scale
        self.features = replace(features, values=np.empty(0))
        self.shape = features.values.shape[:-1]
        self._blur = border_blur(features) if smoothing is None else smoothing
        self._pieces = [] if features.masked is None else [pieces_between(features.masked)]
        self._grids: dict[int, PixelGrid] = {}
        # What the descent compares on each level; the values of the working level are left.
        values = features.values
        self._planes = [self._padded(self._smoothed(values, self._blur), 0)]
        while math.prod(values.shape[:-1]) > working_pixels:
            values = halved(values)
            self._planes.append(self._padded(values, len(self._planes)))
        report(0.3)
        self._build_levels(values)
        report(0.8)
        self._regions = Regions(self.grid(self.working), *self.border_planes(self.working))
        report(1.0)

    def _padded(self, values: FloatArray, level: int) -> FloatArray:
        return self.grid(level).pads(np.moveaxis(values, -1, 0))

    @property
    def working(self) -> int:
        """The largest level on which scores are found."""
        return len(self._planes) - 1

    @property
    def start_level(self) -> int:
        """The level on which belief is found: at least one halving where pixels are noisy."""
        return min(self.levels)

    def grid(self, level: int) -> PixelGrid:
        """The grid of one level."""
        if level not in self._grids:
            shape = tuple(-(-side // 2**level) for side in self.shape)
            pieces = self.pieces(level)
            self._grids[level] = PixelGrid(shape, self.radius, self.engine, self.features.spacing, pieces)
        return self._grids[level]

    def pieces(self, level: int) -> IntArray | None:
        """Pieces between masked points on one level, on the host; -1 where masked, None if nothing is."""
        if not self._pieces:
            return None
        while len(self._pieces) <= level:
            self._pieces.append(Seeds.of(self._pieces[-1]).halved().plane())
        return self._pieces[level]

    def border_planes(self, level: int) -> tuple[FloatArray, float]:
        """Values that the descent compares on one level, and the colour difference that counts as one."""
        blur = self._blur if level == 0 else 0.0
        scale = self.color_scale or border_color_scale(self.features, blur, level)
        return self._planes[level], scale

    def _smoothed(self, values: FloatArray, width: float) -> FloatArray:
        return smoothed(values, width, self.features.spacing, self.engine.ndimage)

    def seeds_by_level(self, seeds: Seeds) -> list[Seeds]:
        """Seeds of the picture, and of all smaller levels."""
        found = [seeds]
        for level in range(max(self.levels)):
            found.append(self._of_one_piece(found[-1], level).halved())
        return found

    def _of_one_piece(self, seeds: Seeds, level: int) -> Seeds:
        """Seeds of the same piece as the square of the next level that they lie in."""
        pieces, coarse = self.pieces(level), self.pieces(level + 1)
        if pieces is None or coarse is None:
            return seeds
        squares: Any = tuple(axis // 2 for axis in seeds.coordinates)
        return seeds.some(coarse[squares] == pieces.ravel()[seeds.places])

    def color_weight(self, seeds: list[Seeds]) -> float:
        """The weight of the color model, by held-out seeds."""
        return self.color_model.weight(seeds[self.start_level])

    def propagate(
        self,
        seeds: list[Seeds],
        classes: IntArray,
        weight: float,
        before: Propagation | None,
        report: Reporter,
    ) -> Propagation:
        """Scores and belief from seeds by level; `before` is of the same classes and similar seeds."""
        known = seeds[self.start_level]
        logs = self.color_model.logs(known, classes)
        unary_terms = self._unary_terms(weight, logs, seeds) if weight else None
        pieces = in_pieces(
            lambda _, share: report(1 - SCORES_SHARE + SCORES_SHARE * (share or 0.0)),
            "",
            # iterations double with each halving
            [float(np.prod(stencil.grid.shape) * 2**level) for level, stencil in self.levels.items()],
        )
        with listening(pieces):
            scores, residuals = propagate(self.levels, self.working, seeds, len(classes), before, unary_terms)
        report(1.0)
        finest = self.grid(self.start_level).crop(scores[self.start_level])
        belief = posterior(finest, self.color_model.blurred(logs, known, classes))
        return Propagation(classes, scores, residuals, belief, weight)

    def _unary_terms(self, weight: float, logs: FloatArray, seeds: list[Seeds]) -> dict[int, FloatArray]:
        """How strongly colours draw points of each level to each class."""
        planes = weight * posterior_times_margin(logs)
        reached = self._regions.reached_by(seeds[self.working])[self._regions.of_points]
        if not reached.all():  # a colour that no seed has draws nowhere
            shares = reached.astype(np.float32)[..., None]
            planes *= (halved(shares) if self.start_level > self.working else shares)[..., 0]
        found = {self.start_level: planes}
        for level in range(self.start_level + 1, max(self.levels) + 1):
            planes = np.moveaxis(halved(np.moveaxis(planes, 0, -1)), -1, 0)
            found[level] = planes
        return found

    def reachable(self, seeds: list[Seeds]) -> BoolArray:
        """False in regions that no seed reaches, and where nothing but a mask lies around.

        A region that contrast cuts off is reached by a seed in it, or by one of its colour; a speck always.
        """
        smallest = SMALLEST_REGION / 2 ** (self.working * len(self.shape))
        reached = self._regions.reached_by(seeds[self.working]) | (self._regions.sizes < smallest)
        found = self.to_level(reached[self._regions.of_points], self.working, 0)
        pieces = self.pieces(0)
        if pieces is None:
            return found
        return found & self.engine.asarray(np.isin(pieces, pieces.ravel()[seeds[0].places]))

    def to_level(self, plane: FloatArray, level: int, wanted: int) -> FloatArray:
        """A plane of one level as one of a larger one."""
        while level > wanted:
            level -= 1
            plane = enlarged(plane[None], self.grid(level).shape)[0]
        return self.engine.xp.ascontiguousarray(plane)

    def _build_levels(self, values: FloatArray) -> None:
        """Levels for the scores, coarsest first; none of them is the picture itself if that is noisy."""
        level, blur = self.working, 0.0
        if is_noisy(self.features) and level == 0:
            blur = start_blur(self.features)
            values, level = halved(self._smoothed(values, blur)), 1
        left = noise_left(blur, level, self.features.spacing)
        pieces = self.pieces(level)
        color_blur = 0.0 if blur else BLUR  # where the picture is blurred, that is enough
        self.color_model = ColorModel(values, self.features, left, self.engine, pieces, color_blur)
        levels: dict[int, Stencil] = {}
        while not levels or math.prod(levels[level].grid.shape) > COARSEST_PIXELS:
            if levels:
                values, level = halved(values), level + 1
            scale = self.color_scale or start_color_scale(self.features, level)
            levels[level] = Stencil.of(self.grid(level), self._padded(values, level), scale)
        self.levels = dict(reversed(levels.items()))


def picture_bytes(n_pixels: int, n_channels: int, working: int = LEAST_WORKING_PIXELS) -> int:
    """Memory that a picture takes beyond itself, about; by default the least it can do with."""
    return n_pixels * (PIXEL_BYTES + CHANNEL_BYTES * n_channels) + min(n_pixels, working) * WORKING_BYTES


def scores_bytes(pyramid: ImagePyramid, n_classes: int) -> int:
    """Memory that the scores of some classes take, about."""
    return SCORE_BYTES * n_classes * sum(math.prod(copy.grid.shape) for copy in pyramid.levels.values())


def working_pixels(n_pixels: int, n_channels: int) -> int:
    """Pixels of the level that decides regions, fewer where memory is short; borders stay as fine."""
    working = WORKING_PIXELS
    while working > LEAST_WORKING_PIXELS and picture_bytes(n_pixels, n_channels, working) > allowed():
        working //= 2
    return max(working, LEAST_WORKING_PIXELS)


class Regions:
    """Regions that contrast cuts off on all sides, on one level; not all numbers `of_points` are in use."""

    def __init__(self, grid: PixelGrid, planes: FloatArray, scale: float) -> None:
        self.grid, self.planes, self.scale = grid, planes, scale
        self.of_points = grid.engine.xp.ascontiguousarray(Stencil.of(grid, planes, scale).regions())
        self._reached: tuple[Seeds, BoolArray] | None = None

    @cached_property
    def sizes(self) -> IntArray:
        """Points of each region, by number."""
        return np.bincount(self.of_points.ravel())

    def reached_by(self, seeds: Seeds) -> BoolArray:
        """Whether each region, by number, holds a seed or has the colour of one."""
        if self._reached is not None and self._reached[0] is seeds:
            return self._reached[1]
        engine, (numbers, colors) = self.grid.engine, self._colors
        found = self.sizes == 0
        found[self.of_points.ravel()[engine.asarray(seeds.places)]] = True
        left = engine.to_host(~found)[numbers]
        found[engine.asarray(numbers[left][self._are_colors_of(seeds, colors[left])])] = True
        self._reached = seeds, found
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
        # Colours do not count across a mask: other pieces are farther than any colour.
        marked = [FAR * host(self.grid.pieces[places]), *(host(plane[places]) for plane in self.planes)]
        apart, _ = cKDTree(np.stack(marked, axis=1)).query(rows)
        return np.asarray(apart < self.scale * np.sqrt(-np.log(WEAKEST_COLOR)))
