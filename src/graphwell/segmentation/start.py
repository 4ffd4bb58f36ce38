"""Where the descent on a picture starts: scores that spread from the marks.

Few marks must decide large regions. So scores are solved for on a small copy of the picture, and handed to
the next larger one as a guess that a few iterations refine: the work is linear in the number of pixels. After
a further stroke, only the part of the picture that hears of it is refined.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.segmentation.grid import Grid, Window
from graphwell.segmentation.seeds import Seeds
from graphwell.segmentation.stencil import Stencil

REFINEMENTS, WARM_REFINEMENTS = 20, 4
"""Iterations on the working size, from the guess of a coarser copy; twice as many after each halving."""
MOST_FROM_NOTHING = 1000
"""Iterations on the coarsest copy, which begins from no guess."""
LEAST_CHANGE = 1e-3
"""A score that changes by less is left as it was before a further stroke."""


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
    """

    classes: IntArray
    scores: list[FloatArray]
    rests: list[FloatArray]
    belief: FloatArray

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
        return Start(classes, scores, rests, self.belief)


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


def spread_scores(
    copies: Sequence[Copy], working: int, seeds: list[Seeds], n_classes: int, before: Start | None
) -> tuple[list[FloatArray], list[FloatArray]]:
    """Scores on all copies, coarsest first, given at the seeds and harmonic elsewhere; and what was left.

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
    """
    scores: list[FloatArray] = []
    rests: list[FloatArray] = []
    for number, copy in enumerate(copies):
        refinements = (REFINEMENTS if before is None else WARM_REFINEMENTS) * 2 ** (copy.halvings - working)
        most = refinements if scores else MOST_FROM_NOTHING
        rest = np.zeros(n_classes) if before is None else before.rests[number]
        planes, window = _guess(copies, scores, n_classes, before)
        left = _diffused(copy.stencil, seeds[copy.halvings], planes, window, most, rest)
        scores.append(planes)
        rests.append(np.where(rest > 0, rest, left))
    return scores, rests


def _guess(
    copies: Sequence[Copy], scores: list[FloatArray], n_classes: int, before: Start | None
) -> tuple[FloatArray, Window]:
    """Scores of the next copy from what is known, as flat planes, and the part that is to be refined."""
    number = len(scores)
    grid = copies[number].stencil.grid
    everywhere = tuple(slice(0, side) for side in grid.shape)
    if not scores and before is None:
        return grid.engine.xp.zeros((n_classes, grid.size), dtype=np.float32), everywhere
    if not scores and before is not None:
        return before.scores[0].copy(), everywhere
    coarse = copies[number - 1].stencil.grid
    if before is None:
        return grid.pads(enlarged(coarse.crop(scores[-1]), grid.shape)), everywhere
    change = coarse.crop(scores[-1] - before.scores[number - 1])
    window = _window_of(np.abs(change).max(axis=0) > LEAST_CHANGE, grid)
    planes = before.scores[number].copy()
    half: Window = tuple(slice(part.start // 2, -(-part.stop // 2)) for part in window)
    shape = tuple(part.stop - part.start for part in window)
    grid.crop(planes)[(..., *window)] += enlarged(change[(..., *half)], shape)
    return planes, window


def _window_of(changed: BoolArray, grid: Grid) -> Window:
    """The smallest part of a grid that holds all changes of the copy half its size."""
    window = []
    for axis, side in enumerate(grid.shape):
        others = tuple(other for other in range(len(grid.shape)) if other != axis)
        found = np.flatnonzero(grid.engine.to_host(changed.any(axis=others)))
        first, last = (int(found[0]), int(found[-1])) if len(found) else (0, 0)
        window.append(slice(2 * first, min(2 * last + 2, side)))
    return tuple(window)


def _diffused(
    stencil: Stencil, seeds: Seeds, planes: FloatArray, window: Window, most_iterations: int, rest: FloatArray
) -> FloatArray:
    """Give planes their values at the seeds, and refine them in a window, in place; return what is left."""
    grid, engine = stencil.grid, stencil.grid.engine
    places = engine.asarray(grid.places(seeds.coordinates))
    of_class = seeds.codes == np.arange(len(planes))[:, None]
    planes[:, places] = engine.asarray(of_class.astype(np.float32))
    known = engine.xp.zeros(grid.size, dtype=bool)
    known[places] = True
    if all(part == slice(0, side) for part, side in zip(window, grid.shape, strict=True)):
        return stencil.diffuse(known, planes, most_iterations, rest)
    part = stencil.part(window)
    some = grid.cut(planes, window)
    left = part.diffuse(grid.cut(known, window), some, most_iterations, rest)
    grid.crop(planes)[(..., *window)] = part.grid.crop(some)
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
