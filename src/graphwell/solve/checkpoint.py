"""A file that a descent saves itself in after every step, so that a killed run can go on where it was."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._hash import hash_of
from graphwell.backends.base import State
from graphwell.io.files import check_output, written_whole
from graphwell.io.npy import load_npz
from graphwell.solve.descent import Callback, Reached, Step
from graphwell.solve.problem import Problem

ToHost = Callable[[Any], Any]


@dataclass(frozen=True)
class Fingerprint:
    """What a run depends on: two runs with one fingerprint take the same steps.

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
        """Say what differs from a saved fingerprint; empty where nothing does.

        Examples
        --------
        >>> Fingerprint("a", "b", {"fidelity": 5.0}).difference(Fingerprint("a", "b", {"fidelity": 30.0}))
        'fidelity was 30.0 there and is 5.0 here'
        """
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


@dataclass
class Checkpoint:
    """The file of one run.

    Parameters
    ----------
    path : Path
        Its name; the file need not exist yet.
    fingerprint : Fingerprint
        Of the run that wants to go on from it.
    to_host : callable
        Brings labels and offsets to the host.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> fingerprint = Fingerprint("graph", "labels", {"fidelity": 30.0})
    >>> checkpoint = Checkpoint(Path(folder.name) / "run", fingerprint)
    >>> checkpoint.load() is None
    True
    >>> state = State(np.array([0, 1]), np.array([0.25, -0.25]))
    >>> checkpoint.save(Step(1, 10, epsilon=2.0, energy=3.5, label_changes=7, state=state))
    >>> Checkpoint(checkpoint.path, fingerprint).load().energies
    (3.5,)
    >>> folder.cleanup()
    """

    path: Path
    fingerprint: Fingerprint
    to_host: ToHost = np.asarray
    _energies: list[float] = field(default_factory=list)
    _label_changes: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        check_output(self.path, "checkpoint")

    def load(self) -> Reached | None:
        """Return what the file holds, None if there is none; a file of another run is refused."""
        if not self.path.exists():
            return None
        saved, reached = self._read()
        difference = self.fingerprint.difference(saved)
        if difference:
            raise ValueError(
                f"checkpoint {self.path} belongs to another run: {difference}; "
                "use the same data and parameters to go on, or remove the file to start anew."
            )
        self._energies, self._label_changes = list(reached.energies), list(reached.label_changes)
        return reached

    def save(self, step: Step) -> None:
        """Replace the file by one that holds this step too; it is whole at every moment."""
        self._energies.append(step.energy)
        self._label_changes.append(step.label_changes)
        with written_whole(self.path, scratch=self.path.with_name(f".{self.path.name}.tmp")) as file:
            np.savez(
                file,
                labels=self.to_host(step.state.labels),
                offsets=self.to_host(step.state.offsets),
                energies=np.array(self._energies),
                label_changes=np.array(self._label_changes),
                fingerprint=np.array(json.dumps(vars(self.fingerprint))),
            )

    def saving(self, callback: Callback | None) -> Callback:
        """Return a callback that saves each step, then asks the one given."""

        def save_and_ask(step: Step) -> object:
            self.save(step)
            return None if callback is None else callback(step)

        return save_and_ask

    def _read(self) -> tuple[Fingerprint, Reached]:
        try:
            saved = load_npz(self.path)
            return Fingerprint(**json.loads(str(saved["fingerprint"]))), Reached(
                State(saved["labels"], saved["offsets"]),
                tuple(saved["energies"].tolist()),
                tuple(saved["label_changes"].tolist()),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"checkpoint {self.path} is damaged or no checkpoint; remove it to start anew."
            ) from error


def _as_json(value: Any) -> Any:
    """Settings as JSON holds them: NumPy's numbers and arrays as plain ones, objects by what they say."""
    return value.tolist() if hasattr(value, "tolist") else repr(value)
