"""Label propagation on the image pyramid: scores that spread from the seeds, where the descent starts.

Few seeds must decide large regions. So scores are solved for on the coarsest level, and handed to the next
larger one as a guess that a few iterations refine: the work is linear in the number of pixels. After a
further stroke, only the part of the picture whose scores change is refined.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.segmentation.seeds import Seeds
from graphwell.segmentation.stencil import Stencil, Window, window_around

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
    scores: dict[int, FloatArray]  # flat planes of each level
    residuals: dict[int, FloatArray]  # what `Stencil.diffuse` left in the first call: enough for those after
    belief: FloatArray  # of shape (n_classes, *shape): scores and colours together, on the largest level
    weight: float  # of the color model

    def serves(self, classes: IntArray, weight: float) -> bool:
        """Whether its scores are a good guess for these classes, where the color model has this weight."""
        is_alike = abs(weight - self.weight) <= ALIKE * max(weight, self.weight)
        return is_alike and np.array_equal(classes, self.classes)


def propagate(
    levels: Mapping[int, Stencil],
    working: int,
    seeds: list[Seeds],
    n_classes: int,
    before: Propagation | None,
    unary_terms: Mapping[int, FloatArray] | None,
) -> tuple[dict[int, FloatArray], dict[int, FloatArray]]:
    """Scores on all levels, coarsest first, and what was left; they are given at the seeds."""
    scores: dict[int, FloatArray] = {}
    residuals: dict[int, FloatArray] = {}
    for level, stencil in levels.items():
        refinements = (REFINEMENTS if before is None else WARM_REFINEMENTS) * 2 ** (level - working)
        most = refinements if scores else MOST_FROM_NOTHING
        residual = np.zeros(n_classes) if before is None else before.residuals[level]
        planes, window = _guess(levels, level, scores, n_classes, before)
        grid = stencil.grid
        toward: FloatArray | None = None
        if unary_terms is not None:  # scaled so that a picture that is enlarged gives the labels of before
            all_links = 2 * float(grid.nearness.sum())
            toward = grid.pads(unary_terms[level])
            toward *= np.float32(all_links / np.prod(grid.shape) ** (2 / len(grid.shape)))
        left = _diffused(stencil, seeds[level], planes, window, most, residual, toward)
        scores[level] = planes
        residuals[level] = np.where(residual > 0, residual, left)
    return scores, residuals


def _guess(
    levels: Mapping[int, Stencil],
    level: int,
    scores: Mapping[int, FloatArray],
    n_classes: int,
    before: Propagation | None,
) -> tuple[FloatArray, Window]:
    """Scores of a level from what is known, as flat planes, and the part that is to be refined."""
    grid = levels[level].grid
    everywhere = tuple(slice(0, side) for side in grid.shape)
    if not scores:
        nothing = grid.engine.xp.zeros((n_classes, grid.size), dtype=np.float32)
        return nothing if before is None else before.scores[level].copy(), everywhere
    coarse = levels[level + 1].grid
    if before is None:
        return grid.pads(enlarged(coarse.crop(scores[level + 1]), grid.shape)), everywhere
    change = coarse.crop(scores[level + 1] - before.scores[level + 1])
    half = window_around((np.abs(change) > LEAST_CHANGE).any(axis=0), grid.engine)
    window = tuple(
        slice(2 * part.start, min(2 * part.stop, side)) for part, side in zip(half, grid.shape, strict=True)
    )
    planes = before.scores[level].copy()
    shape = tuple(part.stop - part.start for part in window)
    grid.crop(planes)[(..., *window)] += enlarged(change[(..., *half)], shape)
    return planes, window


def _diffused(
    stencil: Stencil,
    seeds: Seeds,
    planes: FloatArray,
    window: Window,
    most_iterations: int,
    residual: FloatArray,
    toward: FloatArray | None,
) -> FloatArray:
    """Give planes their values at the seeds, and refine them in a window, in place; return what is left."""
    grid, engine = stencil.grid, stencil.grid.engine
    places = engine.asarray(grid.places(seeds.coordinates))
    of_class = seeds.codes == np.arange(len(planes))[:, None]
    planes[:, places] = engine.asarray(of_class.astype(np.float32))
    known = engine.xp.zeros(grid.size, dtype=bool)
    known[places] = True
    if all(part == slice(0, side) for part, side in zip(window, grid.shape, strict=True)):
        return stencil.diffuse(known, planes, most_iterations, residual, toward)
    part, some = stencil.part(window), grid.cut(planes, window)
    toward = None if toward is None else grid.cut(toward, window)
    left = part.diffuse(grid.cut(known, window), some, most_iterations, residual, toward)
    grid.crop(planes)[(..., *window)] = part.grid.crop(some)
    return left


def enlarged(planes: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """Planes of twice the size, cut to a shape."""
    for axis, side in enumerate(shape, start=1):
        planes = np.repeat(planes, 2, axis=axis)[(slice(None),) * axis + (slice(0, side),)]
    return planes
