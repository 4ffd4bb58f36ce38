"""Algorithm 1 under a schedule: start, then sweeps at each epsilon in turn."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import SupportsFloat, SupportsInt

from graphwell.backends.base import Engine, State
from graphwell.errors import in_short
from graphwell.progress import heartbeat
from graphwell.solve.problem import Problem
from graphwell.solve.result import Result, Status
from graphwell.solve.schedule import Schedule


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


@dataclass(frozen=True)
class Reached:
    """How far an earlier run of the same descent came; energies and label changes of its steps."""

    state: State
    energies: tuple[float, ...]
    label_changes: tuple[int, ...]


def descend(
    engine: Engine,
    problem: Problem,
    start: State,
    schedule: Schedule,
    step_size: float,
    callback: Callback | None = None,
    reached: Reached | None = None,
    *,
    may_stop_early: bool = False,
) -> Result:
    """Minimise the multiclass energy from a start.

    Parameters
    ----------
    engine : Engine
        Does the sweeps.
    problem : Problem
        The graph and the known labels.
    start : State
        First class and offset of every vertex.
    schedule : Schedule
        Epsilon and number of sweeps of each step.
    step_size : float
        Time step of the descent; the paper's is 0.01.
    callback : callable, optional
        Called with a `Step` after each step of the schedule; a true answer ends the run.
    reached : Reached, optional
        Go on from here; the result is that of a run that was never interrupted.
    may_stop_early : bool
        After two steps in a row at which no vertex changed class, take the last step and end. Smaller
        epsilons hold vertices in their classes all the more.

    Examples
    --------
    >>> import numpy as np
    >>> from graphwell import Fixed, Graph
    >>> from graphwell.backends import find_backend
    >>> graph = Graph.from_affinity([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> problem = Problem(graph, np.array([1, -1, -1]), n_classes=2)
    >>> start = State(np.array([1, 0, 0]), np.array([0.0, 0.3, 0.3]))
    >>> result = descend(find_backend().engine(graph), problem, start, Fixed(1.0), step_size=0.01)
    >>> result.labels, result.status.name
    (array([1, 1, 1], dtype=int32), 'SETTLED')
    """
    if not step_size > 0:
        raise ValueError(f"step_size must be positive, got {in_short(step_size)}.")
    began = time.perf_counter()
    steps = list(schedule)
    reached = reached or Reached(start, (), ())
    state, stopped = reached.state, False
    energies: list[SupportsFloat] = list(reached.energies)
    label_changes: list[SupportsInt] = list(reached.label_changes)
    while (place := _next_step(len(steps), label_changes, may_stop_early)) is not None:
        epsilon, sweeps = steps[place]
        heartbeat()
        swept = engine.sweep(problem, state, epsilon, step_size, sweeps)
        state = swept.state
        energies.append(swept.energy)
        label_changes.append(swept.label_changes)
        if callback is None:
            continue
        step = Step(place + 1, len(steps), epsilon, float(swept.energy), int(swept.label_changes), state)
        if callback(step):
            stopped = _next_step(len(steps), label_changes, may_stop_early) is not None
            break
    places = (_next_step(len(steps), label_changes[:taken], may_stop_early) for taken in range(len(energies)))
    done = [steps[place] for place in places if place is not None]
    moved_greedily = Status.UNSETTLED if done and int(label_changes[-1]) else Status.SETTLED
    return Result(
        labels=state.labels,
        offsets=state.offsets,
        status=Status.STOPPED if stopped else moved_greedily,
        n_sweeps=sum(sweeps for _, sweeps in done),
        energies=tuple(map(float, energies)),
        epsilons=tuple(epsilon for epsilon, _ in done),
        label_changes=tuple(map(int, label_changes)),
        seconds=time.perf_counter() - began,
    )


def _next_step(n_steps: int, label_changes: Sequence[SupportsInt], may_stop_early: bool) -> int | None:
    """Number of the step that follows those with so many label changes; None after the last."""
    taken, quiet = len(label_changes), [may_stop_early and int(count) == 0 for count in label_changes]
    calm = next((place + 1 for place in range(1, taken) if quiet[place - 1] and quiet[place]), n_steps)
    if calm < n_steps:
        return n_steps - 1 if taken == calm else None
    return taken if taken < n_steps else None
