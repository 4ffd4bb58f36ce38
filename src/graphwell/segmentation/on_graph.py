"""Segmenting a picture on the general engine, by any graph of its pixels.

Pixels that are linked to those around them have a faster way, `graphwell.segmentation.on_pixels`.
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
from graphwell.segmentation.seeds import Seeds
from graphwell.solve.descent import Step, descend
from graphwell.solve.guard import support
from graphwell.solve.harmonic import laplace_scores
from graphwell.solve.problem import Problem
from graphwell.solve.result import Result, on_host
from graphwell.solve.schedule import Annealed
from graphwell.solve.start import from_labels

SCHEDULE = Annealed(2.0, 0.3, ratio=0.9, sweeps=5)
WARM_SCHEDULE = Annealed(2.0, 0.3, ratio=0.6, sweeps=5)
STEP_SIZE = 0.4


@dataclass(frozen=True, eq=False)
class _Memory:
    """What the next call can begin from."""

    classes: IntArray
    scores: FloatArray
    first: IntArray
    state: State

    def among(self, classes: IntArray) -> "_Memory | None":
        """The same in terms of other classes, where those of before are among them."""
        if not np.isin(self.classes, classes).all():
            return None
        place = np.searchsorted(classes, self.classes)
        scores = np.zeros((len(self.scores), len(classes)), dtype=self.scores.dtype)
        scores[:, place] = self.scores
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
        self._placed = backend.place(graph)
        self._engine = backend.engine(self._placed)

    def forget(self) -> None:
        """Let the next call begin anew."""
        self._memory = None

    def label(self, seeds: Seeds, classes: IntArray) -> Answer:
        """Give every pixel a class, going on from the call before where there was one."""
        began = time.perf_counter()
        self.progress("start", None)
        labels = seeds.plane().ravel()
        problem = Problem(self.graph, labels, len(classes), self.fidelity, implicit=True)
        memory = None if self._memory is None else self._memory.among(classes)
        with listening(in_pieces(self.progress, "start", [1])):
            scores = self._scores(labels, len(classes), memory)
        first = scores.argmax(axis=1).astype(np.int32)
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

    def _scores(self, labels: IntArray, n_classes: int, memory: _Memory | None) -> FloatArray:
        """Scores of shape (n_pixels, n_classes), harmonic where nothing is known."""
        asarray = self._engine.asarray
        guess = None if memory is None else asarray(memory.scores)
        problem = Problem(self._placed, asarray(labels), n_classes)
        scores = laplace_scores(problem, self._engine, None, guess)
        return np.asarray(self._engine.to_host(scores.values.astype(np.float32)))

    def _support(self, problem: Problem, result: Result) -> FloatArray:
        """Share of the class of each pixel in what the pixel and its neighbours say."""
        asarray = self._engine.asarray
        state = State(asarray(result.labels), asarray(result.offsets))
        scores = self._engine.to_host(support(problem, self._engine, state))
        own = scores[np.arange(len(scores)), result.labels]
        return np.asarray(own / np.maximum(scores.sum(axis=1), np.finfo(np.float32).tiny))

    def _reachable(self, known: BoolArray) -> BoolArray:
        parts = self.graph.components
        return np.asarray((np.bincount(parts, known) > 0)[parts])

    def _each_step(self, step: Step) -> None:
        self.progress("descent", step.number / step.of)


def _unchanged(problem: Problem, state: State, same: BoolArray, before: State) -> State:
    """Go on from the state before wherever the start did not change."""
    same = same & ~problem.is_known
    return State(
        np.where(same, before.labels, state.labels).astype(np.int32),
        np.where(same, before.offsets, state.offsets),
    )
