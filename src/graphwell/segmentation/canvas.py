"""A picture made ready for marks, at all sizes that are needed.

Which mark decides a region is found on copies of at most `WORKING_PIXELS` pixels, coarsest first: scores that
spread from the marks, and the evidence of the colours. Where exactly the borders run is found by the descent,
on the largest of these copies and then on each larger size up to the picture itself.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.pixels import PixelEngine
from graphwell.memory import allowed
from graphwell.progress import in_pieces, listening
from graphwell.segmentation.evidence import BLUR, ColorEvidence, posterior
from graphwell.segmentation.features import PictureFeatures, halved, noise_left, smoothed
from graphwell.segmentation.grid import Grid
from graphwell.segmentation.masks import pieces_between
from graphwell.segmentation.regions import Regions
from graphwell.segmentation.scales import (
    border_blur,
    border_color_scale,
    is_noisy,
    start_blur,
    start_color_scale,
)
from graphwell.segmentation.seeds import Seeds
from graphwell.segmentation.start import Copy, Start, enlarged, spread_scores
from graphwell.segmentation.stencil import Stencil
from graphwell.segmentation.trust import lead_of

WORKING_PIXELS, LEAST_WORKING_PIXELS = 400_000, 25_000
"""Pixels of the largest copy on which scores are found, and of the smallest where memory is short."""
PIXEL_BYTES, CHANNEL_BYTES, WORKING_BYTES, SCORE_BYTES = 64, 20, 700, 32
"""Memory that a pixel takes, each of its channels, a pixel of the working size, each of its scores, about."""
COARSEST_PIXELS = 4000
SMALLEST_REGION = 49
"""Regions of fewer pixels are specks: they take the class of what surrounds them."""
SCORES_SHARE = 0.7
"""Of the time that a start takes, about; the evidence of the colours takes the rest."""
Told = Callable[[float], object]


class Canvas:
    """A picture with its copies and their links.

    Parameters
    ----------
    features : PictureFeatures
        Values of shape (*shape, n_channels), of any number of dimensions.
    radius : float
    color_scale, smoothing : float, optional
        As in `Segmenter`.
    engine : PixelEngine
        Where the features lie.
    told : callable
        Told the share of the work that is done.
    working_pixels : int
        Largest number of pixels on which scores are found.
    """

    def __init__(
        self,
        features: PictureFeatures,
        radius: float,
        color_scale: float | None,
        smoothing: float | None,
        engine: PixelEngine,
        told: Told,
        working_pixels: int = WORKING_PIXELS,
    ) -> None:
        self.radius, self.engine, self.color_scale = radius, engine, color_scale
        self.features = replace(features, values=np.empty(0))
        self.shape = features.values.shape[:-1]
        self._blur = border_blur(features) if smoothing is None else smoothing
        self._pieces = [] if features.masked is None else [pieces_between(features.masked)]
        self._grids: dict[int, Grid] = {}
        values = self._take_planes(features.values, working_pixels)
        told(0.3)
        self._build_copies(values)
        told(0.8)
        self._regions = Regions(self.grid(self.working), *self.border_planes(self.working))
        told(1.0)

    def _take_planes(self, values: FloatArray, working_pixels: int) -> FloatArray:
        """Keep what the descent compares at each size; return the values of the working size."""
        self._planes = [self._padded(self._smoothed(values, self._blur), 0)]
        while math.prod(values.shape[:-1]) > working_pixels:
            values = halved(values)
            self._planes.append(self._padded(values, len(self._planes)))
        return values

    def _padded(self, values: FloatArray, halvings: int) -> FloatArray:
        return self.grid(halvings).pads(np.moveaxis(values, -1, 0))

    @property
    def working(self) -> int:
        """How often the working size was halved."""
        return len(self._planes) - 1

    @property
    def start_halvings(self) -> int:
        """How often the copy was halved on which belief is found: at least once where pixels are noisy."""
        return self.copies[-1].halvings

    def grid(self, halvings: int) -> Grid:
        """The grid of one size."""
        if halvings not in self._grids:
            shape = tuple(-(-side // 2**halvings) for side in self.shape)
            pieces = self.pieces(halvings)
            self._grids[halvings] = Grid(shape, self.radius, self.engine, self.features.spacing, pieces)
        return self._grids[halvings]

    def pieces(self, halvings: int) -> IntArray | None:
        """Pieces between masked points at one size, on the host; -1 where all are masked, None if none is."""
        if not self._pieces:
            return None
        while len(self._pieces) <= halvings:
            self._pieces.append(Seeds.of(self._pieces[-1]).halved().plane())
        return self._pieces[halvings]

    def border_planes(self, halvings: int) -> tuple[FloatArray, float]:
        """Values that the descent compares at one size, and the colour difference that counts as one."""
        blur = self._blur if halvings == 0 else 0.0
        scale = self.color_scale or border_color_scale(self.features, blur, halvings)
        return self._planes[halvings], scale

    def _smoothed(self, values: FloatArray, width: float) -> FloatArray:
        return smoothed(values, width, self.features.spacing, self.engine.ndimage)

    def seeds_by_size(self, seeds: Seeds) -> list[Seeds]:
        """Seeds of the picture, and of everything that is smaller."""
        found = [seeds]
        for halvings in range(self.copies[0].halvings):
            found.append(self._heard(found[-1], halvings).halved())
        return found

    def _heard(self, seeds: Seeds, halvings: int) -> Seeds:
        """Seeds that may speak for the square that they lie in, as it is of their piece."""
        pieces, coarse = self.pieces(halvings), self.pieces(halvings + 1)
        if pieces is None or coarse is None:
            return seeds
        squares: Any = tuple(axis // 2 for axis in seeds.coordinates)
        return seeds.some(coarse[squares] == pieces.ravel()[seeds.places])

    def strength(self, seeds: list[Seeds]) -> float:
        """How strongly colours draw points to classes, as far as hidden marks trust them."""
        return self.evidence.strength(seeds[self.start_halvings])

    def start(
        self, seeds: list[Seeds], classes: IntArray, strength: float, before: Start | None, told: Told
    ) -> Start:
        """Find scores and belief from marks.

        Parameters
        ----------
        seeds : list of Seeds
            As `seeds_by_size` gives them.
        classes : array of shape (n_classes,)
        strength : float
            How strongly colours draw points to classes.
        before : Start, optional
            Of the same classes from seeds that differ little.
        told : callable
        """
        known = seeds[self.start_halvings]
        logs = self.evidence.logs(known, classes)
        pulls = self._pulls(strength, logs, seeds) if strength else None
        pieces = in_pieces(
            lambda _, share: told(1 - SCORES_SHARE + SCORES_SHARE * (share or 0.0)),
            "",
            [c.work for c in self.copies],
        )
        with listening(pieces):
            scores, rests = spread_scores(self.copies, self.working, seeds, len(classes), before, pulls)
        told(1.0)
        finest = self.copies[-1].stencil.grid.crop(scores[-1])
        belief = posterior(finest, self.evidence.blurred(logs, known, classes))
        return Start(classes, scores, rests, belief, strength)

    def _pulls(self, strength: float, logs: FloatArray, seeds: list[Seeds]) -> list[FloatArray]:
        """How strongly colours draw points of each copy to each class, coarsest first."""
        planes = strength * lead_of(logs)
        heard = self._regions.spoken_for(seeds[self.working])[self._regions.of_points]
        if not heard.all():  # a colour that no mark has draws nowhere
            shares = heard.astype(np.float32)[..., None]
            planes *= (halved(shares) if self.start_halvings > self.working else shares)[..., 0]
        found = [planes]
        for _ in self.copies[1:]:
            found.append(np.moveaxis(halved(np.moveaxis(found[-1], 0, -1)), -1, 0))
        return found[::-1]

    def reachable(self, seeds: list[Seeds]) -> BoolArray:
        """False where nothing speaks for a class, and where nothing but a mask lies around.

        A region that contrast cuts off is reached by a seed in it, or by one of its colour; a speck always.
        """
        smallest = SMALLEST_REGION / 2 ** (self.working * len(self.shape))
        reached = self._regions.spoken_for(seeds[self.working]) | (self._regions.sizes < smallest)
        found = self.to_size(reached[self._regions.of_points], self.working, 0)
        pieces = self.pieces(0)
        if pieces is None:
            return found
        return found & self.engine.asarray(np.isin(pieces, pieces.ravel()[seeds[0].places]))

    def to_size(self, plane: FloatArray, halvings: int, wanted: int) -> FloatArray:
        """A plane of one size as one of a larger size."""
        while halvings > wanted:
            halvings -= 1
            plane = enlarged(plane[None], self.grid(halvings).shape)[0]
        return self.engine.xp.ascontiguousarray(plane)

    def _build_copies(self, values: FloatArray) -> None:
        """Copies for the scores, coarsest first; none of them is the picture itself if that is noisy."""
        halvings, blur = self.working, 0.0
        if is_noisy(self.features) and halvings == 0:
            blur = start_blur(self.features)
            values, halvings = halved(self._smoothed(values, blur)), 1
        left = noise_left(blur, halvings, self.features.spacing)
        pieces = self.pieces(halvings)
        rest = 0.0 if blur else BLUR  # what is blurred already says enough
        self.evidence = ColorEvidence(values, self.features, left, self.engine, pieces, rest)
        copies: list[Copy] = []
        while not copies or np.prod(copies[-1].shape) > COARSEST_PIXELS:
            if copies:
                values, halvings = halved(values), halvings + 1
            scale = self.color_scale or start_color_scale(self.features, halvings)
            copies.append(
                Copy(halvings, Stencil.of(self.grid(halvings), self._padded(values, halvings), scale))
            )
        self.copies = copies[::-1]


def picture_bytes(n_pixels: int, n_channels: int, working: int = LEAST_WORKING_PIXELS) -> int:
    """Memory that a picture takes beyond itself, about; by default the least it can do with.

    Examples
    --------
    >>> picture_bytes(12_000_000, 3) < 2e9
    True
    """
    return n_pixels * (PIXEL_BYTES + CHANNEL_BYTES * n_channels) + min(n_pixels, working) * WORKING_BYTES


def scores_bytes(canvas: Canvas, n_classes: int) -> int:
    """Memory that the scores of some classes take, about."""
    return SCORE_BYTES * n_classes * sum(math.prod(copy.shape) for copy in canvas.copies)


def working_pixels(n_pixels: int, n_channels: int) -> int:
    """Size of the copy that decides regions: smaller where memory is short; borders are refined all the same.

    Examples
    --------
    >>> from graphwell.memory import limited_to
    >>> with limited_to(10**8):
    ...     working_pixels(500_000, 3)
    50000
    """
    working = WORKING_PIXELS
    while working > LEAST_WORKING_PIXELS and picture_bytes(n_pixels, n_channels, working) > allowed():
        working //= 2
    return max(working, LEAST_WORKING_PIXELS)
