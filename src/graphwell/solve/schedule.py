"""Schedules: how epsilon falls, how many sweeps each value of it gets, and how large their steps are."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from graphwell.backends.base import Engine
from graphwell.errors import in_short

SWEEPS_BETWEEN_REPORTS = 40
# With diffusion starts, epsilon from 2 to 0.3 reproduced the paper's schedule, from 2 to 0.1, within 0.02
# points on 15 pairs of set and label rate (section 4 of the method).
FIRST_EPSILON, LAST_EPSILON, RATIO = 2.0, 0.3, 0.9
# Steps of 0.4 with 20 sweeps were equal to 0.2 with 40 (129 runs: mean difference 0.01 points); a step is at
# most this share of what is stable: at 1.0 all cases that were tried were stable, at 1.2 all oscillated.
LARGEST_STEP, STABLE_SHARE = 0.4, 0.8
POWER_ITERATIONS = 20


@runtime_checkable
class Schedule(Protocol):
    """A sequence of steps, each an epsilon and a number of sweeps."""

    def __iter__(self) -> Iterator[tuple[float, int]]:
        """Yield the epsilon and the number of sweeps of each step."""


@dataclass(frozen=True)
class Fixed:
    """One epsilon for the whole descent, reported every 40 sweeps.

    Examples
    --------
    >>> list(Fixed(1.0, sweeps=100))
    [(1.0, 40), (1.0, 40), (1.0, 20)]
    """

    epsilon: float = 1.0
    sweeps: int = 800

    def __post_init__(self) -> None:
        _check(self.sweeps, epsilon=self.epsilon)

    def __iter__(self) -> Iterator[tuple[float, int]]:
        for done in range(0, self.sweeps, SWEEPS_BETWEEN_REPORTS):
            yield self.epsilon, min(SWEEPS_BETWEEN_REPORTS, self.sweeps - done)


@dataclass(frozen=True)
class Annealed:
    """Epsilon falls from `start` by a constant ratio as long as it is at least `stop`.

    Interfaces are wide at first, which lets regions find each other, and sharp at the end.

    Examples
    --------
    >>> [round(epsilon, 2) for epsilon, sweeps in Annealed(2.0, 1.4, ratio=0.9, sweeps=40)]
    [2.0, 1.8, 1.62, 1.46]
    """

    start: float = 2.0
    stop: float = 0.1
    ratio: float = 0.9
    sweeps: int = 40

    def __post_init__(self) -> None:
        _check(self.sweeps, start=self.start, stop=self.stop)
        if not 0 < self.ratio < 1:
            raise ValueError(f"ratio must lie between 0 and 1, got {in_short(self.ratio)}.")
        if self.stop > self.start:
            raise ValueError(f"stop must not be above start, got start={self.start} and stop={self.stop}.")

    def __iter__(self) -> Iterator[tuple[float, int]]:
        steps = 1 + math.floor(math.log(self.stop / self.start) / math.log(self.ratio) + 1e-9)
        for step in range(steps):
            yield self.start * self.ratio**step, self.sweeps  # epsilon of Algorithm 1 falls here


def _check(sweeps: int, **epsilons: float) -> None:
    for name, value in epsilons.items():
        if not (math.isfinite(value) and value > 0):
            raise ValueError(f"{name} is an epsilon and must be positive, got {in_short(value)}.")
    if isinstance(sweeps, bool) or not isinstance(sweeps, int) or sweeps < 1:
        raise ValueError(f"sweeps must be a positive integer, got {in_short(sweeps)}.")


def stable_step(engine: Engine) -> float:
    """Largest step that is stable and accurate at every epsilon, at most 0.4.

    Steps below ``2 / (eps m + 1 / eps)`` are stable, with `m` the largest eigenvalue of ``diag(S 1) - S``,
    found by power iteration.
    """
    if engine.stable_step is not None:
        return engine.stable_step
    n, largest = engine.graph.n_vertices, 0.0
    x = engine.asarray(np.random.default_rng(0).random(n) - 0.5)
    if engine.masses is None:
        row_sums = engine.product(engine.xp.ones(n))
    else:  # of the rows that vertices stand for
        row_sums = engine.product(np.sqrt(engine.masses)) / np.sqrt(engine.masses)
    for _ in range(POWER_ITERATIONS):
        x = row_sums * x - engine.product(x)  # the smoothing term's gradient inside one class is linear in r
        largest = math.sqrt(float((x * x).sum()))
        if largest == 0:
            break
        x = x / largest
    # Of the explicit terms epsilon G + F' / epsilon of equation (15), the slopes are at most epsilon m and
    # 1 / epsilon; the fidelity is implicit, and limits nothing.
    limits = (2 / (epsilon * largest + 1 / epsilon) for epsilon in (FIRST_EPSILON, LAST_EPSILON))
    engine.stable_step = min(LARGEST_STEP, STABLE_SHARE * min(limits))
    return engine.stable_step
