"""A file that a comparison saves itself in after every fit, so that a killed run goes on where it was."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell.comparison.results import Trial
from graphwell.errors import OptionError
from graphwell.io.npy import damaged_file, read_sealed, write_sealed

VERSION = 1


@dataclass
class Saved:
    """What has been found so far, in a file if one is named.

    Parameters
    ----------
    path : Path, optional
    fingerprint : str
        Of rows, labels and settings; a file with another one is refused.
    n_rows, n_classes : int

    Examples
    --------
    >>> saved = Saved(None, "rows and labels", n_rows=2, n_classes=2)
    >>> saved.add(Trial("laplace", 0, right=1, of=1, seconds=0.5), np.array([0, 1]))
    >>> saved.trials["laplace", 0].right, saved.labels["laplace", 0]
    (1, array([0, 1]))
    """

    path: Path | None
    fingerprint: str
    n_rows: int
    n_classes: int
    trials: dict[tuple[str, int], Trial] = field(default_factory=dict)
    labels: dict[tuple[str, int], IntArray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.path is not None and self.path.exists():
            self._load(self.path)

    def add(self, trial: Trial, labels: IntArray) -> None:
        """Keep a trial, and the labels it gave."""
        self.trials[trial.method, trial.split] = trial
        self.labels[trial.method, trial.split] = labels
        if self.path is not None:
            told = np.array(json.dumps([asdict(each) for each in self.trials.values()]))
            rows = np.array([self.labels[key] for key in self.trials], dtype=np.int32)
            arrays = {"fingerprint": np.array(self.fingerprint), "trials": told, "labels": rows}
            write_sealed(self.path, arrays, VERSION)

    def _load(self, path: Path) -> None:
        saved = read_sealed(path, VERSION)
        try:
            known, trials = str(saved["fingerprint"]), self._trials(saved)
        except (ValueError, KeyError, TypeError) as error:
            raise damaged_file(path) from error
        if known != self.fingerprint:
            problem = (
                "{field} {} belongs to another comparison: other rows, labels or settings; "
                "use the same to go on, or remove the file to start anew."
            )
            raise OptionError("checkpoint", problem, path)
        for trial, row in zip(trials, saved["labels"], strict=True):
            self.trials[trial.method, trial.split] = trial
            self.labels[trial.method, trial.split] = row.astype(np.int64)

    def _trials(self, saved: dict[str, Any]) -> list[Trial]:
        """The trials of a file; a ValueError if its labels cannot be theirs."""
        trials = [Trial(**each) for each in json.loads(str(saved["trials"]))]
        labels = saved["labels"]
        if labels.shape != (len(trials), self.n_rows) or labels.dtype.kind != "i":
            raise ValueError("labels of another size")
        if labels.size and not (labels.min() >= -1 and labels.max() < self.n_classes):
            raise ValueError("labels of other classes")
        return trials
