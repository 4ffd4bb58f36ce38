"""The descent on a picture, from its working size to its own: only pixels near a border move."""

import time
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.pixels import PixelEngine
from graphwell.progress import heartbeat
from graphwell.segmentation.band import START_R, Band, grown, near_borders
from graphwell.segmentation.canvas import Canvas, Told
from graphwell.segmentation.grid import window_around
from graphwell.segmentation.seeds import Seeds
from graphwell.segmentation.start import Start
from graphwell.solve.result import Result, Status
from graphwell.solve.schedule import Annealed

SCHEDULE = Annealed(2.0, 0.3, ratio=0.8, sweeps=5)
WARM_SCHEDULE = Annealed(2.0, 0.3, ratio=0.6, sweeps=5)
"""Of a further stroke. It begins as high: from epsilon 0.6, borders in noise stayed twice as ragged."""
FIRST_BAND, FINER_BAND = 12, 4
"""How far from a border pixels may change class: at the working size, and at each larger one."""
NEAR_A_CHANGE = 4
"""How far from a change a further stroke moves pixels. With 12 it took half as long again, and labels were no
nearer to those of a fresh run."""


@dataclass(frozen=True, eq=False)
class State:
    """Class of every pixel of one size, ``r = 1/2 - |offset|``, and how sure it is of its class."""

    labels: IntArray
    r: FloatArray
    score: FloatArray


@dataclass(eq=False)
class Descent:
    """Where a descent began, what its steps did, and where it ended at each size.

    Attributes
    ----------
    classes, first : arrays
        The classes, and the number of the class of each pixel before the descent.
    states : dict
        By how often the size was halved.
    """

    classes: IntArray
    first: IntArray
    states: dict[int, State] = field(default_factory=dict)
    epsilons: list[float] = field(default_factory=list)
    energies: list[float] = field(default_factory=list)
    changes: list[int] = field(default_factory=list)
    n_sweeps: int = 0
    seconds: float = 0.0

    def among(self, classes: IntArray, engine: PixelEngine) -> "Descent":
        """The same in terms of other classes, those of before among them."""
        place = engine.asarray(np.searchsorted(classes, self.classes).astype(self.first.dtype))
        states = {size: State(place[s.labels], s.r, s.score) for size, s in self.states.items()}
        return Descent(classes, place[self.first], states)

    def result(self, engine: PixelEngine) -> Result:
        """What is told of the descent; energies are of the pixels that may move, at all sizes in turn."""
        final = self.states[0]
        return Result(
            labels=engine.to_host(final.labels.ravel()).astype(np.int32),
            offsets=engine.to_host(0.5 - final.r.ravel()),
            status=Status.UNSETTLED if self.changes[-1] else Status.SETTLED,
            n_sweeps=self.n_sweeps,
            energies=tuple(self.energies),
            epsilons=tuple(self.epsilons),
            label_changes=tuple(self.changes),
            seconds=self.seconds,
        )


def refine_borders(
    canvas: Canvas, seeds: list[Seeds], start: Start, before: Descent | None, told: Told
) -> Descent:
    """Let borders find their place at every size, the smallest first.

    Parameters
    ----------
    canvas : Canvas
    seeds : list of Seeds
        As `Canvas.seeds_by_size` gives them.
    start : Start
    before : Descent, optional
        Of the call before, in terms of the same classes: only pixels near a change are visited.
    told : callable
    """
    began = time.perf_counter()
    first = largest_plane(start.belief)
    found = Descent(start.classes, first)
    labels, fresh = first, np.ones_like(first, dtype=bool) if before is None else first != before.first
    halvings = canvas.start_halvings
    for size in range(canvas.working, -1, -1):
        labels, fresh = (canvas.to_size(plane, halvings, size) for plane in (labels, fresh))
        halvings, old = size, None if before is None else before.states[size]
        done, sizes = canvas.working - size, canvas.working + 1
        refiner = _Refiner(canvas, size, seeds[size], start.belief, partial(_tell_part, told, done, sizes))
        found.states[size] = refiner.refine(labels, fresh, old, found)
        labels = found.states[size].labels
        if old is not None:
            fresh |= labels != old.labels
    told(1.0)
    found.seconds = time.perf_counter() - began
    return found


def largest_plane(belief: FloatArray) -> IntArray:
    """Number of the plane that is largest at each point, the first of equals: a faster `argmax`.

    Examples
    --------
    >>> largest_plane(np.array([[0.2, 0.5, 0.1], [0.8, 0.5, 0.2]]))
    array([1, 0, 1], dtype=int16)
    """
    best = belief[0].copy()
    found = np.zeros_like(best, dtype=np.int16 if len(belief) < 2**15 else np.int32)
    for number, plane in enumerate(belief[1:], start=1):
        found[plane > best] = number
        np.maximum(best, plane, out=best)
    return found


def _tell_part(told: Told, done: int, sizes: int, share: float) -> None:
    """Tell the share of all sizes, from that of one."""
    told((done + share) / sizes)


class _Refiner:
    """The descent at one size."""

    def __init__(self, canvas: Canvas, size: int, seeds: Seeds, belief: FloatArray, told: Told) -> None:
        self.canvas, self.size, self.belief, self.told = canvas, size, belief, told
        self.engine = canvas.engine
        self.known = self.engine.asarray(seeds.places)
        self.codes = self.engine.asarray(seeds.codes)
        self.width = FIRST_BAND if size == canvas.working else FINER_BAND

    def refine(self, labels: IntArray, fresh: BoolArray, before: State | None, record: Descent) -> State:
        """Begin at `labels` where something is fresh, at the state before elsewhere."""
        labels = labels.copy() if before is None else np.where(fresh, labels, before.labels)
        labels.reshape(-1)[self.known] = self.codes.astype(labels.dtype)
        chosen = self._near_changes(labels, None if before is None else labels != before.labels)
        chosen.reshape(-1)[self.known] = False
        if (pieces := self.canvas.pieces(self.size)) is not None:
            chosen &= self.engine.asarray(pieces >= 0)
        r = np.full_like(labels, 0.5, dtype=np.float32) if before is None else before.r.copy()
        r[chosen] = START_R
        r.reshape(-1)[self.known] = 0.5
        score = self._sureness() if before is None else before.score.copy()
        if not chosen.any():
            record.epsilons.append(SCHEDULE.stop)
            record.energies.append(0.0)
            record.changes.append(0)
            return State(labels, r, score)
        return self._swept(labels, r, score, chosen, SCHEDULE if before is None else WARM_SCHEDULE, record)

    def _near_changes(self, labels: IntArray, changed: BoolArray | None) -> BoolArray:
        """Points near a border that are near a change too; all near a border if everything is new."""
        ndimage, width = self.engine.ndimage, self.width
        if changed is None:
            return near_borders(labels, width, ndimage)
        chosen = np.zeros_like(changed)
        reach = NEAR_A_CHANGE + width + 1  # borders farther away do not matter
        window = window_around(changed, self.engine, reach)
        chosen[window] = near_borders(labels[window], width, ndimage)
        chosen[window] &= grown(changed[window], NEAR_A_CHANGE, ndimage)
        return chosen

    def _swept(
        self,
        labels: IntArray,
        r: FloatArray,
        score: FloatArray,
        chosen: BoolArray,
        schedule: Annealed,
        record: Descent,
    ) -> State:
        grid = self.canvas.grid(self.size)
        planes, scale = self.canvas.border_planes(self.size)
        places = np.nonzero(chosen)
        parents: tuple[Any, ...] = tuple(axis >> (self.canvas.start_halvings - self.size) for axis in places)
        evidence = self.belief[(slice(None), *parents)].T
        band = Band(grid, planes, scale, grid.places(places), evidence, grid.pad(labels), grid.pad(r))
        steps = list(schedule)
        for number, (epsilon, count) in enumerate(steps):
            heartbeat()
            self.told(number / len(steps))
            energy, changes = band.sweep(epsilon, count)
            record.epsilons.append(epsilon)
            record.energies.append(energy)
            record.changes.append(changes)
            record.n_sweeps += count
        score[places] = (band.shares() + band.own_evidence()) / 2
        labels, r = (self.engine.xp.ascontiguousarray(grid.crop(plane)) for plane in (band.labels, band.r))
        return State(labels, r, score)

    def _sureness(self) -> FloatArray:
        """How sure pixels far from all borders are: all their neighbours agree."""
        sure = (1 + self.belief.max(axis=0)) / 2
        return self.canvas.to_size(sure, self.canvas.start_halvings, self.size)
