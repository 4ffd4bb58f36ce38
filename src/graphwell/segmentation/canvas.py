"""A picture made ready for marks, at all sizes that are needed.

Which mark decides a region is found on copies of at most `WORKING_PIXELS` pixels, coarsest first: scores that
spread from the marks, and the evidence of the colours. Where exactly the borders run is found by the descent,
on the largest of these copies and then on each larger size up to the picture itself.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from graphwell._thread_pool import ThreadPool
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.memory import allowed
from graphwell.progress import in_pieces, listening
from graphwell.segmentation.evidence import ColorEvidence, posterior
from graphwell.segmentation.features import PictureFeatures, halved, noise_left, smoothed
from graphwell.segmentation.grid import Grid
from graphwell.segmentation.masks import pieces_between
from graphwell.segmentation.pyramid import COARSEST_PIXELS, REFINEMENTS, WARM_REFINEMENTS, halved_seeds
from graphwell.segmentation.scales import (
    border_blur,
    border_color_scale,
    is_noisy,
    start_blur,
    start_color_scale,
)
from graphwell.segmentation.stencil import Stencil

WORKING_PIXELS, LEAST_WORKING_PIXELS = 400_000, 25_000
"""Pixels of the largest copy on which scores are found, and of the smallest where memory is short."""
PIXEL_BYTES, CHANNEL_BYTES, WORKING_BYTES = 64, 20, 700
"""Memory that a pixel takes, each of its channels, and a pixel of the working size, about."""
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
        scores = [np.zeros((len(classes), *s.shape[1:]), dtype=s.dtype) for s in self.scores]
        for wider, before in zip(scores, self.scores, strict=True):
            wider[np.searchsorted(classes, self.classes)] = before
        return Start(classes, scores, self.belief)


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
    pool : ThreadPool
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
        pool: ThreadPool,
        told: Told,
        working_pixels: int = WORKING_PIXELS,
    ) -> None:
        self.features, self.radius, self.pool = features, radius, pool
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
        self._regions = Stencil(self.grid(self.working), values, scale).regions()
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
        return Grid(shape, self.radius, self.pool, self.features.spacing, self.pieces(halvings))

    def pieces(self, halvings: int) -> IntArray | None:
        """Pieces between masked points at one size, -1 where all points are masked; None if none ever is."""
        if not self._pieces:
            return None
        while len(self._pieces) <= halvings:
            self._pieces.append(halved_seeds(self._pieces[-1], int(self._pieces[0].max()) + 1))
        return self._pieces[halvings]

    def border_values(self, halvings: int) -> tuple[FloatArray, float]:
        """Values that the descent compares at one size, and the colour difference that counts as one."""
        blur = self.blur if halvings == 0 else 0.0
        scale = self.color_scale or border_color_scale(self.features, blur, halvings)
        return smoothed(self.sizes[halvings], blur, self.features.spacing), scale

    def seeds_by_size(self, seeds: IntArray, n_classes: int) -> list[IntArray]:
        """Seeds of the picture, and of everything that is smaller."""
        found = [seeds]
        for halvings in range(self.copies[0].halvings):
            found.append(halved_seeds(self._heard(found[-1], halvings), n_classes))
        return found

    def _heard(self, seeds: IntArray, halvings: int) -> IntArray:
        """Seeds that may speak for the square that they lie in, as it is of their piece."""
        pieces, coarse = self.pieces(halvings), self.pieces(halvings + 1)
        if pieces is None or coarse is None:
            return seeds
        return np.where(enlarged(coarse[None], pieces.shape)[0] == pieces, seeds, -1)

    def start(self, seeds: list[IntArray], classes: IntArray, before: Start | None, told: Told) -> Start:
        """Find scores and belief from marks.

        Parameters
        ----------
        seeds : list of arrays
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

    def reachable(self, seeds: list[IntArray]) -> BoolArray:
        """False in regions that hold no seed, and are no specks; and where nothing but a mask lies around."""
        regions = self._regions.ravel()
        seeded = np.bincount(regions, (seeds[self.working] >= 0).ravel()) > 0
        smallest = SMALLEST_REGION / 2 ** (self.working * len(self.shape))
        found = self.to_size(((seeded | (np.bincount(regions) < smallest))[self._regions]), self.working, 0)
        pieces = self.pieces(0)
        return found if pieces is None else found & np.isin(pieces, pieces[seeds[0] >= 0])

    def to_size(self, plane: FloatArray, halvings: int, wanted: int) -> FloatArray:
        """A plane of one size as one of a larger size."""
        while halvings > wanted:
            halvings -= 1
            plane = enlarged(plane[None], self.sizes[halvings].shape[:-1])[0]
        return np.ascontiguousarray(plane)

    def _build_copies(self) -> None:
        """Copies for the scores, coarsest first; none of them is the picture itself if that is noisy."""
        values, halvings, blur = self.sizes[-1], self.working, 0.0
        if is_noisy(self.features) and halvings == 0:
            blur = start_blur(self.features)
            values, halvings = halved(smoothed(values, blur, self.features.spacing)), 1
        left = noise_left(blur, halvings, self.features.spacing)
        self.evidence = ColorEvidence(values, self.features, left, self.pool)
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


def _scores(
    stencil: Stencil, seeds: IntArray, n_classes: int, guess: FloatArray | None, most_iterations: int
) -> FloatArray:
    """Scores of one copy, of shape (n_classes, *shape): given at the seeds, harmonic elsewhere."""
    grid = stencil.grid
    codes = grid.pad(seeds, -1)
    planes = np.zeros((n_classes, grid.size), dtype=np.float32) if guess is None else grid.pads(guess)
    known = np.flatnonzero(codes >= 0)
    planes[:, known] = codes[known] == np.arange(n_classes)[:, None]
    stencil.diffuse(codes >= 0, planes, most_iterations)
    return np.ascontiguousarray(grid.crop(planes))


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
