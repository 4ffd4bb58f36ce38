"""What an experiment leaves behind: runs, lines, figures, and the section that holds them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphwell.progress import Progress, silent


@dataclass(frozen=True)
class Run:
    """One execution of one method.

    Attributes
    ----------
    line : str
        Key of the line that the run belongs to.
    seed : int
        Seed of the start (of k-means, for spectral clustering).
    data_set, label_set : int or None
        Seeds of the data and of the choice of labels; None where there is nothing to choose.
    error : float
        Share of wrong labels among all points, given ones included, as the paper counts.
    seconds : float
        Time of the method on the finished graph.
    sweeps : int
        Number of sweeps; 0 for methods without them.
    details : mapping
        Whatever else the experiment measures.
    """

    line: str
    seed: int
    data_set: int | None
    label_set: int | None
    error: float
    seconds: float
    sweeps: int
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Line:
    """One number of the paper, or beside it: its values in several runs.

    Examples
    --------
    >>> line = Line("three-moons.fixed", "fixed epsilon", "%", (2.0, 4.0))
    >>> line.mean, line.best, str(line)
    (3.0, 2.0, '3.00 ± 1.00 %')
    """

    key: str
    title: str
    unit: str
    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean over the runs."""
        return float(np.mean(self.values))

    @property
    def spread(self) -> float:
        """Standard deviation over the runs."""
        return float(np.std(self.values))

    @property
    def best(self) -> float:
        """Smallest value."""
        return float(min(self.values))

    def __str__(self) -> str:
        spread = f" ± {written(self.spread, self.unit)}" if len(self.values) > 1 else ""
        return f"{written(self.mean, self.unit)}{spread} {self.unit}"


@dataclass(frozen=True)
class Picture:
    """A figure as it is written: its file name, what it shows, and the drawing."""

    name: str
    caption: str
    drawing: Any


@dataclass(frozen=True)
class ResultTable:
    """Rows of text that are not compared line by line."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[object]]
    text_columns: int = 1


@dataclass(frozen=True)
class Section:
    """One experiment as the report shows it."""

    name: str
    title: str
    setting: str
    lines: Sequence[Line]
    runs: Sequence[Run]
    remarks: Sequence[str] = ()
    tables: Sequence[ResultTable] = ()
    pictures: Sequence[Picture] = ()


def written(value: float, unit: str) -> str:
    """A number as its unit is usually given.

    Examples
    --------
    >>> written(2.0937, "%"), written(132.0, "s"), written(0.0213, "s"), written(12, "pixels")
    ('2.09', '132', '0.021', '12.0')
    """
    if unit == "s":
        return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.3f}"
    return f"{value:.2f}" if unit == "%" else f"{value:.1f}"


def error_line(key: str, title: str, runs: Sequence[Run]) -> Line:
    """The errors of the runs of one line, in per cent.

    Examples
    --------
    >>> run = Run("a", 0, 0, 0, error=0.02, seconds=0.1, sweeps=800)
    >>> error_line("a", "method a", [run])
    Line(key='a', title='method a', unit='%', values=(2.0,))
    """
    return Line(key, title, "%", tuple(100 * run.error for run in of_line(runs, key)))


def of_line(runs: Sequence[Run], key: str) -> list[Run]:
    """The runs of one line."""
    return [run for run in runs if run.line == key]


def best_run(runs: Sequence[Run], key: str) -> Run:
    """The run of a line with the smallest error, the first of them if there are several."""
    return min(of_line(runs, key), key=lambda run: run.error)


class Counter:
    """Tells the share of a known number of jobs that is done.

    Examples
    --------
    >>> count = Counter("moons", 4, print)
    moons None
    >>> count()
    moons 0.25
    """

    def __init__(self, stage: str, total: int, progress: Progress = silent) -> None:
        self.stage = stage
        self.total = total
        self.progress = progress
        self.done = 0
        progress(stage, None)

    def __call__(self) -> None:
        """One more job is done."""
        self.done += 1
        self.progress(self.stage, self.done / self.total)
