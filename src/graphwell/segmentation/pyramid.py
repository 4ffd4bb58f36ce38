"""Where the descent on a picture starts: scores diffused on coarser pictures, and refined on finer ones.

Few seeds must decide large regions, and on a noisy picture they can do so only where its noise is averaged
away. So the scores are solved for on a small copy of the picture, with sharp weights, and handed to the next
larger copy as a first guess that a few iterations refine. The work is linear in the number of pixels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import Backend, Engine, PlacedGraph
from graphwell.segmentation.features import PictureFeatures, halved, smoothed
from graphwell.segmentation.pixels import pixel_graph
from graphwell.segmentation.scales import is_noisy, start_blur, start_color_scale
from graphwell.solve.harmonic import laplace_scores
from graphwell.solve.problem import Problem

COARSEST_PIXELS = 4000
REFINEMENTS, WARM_REFINEMENTS = 20, 2
"""Iterations on the picture itself, from the guess of a coarser copy; twice as many after each halving."""

PixelScores: TypeAlias = FloatArray
"""An array of shape (height, width, n_classes)."""


@dataclass(frozen=True, eq=False)
class Level:
    """One copy of the picture: its size, its graph, and how often it was halved."""

    shape: tuple[int, ...]
    graph: PlacedGraph
    engine: Engine
    halvings: int

    @property
    def work(self) -> float:
        """What the scores of this copy cost beside those of others: iterations double with each halving."""
        return float(np.prod(self.shape) * 2**self.halvings)


def build_levels(
    features: PictureFeatures,
    finest: Level,
    radius: float,
    color_scale: float | None,
    backend: Backend,
) -> list[Level]:
    """Copies of a picture, coarsest first.

    `finest` is the picture itself; it is among them if its noise allows that.
    """
    levels, noisy = [finest], is_noisy(features)
    values, halvings = smoothed(features.values, start_blur(features)), 0
    while (noisy and len(levels) == 1) or np.prod(levels[-1].shape) > COARSEST_PIXELS:
        values, halvings = halved(values), halvings + 1
        graph = pixel_graph(values, radius, color_scale or start_color_scale(features, halvings))
        placed = backend.place(graph)
        levels.append(Level(values.shape[:2], placed, backend.engine(placed), halvings))
    return levels[:0:-1] if noisy else levels[::-1]


def pyramid_scores(
    levels: Sequence[Level], seeds: IntArray, n_classes: int, before: Sequence[PixelScores] | None = None
) -> list[PixelScores]:
    """PixelScores of shape (height, width, n_classes) on each level.

    Parameters
    ----------
    levels : sequence of Level
        Coarsest first.
    seeds : array of shape (height, width)
        Of the picture itself; -1 where unknown.
    n_classes : int
    before : list of arrays, optional
        PixelScores of other seeds on the same levels, which these differ little from.
    """
    coarse = [seeds]
    for _ in range(levels[0].halvings):
        coarse.append(halved_seeds(coarse[-1], n_classes))
    found: list[PixelScores] = []
    for number, level in enumerate(levels):
        guess = None if before is None else before[number]
        if found and before is not None:
            guess = guess + doubled(found[-1] - before[number - 1], level.shape)
        elif found:
            guess = doubled(found[-1], level.shape)
        guess = None if guess is None else level.engine.asarray(guess.reshape(-1, n_classes))
        iterations = (REFINEMENTS if before is None else WARM_REFINEMENTS) * 2**level.halvings
        labels = level.engine.asarray(coarse[level.halvings].ravel())
        problem = Problem(level.graph, labels, n_classes)
        scores = laplace_scores(problem, level.engine, None, guess, iterations if found else None)
        found.append(level.engine.to_host(scores.values.astype(np.float32)).reshape(*level.shape, n_classes))
    return found


def halved_seeds(seeds: IntArray, n_classes: int) -> IntArray:
    """Seeds of the squares of two by two pixels, or cubes: the class that most name, the first of equals.

    Examples
    --------
    >>> halved_seeds(np.array([[1, -1, -1], [1, 0, -1]]), 2)
    array([[ 1, -1]])
    """
    shape = tuple(-(-side // 2) for side in seeds.shape)
    places = np.nonzero(seeds >= 0)
    square = np.ravel_multi_index(tuple(axis // 2 for axis in places), shape)
    cells, votes = np.unique(square * n_classes + seeds[places], return_counts=True)
    order = np.lexsort((-cells, votes))  # the last to be written wins
    coarse = np.full(shape, -1)
    coarse.flat[cells[order] // n_classes] = cells[order] % n_classes
    return coarse


def doubled(scores: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """PixelScores of a picture twice the size, cut to a shape."""
    return np.repeat(np.repeat(scores, 2, axis=0), 2, axis=1)[: shape[0], : shape[1]]
