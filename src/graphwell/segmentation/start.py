"""Where the descent on a picture starts: scores that spread from the marks.

Few marks must decide large regions. So scores are solved for on a small copy of the picture, and handed to
the next larger one as a guess that a few iterations refine: the work is linear in the number of pixels. After
a further stroke, only the part of the picture that hears of it is refined.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.segmentation.grid import Window, window_around
from graphwell.segmentation.seeds import Seeds
from graphwell.segmentation.stencil import Pull, Stencil

REFINEMENTS, WARM_REFINEMENTS = 20, 4
"""Iterations on the working size, from the guess of a coarser copy; twice as many after each halving."""
MOST_FROM_NOTHING = 1000
"""Iterations on the coarsest copy, which begins from no guess."""
LEAST_CHANGE = 1e-2
"""A score that changes by less is left as it was before a further stroke."""
ALIKE = 0.6
"""Colours that draw more or less strongly than before by a larger share change scores everywhere."""


@dataclass(frozen=True, eq=False)
class Start:
    """What is known before the descent.

    Attributes
    ----------
    classes : array of shape (n_classes,)
    scores : list of arrays of shape (n_classes, size)
        Flat planes of each copy, coarsest first.
    rests : list of arrays of shape (n_classes,)
        What `Stencil.diffuse` left of each copy in the first call, which is exact enough for those after.
    belief : array of shape (n_classes, *shape)
        Scores and colours together, on the largest copy; adds up to 1.
    strength : float
        How strongly colours drew points to classes.
    """

    classes: IntArray
    scores: list[FloatArray]
    rests: list[FloatArray]
    belief: FloatArray
    strength: float

    def serves(self, strength: float) -> bool:
        """Whether its scores may be gone on from where colours draw so strongly: then few points change."""
        return abs(strength - self.strength) <= ALIKE * max(strength, self.strength)

    def among(self, classes: IntArray) -> "Start | None":
        """The same in terms of other classes, where those of before are among them."""
        if not np.isin(self.classes, classes).all():
            return None
        places = np.searchsorted(classes, self.classes).tolist()
        if places == list(range(len(classes))):
            return self
        scores, rests = (
            [_spread(part, places, len(classes)) for part in parts] for parts in (self.scores, self.rests)
        )
        return replace(self, classes=classes, scores=scores, rests=rests)


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

    def pull(self, planes: FloatArray) -> Pull:
        """What draws its points to classes, from shares of the links of a side's square of points.

        So a picture that is enlarged gives the labels of before, enlarged.
        """
        grid = self.stencil.grid
        all_links = 2 * float(grid.nearness.sum())
        share = np.float32(all_links / np.prod(self.shape) ** (2 / len(self.shape)))
        toward = grid.pads(planes)
        toward *= share
        return Pull(toward.sum(axis=0), toward)


def spread_scores(
    copies: Sequence[Copy],
    working: int,
    seeds: list[Seeds],
    n_classes: int,
    before: Start | None,
    pulls: Sequence[FloatArray] | None,
) -> tuple[list[FloatArray], list[FloatArray]]:
    """Scores on all copies, coarsest first, given at the seeds and spread elsewhere; and what was left.

    Parameters
    ----------
    copies : sequence of Copy
    working : int
        How often the working size was halved.
    seeds : list of Seeds
        Of every size.
    n_classes : int
    before : Start, optional
        Of seeds that differ little.
    pulls : sequence of arrays of shape (n_classes, *shape), optional
        How strongly colours draw each point of each copy to each class.
    """
    scores: list[FloatArray] = []
    rests: list[FloatArray] = []
    for number, copy in enumerate(copies):
        refinements = (REFINEMENTS if before is None else WARM_REFINEMENTS) * 2 ** (copy.halvings - working)
        most = refinements if scores else MOST_FROM_NOTHING
        rest = np.zeros(n_classes) if before is None else before.rests[number]
        planes, window, moving = _guess(copies, scores, n_classes, before)
        pull = None if pulls is None else copy.pull(pulls[number])
        left = _diffused(copy.stencil, seeds[copy.halvings], planes, window, moving, most, rest, pull)
        scores.append(planes)
        rests.append(np.where(rest > 0, rest, left))
    return scores, rests


def _guess(
    copies: Sequence[Copy], scores: list[FloatArray], n_classes: int, before: Start | None
) -> tuple[FloatArray, Window, list[int]]:
    """Scores of the next copy from what is known, as flat planes; the part and the classes to be refined."""
    number = len(scores)
    grid = copies[number].stencil.grid
    everywhere, everyone = tuple(slice(0, side) for side in grid.shape), list(range(n_classes))
    if not scores and before is None:
        return grid.engine.xp.zeros((n_classes, grid.size), dtype=np.float32), everywhere, everyone
    if not scores and before is not None:
        return before.scores[0].copy(), everywhere, everyone
    coarse = copies[number - 1].stencil.grid
    if before is None:
        return grid.pads(enlarged(coarse.crop(scores[-1]), grid.shape)), everywhere, everyone
    change = coarse.crop(scores[-1] - before.scores[number - 1])
    changed = np.abs(change) > LEAST_CHANGE
    half = window_around(changed.any(axis=0), grid.engine)
    window = tuple(
        slice(2 * part.start, min(2 * part.stop, side)) for part, side in zip(half, grid.shape, strict=True)
    )
    moving = [k for k in everyone if changed[k].any()]
    planes = before.scores[number].copy()
    shape = tuple(part.stop - part.start for part in window)
    for k in moving:
        grid.crop(planes[k])[window] += enlarged(change[k][half][None], shape)[0]
    return planes, window, moving


def _diffused(
    stencil: Stencil,
    seeds: Seeds,
    planes: FloatArray,
    window: Window,
    moving: list[int],
    most_iterations: int,
    rest: FloatArray,
    pull: Pull | None,
) -> FloatArray:
    """Give planes their values at the seeds, and refine some in a window, in place; return what is left."""
    grid, engine = stencil.grid, stencil.grid.engine
    places = engine.asarray(grid.places(seeds.coordinates))
    of_class = seeds.codes == np.arange(len(planes))[:, None]
    planes[:, places] = engine.asarray(of_class.astype(np.float32))
    known = engine.xp.zeros(grid.size, dtype=bool)
    known[places] = True
    everywhere = all(part == slice(0, side) for part, side in zip(window, grid.shape, strict=True))
    if everywhere and len(moving) == len(planes):
        return stencil.diffuse(known, planes, most_iterations, rest, pull)
    left = rest.copy()
    if moving:
        part = stencil.part(window)
        some = grid.cut(engine.xp.stack([planes[k] for k in moving]), window)
        if pull is not None:
            toward = grid.cut(engine.xp.stack([pull.toward[k] for k in moving]), window)
            pull = Pull(grid.cut(pull.weights, window), toward)
        left[moving] = part.diffuse(grid.cut(known, window), some, most_iterations, rest[moving], pull)
        for k, plane in zip(moving, some, strict=True):
            grid.crop(planes[k])[window] = part.grid.crop(plane)
    return left


def _spread(values: FloatArray, places: list[int], n_classes: int) -> FloatArray:
    """Values of some classes among those of all, 0 for the others."""
    found = np.zeros_like(values, shape=(n_classes, *values.shape[1:]))
    for place, value in zip(places, values, strict=True):
        found[place] = value
    return found


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
