"""What each line should be: the paper's value, ours, and how far a result may lie from it."""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell.experiments.record import Line, written


@dataclass(frozen=True)
class Expected:
    """One entry of ``expected.toml``.

    Attributes
    ----------
    paper, paper_spread, paper_best : float or None
        Mean, standard deviation and best value in the paper, where it gives them.
    value, tolerance : float or None
        The mean that graphwell should reach, and how far from it a result may lie.
    at_most : float or None
        In place of both: a limit, for times.
    runs : int
        Number of runs that the tolerance was chosen for. The mean of fewer varies more, and is given
        more room, by the square root of the ratio.
    """

    paper: float | None = None
    paper_spread: float | None = None
    paper_best: float | None = None
    value: float | None = None
    tolerance: float | None = None
    at_most: float | None = None
    runs: int = 20


@dataclass(frozen=True)
class Judged:
    """A line beside what was expected of it.

    Examples
    --------
    >>> line = Line("three-moons.fixed", "fixed epsilon", "%", (4.0,) * 20)
    >>> judged = Judged(line, Expected(paper=5.2, value=3.1, tolerance=0.5))
    >>> judged.ok, judged.difference, judged.complaint
    (False, '-1.20', 'three-moons.fixed is 4.00 %, outside 3.10 ± 0.50 % (fixed epsilon)')
    """

    line: Line
    expected: Expected

    @property
    def tolerance(self) -> float:
        """How far the mean of this many runs may lie from the expected value."""
        widened = math.sqrt(max(1.0, self.expected.runs / len(self.line.values)))
        return (self.expected.tolerance or 0.0) * widened

    @property
    def ok(self) -> bool:
        """Whether the result lies where it should."""
        if self.expected.at_most is not None:
            return self.line.mean <= self.expected.at_most
        assert self.expected.value is not None
        return abs(self.line.mean - self.expected.value) <= self.tolerance + 1e-9

    @property
    def range(self) -> str:
        """Where the result should lie, in words."""
        unit = self.line.unit
        if self.expected.at_most is not None:
            return f"at most {written(self.expected.at_most, unit)} {unit}"
        assert self.expected.value is not None
        return f"{written(self.expected.value, unit)} ± {written(self.tolerance, unit)} {unit}"

    @property
    def paper(self) -> str:
        """What the paper says, in words."""
        if self.expected.paper is None:
            return ""
        unit, e = self.line.unit, self.expected
        spread = f" ± {e.paper_spread:g}" if e.paper_spread is not None else ""
        best = f" (best {e.paper_best:g})" if e.paper_best is not None else ""
        return f"{e.paper:g}{spread} {unit}{best}"

    @property
    def difference(self) -> str:
        """Our mean minus the paper's."""
        if self.expected.paper is None:
            return ""
        difference = self.line.mean - self.expected.paper
        return f"{'-' if difference < 0 else '+'}{written(abs(difference), self.line.unit)}"

    @property
    def complaint(self) -> str:
        """The line, its result and where it should lie, in a sentence."""
        line = self.line
        relation = "should be" if self.expected.at_most is not None else "outside"
        result = f"{written(line.mean, line.unit)} {line.unit}"
        return f"{line.key} is {result}, {relation} {self.range} ({line.title})"


@cache
def _content() -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath("expected.toml").read_text(encoding="utf-8"))


@cache
def expectations() -> Mapping[str, Expected]:
    """All entries by the key of their line.

    Examples
    --------
    >>> expectations()["three-moons.annealed"].paper
    2.6
    """
    return {
        f"{section}.{name}": Expected(**entry)
        for section, entries in _content()["lines"].items()
        for name, entry in entries.items()
    }


def judge(line: Line) -> Judged:
    """Set a line beside its entry."""
    return Judged(line, expectations()[line.key])


def paper_confusion() -> IntArray:
    """The confusion matrix of the paper's best run on MNIST, rows obtained and columns true.

    Examples
    --------
    >>> paper_confusion()[9, 4], paper_confusion().sum()
    (np.int64(348), np.int64(70000))
    """
    return np.array(_content()["paper"]["mnist_confusion"])
