"""The descent on a picture, from its working level to its own: only a narrow band around borders moves."""

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.base import State, Swept
from graphwell.backends.cpu.pixels import Pixels
from graphwell.segmentation.propagation import Propagation
from graphwell.segmentation.pyramid import ImagePyramid, Reporter
from graphwell.segmentation.seeds import Seeds
from graphwell.segmentation.stencil import WEAKEST_COLOR, PixelGrid, window_around
from graphwell.solve.descent import Result, Status, descend
from graphwell.solve.schedule import Annealed

STEP_SIZE = 0.4
# Weight of the belief beside a pixel's neighbours, whose weights add up to 1.
EVIDENCE_WEIGHT = 0.1
# Half of what separates a pixel in the middle of its class from the border: it can move either way.
START_R = 0.2
SCHEDULE = Annealed(2.0, 0.3, ratio=0.8, sweeps=5)
# Of a further stroke. It begins as high: from epsilon 0.6, borders in noise stayed twice as ragged.
WARM_SCHEDULE = Annealed(2.0, 0.3, ratio=0.6, sweeps=5)
# How far from a border pixels may change class: on the working level, and on each larger one.
FIRST_BAND, FINER_BAND = 12, 4
# How far from a change a further stroke moves pixels. With 12 it took half as long again, and labels were
# no nearer to those of a fresh run.
NEAR_A_CHANGE = 4


class NarrowBand:
    """Points of a grid that may change their class, with their links and their evidence.

    The energy is that of the graph with the weights of `Stencil`, where a point counts by the sum of its
    weights, and has one further neighbour: its evidence. Sweeps change `labels` and ``r = 1/2 - |offset|``.
    """

    def __init__(
        self,
        grid: PixelGrid,
        values: FloatArray,
        color_scale: float,
        points: IntArray,
        evidence: FloatArray,
        labels: IntArray,
        r: FloatArray,
    ) -> None:
        self.grid, self.labels, self.r = grid, labels, r
        self._spare = labels.copy(), r.copy()
        self.movers = grid.engine.movers(
            grid, values, points, evidence, float(color_scale) ** -2, WEAKEST_COLOR
        )

    def sweep(self, problem: Any, state: State, epsilon: float, step_size: float, count: int) -> Swept:
        """Do `count` Jacobi sweeps of Algorithm 1 at one epsilon, in place."""
        now = self.labels, self.r
        energy, changes = self.grid.engine.sweep(
            self.grid, self.movers, EVIDENCE_WEIGHT, now, self._spare, epsilon, step_size, count
        )
        return Swept(state, energy, changes)

    def shares(self) -> FloatArray:
        """Share of the class of each point among its neighbours."""
        return self.grid.engine.shares(self.grid, self.movers, self.labels, self.r)

    def own_evidence(self) -> FloatArray:
        """The evidence for the class of each point."""
        own = self.labels[self.movers.points].astype(np.int64)[:, None]
        return np.take_along_axis(self.movers.evidence, own, axis=1)[:, 0]


def near_borders(labels: IntArray, width: int, ndimage: Any) -> BoolArray:
    """Points at most so far from a point of another class, along each axis."""
    border = np.zeros_like(labels, dtype=np.uint8)
    for axis in range(labels.ndim):
        before, after = (np.moveaxis(border, axis, 0)[part] for part in (slice(None, -1), slice(1, None)))
        lines = np.moveaxis(labels, axis, 0)
        differ = lines[1:] != lines[:-1]
        before |= differ
        after |= differ
    return grown(border, width, ndimage)


def grown(chosen: Any, width: int, ndimage: Any) -> BoolArray:
    """All points at most so far from a chosen one, along each axis."""
    found = chosen.astype(np.uint8)
    for axis in range(chosen.ndim):
        found = ndimage.maximum_filter1d(found, 2 * width + 1, axis, mode="constant")
    return found.astype(bool)


@dataclass(frozen=True, eq=False)
class LevelState:
    """Class of every pixel of one level, ``r = 1/2 - |offset|``, and how sure it is of its class."""

    labels: IntArray
    r: FloatArray
    score: FloatArray


@dataclass(eq=False)
class BorderDescent:
    """Where a descent began, what its steps did, and where it ended on each level."""

    first: IntArray  # number of the class of each pixel before the descent
    states: dict[int, LevelState] = field(default_factory=dict)
    epsilons: list[float] = field(default_factory=list)
    energies: list[float] = field(default_factory=list)
    changes: list[int] = field(default_factory=list)
    n_sweeps: int = 0
    seconds: float = 0.0

    def result(self, engine: Pixels) -> Result:
        """As a `Result`; energies are of the pixels that may move, on all levels in turn."""
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
    pyramid: ImagePyramid,
    seeds: list[Seeds],
    start: Propagation,
    before: BorderDescent | None,
    report: Reporter,
) -> BorderDescent:
    """Let borders find their place on every level, the smallest first.

    `before` is the descent of the call before, with the same classes: only pixels near a change move.
    """
    began = time.perf_counter()
    first = largest_plane(start.belief)
    found = BorderDescent(first)
    labels, fresh = first, np.ones_like(first, dtype=bool) if before is None else first != before.first
    coarser = pyramid.start_level
    n_levels = pyramid.working + 1
    for level in range(pyramid.working, -1, -1):
        labels, fresh = (pyramid.to_level(plane, coarser, level) for plane in (labels, fresh))
        coarser, old = level, None if before is None else before.states[level]
        done = pyramid.working - level

        def report_level(share: float, done: int = done) -> None:
            report((done + share) / n_levels)

        found.states[level] = _refined(
            pyramid, level, seeds[level], start.belief, labels, fresh, old, found, report_level
        )
        labels = found.states[level].labels
        if old is not None:
            fresh |= labels != old.labels
    report(1.0)
    found.seconds = time.perf_counter() - began
    return found


def largest_plane(belief: FloatArray) -> IntArray:
    """Number of the plane that is largest at each point, the first of equals: a faster `argmax`."""
    best = belief[0].copy()
    found = np.zeros_like(best, dtype=np.int16 if len(belief) < 2**15 else np.int32)
    for number, plane in enumerate(belief[1:], start=1):
        found[plane > best] = number
        np.maximum(best, plane, out=best)
    return found


def _refined(
    pyramid: ImagePyramid,
    level: int,
    seeds: Seeds,
    belief: FloatArray,
    labels: IntArray,
    fresh: BoolArray,
    before: LevelState | None,
    record: BorderDescent,
    report: Reporter,
) -> LevelState:
    """The descent on one level: it begins at `labels` where they are fresh, at the state before elsewhere."""
    engine, grid = pyramid.engine, pyramid.grid(level)
    known = engine.asarray(seeds.places)
    width = FIRST_BAND if level == pyramid.working else FINER_BAND
    labels = labels.copy() if before is None else np.where(fresh, labels, before.labels)
    labels.reshape(-1)[known] = engine.asarray(seeds.codes).astype(labels.dtype)
    if before is None:
        chosen = near_borders(labels, width, engine.ndimage)
        r, schedule = np.full_like(labels, 0.5, dtype=np.float32), SCHEDULE
        # far from all borders the neighbours of a pixel agree
        score = pyramid.to_level((1 + belief.max(axis=0)) / 2, pyramid.start_level, level)
    else:
        changed = labels != before.labels
        chosen, window = np.zeros_like(changed), window_around(changed, engine, NEAR_A_CHANGE + width + 1)
        near_a_change = grown(changed[window], NEAR_A_CHANGE, engine.ndimage)
        chosen[window] = near_borders(labels[window], width, engine.ndimage) & near_a_change
        r, score, schedule = before.r.copy(), before.score.copy(), WARM_SCHEDULE
    chosen.reshape(-1)[known] = False
    if (pieces := pyramid.pieces(level)) is not None:
        chosen &= engine.asarray(pieces >= 0)
    r[chosen] = START_R
    r.reshape(-1)[known] = 0.5
    if not chosen.any():
        record.epsilons.append(SCHEDULE.stop)
        record.energies.append(0.0)
        record.changes.append(0)
        return LevelState(labels, r, score)
    planes, scale = pyramid.border_planes(level)
    places = np.nonzero(chosen)
    parents: tuple[Any, ...] = tuple(axis >> (pyramid.start_level - level) for axis in places)
    evidence = belief[(slice(None), *parents)].T
    band = NarrowBand(grid, planes, scale, grid.places(places), evidence, grid.pad(labels), grid.pad(r))
    state = State(band.labels, band.r)  # both are changed in place
    found = descend(band, None, state, schedule, STEP_SIZE, lambda step: report(step.number / step.of))
    record.epsilons += found.epsilons
    record.energies += found.energies
    record.changes += found.label_changes
    record.n_sweeps += found.n_sweeps
    score[places] = (band.shares() + band.own_evidence()) / 2
    labels, r = (engine.xp.ascontiguousarray(grid.crop(plane)) for plane in (band.labels, band.r))
    return LevelState(labels, r, score)
