"""A picture made ready for marks, at all sizes that are needed.

Which mark decides a region is found on copies of at most `WORKING_PIXELS` pixels, coarsest first: scores that
spread from the marks, and the evidence of the colours. Where exactly the borders run is found by the descent,
on the largest of these copies and then on each larger size up to the picture itself.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.pixels import PixelEngine
from graphwell.memory import allowed
from graphwell.progress import in_pieces, listening
from graphwell.segmentation.evidence import ColorEvidence, posterior
from graphwell.segmentation.features import PictureFeatures, halved, noise_left, smoothed
from graphwell.segmentation.grid import Grid
from graphwell.segmentation.masks import pieces_between
from graphwell.segmentation.scales import (
    border_blur,
    border_color_scale,
    is_noisy,
    start_blur,
    start_color_scale,
)
from graphwell.segmentation.seeds import Seeds
from graphwell.segmentation.stencil import Stencil

WORKING_PIXELS, LEAST_WORKING_PIXELS = 400_000, 25_000
"""Pixels of the largest copy on which scores are found, and of the smallest where memory is short."""
PIXEL_BYTES, CHANNEL_BYTES, WORKING_BYTES = 64, 20, 700
"""Memory that a pixel takes, each of its channels, and a pixel of the working size, about."""
COARSEST_PIXELS = 4000
REFINEMENTS, WARM_REFINEMENTS = 20, 2
"""Iterations on the working size, from the guess of a coarser copy; twice as many after each halving."""
MOST_FROM_NOTHING = 1000
"""Iterations on the coarsest copy, which begins from no guess."""
SMALLEST_REGION = 49
"""Regions of fewer pixels are specks: they take the class of what surrounds them."""
SCORES_SHARE = 0.7
"""Of the time that a start takes, about; the evidence of the colours takes the rest."""
Told = Callable[[float], object]


@dataclass(frozen=True, eq=False)
class Start:
    """What is known before the descent.

    Attributes
    ----------
    classes : array of shape (n_classes,)
    scores : list of arrays of shape (n_classes, *shape)
        Of each copy, coarsest first.
    belief : array of shape (n_classes, *shape)
        Scores and colours together, on the largest copy; adds up to 1.
    """

    classes: IntArray
    scores: list[FloatArray]
    belief: FloatArray

    def among(self, classes: IntArray) -> "Start | None":
        """The same in terms of other classes, where those of before are among them."""
        if not np.isin(self.classes, classes).all():
            return None
        places = np.searchsorted(classes, self.classes).tolist()
        return Start(classes, [_spread(s, places, len(classes)) for s in self.scores], self.belief)


@dataclass(frozen=True, eq=False)
class Copy:
    """One size of the picture on which scores are found, and how often it was halved."""

    halvings: int
    stencil: Stencil

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the copy."""
        return self.stencil.grid.shape

    @property
    def work(self) -> float:
        """What the scores of this copy cost beside those of others: iterations double with each halving."""
        return float(np.prod(self.shape) * 2**self.halvings)


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

    Attributes
    ----------
    sizes : list of arrays of shape (*shape, n_channels)
        The picture, halved and halved again, down to the working size.
    working : int
        How often the working size was halved.
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
        self.features, self.radius, self.engine = features, radius, engine
        self.color_scale = color_scale
        self.blur = border_blur(features) if smoothing is None else smoothing
        self.sizes = [features.values]
        while np.prod(self.sizes[-1].shape[:-1]) > working_pixels:
            self.sizes.append(halved(self.sizes[-1]))
        self.working = len(self.sizes) - 1
        self._pieces = [] if features.masked is None else [pieces_between(features.masked)]
        told(0.3)
        self._build_copies()
        told(0.8)
        values, scale = self.border_values(self.working)
        regions = Stencil(self.grid(self.working), values, scale).regions()
        self._regions = engine.xp.ascontiguousarray(regions)
        told(1.0)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the picture."""
        return self.sizes[0].shape[:-1]

    @property
    def start_halvings(self) -> int:
        """How often the copy was halved on which belief is found: at least once where pixels are noisy."""
        return self.copies[-1].halvings

    def grid(self, halvings: int) -> Grid:
        """The grid of one size."""
        shape = tuple(-(-side // 2**halvings) for side in self.shape)
        return Grid(shape, self.radius, self.engine, self.features.spacing, self.pieces(halvings))

    def pieces(self, halvings: int) -> IntArray | None:
        """Pieces between masked points at one size, on the host; -1 where all are masked, None if none is."""
        if not self._pieces:
            return None
        while len(self._pieces) <= halvings:
            self._pieces.append(Seeds.of(self._pieces[-1]).halved().plane())
        return self._pieces[halvings]

    def border_values(self, halvings: int) -> tuple[FloatArray, float]:
        """Values that the descent compares at one size, and the colour difference that counts as one."""
        blur = self.blur if halvings == 0 else 0.0
        scale = self.color_scale or border_color_scale(self.features, blur, halvings)
        return self._smoothed(self.sizes[halvings], blur), scale

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

    def start(self, seeds: list[Seeds], classes: IntArray, before: Start | None, told: Told) -> Start:
        """Find scores and belief from marks.

        Parameters
        ----------
        seeds : list of Seeds
            As `seeds_by_size` gives them.
        classes : array of shape (n_classes,)
        before : Start, optional
            Of the same classes from seeds that differ little.
        told : callable
        """
        scores: list[FloatArray] = []
        pieces = in_pieces(
            lambda _, share: told(SCORES_SHARE * (share or 0.0)), "", [c.work for c in self.copies]
        )
        with listening(pieces):
            for number, copy in enumerate(self.copies):
                guess = None if before is None else before.scores[number]
                if scores and before is not None and guess is not None:
                    guess = guess + enlarged(scores[-1] - before.scores[number - 1], copy.shape)
                elif scores:
                    guess = enlarged(scores[-1], copy.shape)
                refinements = (REFINEMENTS if before is None else WARM_REFINEMENTS) * 2 ** (
                    copy.halvings - self.working
                )
                most = refinements if scores else MOST_FROM_NOTHING
                scores.append(_scores(copy.stencil, seeds[copy.halvings], len(classes), guess, most))
        logs = self.evidence.logs(seeds[self.start_halvings], classes)
        told(1.0)
        return Start(classes, scores, posterior(scores[-1], logs))

    def reachable(self, seeds: list[Seeds]) -> BoolArray:
        """False in regions that hold no seed, and are no specks; and where nothing but a mask lies around."""
        regions = self._regions.ravel()
        smallest = SMALLEST_REGION / 2 ** (self.working * len(self.shape))
        reached = np.bincount(regions) < smallest
        reached[regions[self.engine.asarray(seeds[self.working].places)]] = True
        found = self.to_size(reached[self._regions], self.working, 0)
        pieces = self.pieces(0)
        if pieces is None:
            return found
        return found & self.engine.asarray(np.isin(pieces, pieces.ravel()[seeds[0].places]))

    def to_size(self, plane: FloatArray, halvings: int, wanted: int) -> FloatArray:
        """A plane of one size as one of a larger size."""
        while halvings > wanted:
            halvings -= 1
            plane = enlarged(plane[None], self.sizes[halvings].shape[:-1])[0]
        return self.engine.xp.ascontiguousarray(plane)

    def _build_copies(self) -> None:
        """Copies for the scores, coarsest first; none of them is the picture itself if that is noisy."""
        values, halvings, blur = self.sizes[-1], self.working, 0.0
        if is_noisy(self.features) and halvings == 0:
            blur = start_blur(self.features)
            values, halvings = halved(self._smoothed(values, blur)), 1
        left = noise_left(blur, halvings, self.features.spacing)
        self.evidence = ColorEvidence(values, self.features, left, self.engine)
        copies: list[Copy] = []
        while not copies or np.prod(copies[-1].shape) > COARSEST_PIXELS:
            if copies:
                values, halvings = halved(values), halvings + 1
            scale = self.color_scale or start_color_scale(self.features, halvings)
            copies.append(Copy(halvings, Stencil(self.grid(halvings), values, scale)))
        self.copies = copies[::-1]


def picture_bytes(n_pixels: int, n_channels: int, working: int = LEAST_WORKING_PIXELS) -> int:
    """Memory that a picture takes beyond itself, about; by default the least it can do with.

    Examples
    --------
    >>> picture_bytes(12_000_000, 3) < 2e9
    True
    """
    return n_pixels * (PIXEL_BYTES + CHANNEL_BYTES * n_channels) + min(n_pixels, working) * WORKING_BYTES


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


def _spread(scores: FloatArray, places: list[int], n_classes: int) -> FloatArray:
    """Scores of some classes among those of all, 0 for the others."""
    found = np.zeros_like(scores, shape=(n_classes, *scores.shape[1:]))
    for place, plane in zip(places, scores, strict=True):
        found[place] = plane
    return found


def _scores(
    stencil: Stencil, seeds: Seeds, n_classes: int, guess: FloatArray | None, most_iterations: int
) -> FloatArray:
    """Scores of one copy, of shape (n_classes, *shape): given at the seeds, harmonic elsewhere."""
    grid, engine = stencil.grid, stencil.grid.engine
    shape = (n_classes, grid.size)
    planes = engine.xp.zeros(shape, dtype=np.float32) if guess is None else grid.pads(guess)
    places = engine.asarray(grid.places(seeds.coordinates))
    planes[:, places] = engine.asarray((seeds.codes == np.arange(n_classes)[:, None]).astype(np.float32))
    known = engine.xp.zeros(grid.size, dtype=bool)
    known[places] = True
    stencil.diffuse(known, planes, most_iterations)
    return engine.xp.ascontiguousarray(grid.crop(planes))


def enlarged(planes: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Planes of twice the size, cut to a shape.

    Examples
    --------
    >>> enlarged(np.array([[1, 2]]), (3,))
    array([[1, 1, 2]])
    """
    for axis, side in enumerate(shape, start=1):
        planes = np.repeat(planes, 2, axis=axis)[(slice(None),) * axis + (slice(0, side),)]
    return planes
