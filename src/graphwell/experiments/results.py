"""What an experiment leaves behind: runs, and lines that stand beside the figures of the paper.

`expected.toml` holds every line: its title, the values of the paper, ours, and how far a result may lie
from them.
"""

import math
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from graphwell.progress import Progress


@dataclass(frozen=True)
class Run:
    """One execution of one method; `line` is the key of its line.

    `data_set` and `label_set` are the seeds that data and labels were drawn with, None where nothing is
    drawn. `error` is the share of wrong labels among all points, given ones included, as the paper counts.
    """

    line: str
    seed: int
    data_set: int | None
    label_set: int | None
    error: float
    seconds: float
    sweeps: int = 0
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Line:
    """One number, the mean of `values`, beside that of the paper and what is expected of it.

    `paper`, `paper_spread` and `paper_best` are published; `value` is the mean that graphwell should reach
    within `tolerance`, which was chosen for so many `runs`; `at_most`, in place of both, limits a time.

    Examples
    --------
    >>> line = Line("three-moons.fixed", (4.0,) * 20, "fixed epsilon", paper=5.2, value=3.1, tolerance=0.5)
    >>> line.ok, line.difference, line.complaint
    (False, '-1.20', 'three-moons.fixed is 4.00 %, outside 3.10 ± 0.50 % (fixed epsilon)')
    """

    key: str
    values: tuple[float, ...]
    title: str
    unit: str = "%"
    paper: float | None = None
    paper_spread: float | None = None
    paper_best: float | None = None
    value: float | None = None
    tolerance: float | None = None
    at_most: float | None = None
    runs: int = 20

    @property
    def mean(self) -> float:
        """Mean over the runs."""
        return float(np.mean(self.values))

    @property
    def spread(self) -> float:
        """Standard deviation over the runs."""
        return float(np.std(self.values))

    @property
    def room(self) -> float:
        """How far the mean of this many runs may lie from `value`: that of fewer varies more."""
        return (self.tolerance or 0.0) * math.sqrt(max(1.0, self.runs / len(self.values)))

    @property
    def ok(self) -> bool:
        """Whether the result lies where it should."""
        if self.at_most is not None:
            return self.mean <= self.at_most
        assert self.value is not None
        return abs(self.mean - self.value) <= self.room + 1e-9

    @property
    def range(self) -> str:
        """Where the result should lie, in words."""
        if self.at_most is not None:
            return f"at most {written(self.at_most, self.unit)} {self.unit}"
        assert self.value is not None
        return f"{written(self.value, self.unit)} ± {written(self.room, self.unit)} {self.unit}"

    @property
    def published(self) -> str:
        """The value of the paper, in words."""
        if self.paper is None:
            return ""
        spread = f" ± {self.paper_spread:g}" if self.paper_spread is not None else ""
        best = f" (best {self.paper_best:g})" if self.paper_best is not None else ""
        return f"{self.paper:g}{spread} {self.unit}{best}"

    @property
    def difference(self) -> str:
        """Our mean minus the paper's."""
        if self.paper is None:
            return ""
        difference = self.mean - self.paper
        return f"{'-' if difference < 0 else '+'}{written(abs(difference), self.unit)}"

    @property
    def complaint(self) -> str:
        """The line, its result and where it should lie, in a sentence."""
        relation = "should be" if self.at_most is not None else "outside"
        result = f"{written(self.mean, self.unit)} {self.unit}"
        return f"{self.key} is {result}, {relation} {self.range} ({self.title})"

    def __str__(self) -> str:
        spread = f" ± {written(self.spread, self.unit)}" if len(self.values) > 1 else ""
        return f"{written(self.mean, self.unit)}{spread} {self.unit}"


@dataclass(frozen=True)
class Picture:
    """A figure: its file name, what it shows, and the drawing."""

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


@cache
def expected() -> Mapping[str, Any]:
    """The content of ``expected.toml``."""
    return tomllib.loads(files(__package__).joinpath("expected.toml").read_text(encoding="utf-8"))


def of_line(runs: Iterable[Run], key: str) -> list[Run]:
    """The runs of one line."""
    return [run for run in runs if run.line == key]


def errors(runs: Iterable[Run], key: str) -> list[float]:
    """The errors of the runs of one line, in per cent."""
    return [100 * run.error for run in of_line(runs, key)]


def lines_of(
    section: str, runs: Sequence[Run], values: Mapping[str, Sequence[float]] | None = None
) -> list[Line]:
    """The lines of a section that have `values`, or else runs, whose errors these then are."""
    made = []
    for name, entry in expected()["lines"][section].items():
        key = f"{section}.{name}"
        found = (values or {}).get(name) or errors(runs, key)
        if found:
            made.append(Line(key, tuple(found), **entry))
    return made


def counter(stage: str, total: int, progress: Progress) -> Callable[[], None]:
    """A function to call after each of `total` jobs, which tells the share that is done."""
    done = 0
    progress(stage, None)

    def count() -> None:
        nonlocal done
        done += 1
        progress(stage, done / total)

    return count
