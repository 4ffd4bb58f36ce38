"""Segmenting a picture from a few seeds: the image face of the library."""

import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from graphwell._checks import number_between, one_of, positive_number
from graphwell._random import stream
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.arrays import HostVectors
from graphwell.backends.base import State
from graphwell.backends.registry import find_backend
from graphwell.progress import Progress, in_pieces, listening, silent
from graphwell.segmentation.features import picture_features, smoothed
from graphwell.segmentation.pixels import feature_graph, pixel_graph, regions
from graphwell.segmentation.pyramid import Level, PixelScores, build_levels, pyramid_scores
from graphwell.segmentation.scales import border_blur, border_color_scale
from graphwell.segmentation.seeds import seed_classes
from graphwell.solve.descent import Step, descend
from graphwell.solve.guard import support
from graphwell.solve.problem import Problem
from graphwell.solve.result import Result, on_host
from graphwell.solve.schedule import Annealed
from graphwell.solve.start import from_labels

GRAPHS = ("pixels", "features")
SCHEDULE = Annealed(2.0, 0.3, ratio=0.9, sweeps=5)
WARM_SCHEDULE = Annealed(2.0, 0.3, ratio=0.6, sweeps=5)
STEP_SIZE = 0.4
LARGEST_BLUR = 100
SMALLEST_REGION = 49
"""Regions of fewer pixels are specks: they take the class of what surrounds them."""


@dataclass(frozen=True, eq=False)
class Segmentation:
    """A segmented picture, and how it came about.

    Attributes
    ----------
    labels : array of shape (height, width)
        Class of each pixel; -1 where no seed reaches.
    score : array of shape (height, width)
        Share of the class among a pixel and its neighbours, from 0 to 1; low along borders.
    reachable : array of shape (height, width)
        False in regions that hold no seed and are joined to none by like colours.
    classes : array of shape (n_classes,)
        The classes found among the seeds.
    result : Result
        Of the descent.
    seconds : dict
        Time of each stage.
    """

    labels: IntArray = field(repr=False)
    score: FloatArray = field(repr=False)
    reachable: BoolArray = field(repr=False)
    classes: IntArray
    result: Result
    seconds: dict[str, float]


@dataclass(frozen=True, eq=False)
class _Memory:
    """What the next call can begin from."""

    classes: IntArray
    scores: list[PixelScores]
    first: IntArray
    state: State

    def among(self, classes: IntArray) -> "_Memory | None":
        """The same in terms of other classes, where those of before are among them."""
        if not np.isin(self.classes, classes).all():
            return None
        place = np.searchsorted(classes, self.classes)
        scores = [np.zeros((*s.shape[:2], len(classes)), dtype=s.dtype) for s in self.scores]
        for wider, before in zip(scores, self.scores, strict=True):
            wider[..., place] = before
        state = State(place[self.state.labels].astype(np.int32), self.state.offsets)
        return _Memory(classes, scores, place[self.first], state)


class Segmenter:
    """A picture made ready to be segmented from seeds, again and again.

    The graph is built once. Each call after the first begins from the one before, so that a new stroke
    costs a fraction of the first.

    Parameters
    ----------
    image : array of shape (height, width) or (height, width, channels)
    graph : {"pixels", "features"}
        "pixels" links each pixel to those within `radius`. "features" is the paper's graph: nearest
        neighbours in place and colour.
    radius : float
        Reach of a pixel in the graph "pixels", 1 to 16.
    color_scale : float, optional
        Colour difference that separates pixels, on the scale of the picture with its largest possible
        value at 1; found from the noise of the picture by default.
    smoothing : float, optional
        Width in pixels of the blur before pixels are compared; found from the noise by default.
    patch : int
        Side of the square that pixels are compared by, odd; 3 or 5 tell textures apart.
    n_neighbors : int
        Neighbours in the graph "features".
    position_weight : float
        Weight of place against colour in the graph "features".
    fidelity : float
        Weight of the seeds; at 30 none is ever overruled.
    device : {"cpu", "cuda"}
    n_jobs : int, optional
        Threads; all cores by default. The result does not depend on it.
    progress : callable
        Told the stage (graph, start, descent) and the share of it that is done, None if unknown.

    Examples
    --------
    >>> import graphwell as gw
    >>> image, truth = gw.datasets.make_grey_image(64, 64)
    >>> segmenter = Segmenter(image)
    >>> seeds = np.where(np.arange(64) % 8 == 0, truth, -1)
    >>> found = segmenter.segment(seeds)
    >>> bool((found.labels == truth).all()), found.result.status.name
    (True, 'SETTLED')
    """

    def __init__(
        self,
        image: Any,
        *,
        graph: str = "pixels",
        radius: float = 3.0,
        color_scale: float | None = None,
        smoothing: float | None = None,
        patch: int = 1,
        n_neighbors: int = 30,
        position_weight: float = 1.0,
        fidelity: float = 30.0,
        device: str = "cpu",
        n_jobs: int | None = None,
        progress: Progress = silent,
    ) -> None:
        one_of("graph", graph, GRAPHS)
        if color_scale is not None:
            positive_number("color_scale", color_scale)
        if smoothing is not None:
            number_between("smoothing", smoothing, 0, LARGEST_BLUR, ends=True, unit=" pixels")
        positive_number("position_weight", position_weight)
        positive_number("fidelity", fidelity)
        self.fidelity, self.progress = fidelity, progress
        self._memory: _Memory | None = None
        progress("graph", None)
        began = time.perf_counter()

        backend = find_backend(device, n_jobs=n_jobs)
        features = picture_features(image, patch)
        self.shape = features.values.shape[:2]
        if graph == "features":
            self.graph = feature_graph(features.values, n_neighbors, position_weight, n_jobs)
            self._regions, self._smallest_region = self.graph.components, 1
        else:
            blur = border_blur(features) if smoothing is None else smoothing
            scale = border_color_scale(features, blur) if color_scale is None else color_scale
            self.graph = pixel_graph(smoothed(features.values, blur), radius, scale)
            self._regions, self._smallest_region = regions(self.graph), SMALLEST_REGION
        self._placed = backend.place(self.graph)
        self._engine = backend.engine(self._placed)
        self._levels = [Level(self.shape, self._placed, self._engine, 0)]
        if graph == "pixels":
            self._levels = build_levels(features, self._levels[0], radius, color_scale, backend)
        self._graph_seconds = time.perf_counter() - began

    def segment(self, seeds: Any) -> Segmentation:
        """Give every pixel a class.

        Parameters
        ----------
        seeds : integer array of shape (height, width)
            Known classes, -1 where unknown. All seeds, those of earlier calls too.
        """
        classes, codes = seed_classes(seeds, self.shape)
        began = time.perf_counter()
        self.progress("start", None)
        problem = Problem(self.graph, codes.ravel(), len(classes), self.fidelity, implicit=True)
        memory = None if self._memory is None else self._memory.among(classes)
        before = None if memory is None else memory.scores
        with listening(in_pieces(self.progress, "start", [level.work for level in self._levels])):
            scores = pyramid_scores(self._levels, codes, len(classes), before)
        first = _labels(scores[-1], self.shape)
        started = time.perf_counter()
        state = from_labels(problem, HostVectors(), first, stream(0, "start"))
        if memory is not None:
            state = _unchanged(problem, state, first == memory.first, memory.state)
        schedule = SCHEDULE if memory is None else WARM_SCHEDULE
        placed = replace(problem, graph=self._placed, labels=self._engine.asarray(problem.labels))
        result = descend(self._engine, placed, state, schedule, STEP_SIZE, self._each_step)
        result = on_host(result, self._engine.to_host)
        self._memory = _Memory(classes, scores, first, State(result.labels, result.offsets))
        seconds = {"start": started - began, "descent": time.perf_counter() - started}
        if memory is None:
            seconds = {"graph": self._graph_seconds, **seconds}
        return self._answer(problem, classes, result, seconds)

    def _answer(
        self, problem: Problem, classes: IntArray, result: Result, seconds: dict[str, float]
    ) -> Segmentation:
        reachable = self._reachable(problem.is_known)
        labels = np.where(reachable, classes[result.labels], -1)
        score = np.where(reachable, self._support(problem, result), 0.0).astype(np.float32)
        return Segmentation(
            labels.reshape(self.shape),
            score.reshape(self.shape),
            reachable.reshape(self.shape),
            classes,
            result,
            {stage: round(value, 3) for stage, value in seconds.items()},
        )

    def _support(self, problem: Problem, result: Result) -> FloatArray:
        """Share of the class of each pixel in what the pixel and its neighbours say."""
        asarray = self._engine.asarray
        state = State(asarray(result.labels), asarray(result.offsets))
        scores = self._engine.to_host(support(problem, self._engine, state))
        own = scores[np.arange(len(scores)), result.labels]
        return np.asarray(own / np.maximum(scores.sum(axis=1), np.finfo(np.float32).tiny))

    def _reachable(self, known: BoolArray) -> BoolArray:
        seeded = np.bincount(self._regions, known) > 0
        speck = np.bincount(self._regions) < self._smallest_region
        return np.asarray((seeded | speck)[self._regions])

    def _each_step(self, step: Step) -> None:
        self.progress("descent", step.number / step.of)


def _labels(scores: PixelScores, shape: tuple[int, ...]) -> IntArray:
    """Class with the highest score at each pixel of the whole picture."""
    best = scores.argmax(axis=2).astype(np.int32)
    if best.shape != shape:
        best = np.repeat(np.repeat(best, 2, axis=0), 2, axis=1)[: shape[0], : shape[1]]
    return best.ravel()


def _unchanged(problem: Problem, state: State, same: BoolArray, before: State) -> State:
    """Go on from the state before wherever the start did not change."""
    same = same & ~problem.is_known
    return State(
        np.where(same, before.labels, state.labels).astype(np.int32),
        np.where(same, before.offsets, state.offsets),
    )
