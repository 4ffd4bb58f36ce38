"""What every benchmark does with its results: print a table, write a JSON file and a picture.

Times are ratios: each against a floor that is measured beside it, in the same process, again and again.
Machines are noisy, and so is a single run: a figure is the median of several ratios, with the least and the
largest.
"""

import json
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from graphwell import __version__
from graphwell.io.files import written_whole
from graphwell.view.plots import as_png

WIDTH_WITHOUT_TERMINAL = 160
REPETITIONS = 5


@dataclass(frozen=True)
class Options:
    """How a benchmark is run.

    Attributes
    ----------
    quick : bool
        Fewer label sets.
    out : Path
        Folder for JSON files and pictures.
    data : sequence of str, optional
        Names of the data sets to use; all by default.
    seeds : sequence of int, optional
        Seeds, or label sets, where a benchmark lets them be chosen; its own by default.
    processes : int
        Processes that share the work, where a benchmark can divide it.
    strategies : sequence of str, optional
        Names of the strategies that `ask` compares; all by default.
    minutes : float
        How long the scripted user of `serve` goes on after its questions.
    """

    quick: bool
    out: Path
    data: Sequence[str] | None = None
    seeds: Sequence[int] | None = None
    processes: int = 1
    strategies: Sequence[str] | None = None
    minutes: float = 0.0


def show_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH_WITHOUT_TERMINAL)
    table = Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=number == 0)
    for row in rows:
        table.add_row(*row)
    console.print(table, highlight=False)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write results with what they were obtained with."""
    made_with = {"graphwell": __version__, "python": platform.python_version()}
    with written_whole(path) as file:
        file.write(json.dumps({"made_with": made_with, **content}, indent=1).encode())
    print(f"Figures: {path}")


def write_picture(path: Path, figure: Any) -> None:
    with written_whole(path) as file:
        file.write(as_png(figure))
    print(f"Picture: {path}")


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
