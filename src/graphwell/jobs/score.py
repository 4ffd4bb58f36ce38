"""How good the labels are: on labels that were hidden, and against a column of the truth."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphwell._rows import dealt_together
from graphwell._types import BoolArray, IntArray
from graphwell.errors import OptionError

Z_95 = 1.959964
LABELS_THAT_TELL = 30
"""With fewer labels the interval is about 30 points wide."""
ENOUGH_HIDDEN = 100
MOST_RUNS = 5
ROWS_AT_ONCE = 65_536
"""NumPy turns the numbers of classes that it counts by into wide ones."""


@dataclass(frozen=True)
class Accuracy:
    """A number of right answers.

    Examples
    --------
    >>> Accuracy(9, 10).share
    0.9
    >>> low, high = Accuracy(9, 10).interval
    >>> round(low, 2), round(high, 2)
    (0.6, 0.98)
    """

    right: int
    of: int

    @property
    def share(self) -> float:
        """Right answers per question."""
        return self.right / self.of

    def to_json(self) -> dict[str, Any]:
        """Return values that JSON can hold."""
        low, high = self.interval
        return {
            "accuracy": self.share,
            "right": self.right,
            "of": self.of,
            "interval_95": [round(low, 4), round(high, 4)],
        }

    @property
    def questions(self) -> int:
        """Number of answers that do not depend on each other."""
        return self.of

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true share lies with 95 % confidence (Wilson)."""
        n, p, z = self.questions, self.share, Z_95
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, float(centre - half)), min(1.0, float(centre + half))


@dataclass(frozen=True)
class Holdout(Accuracy):
    """Right answers on labels that were hidden, in one run or in several.

    Attributes
    ----------
    runs : int
    labels : int
        Different labels that were hidden; one that is hidden twice tells no more.

    Examples
    --------
    >>> Holdout(9, 10, runs=1, labels=10).in_words
    'A run without 10 of the given labels got 9 of them right: 90.0 % ... So few labels tell little.'
    """

    runs: int = 1
    labels: int = 0

    @property
    def questions(self) -> int:
        """Number of different labels."""
        return self.labels

    @property
    def in_words(self) -> str:
        """What was found, and how little it may tell."""
        low, high = self.interval
        asked = f"A run without {self.of:,} of the given labels got {self.right:,} of them right"
        if self.runs > 1:
            asked = (
                f"{self.runs} runs, each without some of the given labels, got {self.right:,} of {self.of:,} "
                f"right, {self.labels:,} different ones"
            )
        little = " So few labels tell little." if self.labels < LABELS_THAT_TELL else ""
        share = f"{100 * self.share:.1f} % (95 % confidence: {100 * low:.0f} to {100 * high:.0f} %)."
        return f"{asked}: {share}{little}"

    def to_json(self) -> dict[str, Any]:
        """Return values that JSON can hold."""
        return {**super().to_json(), "runs": self.runs, "labels": self.labels}


def runs_for(hidden: int) -> int:
    """How many runs to hide labels in: several where each hides few.

    Examples
    --------
    >>> runs_for(4), runs_for(40), runs_for(400)
    (5, 3, 1)
    """
    return min(MOST_RUNS, -(-ENOUGH_HIDDEN // hidden))


@dataclass(frozen=True)
class Comparison:
    """Labels against the truth, on the rows whose label was not given.

    Attributes
    ----------
    accuracy : Accuracy
    names : tuple of str
        All classes, those of the labels first.
    confusion : array of shape (n_names, n_names + 1)
        Rows by true class and by assigned class; the last column counts rows without a label.
    """

    accuracy: Accuracy
    names: tuple[str, ...]
    confusion: IntArray = field(repr=False)


def compare(assigned: IntArray, given: IntArray, truth: IntArray, names: tuple[str, ...]) -> Comparison:
    """Compare where the truth is known and the label was not given; -1 stands for none.

    Examples
    --------
    >>> compared = compare(np.array([0, 1, -1]), np.array([0, -1, -1]), np.array([0, 1, 0]), ("a", "b"))
    >>> compared.accuracy
    Accuracy(right=1, of=2)
    >>> compared.confusion
    array([[0, 0, 1],
           [0, 1, 0]])
    """
    asked = (truth >= 0) & (given < 0)
    if not asked.any():
        problem = "{field} says nothing on any row without a given label; there is nothing to compare."
        raise OptionError("truth", problem)
    k = len(names)
    confusion = np.zeros((k, k + 1), dtype=np.int64)
    for first in range(0, len(asked), ROWS_AT_ONCE):
        part = slice(first, first + ROWS_AT_ONCE)
        true, found = truth[part][asked[part]], assigned[part][asked[part]]
        np.add.at(confusion, (true, np.where(found < 0, k, found.astype(np.int64))), 1)
    return Comparison(Accuracy(int(np.trace(confusion)), int(asked.sum())), names, confusion)


def check_share(share: float) -> None:
    """Refuse a share of labels to hide that is none.

    Examples
    --------
    >>> check_share(2)
    Traceback (most recent call last):
    graphwell.errors.OptionError: holdout must lie between 0 and 1, got 2.
    """
    if not 0 < share < 1:
        raise OptionError("holdout", "{field} must lie between 0 and 1, got {:g}.", share)


def hide(
    given: IntArray, share: float, rng: "np.random.Generator", groups: IntArray | None = None
) -> BoolArray:
    """Choose given labels to hide, at random, those of one group together, never the last one of a class.

    Examples
    --------
    >>> given = np.array([0, 0, 0, -1, 1, -1])
    >>> hidden = hide(given, 0.5, np.random.default_rng(0))
    >>> np.bincount(given[hidden], minlength=2)
    array([2, 0])
    """
    check_share(share)

    def deal(given: IntArray) -> IntArray:
        left = np.bincount(given[given >= 0])
        wanted = max(1, round(share * int(left.sum())))
        fold = np.full(len(given), -1)
        for row in rng.permutation(np.flatnonzero(given >= 0)):
            if wanted and left[given[row]] > 1:
                fold[row] = 0
                left[given[row]] -= 1
                wanted -= 1
        return fold

    hidden: BoolArray = dealt_together(given, groups, deal) == 0
    if not hidden.any():
        problem = "{field} needs a class with two given labels on rows that differ: one to hide, one to keep."
        raise OptionError("holdout", problem)
    return hidden
