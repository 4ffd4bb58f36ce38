"""Who is better: means, paired differences with their standard error, and the bars for MNIST."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.methods import DEFAULT, PRIOR, START

ALLOWED = 0.5
"""Points that the default may lose without being said to lose."""
MNIST_BARS = {
    DEFAULT: {1: 9.0, 2: 5.0, 5: 2.7, 10: 2.6, 50: 2.45, 700: 2.25},
    PRIOR: {1: 8.0, 2: 4.5, 5: 2.6, 10: 2.5, 50: 2.4, 700: 2.2},
}


@dataclass(frozen=True)
class Record:
    """One method on one label set: error on the unlabelled points in per cent, and seconds."""

    data: str
    per_class: int
    label_set: int
    method: str
    told: bool
    error: float
    seconds: float
    remark: str = ""


@dataclass(frozen=True)
class Difference:
    """By how many points one method is worse than another on the same label sets."""

    other: str
    mean: float
    standard_error: float
    n_sets: int

    @property
    def loses(self) -> bool:
        """Worse by more than is allowed and more than chance explains."""
        return self.mean > ALLOWED + self.standard_error

    @property
    def level(self) -> bool:
        """Not worse by more than chance explains."""
        return self.mean <= self.standard_error

    def __str__(self) -> str:
        return f"{self.mean:+.2f} ± {self.standard_error:.2f} {self.other}"


def rows_of(records: Iterable[Record]) -> list[tuple[str, int]]:
    """Pairs of data set and labels per class, in the order in which they were measured."""
    return list(dict.fromkeys((r.data, r.per_class) for r in records))


def errors_of(records: Iterable[Record], row: tuple[str, int], method: str) -> dict[int, float]:
    """Error of a method on each label set of a row."""
    return {r.label_set: r.error for r in records if (r.data, r.per_class) == row and r.method == method}


def difference(records: Sequence[Record], row: tuple[str, int], one: str, other: str) -> Difference:
    """Compare two methods of a row on the label sets that both were run on.

    The standard error of a single pair is not known and counts as 0.
    """
    first, second = errors_of(records, row, one), errors_of(records, row, other)
    pairs = np.array([first[s] - second[s] for s in first if s in second])
    spread = float(pairs.std(ddof=1) / np.sqrt(len(pairs))) if len(pairs) > 1 else 0.0
    return Difference(other, float(pairs.mean()), spread, len(pairs))


def hardest_rival(records: Sequence[Record], row: tuple[str, int], one: str, told: bool) -> Difference | None:
    """The comparison that is worst for a method, among the rivals told the class sizes or those not told."""
    rivals = {r.method for r in records if (r.data, r.per_class) == row and r.told == told}
    rivals -= {DEFAULT, START, PRIOR}
    differences = [difference(records, row, one, rival) for rival in sorted(rivals)]
    return max(differences, key=lambda d: d.mean - d.standard_error, default=None)


def verdict_row(records: Sequence[Record], row: tuple[str, int]) -> list[str]:
    """One line of the verdict: the default against its start, rivals not told and rivals told the sizes."""
    against_start = difference(records, row, DEFAULT, START)
    rival = hardest_rival(records, row, DEFAULT, told=False)
    compared = [against_start] + ([rival] if rival else [])
    if any(d.loses for d in compared):
        word = "LOSES"
    else:
        word = "best or level" if all(d.level for d in compared) else "within 0.5"
    held = [r.remark for r in records if (r.data, r.per_class) == row and r.method == DEFAULT]
    return [
        f"{row[0]} {row[1]}",
        f"{np.mean(list(errors_of(records, row, DEFAULT).values())):.2f}",
        f"{against_start.mean:+.2f} ± {against_start.standard_error:.2f}",
        str(rival or ""),
        f"{held.count('HELD_BACK')} of {len(held)}",
        word,
        str(hardest_rival(records, row, DEFAULT, told=True) or ""),
        f"{np.mean(list(errors_of(records, row, PRIOR).values())):.2f}",
        str(hardest_rival(records, row, PRIOR, told=True) or ""),
    ]


def bar_rows(records: Sequence[Record]) -> list[list[str]]:
    """What was reached on MNIST beside the bars."""
    lines = []
    for method, bars in MNIST_BARS.items():
        for per_class, bar in bars.items():
            errors = list(errors_of(records, ("mnist", per_class), method).values())
            if errors:
                word = "reached" if np.mean(errors) <= bar else "MISSED"
                sets = " ".join(f"{e:.2f}" for e in errors)
                lines.append([f"{method} {per_class}", f"{bar:g}", f"{np.mean(errors):.2f}", word, sets])
    return lines
