"""Times as ratios: each against a floor that is measured beside it, in the same process, again and again.

Machines are noisy, and so is a single run: a figure is the median of several ratios, with the least and the
largest.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from benchmarks.output import Options, show_table, write_json

REPETITIONS = 5


@dataclass(frozen=True)
class Figure:
    """A measured quantity and the bar that it should not exceed.

    Attributes
    ----------
    what : str
    values : sequence of float
        One for each repetition.
    bar : float, optional
        The largest median allowed.
    unit : str
        What the values count: ``x`` for ratios.
    """

    what: str
    values: Sequence[float]
    bar: float | None = None
    unit: str = "x"

    @property
    def median(self) -> float:
        """The middle of the values."""
        return median(self.values)

    @property
    def verdict(self) -> str:
        """Whether the bar is met; empty without one."""
        if self.bar is None:
            return ""
        return "met" if self.median <= self.bar else "MISSED"

    def row(self) -> list[str]:
        """Cells of the table."""
        spread = f"{min(self.values):.3g} to {max(self.values):.3g}" if len(self.values) > 1 else ""
        bar = "" if self.bar is None else f"{self.bar:g} {self.unit}"
        return [self.what, f"{self.median:.3g} {self.unit}", spread, bar, self.verdict]


def seconds(work: Callable[[], Any], times: int = 1) -> float:
    """Mean seconds of a call."""
    began = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - began) / times


def ratios(
    work: Callable[[], Any],
    floor: Callable[[], Any],
    *,
    times: int = 1,
    floor_times: int = 1,
    repetitions: int = REPETITIONS,
) -> list[float]:
    """Time of `work` over that of `floor`, side by side, after one call of each that does not count."""
    work(), floor()
    return [seconds(work, times) / seconds(floor, floor_times) for _ in range(repetitions)]


def report(name: str, title: str, figures: Sequence[Figure], options: Options, **more: Any) -> None:
    """Print the table, and write it with anything more as JSON."""
    show_table(title, ("what", "median", "least to largest", "bar", ""), [figure.row() for figure in figures])
    content = [{**asdict(f), "median": f.median, "verdict": f.verdict} for f in figures]
    write_json(options.out / f"{name}.json", {"figures": content, **more})
