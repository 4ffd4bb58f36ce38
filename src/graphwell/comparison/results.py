"""What a comparison found: frozen values that every face shows in its own way."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.graph import Graph
from graphwell.memory import in_words

LEAST_TOLD = 1_000_000
"""Bytes; a method that fits into memory that another gave back seems to take fewer."""


@dataclass(frozen=True)
class Trial:
    """One method on one split.

    Attributes
    ----------
    method : str
    split : int
    right, of : int
        Right answers, and answers that were judged.
    seconds : float
        Including those of the graph, where the method uses it.
    peak_bytes : int, optional
        Memory that was taken beyond what was in use before; None where that cannot be measured.
    """

    method: str
    split: int
    right: int
    of: int
    seconds: float
    peak_bytes: int | None = None


@dataclass(frozen=True)
class Standing:
    """A method over all splits.

    Attributes
    ----------
    method, summary : str
    accuracy : float
        Mean over the splits.
    standard_error : float
        Of the mean: by the spread over the splits, or by the number of rows judged, whichever is larger.
    seconds : float
        Mean over the splits.
    peak_bytes : int, optional
        The largest of all splits.
    """

    method: str
    summary: str
    accuracy: float
    standard_error: float
    seconds: float
    peak_bytes: int | None

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """Accuracy, its error, seconds and memory for people."""
        peak = self.peak_bytes
        memory = "" if peak is None else in_words(peak) if peak >= LEAST_TOLD else "< 1 MB"
        return (
            f"{100 * self.accuracy:.2f} %",
            f"{100 * self.standard_error:.2f}",
            f"{self.seconds:.2f}",
            memory,
        )


@dataclass(frozen=True, eq=False)
class MethodComparison:
    """Methods side by side on the same labels.

    Attributes
    ----------
    standings : tuple of Standing
        Best first.
    left_out : tuple of (str, str)
        Methods that took no part, and why.
    trials : tuple of Trial
    n_rows, n_classes, n_labels, n_splits : int
    judged_on : str
        "hidden labels" or "truth".
    n_judged : int
        Different rows whose answer was judged.
    seconds_graph : float
    labels : array of shape (n_methods, n_splits, n_rows)
        Class numbers that each method gave, in the order of `standings`; -1 for none.
    classes : tuple
        Names of the classes.
    given : array of shape (n_rows,)
        Class numbers of all labels; -1 for none.
    graph : Graph, optional
        That the methods shared.

    Examples
    --------
    >>> import graphwell as gw
    >>> X, truth = gw.datasets.make_two_moons(n_per_class=60, dim=5, random_state=0)
    >>> y = gw.datasets.sample_labels(truth, 5, random_state=0)
    >>> found = gw.compare(X, y, truth=truth, methods=["laplace", "nearest"], splits=2)
    >>> sorted(standing.method for standing in found.standings)
    ['laplace', 'nearest']
    >>> found.agreement.shape
    (2, 2)
    """

    standings: tuple[Standing, ...]
    left_out: tuple[tuple[str, str], ...]
    trials: tuple[Trial, ...] = field(repr=False)
    n_rows: int
    n_classes: int
    n_labels: int
    n_splits: int
    judged_on: str
    n_judged: int
    seconds_graph: float
    labels: IntArray = field(repr=False)
    classes: tuple[Any, ...] = ()
    given: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)
    graph: Graph | None = field(default=None, repr=False)

    @property
    def agreement(self) -> FloatArray:
        """Share of the rows that two methods give the same class, in the mean of the splits."""
        flat = self.labels.reshape(len(self.labels), -1)
        return np.array([[float((a == b).mean()) for b in flat] for a in flat])

    @property
    def dissent(self) -> FloatArray:
        """Share of the methods that do not give a row its most frequent class, in the mean of the splits."""
        n_methods, n_splits, n_rows = self.labels.shape
        alike = np.zeros((n_splits, n_rows))
        for number in range(-1, self.n_classes):
            alike = np.maximum(alike, (self.labels == number).sum(axis=0))
        return np.asarray(1 - alike.mean(axis=0) / n_methods)

    def __str__(self) -> str:
        """The table as text."""
        lines = [("method", "right", "+-", "seconds", "memory")]
        lines += [(each.method, *each.cells) for each in self.standings]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines
        )

    def to_json(self) -> dict[str, Any]:
        """Return values that JSON can hold."""
        return {
            "rows": self.n_rows,
            "classes": [str(name) for name in self.classes],
            "labels_given": self.n_labels,
            "splits": self.n_splits,
            "judged_on": self.judged_on,
            "judged_rows": self.n_judged,
            "seconds_graph": round(self.seconds_graph, 3),
            "methods": [asdict(standing) for standing in self.standings],
            "left_out": dict(self.left_out),
            "agreement": self.agreement.round(4).tolist(),
            "trials": [asdict(trial) for trial in self.trials],
        }


def standing(trials: Sequence[Trial], summary: str, n_judged: int) -> Standing:
    """A method over its splits.

    Examples
    --------
    >>> trials = [Trial("laplace", 0, 8, 10, 1.0), Trial("laplace", 1, 10, 10, 2.0)]
    >>> found = standing(trials, "", n_judged=20)
    >>> found.accuracy, found.standard_error, found.seconds
    (0.9, 0.1, 1.5)
    """
    shares = np.array([trial.right / trial.of for trial in trials])
    mean = float(shares.mean())
    spread = float(shares.std(ddof=1) / np.sqrt(len(shares))) if len(shares) > 1 else 0.0
    by_count = float(np.sqrt(mean * (1 - mean) / n_judged))
    peaks = [trial.peak_bytes for trial in trials if trial.peak_bytes is not None]
    return Standing(
        trials[0].method,
        summary,
        mean,
        round(max(spread, by_count), 12),
        float(np.mean([trial.seconds for trial in trials])),
        max(peaks, default=None),
    )
