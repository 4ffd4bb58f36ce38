"""Error of every method against the number of labels per class, on the same graphs and label sets."""

import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.data import DataMissingError, Dataset, load
from benchmarks.methods import DEFAULT, PRIOR, START, Method, baselines, own_methods, peers
from benchmarks.output import Options, show_table, write_json, write_picture
from graphwell.datasets import sample_labels
from graphwell.metrics import unlabelled_error
from graphwell.view.plots import new_figure

MNIST_SETS = {1: range(5), 2: range(5), 5: range(5), 10: range(5), 50: range(2), 700: range(2)}
OTHER_SETS = {1: range(10, 15), 5: range(10, 15), 20: range(10, 15)}
SETS = ("mnist", "optdigits", "penbased", "texture", "letter", "digits", "three_moons", "two_moons")
UNEVEN = ("mnist/geometric", "optdigits/geometric")
LARGE = 5_000
"""Points from which on slow methods are run on the first label set of a row only."""
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


def main(options: Options) -> None:
    """Measure, print the tables, and write few_labels.json and few_labels.png."""
    methods = [*own_methods(), *baselines(), *peers()]
    if options.quick:
        methods = [method for method in methods if not method.slow]
    records: list[Record] = []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows that no label reaches are counted as what they are: wrong
        for name in options.data or (*SETS, *UNEVEN):
            try:
                records += measured(load(name), plan(name, options.quick), methods)
            except DataMissingError as missing:
                print(f"{name} is left out: {missing}")
    write_json(options.out / "few_labels.json", {"records": [asdict(r) for r in records]})
    if records:
        report(records)
        write_picture(options.out / "few_labels.png", picture(records))


def plan(name: str, quick: bool) -> dict[int, range]:
    """Label sets by number of labels per class; the first two only, if it is to be quick."""
    sets = MNIST_SETS if name == "mnist" else OTHER_SETS
    return {per: seeds[:2] for per, seeds in sets.items()} if quick else dict(sets)


def measured(data: Dataset, sets: dict[int, range], methods: Sequence[Method]) -> list[Record]:
    """Run every method on every label set of a data set."""
    began = time.perf_counter()
    print(f"{data.name}: {data.graph}", flush=True)
    for method in methods:  # compile before the clock runs
        if not method.slow:
            method.label(data.graph, sample_labels(data.y, 1, 99), data.shares)
    records = list(_runs(data, sets, methods))
    print(f"{data.name}: {len(records)} runs in {time.perf_counter() - began:.0f} s", flush=True)
    return records


def _runs(data: Dataset, sets: dict[int, range], methods: Sequence[Method]) -> Iterator[Record]:
    for per_class, seeds in sets.items():
        for seed in seeds:
            labels = sample_labels(data.y, per_class, seed)
            for method in methods:
                if method.slow and len(data.y) >= LARGE and seed != seeds[0]:
                    continue
                began = time.perf_counter()
                found, remark = method.label(data.graph, labels, data.shares)
                seconds = time.perf_counter() - began
                error = 100 * unlabelled_error(found, data.y, labels >= 0)
                yield Record(data.name, per_class, seed, method.name, method.told, error, seconds, remark)


def report(records: Sequence[Record]) -> None:
    """Print error, seconds, the verdict and the bars."""
    names = list(dict.fromkeys(r.method for r in records))
    rows = rows_of(records)
    table = [[f"{d} {per}", *(_mean_error(records, (d, per), m) for m in names)] for d, per in rows]
    show_table("Error on unlabelled points, per cent (mean of the label sets)", ["", *names], table)
    seconds = [[name, *(_seconds(records, data, name) for data in dict(rows))] for name in names]
    show_table("Seconds of a fit without the graph (median; one thread)", ["", *dict(rows)], seconds)
    columns = [
        "data, labels per class",
        DEFAULT,
        f"minus {START}",
        "minus hardest rival",
        "held back",
        "verdict",
        "minus hardest rival told the sizes",
        PRIOR,
        "minus hardest rival told the sizes",
    ]
    show_table("Verdict (points, ± standard error)", columns, [verdict_row(records, row) for row in rows])
    bars = bar_rows(records)
    if bars:
        show_table("MNIST", ["method, labels per class", "bar", "reached", "", "label sets"], bars)


def picture(records: Sequence[Record]) -> Any:
    """Error against labels per class, one panel per data set."""
    from matplotlib.ticker import FixedLocator, LogLocator, NullFormatter, NullLocator, StrMethodFormatter

    names = list(dict.fromkeys(r.data for r in records))
    columns = min(4, len(names))
    figure, panels = new_figure(columns, 4.2, 3.8, rows=-(-len(names) // columns))
    for panel, name in zip(panels, names, strict=False):
        _curves(panel, [r for r in records if r.data == name])
        panel.set(title=name, xscale="log", yscale="log", xlabel="labels per class", ylabel="error (%)")
        panel.xaxis.set_major_locator(FixedLocator(sorted({r.per_class for r in records if r.data == name})))
        panel.xaxis.set_minor_locator(NullLocator())
        panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        panel.yaxis.set_minor_formatter(NullFormatter())
        for axis in (panel.xaxis, panel.yaxis):
            axis.set_major_formatter(StrMethodFormatter("{x:g}"))
        panel.grid(alpha=0.3)
    for panel in panels[len(names) :]:
        panel.set_visible(False)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2 * columns, frameon=False)
    return figure


def _curves(panel: Any, records: Sequence[Record]) -> None:
    from matplotlib import colormaps

    ours = {DEFAULT: "black", START: "0.55", PRIOR: "crimson"}
    colors = colormaps["tab20"]
    for number, method in enumerate(dict.fromkeys(r.method for r in records)):
        means = {
            row[1]: np.mean(list(errors_of(records, row, method).values()))
            for row in rows_of(records)
            if errors_of(records, row, method)
        }
        own = method in ours
        panel.plot(
            list(means),
            np.maximum(list(means.values()), 0.01),
            marker="o",
            markersize=4 if own else 3,
            linewidth=2.2 if own else 1,
            color=ours.get(method, colors(number % 20)),
            linestyle="--" if any(r.told for r in records if r.method == method) else "-",
            zorder=3 if own else 2,
            label=method,
        )


def _mean_error(records: Sequence[Record], row: tuple[str, int], method: str) -> str:
    errors = list(errors_of(records, row, method).values())
    return f"{np.mean(errors):.2f}" if errors else ""


def _seconds(records: Sequence[Record], data: str, method: str) -> str:
    seconds = [r.seconds for r in records if (r.data, r.method) == (data, method)]
    return f"{np.median(seconds):.2f}" if seconds else ""
