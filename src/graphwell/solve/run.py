"""What a caller wants of a run besides its result: to hear how far it is, to save it, to end it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from graphwell.errors import OptionError
from graphwell.progress import CancelledError, Progress, in_pieces, listening, silent, watched
from graphwell.solve.checkpoint import Checkpoint, Fingerprint, ToHost, kept_alone
from graphwell.solve.descent import Callback, Reached, Step
from graphwell.solve.problem import Problem
from graphwell.solve.schedule import Schedule


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

    Examples
    --------
    >>> from threading import Event
    >>> cancelled = Event()
    >>> cancelled.set()
    >>> Run(cancel=cancelled).told("start", 0.5)
    Traceback (most recent call last):
    graphwell.progress.CancelledError: The run was cancelled.
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
        """What to call after each step of a descent, and how far an earlier run of it came."""
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
