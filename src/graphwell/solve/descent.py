"""Algorithm 1 under a schedule: start, then sweeps at each epsilon in turn."""

import time
from collections.abc import Callable
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
    """What a callback is told after each step of the schedule."""

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

    Examples
    --------
    >>> import numpy as np
    >>> from graphwell import Fixed, Graph
    >>> from graphwell.backends.cpu.engine import NumbaEngine
    >>> graph = Graph.from_affinity([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> problem = Problem(graph, np.array([1, -1, -1]), n_classes=2)
    >>> start = State(np.array([1, 0, 0]), np.array([0.0, 0.3, 0.3]))
    >>> result = descend(NumbaEngine(graph), problem, start, Fixed(1.0), step_size=0.01)
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
    for number, (epsilon, sweeps) in enumerate(steps[len(energies) :], start=len(energies) + 1):
        heartbeat()
        swept = engine.sweep(problem, state, epsilon, step_size, sweeps)
        state = swept.state
        energies.append(swept.energy)
        label_changes.append(swept.label_changes)
        if callback is None:
            continue
        step = Step(number, len(steps), epsilon, float(swept.energy), int(swept.label_changes), state)
        if callback(step):
            stopped = number < len(steps)
            break
    done = steps[: len(energies)]
    settled = Status.UNSETTLED if done and int(label_changes[-1]) else Status.SETTLED
    return Result(
        labels=state.labels,
        offsets=state.offsets,
        status=Status.STOPPED if stopped else settled,
        n_sweeps=sum(sweeps for _, sweeps in done),
        energies=tuple(map(float, energies)),
        epsilons=tuple(epsilon for epsilon, _ in done),
        label_changes=tuple(map(int, label_changes)),
        seconds=time.perf_counter() - began,
    )
