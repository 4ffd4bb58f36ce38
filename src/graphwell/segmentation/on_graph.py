"""Segmenting a picture on the general engine: any graph, any device.

Pixels on the processor have a faster way, `graphwell.segmentation.on_pixels`.
"""

import time
from dataclasses import dataclass, replace

import numpy as np

from graphwell._random import stream
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.arrays import HostVectors
from graphwell.backends.base import Backend, State
from graphwell.graph import Graph
from graphwell.progress import Progress, in_pieces, listening
from graphwell.segmentation.answer import Answer
from graphwell.segmentation.features import PictureFeatures, smoothed
from graphwell.segmentation.pixels import pixel_graph, regions
from graphwell.segmentation.pyramid import Level, PixelScores, build_levels, pyramid_scores
from graphwell.segmentation.scales import border_blur, border_color_scale
from graphwell.solve.descent import Step, descend
from graphwell.solve.guard import support
from graphwell.solve.problem import Problem
from graphwell.solve.result import Result, on_host
from graphwell.solve.schedule import Annealed
from graphwell.solve.start import from_labels

SCHEDULE = Annealed(2.0, 0.3, ratio=0.9, sweeps=5)
WARM_SCHEDULE = Annealed(2.0, 0.3, ratio=0.6, sweeps=5)
STEP_SIZE = 0.4
SMALLEST_REGION = 49


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


class OnGraph:
    """A picture as a graph on some backend.

    Parameters
    ----------
    graph : Graph
    shape : tuple of int
    backend : Backend
    fidelity : float
    progress : callable
    """

    def __init__(
        self, graph: Graph, shape: tuple[int, ...], backend: Backend, fidelity: float, progress: Progress
    ) -> None:
        self.graph, self.shape, self.fidelity, self.progress = graph, shape, fidelity, progress
        self._memory: _Memory | None = None
        self._regions, self._smallest_region = graph.components, 1
        self._placed = backend.place(graph)
        self._engine = backend.engine(self._placed)
        self._levels = [Level(self.shape, self._placed, self._engine, 0)]

    @classmethod
    def of_pixels(
        cls,
        features: PictureFeatures,
        radius: float,
        color_scale: float | None,
        smoothing: float | None,
        backend: Backend,
        fidelity: float,
        progress: Progress,
    ) -> "OnGraph":
        """Link each pixel to those within a radius, and make copies of the picture for the start."""
        blur = border_blur(features) if smoothing is None else smoothing
        scale = border_color_scale(features, blur) if color_scale is None else color_scale
        graph = pixel_graph(smoothed(features.values, blur), radius, scale)
        made = cls(graph, features.values.shape[:2], backend, fidelity, progress)
        made._regions, made._smallest_region = regions(graph), SMALLEST_REGION
        made._levels = build_levels(features, made._levels[0], radius, color_scale, backend)
        return made

    def label(self, codes: IntArray, classes: IntArray) -> Answer:
        """Give every pixel a class, going on from the call before where there was one."""
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
        score = self._support(problem, result)
        return Answer(result, score, self._reachable(problem.is_known), memory is None, seconds)

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
