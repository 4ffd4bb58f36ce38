"""Algorithm 1 under a schedule: sweeps at each epsilon in turn, and a result that says how it ended."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, SupportsFloat, SupportsInt

from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import State
from graphwell.errors import in_short
from graphwell.progress import heartbeat
from graphwell.solve.problem import Problem
from graphwell.solve.schedule import Schedule


class Status(Enum):
    """How a descent ended, in a sentence."""

    SETTLED = "The schedule ran to its end and no label changed during the last step."
    UNSETTLED = (
        "The schedule ran to its end while labels were still changing; "
        "a longer schedule or a smaller last epsilon would let them settle."
    )
    STOPPED = "The callback stopped the run before the end of the schedule."
    HELD_BACK = (
        "The schedule ran to its end, but the result would have overruled too many of the given labels "
        "or swallowed whole classes; the start was kept instead."
    )
    COMMUNITIES_KEPT = (
        "The schedule ran to its end, but would have made the classes far more even than the labels are; "
        "the labels of the communities of the graph were kept: the classes may consist of several clusters."
    )
    START_KEPT = "No descent was asked for; the labels are those of the start."
    ONE_CLASS = "Only one class was given, so every vertex that a label reaches has it."


@dataclass(frozen=True)
class Result:
    """Labels and offsets of every vertex, and how they came about.

    Attributes
    ----------
    labels : array of shape (n,)
        Class of each vertex, from 0 on.
    offsets : array of shape (n,)
        Offset from the class in [-1/2, 1/2); the paper's state is the sum of both.
    status : Status
        How the run ended; its value is a sentence.
    n_sweeps : int
        Number of sweeps done.
    energies, epsilons, label_changes : tuples
        One value per schedule step.
    seconds : float
        Time of the descent.
    solver_iterations : int
        Conjugate-gradient iterations of the start.
    solver_residual : float
        Largest relative residual that they left.
    coarse : bool
        Whether the problem was solved on the coarse level before.
    """

    labels: IntArray
    offsets: FloatArray
    status: Status
    n_sweeps: int = 0
    energies: tuple[float, ...] = field(default=(), repr=False)
    epsilons: tuple[float, ...] = field(default=(), repr=False)
    label_changes: tuple[int, ...] = field(default=(), repr=False)
    seconds: float = 0.0
    solver_iterations: int = 0
    solver_residual: float = 0.0
    coarse: bool = field(default=False, repr=False)


def on_host(result: Result, to_host: Callable[[Any], Any]) -> Result:
    """The result with its labels and offsets as NumPy arrays."""
    return replace(result, labels=to_host(result.labels), offsets=to_host(result.offsets))


@dataclass(frozen=True)
class Step:
    """Told to a callback after each step of the schedule."""

    number: int
    of: int
    epsilon: float
    energy: float
    label_changes: int
    state: State


Callback = Callable[[Step], object]


def descend(
    engine: Any,  # does the sweeps: an `Engine`, or the band of a picture around its borders
    problem: Problem | None,  # a band of a picture knows its own
    start: State,
    schedule: Schedule,
    step_size: float,  # the paper's is 0.01
    callback: Callback | None = None,
    *,
    may_stop_early: bool = False,
) -> Result:
    """Minimise the multiclass energy (`reference`), with the pressure on sizes if there is one, from a start.

    `callback` is called with a `Step` after each step of the schedule; a true answer ends the run. With
    `may_stop_early`, after two steps in a row at which no vertex changed class the last step follows, and the
    end: smaller epsilons hold vertices in their classes all the more.
    """
    if not step_size > 0:
        raise ValueError(f"step_size must be positive, got {in_short(step_size)}.")
    began, steps = time.perf_counter(), list(schedule)
    state, place, stopped = start, 0, False
    energies: list[SupportsFloat] = []
    label_changes: list[SupportsInt] = []
    done: list[int] = []
    while place < len(steps) and not stopped:
        epsilon, sweeps = steps[place]
        heartbeat()
        swept = engine.sweep(problem, state, epsilon, step_size, sweeps)  # Algorithm 1 at this epsilon
        state = swept.state
        energies.append(swept.energy)
        label_changes.append(swept.label_changes)
        done.append(place)
        if callback is not None:
            number, energy, changes = place + 1, float(swept.energy), int(swept.label_changes)
            stopped = bool(callback(Step(number, len(steps), epsilon, energy, changes, state)))
        quiet = may_stop_early and len(done) > 1 and not any(map(int, label_changes[-2:]))
        place = max(place + 1, len(steps) - 1) if quiet else place + 1
    # Converged or not, the last state stands: the paper has no rule to stop but the end of the schedule.
    ended = Status.UNSETTLED if done and int(label_changes[-1]) else Status.SETTLED
    return Result(
        labels=state.labels,
        offsets=state.offsets,
        status=Status.STOPPED if stopped and place < len(steps) else ended,
        n_sweeps=sum(steps[each][1] for each in done),
        energies=tuple(map(float, energies)),
        epsilons=tuple(steps[each][0] for each in done),
        label_changes=tuple(map(int, label_changes)),
        seconds=time.perf_counter() - began,
    )
