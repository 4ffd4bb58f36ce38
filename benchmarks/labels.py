"""Labels as users give them: one per class, at random, uneven, and more of them; against the bars.

The graph alone. Every label set is appended to labels.jsonl as it is measured; a run that was stopped goes on
from there.
"""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.data import Dataset, load
from benchmarks.output import Options, on_one_thread, resumed, show_frame, verdict
from graphwell import DiffuseInterfaceClassifier
from graphwell._random import stream
from graphwell._types import FloatArray, IntArray
from graphwell.backends import find_backend
from graphwell.datasets import sample_labels
from graphwell.estimators.methods import LaplaceLearning
from graphwell.solve.fit import Recipe, fit
from graphwell.solve.problem import Problem

SETS = (
    "optdigits", "penbased/raw", "texture/raw", "letter/raw", "satimage/raw", "segment/raw",
    "usps_2class/raw", "coil_6class/raw", "digits", "wine", "cancer", "mnist", "mnist/cut",
    "penbased/raw/cut", "optdigits/cut", "texture/raw/cut", "digits/cut",
)  # fmt: skip
RATES, MORE = ("1", "5", "r2", "r4", "r10"), "1 and 10 uncertain"
RATES_OF = {"mnist": (*RATES, "2", "10", "50", "700"), "digits": (*RATES, MORE)}
RATES_WITH_SIZES = ("1", "5", "r4")
SEEDS, SEEDS_OF = range(8), {("mnist", "1"): range(20), ("digits", MORE): range(10)}
BARS = {
    ("mnist", "1"): 2.8, ("mnist", "2"): 2.6, ("mnist", "5"): 2.5, ("mnist", "10"): 2.5, ("mnist", "50"): 2.4,
    ("mnist", "700"): 2.2, ("mnist", "r4"): 7.5, ("mnist", "r10"): 2.7, ("optdigits", "1"): 2.0,
    ("texture/raw", "1"): 11.5, ("penbased/raw", "1"): 12.7, ("penbased/raw", "5"): 5.8,
    ("digits", "1"): 10.0, ("digits", MORE): 7.0, ("cancer", "1"): 7.0, ("cancer", "r2"): 9.0,
    ("wine", "1"): 4.5, ("usps_2class/raw", "r4"): 18.0, ("usps_2class/raw", "r10"): 10.0,
}  # fmt: skip
"""Mean error in % of the unlabelled rows."""
WORST_BARS = {("mnist", "1"): 4.0}
"""Of the worst label set."""
LARGE = ("mnist", "letter/raw", "mnist/cut")
"""Sets that begin first where several processes share the work."""


@dataclass(frozen=True)
class Task:
    """The fits of one label set."""

    data: str
    rate: str
    seed: int


def main(options: Options) -> None:
    """Fit every row that is not in labels.jsonl yet, and print the tables."""
    tasks = tasks_for(options.data or SETS, options)
    runs = resumed(options.out / "labels.jsonl", measured, tasks, options.processes)
    if runs:
        report(pd.DataFrame(runs))


def tasks_for(names: Sequence[str], options: Options) -> list[Task]:
    """The label sets of every row, those of large data sets first."""
    tasks = []
    for name in sorted(names, key=lambda name: name not in LARGE):
        for rate in RATES_OF.get(name, RATES):
            seeds = SEEDS_OF.get((name, rate), SEEDS)
            chosen = options.seeds or (seeds[1:4:2] if options.quick else seeds)
            tasks += [Task(name, rate, seed) for seed in chosen]
    return tasks


@on_one_thread()
def measured(task: Task) -> dict[str, Any] | None:
    """One label set: errors, areas under the risk-coverage curves, seconds, and how the fit ended.

    The areas are also those of the start by itself and of Laplace learning; the error where the true class
    sizes are given is None unless every class has a label. A label set with one class only is left out.
    """
    data = load(task.data)
    given = drawn(data, task.rate, task.seed)
    unknown = given < 0
    if len(np.unique(given[~unknown])) < 2:
        return None
    began = time.perf_counter()
    clf = fitted(data, given)
    seconds = time.perf_counter() - began
    laplace = LaplaceLearning(n_jobs=1).fit(data.graph.sharpened(2.0), given)
    with_sizes = None
    if task.rate in RATES_WITH_SIZES and len(np.unique(given[~unknown])) == len(data.shares):
        with_sizes = fitted(data, given, class_prior=dict(enumerate(data.shares.tolist()))).transduction_

    def error(labels: IntArray) -> float:
        return float(100 * (labels != data.y)[unknown].mean())

    def area(scores: FloatArray, labels: IntArray) -> float:
        return risk_coverage(scores[unknown], (labels != data.y)[unknown])

    return {
        **asdict(task),
        "error": error(clf.transduction_),
        "error_with_sizes": None if with_sizes is None else error(with_sizes),
        "area": area(clf.label_distributions_, clf.transduction_),
        "start_area": area(*start_of(data, given)),
        "laplace_area": area(laplace.label_distributions_, laplace.transduction_),
        "seconds": seconds,
        "status": clf.result_.status.name,
    }


def fitted(data: Dataset, given: IntArray, **parameters: Any) -> DiffuseInterfaceClassifier:
    """The default on the graph of a set."""
    clf = DiffuseInterfaceClassifier(models=None, n_jobs=1, random_state=0, **parameters)
    return clf.fit(data.graph, given)


def start_of(data: Dataset, given: IntArray) -> tuple[FloatArray, IntArray]:
    """Scores and labels of the start by itself."""
    classes = np.unique(given[given >= 0])
    labels = np.where(given >= 0, np.searchsorted(classes, given), -1)
    problem = Problem(data.graph, labels, len(classes))
    recipe, backend = Recipe(time=0.0, coarse=False), find_backend("cpu", n_jobs=1)
    found = fit(backend, problem, recipe, rng=stream(0, "start"))
    return np.asarray(found.engine.shares(found.scores)), classes[found.result.labels]


def drawn(data: Dataset, rate: str, seed: int) -> IntArray:
    """Labels of a rate: ``"5"`` is five per class, ``"r4"`` is four times the classes, at random.

    `MORE` is one per class, and then the true labels of the ten rows that a fit finds most uncertain.
    """
    y = data.y
    if rate == MORE:
        given = sample_labels(y, 1, seed)
        chosen = fitted(data, given).doubtful(10)
    elif rate.startswith("r"):
        given, rng = np.full(len(y), -1), np.random.default_rng(seed)
        chosen = rng.choice(len(y), int(rate[1:]) * len(np.unique(y)), replace=False)
    else:
        return sample_labels(y, int(rate), seed)
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


def report(runs: pd.DataFrame) -> None:
    """Print every row with its spread and its bars, and the means of all rows.

    The area is that under the risk-coverage curve, in areas of the better one of start and Laplace learning.
    """
    rows = runs.astype({"error_with_sizes": float}).groupby(["data", "rate"], sort=False)
    means = rows[["area", "start_area", "laplace_area", "error_with_sizes"]].mean()
    table = rows.error.agg(["mean", "std", "max", "count"])
    for what, bars in (("mean", BARS), ("max", WORST_BARS)):
        reached = zip(table.index, table[what], strict=True)
        told = [f"{bars[row]:g} {verdict(value, bars[row])}" if row in bars else "" for row, value in reached]
        table[f"bar of the {what}"] = told
    table["area"] = means.area / means[["start_area", "laplace_area"]].min(axis=1).clip(lower=1e-9)
    table["sizes given"], table["their max"] = means.error_with_sizes, rows.error_with_sizes.max()
    table["s"] = rows.seconds.median()
    table["kept"] = rows.status.agg(lambda status: status.isin(["HELD_BACK", "COMMUNITIES_KEPT"]).sum())
    show_frame("Error in % of the unlabelled rows", table)
    told = runs[runs.error_with_sizes.notna()].groupby(["data", "rate"])[["error", "error_with_sizes"]].mean()
    without, given = told.mean()
    print(f"Mean of {len(told)} rows: {without:.2f} % wrong, {given:.2f} % where the sizes are given")
    area = float(table.area.mean())
    print(f"Mean area of {len(table)} rows: {area:.2f} (bar 1: {verdict(area, 1.0)})")
