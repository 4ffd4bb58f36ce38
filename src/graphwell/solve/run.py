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
from graphwell.io.files import check_output
from graphwell.io.locks import held_alone
from graphwell.io.npy import damaged_file, read_sealed, write_sealed
from graphwell.progress import CancelledError, Progress, in_pieces, listening, silent, watched
from graphwell.solve.descent import Callback, Reached, Step
from graphwell.solve.problem import Problem
from graphwell.solve.schedule import Schedule

ToHost = Callable[[Any], Any]
FORMAT = 1
"""Of the files written here; files of a higher number come from a later graphwell."""
LARGEST_OFFSET = 1.0
"""Offsets lie in [-1/2, 1/2); rounding may take them a little further."""


@dataclass(frozen=True)
class Fingerprint:
    """All that a run depends on: two runs with one fingerprint take the same steps.

    Attributes
    ----------
    graph, labels : str
        Hashes of the affinities and of the known labels.
    settings : dict
        Everything else by name, so that a difference can be named.
    """

    graph: str
    labels: str
    settings: Mapping[str, Any]

    @classmethod
    def of(cls, problem: Problem, settings: Mapping[str, Any], to_host: ToHost) -> "Fingerprint":
        """Fingerprint of the descent on a problem."""
        plain = json.loads(json.dumps(dict(settings), default=_as_json))
        labels = hash_of(to_host(problem.labels).astype(np.int64))
        trust = "" if problem.trust is None else hash_of(to_host(problem.trust))
        return cls(problem.graph.fingerprint, labels + trust, plain)

    def difference(self, saved: "Fingerprint") -> str:
        """Say what differs from a saved fingerprint; empty where nothing does."""
        parts = [
            f"{name} was {saved.settings.get(name)} there and is {self.settings.get(name)} here"
            for name in sorted({*self.settings, *saved.settings})
            if self.settings.get(name) != saved.settings.get(name)
        ]
        if self.labels != saved.labels:
            parts.append("the known labels differ")
        if self.graph != saved.graph:
            parts.append("the graph differs (other rows, features, scaling or neighbours)")
        return ", ".join(parts)


@contextmanager
def kept_alone(path: Path | None) -> Iterator[None]:
    """Keep other runs away from the file of a run, and refuse a damaged file before any work is done."""
    if path is None:
        yield
        return
    check_output(path, "checkpoint")
    with held_alone(path, "checkpoint"):
        if path.exists():
            read_sealed(path, FORMAT)
        yield


@dataclass
class Checkpoint:
    """The file of one run.

    Parameters
    ----------
    path : Path
        Its name; the file need not exist yet.
    fingerprint : Fingerprint
        Of the run that wants to go on from it.
    n_vertices, n_classes, n_steps : int
        Size of the run: a state that does not fit is refused.
    to_host : callable
        Brings labels and offsets to the host.
    """

    path: Path
    fingerprint: Fingerprint
    n_vertices: int
    n_classes: int
    n_steps: int
    to_host: ToHost = np.asarray
    _energies: list[float] = field(default_factory=list)
    _label_changes: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        check_output(self.path, "checkpoint")

    def load(self) -> Reached | None:
        """Return what the file holds, None if there is none; a file of another run is refused."""
        if not self.path.exists():
            return None
        saved = read_sealed(self.path, FORMAT)
        try:
            difference = self.fingerprint.difference(Fingerprint(**json.loads(str(saved["fingerprint"]))))
            reached = self._reached(saved)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise damaged_file(self.path) from error
        if difference:
            problem = (
                "{field} {} belongs to another run: {}; "
                "use the same data and parameters to go on, or remove the file to start anew."
            )
            raise OptionError("checkpoint", problem, self.path, difference)
        if reached is None:
            raise damaged_file(self.path)
        self._energies, self._label_changes = list(reached.energies), list(reached.label_changes)
        return reached

    def save(self, step: Step) -> None:
        """Replace the file by one that holds this step too; it is whole at every moment."""
        self._energies.append(step.energy)
        self._label_changes.append(step.label_changes)
        arrays: dict[str, Any] = {
            "labels": np.asarray(self.to_host(step.state.labels)),
            "offsets": np.asarray(self.to_host(step.state.offsets)),
            "energies": np.array(self._energies, dtype=np.float64),
            "label_changes": np.array(self._label_changes, dtype=np.int64),
            "fingerprint": np.array(json.dumps(vars(self.fingerprint))),
        }
        write_sealed(self.path, arrays, FORMAT)

    def saving(self, callback: Callback | None) -> Callback:
        """Return a callback that saves each step, then asks the one given."""

        def save_and_ask(step: Step) -> object:
            self.save(step)
            return None if callback is None else callback(step)

        return save_and_ask

    def _reached(self, saved: Mapping[str, Any]) -> Reached | None:
        """The state in a file, None if no run of this size can have written it: compiled code trusts it."""
        labels, offsets, energies, changes = (
            saved[name] for name in ("labels", "offsets", "energies", "label_changes")
        )
        per_vertex, per_step = (self.n_vertices,), (len(energies),)
        sound = (
            labels.dtype.kind in "iu"
            and offsets.dtype in (np.float32, np.float64)
            and energies.dtype == np.float64
            and changes.dtype == np.int64
            and labels.shape == offsets.shape == per_vertex
            and energies.shape == changes.shape == per_step
            and 0 < len(energies) <= self.n_steps
            and bool((labels >= 0).all() and (labels < self.n_classes).all())
            and bool(np.isfinite(offsets).all() and (np.abs(offsets) <= LARGEST_OFFSET).all())
            and bool(np.isfinite(energies).all() and (changes >= 0).all())
        )
        if not sound:
            return None
        state = State(labels.astype(np.int32), offsets)
        return Reached(state, tuple(energies.tolist()), tuple(changes.tolist()))


def _as_json(value: Any) -> Any:
    """Settings as JSON holds them: NumPy's numbers and arrays as plain ones, objects by what they say."""
    return value.tolist() if hasattr(value, "tolist") else repr(value)


class Flag(Protocol):
    """Says whether a run is to end: a `threading.Event`, say."""

    def is_set(self) -> bool:
        """Whether it is to end."""
        ...


@dataclass(frozen=True)
class Run:
    """How one run is watched, saved and ended.

    Attributes
    ----------
    callback : callable, optional
        Called with a `Step` after each step of the descent; a true answer ends the descent there.
    progress : callable
        Told the stage and the share of it that is done.
    cancel : object with ``is_set()``, optional
        Once set, the run ends with `CancelledError` within a second; not while kernels are compiled.
    checkpoint : Path, optional
        File that the descent is saved in after each step.
    settings : mapping
        What the run depends on besides its problem; a checkpoint of other settings is refused.
    """

    callback: Callback | None = None
    progress: Progress = silent
    cancel: Flag | None = None
    checkpoint: Path | None = None
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
        """Let the work inside the block be cancelled, however deep down it is; its file is kept alone."""
        with kept_alone(self.checkpoint), watched(self.check):
            yield

    @contextmanager
    def stage(self, name: str, work: tuple[float, ...] = (1.0,)) -> Iterator[None]:
        """Hear of the pieces of work inside the block as one stage."""
        self.told(name, None)
        with listening(in_pieces(self.told, name, work)):
            yield

    def saved(self, problem: Problem, schedule: Schedule, to_host: ToHost) -> tuple[Callback, Reached | None]:
        """A function to call after each step of a descent, and how far an earlier run of it came."""
        if self.checkpoint is None:
            return self._each_step, None
        settings = {**self.settings, "schedule": list(schedule)}
        fingerprint = Fingerprint.of(problem, settings, to_host)
        size = (problem.graph.n_vertices, problem.n_classes, len(settings["schedule"]))
        checkpoint = Checkpoint(self.checkpoint, fingerprint, *size, to_host)
        return checkpoint.saving(self._each_step), checkpoint.load()

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
                fingerprint, size = value
                files[:] = [Checkpoint(self.checkpoint, fingerprint, *size)]
                return files[0].load()
            for file in files:
                file.save(value)
            return None if self.callback is None else bool(self.callback(value))

        return answer


@dataclass(frozen=True)
class RunElsewhere(Run):
    """A run whose progress, callback and checkpoint are those of another process.

    Attributes
    ----------
    watches, saves : bool
        Whether the other process wants to see every step, and has a checkpoint.
    ask : callable
        Asks it: ``ask(question, value)``.
    look : callable
        Raises what ended the run there.
    """

    watches: bool = False
    saves: bool = False
    ask: Any = None
    look: Any = None

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
        settings = {**self.settings, "schedule": list(schedule)}
        fingerprint = Fingerprint.of(problem, settings, to_host)
        size = (problem.graph.n_vertices, problem.n_classes, len(settings["schedule"]))
        return self._each_step, self.ask("load", (fingerprint, size))

    def _each_step(self, step: Step) -> object:
        self.told("descent", step.number / step.of)
        if not self.watches:
            return None
        state = State(np.asarray(step.state.labels), np.asarray(step.state.offsets))
        return self.ask("step", replace(step, state=state))
