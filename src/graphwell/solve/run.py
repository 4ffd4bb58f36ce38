"""How one run is watched, ended, and saved after every step, so that a killed run can go on where it was."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from graphwell._rows import hash_of
from graphwell.backends.base import State
from graphwell.errors import OptionError
from graphwell.io.arrays import damaged_file, read_sealed, write_sealed
from graphwell.io.files import check_output, held_alone
from graphwell.progress import CancelledError, Progress, in_pieces, listening, silent, watched
from graphwell.solve.descent import Callback, Reached, Step
from graphwell.solve.problem import Problem
from graphwell.solve.schedule import Schedule

ToHost = Callable[[Any], Any]
FORMAT = 1
"""Of the files written here; files of a higher number come from a later graphwell."""
LARGEST_OFFSET = 1.0
"""Offsets lie in [-1/2, 1/2); rounding may take them a little further."""


class Flag(Protocol):
    """Says whether a run is to end: a `threading.Event`, say."""

    def is_set(self) -> bool:
        """Whether it is to end."""


@dataclass(frozen=True)
class Run:
    """How one run is watched, saved and ended.

    A checkpoint of other settings, what the run depends on besides its problem, is refused.
    """

    callback: Callback | None = None  # called after each step of the descent; a true answer ends it there
    progress: Progress = silent  # told the stage and the share of it that is done
    cancel: Flag | None = None  # once set, the run ends within a second; not while kernels are compiled
    checkpoint: Path | None = None  # file that the descent is saved in after each step
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("callback", "progress"):
            value = getattr(self, name)
            if not callable(value) and not (name == "callback" and value is None):
                raise OptionError(name, "{field} must be a function, got {!r}.", value)
        if self.cancel is not None and not hasattr(self.cancel, "is_set"):
            raise OptionError("cancel", "{field} must be a flag with is_set, got {!r}.", self.cancel)

    def told(self, stage: str, share: float | None) -> None:
        """Tell how far a stage is."""
        self.check()
        self.progress(stage, share)

    def check(self) -> None:
        """End a run that was cancelled."""
        if self.cancel is not None and self.cancel.is_set():
            raise CancelledError("The run was cancelled.")

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Let the work inside the block be cancelled, however deep down it is.

        Other runs are kept away from its file, and a damaged file is refused before any work is done.
        """
        if self.checkpoint is None:
            with watched(self.check):
                yield
            return
        check_output(self.checkpoint, "checkpoint")
        with held_alone(self.checkpoint, "checkpoint"), watched(self.check):
            if self.checkpoint.exists():
                read_sealed(self.checkpoint, FORMAT)
            yield

    @contextmanager
    def stage(self, name: str, work: tuple[float, ...] = (1.0,)) -> Iterator[None]:
        """Hear of the pieces of work inside the block as one stage."""
        self.told(name, None)
        with listening(in_pieces(self.told, name, work)):
            yield

    def saved(self, problem: Problem, schedule: Schedule, to_host: ToHost) -> tuple[Callback, Reached | None]:
        """What to call after each step of a descent, and how far an earlier run of it came."""
        if self.checkpoint is None:
            return self._each_step, None
        checkpoint = Checkpoint(self.checkpoint, *_identity(self, problem, schedule, to_host), to_host)

        def save_and_ask(step: Step) -> object:
            checkpoint.save(step)
            return self._each_step(step)

        return save_and_ask, checkpoint.load()

    def _each_step(self, step: Step) -> object:
        self.told("descent", step.number / step.of)
        return None if self.callback is None else self.callback(step)

    def elsewhere(self) -> "RunElsewhere":
        """Return the run as workers have it, to be given a way to ask this one."""
        saves = self.checkpoint is not None
        watches = saves or self.callback is not None
        return RunElsewhere(settings=dict(self.settings), watches=watches, saves=saves)

    def answers(self) -> Callable[[str, Any], Any]:
        """Return what answers the questions of a run elsewhere."""
        files: list[Checkpoint] = []

        def answer(question: str, value: Any) -> Any:
            if question == "told":
                return self.told(*value)
            if question == "load" and self.checkpoint is not None:
                files[:] = [Checkpoint(self.checkpoint, *value)]
                return files[0].load()
            for file in files:
                file.save(value)
            return None if self.callback is None else bool(self.callback(value))

        return answer


@dataclass(frozen=True)
class RunElsewhere(Run):
    """A run whose progress, callback and checkpoint are those of another process."""

    watches: bool = False  # whether the other process wants to see every step
    saves: bool = False  # whether it has a checkpoint
    ask: Any = None  # asks it: ``ask(question, value)``
    look: Any = None  # raises what ended the run there

    def told(self, stage: str, share: float | None) -> None:
        """Tell how far a stage is."""
        self.look()
        self.ask("told", (stage, share))

    def check(self) -> None:
        """End a run that was cancelled."""
        self.look()

    def saved(self, problem: Problem, schedule: Schedule, to_host: ToHost) -> tuple[Callback, Reached | None]:
        """What to call after each step of a descent, and how far an earlier run of it came."""
        if not self.saves:
            return self._each_step, None
        return self._each_step, self.ask("load", _identity(self, problem, schedule, to_host))

    def _each_step(self, step: Step) -> object:
        self.told("descent", step.number / step.of)
        if not self.watches:
            return None
        state = State(np.asarray(step.state.labels), np.asarray(step.state.offsets))
        return self.ask("step", replace(step, state=state))


Identity = tuple[dict[str, Any], tuple[int, int, int]]
"""Fingerprint of a run, with which it takes the same steps; and numbers of vertices, classes and steps."""


def _identity(run: Run, problem: Problem, schedule: Schedule, to_host: ToHost) -> Identity:
    steps = list(schedule)
    settings = json.loads(json.dumps({**run.settings, "schedule": steps}, default=_as_json))
    labels = hash_of(to_host(problem.labels).astype(np.int64))
    trust = "" if problem.trust is None else hash_of(to_host(problem.trust))
    fingerprint = {"graph": problem.graph.fingerprint, "labels": labels + trust, "settings": settings}
    return fingerprint, (problem.graph.n_vertices, problem.n_classes, len(steps))


def _as_json(value: Any) -> Any:
    """Settings as JSON holds them: NumPy's numbers and arrays as plain ones, objects by what they say."""
    return value.tolist() if hasattr(value, "tolist") else repr(value)


@dataclass
class Checkpoint:
    """The file of one run; it need not exist yet."""

    path: Path
    fingerprint: dict[str, Any]
    size: tuple[int, int, int]  # vertices, classes and steps: a state that does not fit is refused
    to_host: ToHost = np.asarray
    energies: list[float] = field(default_factory=list)
    label_changes: list[int] = field(default_factory=list)

    def load(self) -> Reached | None:
        """Return what the file holds, None if there is none; a file of another run is refused."""
        if not self.path.exists():
            return None
        saved = read_sealed(self.path, FORMAT)
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
        write_sealed(self.path, arrays, FORMAT)

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
        names = ("labels", "offsets", "energies", "label_changes")
        labels, offsets, energies, changes = (saved[name] for name in names)
        n_vertices, n_classes, n_steps = self.size
        return bool(
            labels.dtype.kind in "iu"
            and offsets.dtype in (np.float32, np.float64)
            and energies.dtype == np.float64
            and changes.dtype == np.int64
            and labels.shape == offsets.shape == (n_vertices,)
            and energies.shape == changes.shape == (len(energies),)
            and 0 < len(energies) <= n_steps
            and (labels >= 0).all()
            and (labels < n_classes).all()
            and (np.isfinite(offsets).all() and (np.abs(offsets) <= LARGEST_OFFSET).all())
            and (np.isfinite(energies).all() and (changes >= 0).all())
        )
