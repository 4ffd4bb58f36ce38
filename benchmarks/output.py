"""Shared by all benchmarks: options, tables, JSON files, and jobs in processes.

Times are ratios: each against a floor that is measured beside it, in the same process, again and again.
Machines are noisy, and so is a single run: a figure is the median of several ratios, with the least and the
largest.
"""

import json
import platform
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.data import DataMissingError
from graphwell import __version__
from graphwell.io.files import written_whole
from graphwell.memory import held

WIDTH_WITHOUT_TERMINAL = 160
REPETITIONS = 5


@dataclass(frozen=True)
class Options:
    """How a benchmark is run, as the command line says; `--help` explains each."""

    quick: bool
    out: Path
    data: Sequence[str] | None = None
    seeds: Sequence[int] | None = None
    processes: int = 1


def show_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH_WITHOUT_TERMINAL)
    table = Table()
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=number == 0)
    for row in rows:
        table.add_row(*row)
    console.print(title, table, sep="\n", markup=False, highlight=False)


def show_frame(title: str, frame: Any, digits: int = 2) -> None:
    """Print a frame of pandas: numbers with so many digits, words as they are, nothing where none is."""

    def shown(value: Any) -> str:
        if isinstance(value, str):
            return value
        if value is None or value != value:
            return ""
        return f"{value:,}" if isinstance(value, int | np.integer) else f"{value:,.{digits}f}"

    names = [", ".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in frame.index]
    rows = [[name, *map(shown, row)] for name, row in zip(names, frame.to_numpy(object), strict=True)]
    show_table(title, [", ".join(str(n) for n in frame.index.names if n), *map(str, frame.columns)], rows)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write results with what they were obtained with."""
    made_with = {"graphwell": __version__, "python": platform.python_version()}
    with written_whole(path) as file:
        file.write(json.dumps({"made_with": made_with, **content}, indent=1).encode())
    print(f"Figures: {path}")


@contextmanager
def on_one_thread() -> Iterator[None]:
    """One thread, and no warnings: rows that no label reaches are counted as what they are, wrong."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def resumed(
    name: str, work: Callable[..., Any], jobs: Sequence[dict[str, Any]], options: Options
) -> pd.DataFrame:
    """Do jobs that are not in the file of a benchmark yet; return all its records, as a frame.

    A job is the keyword arguments of `work`, and stands in its record. What it measures is appended as soon
    as it is known, so that a run that was stopped goes on from there. A job without its data is left out, one
    that fails is named, and the others go on.
    """
    path = options.out / f"{name}.jsonl"
    found = [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []
    left = [job for job in jobs if not any(job.items() <= record.items() for record in found)]
    with path.open("a") as file, ProcessPoolExecutor(options.processes) as pool:
        each = pool.map if options.processes > 1 else map
        for record in each(partial(_measured, work), left):
            if "failed" in record:
                print(f"left out: {record}", flush=True)
                continue
            file.write(json.dumps(record) + "\n")
            file.flush()
            found.append(record)
    return pd.DataFrame(found)


@on_one_thread()
def _measured(work: Callable[..., Any], job: dict[str, Any]) -> dict[str, Any]:
    """The record of a job, or why there is none."""
    try:
        return {**job, **work(**job)}
    except (DataMissingError, ValueError) as error:
        return {**job, "failed": str(error)}


def verdict(reached: float, bar: float | None) -> str:
    """Whether a bar is met; empty without one."""
    return "" if bar is None else "met" if reached <= bar else "MISSED"


@dataclass(frozen=True)
class Figure:
    """A measured quantity, a value for each repetition, and the largest median allowed; `x`: a ratio."""

    what: str
    values: Sequence[float]
    bar: float | None = None
    unit: str = "x"
    note: str = ""

    @property
    def median(self) -> float:
        """The middle of the values."""
        return median(self.values)

    @property
    def verdict(self) -> str:
        """Whether the bar is met; empty without one."""
        return verdict(self.median, self.bar)

    def row(self) -> list[str]:
        """Cells of the table."""
        spread = f"{min(self.values):.3g} to {max(self.values):.3g}" if len(self.values) > 1 else ""
        bar = "" if self.bar is None else f"{self.bar:g} {self.unit}"
        return [self.what, f"{self.median:.3g} {self.unit}", spread, bar, self.verdict, self.note]


def seconds(work: Callable[[], Any], times: int = 1) -> float:
    """Mean seconds of a call."""
    began = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - began) / times


def ratios(
    work: Callable[[], Any], floor: Callable[[], Any], floor_times: int = 1, repetitions: int = REPETITIONS
) -> list[float]:
    """Time of `work` over that of `floor`, side by side, after one call of each that does not count."""
    work(), floor()
    return [seconds(work) / seconds(floor, floor_times) for _ in range(repetitions)]


def report(name: str, title: str, figures: Sequence[Figure], options: Options, **more: Any) -> None:
    """Print the table, and write it with anything more as JSON."""
    columns = ("what", "median", "least to largest", "bar", "", "note")
    show_table(title, columns, [figure.row() for figure in figures])
    content = [{**asdict(f), "median": f.median, "verdict": f.verdict} for f in figures]
    write_json(options.out / f"{name}.json", {"figures": content, **more})


@contextmanager
def peak_memory() -> Iterator[Callable[[], int | None]]:
    """Measure how much memory the block takes at most beyond what was in use before it.

    The function that it gives returns that number of bytes, and None where the system does not tell.
    """
    before, after = begin_peak(), None
    yield lambda: after
    peak = held("VmHWM")
    after = None if before is None or peak is None else max(0, peak - before)


def begin_peak() -> int | None:
    """Have the system forget the peak of this process so far; return the bytes that it holds now."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return held()
