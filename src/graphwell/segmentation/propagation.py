"""Label propagation on the image pyramid: scores that spread from the seeds, where the descent starts.

Few seeds must decide large regions. So scores are solved for on the coarsest level, and handed to the next
larger one as a guess that a few iterations refine: the work is linear in the number of pixels. After a
further stroke, only the part of the picture whose scores change is refined.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.segmentation.seeds import Seeds
from graphwell.segmentation.stencil import Stencil, UnaryTerm, Window, window_around

# Iterations on the working level, from the guess of a coarser one; twice as many after each halving.
REFINEMENTS, WARM_REFINEMENTS = 20, 4
# Iterations on the coarsest level, which begins from no guess.
MOST_FROM_NOTHING = 1000
# A score that changes by less is left as it was before a further stroke.
LEAST_CHANGE = 1e-2
# Scores change everywhere if the weight of the color model changed by a larger share than this.
ALIKE = 0.6


@dataclass(frozen=True, eq=False)
class Propagation:
    """Scores of the graph on every level, and the belief with which the descent begins."""

    classes: IntArray  # of shape (n_classes,)
    scores: list[FloatArray]  # flat planes of each level, coarsest first
    residuals: list[FloatArray]  # what `Stencil.diffuse` left in the first call: exact enough for those after
    belief: FloatArray  # of shape (n_classes, *shape): scores and colours together, on the largest level
    weight: float  # of the color model

    def serves(self, weight: float) -> bool:
        """Whether its scores are a good guess where the color model has this weight."""
        return abs(weight - self.weight) <= ALIKE * max(weight, self.weight)

    def among(self, classes: IntArray) -> "Propagation | None":
        """The same in terms of other classes, where those of before are among them."""
        if not np.isin(self.classes, classes).all():
            return None
        places = np.searchsorted(classes, self.classes).tolist()
        if places == list(range(len(classes))):
            return self
        scores, residuals = (
            [_among_all(part, places, len(classes)) for part in parts]
            for parts in (self.scores, self.residuals)
        )
        return replace(self, classes=classes, scores=scores, residuals=residuals)


@dataclass(frozen=True, eq=False)
class PyramidLevel:
    """A size of the picture on which scores are found; it was halved `level` times."""

    level: int
    stencil: Stencil

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the picture at this level."""
        return self.stencil.grid.shape

    @property
    def work(self) -> float:
        """The cost of its scores beside those of others: iterations double with each halving."""
        return float(np.prod(self.shape) * 2**self.level)

    def unary_term(self, planes: FloatArray) -> UnaryTerm:
        """The unary term, scaled so that a picture that is enlarged gives the labels of before, enlarged."""
        grid = self.stencil.grid
        all_links = 2 * float(grid.nearness.sum())
        share = np.float32(all_links / np.prod(self.shape) ** (2 / len(self.shape)))
        toward = grid.pads(planes)
        toward *= share
        return UnaryTerm(toward.sum(axis=0), toward)


def propagate(
    levels: Sequence[PyramidLevel],
    working: int,
    seeds: list[Seeds],
    n_classes: int,
    before: Propagation | None,
    unary_terms: Sequence[FloatArray] | None,
) -> tuple[list[FloatArray], list[FloatArray]]:
    """Scores on all levels, coarsest first, and what was left; they are given at the seeds."""
    scores: list[FloatArray] = []
    residuals: list[FloatArray] = []
    for number, level in enumerate(levels):
        refinements = (REFINEMENTS if before is None else WARM_REFINEMENTS) * 2 ** (level.level - working)
        most = refinements if scores else MOST_FROM_NOTHING
        residual = np.zeros(n_classes) if before is None else before.residuals[number]
        planes, window, moving = _guess(levels, scores, n_classes, before)
        unary = None if unary_terms is None else level.unary_term(unary_terms[number])
        left = _diffused(level.stencil, seeds[level.level], planes, window, moving, most, residual, unary)
        scores.append(planes)
        residuals.append(np.where(residual > 0, residual, left))
    return scores, residuals


def _guess(
    levels: Sequence[PyramidLevel], scores: list[FloatArray], n_classes: int, before: Propagation | None
) -> tuple[FloatArray, Window, list[int]]:
    """Scores of the next level from what is known, as flat planes; the part and the classes to be refined."""
    number = len(scores)
    grid = levels[number].stencil.grid
    everywhere, everyone = tuple(slice(0, side) for side in grid.shape), list(range(n_classes))
    if not scores and before is None:
        return grid.engine.xp.zeros((n_classes, grid.size), dtype=np.float32), everywhere, everyone
    if not scores and before is not None:
        return before.scores[0].copy(), everywhere, everyone
    coarse = levels[number - 1].stencil.grid
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
    residual: FloatArray,
    unary: UnaryTerm | None,
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
        return stencil.diffuse(known, planes, most_iterations, residual, unary)
    left = residual.copy()
    if moving:
        part = stencil.part(window)
        some = grid.cut(engine.xp.stack([planes[k] for k in moving]), window)
        if unary is not None:
            toward = grid.cut(engine.xp.stack([unary.toward[k] for k in moving]), window)
            unary = UnaryTerm(grid.cut(unary.weights, window), toward)
        left[moving] = part.diffuse(grid.cut(known, window), some, most_iterations, residual[moving], unary)
        for k, plane in zip(moving, some, strict=True):
            grid.crop(planes[k])[window] = part.grid.crop(plane)
    return left


def _among_all(values: FloatArray, places: list[int], n_classes: int) -> FloatArray:
    """Values of some classes among those of all, 0 for the others."""
    found = np.zeros_like(values, shape=(n_classes, *values.shape[1:]))
    for place, value in zip(places, values, strict=True):
        found[place] = value
    return found


def enlarged(planes: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Planes of twice the size, cut to a shape."""
    for axis, side in enumerate(shape, start=1):
        planes = np.repeat(planes, 2, axis=axis)[(slice(None),) * axis + (slice(0, side),)]
    return planes
