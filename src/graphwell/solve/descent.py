"""Algorithm 1 under a schedule: sweeps at each epsilon in turn, and a result that says how it ended.

After each step the state can be saved in a file, so that a run that was killed goes on where it was, to the
same bits.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any, SupportsFloat, SupportsInt

import numpy as np

from graphwell._rows import hash_of
from graphwell._types import FloatArray, IntArray
from graphwell.backends.base import State
from graphwell.errors import OptionError, in_short
from graphwell.io.arrays import damaged_file, read_sealed, write_sealed
from graphwell.progress import heartbeat
from graphwell.solve.problem import Problem
from graphwell.solve.schedule import Schedule

# The format of checkpoints; one of a higher number comes from a later graphwell.
CHECKPOINT_FORMAT = 1
# Offsets lie in [-1/2, 1/2); rounding may take them a little further.
LARGEST_OFFSET = 1.0

ToHost = Callable[[Any], Any]


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
class Candidate:
    """One of the labellings that were compared.

    Its name is "start", "communities" (the harmonic labels on the graph of communities), "coarse" (the lowest
    energy on that graph) or "descent".
    """

    name: str
    energy: float  # share of the weight that is cut between classes, plus the pressure on their volumes
    normalised_cut: float  # sum over the classes of the weight cut from each as a share of its volume
    overruled: int  # given labels that their neighbours would vote against
    chosen: bool = False  # whether this one was returned


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
    candidates : tuple of Candidate
        The labellings that were compared, and which of them was chosen; empty if there was one only.
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
    candidates: tuple[Candidate, ...] = field(default=(), repr=False)


def on_host(result: Result, to_host: ToHost) -> Result:
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


@dataclass(frozen=True)
class Reached:
    """How far an earlier run of the same descent came; energies and label changes of its steps."""

    state: State
    energies: tuple[float, ...] = ()
    label_changes: tuple[int, ...] = ()


def descend(
    engine: Any,  # does the sweeps: an `Engine`, or the band of a picture around its borders
    problem: Problem | None,  # a band of a picture knows its own
    start: State,
    schedule: Schedule,
    step_size: float,  # the paper's is 0.01
    callback: Callback | None = None,
    reached: Reached | None = None,
    *,
    may_stop_early: bool = False,
) -> Result:
    """Minimise the multiclass energy (`reference`), with the pressure on sizes if there is one, from a start.

    `callback` is called with a `Step` after each step of the schedule; a true answer ends the run. From what
    an earlier run `reached` the result is that of a run that was never interrupted. With `may_stop_early`,
    after two steps in a row at which no vertex changed class the last step follows, and the end: smaller
    epsilons hold vertices in their classes all the more.
    """
    if not step_size > 0:
        raise ValueError(f"step_size must be positive, got {in_short(step_size)}.")
    began, steps = time.perf_counter(), list(schedule)
    reached = reached or Reached(start)
    state, place, stopped = reached.state, 0, False
    energies: list[SupportsFloat] = list(reached.energies)
    label_changes: list[SupportsInt] = list(reached.label_changes)
    done: list[int] = []

    def following() -> int:
        taken, place = len(done), done[-1] + 1
        quiet = may_stop_early and taken > 1 and not any(map(int, label_changes[taken - 2 : taken]))
        return max(place, len(steps) - 1) if quiet else place

    for _ in energies:  # the steps of the earlier run
        done.append(place)
        place = following()
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
        place = following()
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


# ------------------------------------------------------------------------------------- checkpoints


@dataclass
class Checkpoint:
    """The file of one run; it need not exist yet."""

    path: Path
    fingerprint: dict[str, Any]  # data, labels and settings, with which a run takes the same steps
    size: tuple[int, int, int]  # vertices, classes and steps: a state that does not fit is refused
    to_host: ToHost
    energies: list[float] = field(default_factory=list)
    label_changes: list[int] = field(default_factory=list)

    @classmethod
    def of(
        cls, path: Path, settings: Mapping[str, Any], problem: Problem, schedule: Schedule, to_host: ToHost
    ) -> "Checkpoint":
        """The file of the descent of a problem under a schedule."""
        steps = list(schedule)

        def plain(value: Any) -> Any:
            return value.tolist() if hasattr(value, "tolist") else repr(value)

        settings = json.loads(json.dumps({**settings, "schedule": steps}, default=plain))
        labels = hash_of(to_host(problem.labels).astype(np.int64))
        trust = "" if problem.trust is None else hash_of(to_host(problem.trust))
        fingerprint = {"graph": problem.graph.fingerprint, "labels": labels + trust, "settings": settings}
        return cls(path, fingerprint, (problem.graph.n_vertices, problem.n_classes, len(steps)), to_host)

    def load(self) -> Reached | None:
        """Return what the file holds, None if there is none; a file of another run is refused."""
        if not self.path.exists():
            return None
        saved = read_sealed(self.path, CHECKPOINT_FORMAT)
        try:
            difference = self._difference(json.loads(str(saved["fingerprint"])))
            sound = self._is_sound(saved)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise damaged_file(self.path) from error
        if difference:
            problem = (
                "{field} {} belongs to another run: {}; "
                "use the same data and parameters to go on, or remove the file to start anew."
            )
            raise OptionError("checkpoint", problem, self.path, difference)
        if not sound:
            raise damaged_file(self.path)
        self.energies, self.label_changes = saved["energies"].tolist(), saved["label_changes"].tolist()
        state = State(saved["labels"].astype(np.int32), saved["offsets"])
        return Reached(state, tuple(self.energies), tuple(self.label_changes))

    def save(self, step: Step) -> None:
        """Replace the file by one that holds this step too; it is whole at every moment."""
        self.energies.append(step.energy)
        self.label_changes.append(step.label_changes)
        arrays: dict[str, Any] = {
            "labels": np.asarray(self.to_host(step.state.labels)),
            "offsets": np.asarray(self.to_host(step.state.offsets)),
            "energies": np.array(self.energies, dtype=np.float64),
            "label_changes": np.array(self.label_changes, dtype=np.int64),
            "fingerprint": np.array(json.dumps(self.fingerprint)),
        }
        write_sealed(self.path, arrays, CHECKPOINT_FORMAT)

    def _difference(self, saved: Mapping[str, Any]) -> str:
        """Say what differs from a saved fingerprint; empty where nothing does."""
        here, there = self.fingerprint["settings"], saved["settings"]
        parts = [
            f"{name} was {there.get(name)} there and is {here.get(name)} here"
            for name in sorted({*here, *there})
            if here.get(name) != there.get(name)
        ]
        if self.fingerprint["labels"] != saved["labels"]:
            parts.append("the known labels differ")
        if self.fingerprint["graph"] != saved["graph"]:
            parts.append("the graph differs (other rows, features, scaling or neighbours)")
        return ", ".join(parts)

    def _is_sound(self, saved: Mapping[str, Any]) -> bool:
        """Whether a run of this size can have written the state in a file: compiled code trusts it."""
        labels, offsets = saved["labels"], saved["offsets"]
        energies, changes = saved["energies"], saved["label_changes"]
        n_vertices, n_classes, n_steps = self.size
        return bool(
            labels.shape == offsets.shape == (n_vertices,)
            and labels.dtype.kind == changes.dtype.kind == "i"
            and (labels >= 0).all()
            and (labels < n_classes).all()
            and (np.abs(offsets) <= LARGEST_OFFSET).all()  # not where one is no number
            and energies.shape == changes.shape == (len(energies),)
            and 0 < len(energies) <= n_steps
        )
