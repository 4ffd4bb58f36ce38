"""Labels as users give them: one per class, at random, uneven, and more of them; against the bars."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.data import Dataset, available, load
from benchmarks.output import Options, in_processes, on_one_thread, show_table, write_json
from graphwell import DiffuseInterfaceClassifier
from graphwell._random import stream
from graphwell._types import FloatArray, IntArray
from graphwell.backends import find_backend
from graphwell.datasets import sample_labels
from graphwell.estimators.methods import LaplaceLearning
from graphwell.solve.fit import Recipe, fit
from graphwell.solve.problem import Problem

SEEDS = range(8)
RATES = ("1", "5", "r2", "r4", "r10")
BEFORE = {
    "optdigits": (4.40, 1.40, 27.29, 12.99, 2.48),
    "penbased/raw": (14.59, 7.35, 27.42, 14.72, 5.99),
    "texture/raw": (13.79, 5.27, 27.89, 13.45, 4.61),
    "letter/raw": (69.73, 43.87, 66.03, 52.35, 35.75),
    "satimage/raw": (29.15, 17.76, 33.45, 26.20, 17.09),
    "segment/raw": (33.23, 23.84, 40.60, 27.90, 19.38),
    "usps_2class/raw": (49.21, 30.25, 30.32, 20.44, 14.15),
    "coil_6class/raw": (73.14, 39.98, 63.26, 44.67, 24.87),
    "digits": (13.26, 3.76, 20.35, 10.24, 2.34),
    "wine": (7.43, 3.83, 26.89, 12.12, 3.72),
    "cancer": (8.64, 7.42, 15.46, 19.15, 6.69),
    "mnist": (7.68, 2.51, 36.91, 20.18, 5.44),
    "mnist/cut": (16.72, 7.75, 26.42, 15.11, 12.15),
    "penbased/raw/cut": (20.55, 11.77, 24.86, 12.15, 5.57),
    "optdigits/cut": (6.99, 3.19, 18.69, 8.66, 4.40),
    "texture/raw/cut": (18.52, 6.25, 19.31, 11.82, 5.56),
    "digits/cut": (16.72, 5.17, 21.04, 8.91, 4.99),
}
"""The 17 sets, with a figure for each of `RATES`: the error in % before sources by class and a coarse level,
mean over label sets 0-7, drawn as in `labels.drawn`."""
BARS = {
    ("mnist", "1"): (2.8, 7.7),
    ("mnist", "2"): (2.6, 4.1),
    ("mnist", "5"): (2.5, 2.4),
    ("mnist", "10"): (2.5, 2.4),
    ("mnist", "50"): (2.4, 2.4),
    ("mnist", "700"): (2.2, 2.15),
    ("mnist", "r4"): (7.5, 18.0),
    ("mnist", "r10"): (2.7, 4.5),
    ("optdigits", "1"): (2.0, 4.4),
    ("texture/raw", "1"): (11.5, 13.8),
    ("penbased/raw", "1"): (12.7, 14.6),
    ("penbased/raw", "5"): (5.8, 7.4),
    ("digits", "1"): (10.0, 13.3),
    ("cancer", "1"): (7.0, 8.6),
    ("cancer", "r2"): (9.0, 15.5),
    ("wine", "1"): (4.5, 7.4),
    ("usps_2class/raw", "r4"): (18.0, 21.6),
    ("usps_2class/raw", "r10"): (10.0, 18.1),
}
"""Bar and the figure before the coarse level, error in % of the unlabelled rows."""
WORST_BAR, MEAN_CHANGE_BAR, WORST_CHANGE_BAR, AREA_BAR = 4.0, -1.2, 1.0, 1.0
WORST_SEEDS, MORE_SEEDS = range(20), range(10)
RATES_OF_MNIST = ("2", "10", "50", "700")
RATES_WITH_SIZES = ("1", "5", "r4")
LARGE = ("mnist", "letter/raw", "mnist/cut")
"""Sets that begin first where several processes share the work."""


@dataclass(frozen=True)
class Task:
    """The fits of one label set."""

    data: str
    rate: str
    seed: int


def main(options: Options) -> None:
    """Fit every row, print the tables, and write labels.json."""
    names = [data.name for data in available(options.data or BEFORE)]
    runs = measured(tasks_for(names, options), options.processes)
    more: list[list[float]] = []
    if "digits" in names:
        seeds = MORE_SEEDS[:3] if options.quick else MORE_SEEDS
        more = list(in_processes(more_labels, seeds, options.processes))
    write_json(options.out / "labels.json", {"runs": runs, "more_labels": more})
    report(pd.DataFrame(runs))
    if more:
        before = ("one per class (87.1 before)", "and 10 at uncertain rows (78.7 before, bar 93)",
                  "and 10 at random")  # fmt: skip
        rows = [[name, f"{value:.1f}"] for name, value in zip(before, np.mean(more, axis=0), strict=True)]
        show_table("Correct labels more, digits, % correct", ["labels", "correct"], rows)


def tasks_for(names: Sequence[str], options: Options) -> list[Task]:
    """The label sets of every row, those of large data sets first."""
    tasks = []
    for name in sorted(names, key=lambda name: name not in LARGE):
        for rate in (*RATES, *(RATES_OF_MNIST if name == "mnist" else ())):
            seeds = WORST_SEEDS if (name, rate) == ("mnist", "1") else SEEDS
            chosen = options.seeds or (seeds[1:4:2] if options.quick else seeds)
            tasks += [Task(name, rate, seed) for seed in chosen]
    return tasks


def measured(tasks: Sequence[Task], processes: int = 1) -> list[dict[str, Any]]:
    """Run the tasks; label sets with one class only are left out."""
    return [run for run in in_processes(_run, tasks, processes) if run is not None]


@lru_cache(maxsize=2)
def _loaded(name: str) -> Dataset:
    return load(name)


@on_one_thread()
def _run(task: Task) -> dict[str, Any] | None:
    """One label set: errors, areas under the risk-coverage curves, seconds, and how the fit ended.

    The areas are also those of the start by itself and of Laplace learning; the error where the true class
    sizes are given is None unless every class has a label.
    """
    data = _loaded(task.data)
    given = drawn(data.y, task.rate, task.seed)
    unknown = given < 0
    if len(np.unique(given[~unknown])) < 2:
        return None
    began = time.perf_counter()
    clf = DiffuseInterfaceClassifier(models=None, n_jobs=1, random_state=0).fit(data.graph, given)
    seconds = time.perf_counter() - began
    laplace = LaplaceLearning(n_jobs=1).fit(data.graph.sharpened(2.0), given)

    def area(scores: FloatArray, labels: IntArray) -> float:
        return risk_coverage(scores[unknown], (labels != data.y)[unknown])

    return {
        **asdict(task),
        "error": float(100 * (clf.transduction_ != data.y)[unknown].mean()),
        "error_with_sizes": with_sizes(data, given) if task.rate in RATES_WITH_SIZES else None,
        "area": area(clf.label_distributions_, clf.transduction_),
        "start_area": area(*start_of(data, given)),
        "laplace_area": area(laplace.label_distributions_, laplace.transduction_),
        "seconds": seconds,
        "status": clf.result_.status.name,
    }


def start_of(data: Dataset, given: IntArray) -> tuple[FloatArray, IntArray]:
    """Scores and labels of the start by itself."""
    classes = np.unique(given[given >= 0])
    labels = np.where(given >= 0, np.searchsorted(classes, given), -1)
    problem = Problem(data.graph, labels, len(classes))
    recipe, backend = Recipe(time=0.0, coarse=False), find_backend("cpu", n_jobs=1)
    fitted = fit(backend, problem, recipe, rng=stream(0, "start"))
    return np.asarray(fitted.engine.shares(fitted.scores)), classes[fitted.result.labels]


def with_sizes(data: Dataset, given: IntArray) -> float | None:
    """Error if the true class sizes are given; None if a class has no label."""
    if len(np.unique(given[given >= 0])) < len(data.shares):
        return None
    sizes = {c: float(share) for c, share in enumerate(data.shares)}
    clf = DiffuseInterfaceClassifier(models=None, n_jobs=1, random_state=0, class_prior=sizes).fit(
        data.graph, given
    )
    return float(100 * (clf.transduction_ != data.y)[given < 0].mean())


def drawn(y: IntArray, rate: str, seed: int) -> IntArray:
    """Labels of a rate: ``"5"`` is five per class, ``"r4"`` is four times the classes, at random."""
    if not rate.startswith("r"):
        return sample_labels(y, int(rate), seed)
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(y), int(rate[1:]) * len(np.unique(y)), replace=False)
    given = np.full(len(y), -1)
    given[chosen] = y[chosen]
    return given


def risk_coverage(scores: FloatArray, wrong: IntArray) -> float:
    """Area under the risk-coverage curve in %: mean error of the surest rows, over all their numbers.

    Examples
    --------
    >>> risk_coverage(np.array([[0.9, 0.1], [0.6, 0.4]]), np.array([False, True]))
    25.0
    """
    ranked = np.sort(scores, axis=1)
    order = np.argsort(ranked[:, -2] - ranked[:, -1], kind="stable")
    return float(100 * (np.cumsum(wrong[order]) / np.arange(1, len(order) + 1)).mean())


def more_labels(seed: int) -> list[float]:
    """Share correct from one label per class, with ten more at uncertain rows, and with ten at random."""
    data = _loaded("digits")
    given = sample_labels(data.y, 1, seed)
    clf = DiffuseInterfaceClassifier(models=None, n_jobs=1, random_state=0).fit(data.graph, given)
    some = np.random.default_rng(seed + 100).choice(np.flatnonzero(given < 0), 10, replace=False)
    choices: tuple[list[int], ...] = ([], clf.doubtful(10).tolist(), some.tolist())
    found = []
    for more in choices:
        labels = given.copy()
        labels[more] = data.y[more]
        clf = DiffuseInterfaceClassifier(models=None, n_jobs=1, random_state=0).fit(data.graph, labels)
        found.append(float(100 * (clf.transduction_ == data.y)[labels < 0].mean()))
    return found


def report(runs: pd.DataFrame) -> None:
    """Print every row with its spread and its bar, and what all rows say together."""
    if runs.empty:
        return
    rows = {(data, rate): row for (data, rate), row in runs.groupby(["data", "rate"], sort=False)}
    columns = ["row", "mean", "spread", "worst", "sets", "before", "bar", "area", "sizes given", "s", "kept"]
    table = [_row(data, rate, row) for (data, rate), row in rows.items()]
    show_table("Error in % of the unlabelled rows", columns, table)
    show_table("All rows together", ["figure", "value", "bar"], list(_together(rows)))


def _row(data: str, rate: str, row: pd.DataFrame) -> list[str]:
    errors, told = row.error, row.error_with_sizes.dropna()
    before = before_of(data, rate)
    bar = BARS.get((data, rate), (None, None))[0]
    return [
        f"{data} {rate}",
        f"{errors.mean():.2f}",
        f"{errors.std(ddof=0):.2f}",
        f"{errors.max():.1f}",
        str(len(row)),
        "" if before is None else f"{before:.1f}",
        "" if bar is None else _against(errors.mean(), bar),
        f"{area_ratio(row):.2f}",
        f"{told.mean():.2f}, worst {told.max():.1f}" if len(told) else "",
        f"{row.seconds.median():.2f}",
        str(row.status.isin(["HELD_BACK", "COMMUNITIES_KEPT"]).sum()),
    ]


def before_of(data: str, rate: str) -> float | None:
    """The figure before the coarse level.

    Examples
    --------
    >>> before_of("digits", "1"), before_of("mnist", "2"), before_of("digits", "3")
    (13.28, 4.1, None)
    """
    if rate in RATES and data in BEFORE:
        return BEFORE[data][RATES.index(rate)]
    return BARS.get((data, rate), (None, None))[1]


def area_ratio(row: pd.DataFrame) -> float:
    """Mean area under the risk-coverage curve, against the better one of start and Laplace learning."""
    return float(row.area.mean() / max(min(row.start_area.mean(), row.laplace_area.mean()), 1e-9))


def _against(value: float, bar: float) -> str:
    return f"{bar:g} {'met' if value <= bar else 'MISSED'}"


def _together(rows: dict[tuple[str, str], pd.DataFrame]) -> Iterator[list[str]]:
    if ("mnist", "1") in rows:
        errors = rows["mnist", "1"].error
        name = f"MNIST, one per class: worst of {len(errors)} sets"
        yield [name, f"{errors.max():.2f}", _against(errors.max(), WORST_BAR)]
    changes = {}  # of the rows whose label sets are those of `BEFORE`
    for (data, rate), row in rows.items():
        if data in BEFORE and rate in RATES and len(errors := row.error[row.seed.isin(SEEDS)]):
            changes[data, rate] = errors.mean() - BEFORE[data][RATES.index(rate)]
    if changes:
        mean, worst = float(np.mean(list(changes.values()))), max(changes, key=lambda key: changes[key])
        yield [f"mean change of {len(changes)} rows", f"{mean:+.2f}", _against(mean, MEAN_CHANGE_BAR)]
        change = changes[worst]
        yield [f"worst row, {' '.join(worst)}", f"{change:+.2f}", _against(change, WORST_CHANGE_BAR)]
    ratios = {key: area_ratio(row) for key, row in rows.items()}
    mean, worst = float(np.mean(list(ratios.values()))), max(ratios, key=lambda key: ratios[key])
    name = "area under risk-coverage, against the better of start and Laplace"
    yield [f"{name}: mean of the rows", f"{mean:.2f}", _against(mean, AREA_BAR)]
    yield [f"{name}: worst row, {' '.join(worst)}", f"{ratios[worst]:.2f}", ""]
    told = {key: row.error_with_sizes.max() - row.error.max() for key, row in rows.items()
            if row.error_with_sizes.notna().any()}  # fmt: skip
    if told:
        worst = max(told, key=lambda key: told[key])
        harmed = sum(change > 0 for change in told.values())
        yield [f"rows whose worst label set true sizes make worse, of {len(told)}", str(harmed), "0"]
        yield [f"by how much at most, {' '.join(worst)}", f"{told[worst]:+.1f}", "0"]
