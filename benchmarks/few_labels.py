"""Error of every method against the number of labels per class, on the same graphs and label sets.

Beside graphwell: its start, the same told the true class sizes, `graphwell.methods`, and graphlearning's.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import graphwell as gw
from benchmarks.data import Dataset, available
from benchmarks.output import Options, draw_curves, on_one_thread, show_frame, show_table, write_json
from graphwell import DiffuseInterfaceClassifier, Graph
from graphwell._random import stream
from graphwell._types import FloatArray, IntArray
from graphwell.backends import find_backend
from graphwell.datasets import sample_labels
from graphwell.estimators import registry
from graphwell.metrics import unlabelled_error
from graphwell.solve.fit import Recipe, fit
from graphwell.solve.problem import Problem

DEFAULT, START, PRIOR = "default", "own start", "class_prior"
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
Labeller = Callable[[Graph, IntArray, FloatArray], tuple[IntArray, str]]
"""Takes a graph, labels and the true class shares; returns a label for every vertex, and a remark."""


@dataclass(frozen=True)
class Method:
    """A way to label a graph: whether it uses the true shares, and whether it is slow on large graphs."""

    name: str
    label: Labeller
    told: bool = False
    slow: bool = False


def main(options: Options) -> None:
    """Measure, print the tables, and write few_labels.json and few_labels.png."""
    methods = [m for m in [*own_methods(), *baselines(), *peers()] if not (options.quick and m.slow)]
    found: list[dict[str, Any]] = []
    with on_one_thread():
        for data in available(options.data or (*SETS, *UNEVEN)):
            print(f"{data.name}: {data.graph}", flush=True)
            sets = MNIST_SETS if data.name == "mnist" else OTHER_SETS
            found += measured(data, {n: s[:2] if options.quick else s for n, s in sets.items()}, methods)
    write_json(options.out / "few_labels.json", {"records": found})
    if found:
        records = pd.DataFrame(found)
        report(records)
        panels = {
            data: {
                method: (errors.index.to_list(), errors.to_list())
                for method in here.method.unique()
                if len(errors := here[here.method == method].groupby("per_class").error.mean())
            }
            for data, here in records.groupby("data", sort=False)
        }
        told = records[records.told].method.unique().tolist()
        bold = {DEFAULT: "black", START: "0.55", PRIOR: "crimson"}
        draw_curves(options.out / "few_labels.png", panels, "labels per class", bold, dashed=told)


def measured(data: Dataset, sets: dict[int, range], methods: Sequence[Method]) -> Iterator[dict[str, Any]]:
    """Every method on every label set: error on the unlabelled points in per cent, and seconds."""
    for method in methods:  # compile before the clock runs
        if not method.slow:
            method.label(data.graph, sample_labels(data.y, 1, 99), data.shares)
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
                yield {
                    "data": data.name, "per_class": per_class, "label_set": seed, "method": method.name,
                    "told": method.told, "error": error, "seconds": seconds, "remark": remark,
                }  # fmt: skip


def own_methods() -> list[Method]:
    """The classifier with default parameters, its own start, and with the class sizes given."""

    def default(graph: Graph, labels: IntArray, shares: FloatArray | None) -> tuple[IntArray, str]:
        clf = DiffuseInterfaceClassifier(class_prior=shares, n_jobs=1, random_state=0).fit(graph, labels)
        return clf.transduction_, clf.result_.status.name

    def start(graph: Graph, labels: IntArray, shares: FloatArray) -> tuple[IntArray, str]:
        problem, backend = Problem(graph, labels, len(shares)), find_backend("cpu", n_jobs=1)
        return fit(backend, problem, Recipe(time=0.0), rng=stream(0, "start")).result.labels, ""

    not_told = Method(DEFAULT, lambda graph, labels, _: default(graph, labels, None))
    return [not_told, Method(START, start), Method(PRIOR, default, told=True)]


def baselines() -> list[Method]:
    """Every method of `graphwell.methods` besides graphwell's own that can tell many classes apart."""

    def labeller(entry: registry.Method) -> Labeller:
        def label(graph: Graph, labels: IntArray, shares: FloatArray) -> tuple[IntArray, str]:
            classifier = entry(n_jobs=1)
            given: dict[str, Any] = {"class_prior": shares} if entry.told_sizes else {}
            if "random_state" in classifier.get_params():
                given["random_state"] = 0
            return classifier.set_params(**given).fit(graph, labels).transduction_, ""

        return label

    return [
        Method(name, labeller(entry), entry.told_sizes, entry.slow)
        for name, entry in gw.methods().items()
        if name != registry.DEFAULT and entry.most_classes is None
    ]


def peers() -> list[Method]:
    """The methods of graphlearning, or none, with the reason, if it cannot be imported."""
    try:
        from graphlearning import ssl
    except ImportError as error:
        needs = 'pip install "graphwell[bench]"; it also needs annoy, which it does not declare'
        print(f"graphlearning is left out: {error}. Get it by {needs}.")
        return []

    def labeller(make: Callable[[Any, FloatArray], Any]) -> Labeller:
        def label(graph: Graph, labels: IntArray, shares: FloatArray) -> tuple[IntArray, str]:
            from scipy import sparse

            known = np.flatnonzero(labels >= 0)
            model = make(sparse.csr_matrix(graph.W), shares)
            model.fit(known, labels[known])
            return np.asarray(model.predict()), ""

        return label

    return [
        Method("gl poisson", labeller(lambda W, _: ssl.poisson(W))),
        Method("gl laplace", labeller(lambda W, _: ssl.laplace(W))),
        Method("gl volume_mbo", labeller(ssl.volume_mbo), told=True, slow=True),
        Method("gl poisson_mbo", labeller(ssl.poisson_mbo), told=True, slow=True),
    ]


def report(records: pd.DataFrame) -> None:
    """Print error, seconds, the verdict and the bars."""
    errors = records.pivot_table("error", ["data", "per_class"], "method", sort=False)
    show_frame("Error on unlabelled points, per cent (mean of the label sets)", errors)
    seconds = records.pivot_table("seconds", "method", "data", aggfunc="median", sort=False)
    show_frame("Seconds of a fit without the graph (median; one thread)", seconds)
    rows = [
        [f"{data} {n}", *verdict(row)]
        for (data, n), row in records.groupby(["data", "per_class"], sort=False)
    ]
    columns = ["data, labels per class", DEFAULT, f"minus {START}", "minus hardest rival", "held back",
               "verdict", "minus hardest rival told the sizes", PRIOR,
               "minus hardest rival told the sizes"]  # fmt: skip
    show_table("Verdict (points, ± standard error)", columns, rows)
    if bars := bar_rows(records):
        show_table("MNIST", ["method, labels per class", "bar", "reached", "", "label sets"], bars)


def difference(row: pd.DataFrame, one: str, other: str) -> tuple[float, float]:
    """Points by which a method is worse than another on the label sets of both, and their standard error.

    The standard error of a single pair is not known and counts as 0.
    """
    errors = row.pivot_table("error", "label_set", "method")
    pairs = (errors[one] - errors[other]).dropna()
    return float(pairs.mean()), float(pairs.sem()) if len(pairs) > 1 else 0.0


def hardest_rival(row: pd.DataFrame, one: str, told: bool) -> tuple[float, float, str] | None:
    """The comparison that is worst for a method, among the rivals told the class sizes or those not told."""
    rivals = sorted({*row[row.told == told].method} - {DEFAULT, START, PRIOR})
    return max(
        ((*difference(row, one, rival), rival) for rival in rivals), key=lambda d: d[0] - d[1], default=None
    )


def verdict(row: pd.DataFrame) -> list[str]:
    """The default against its start, rivals not told and rivals told the sizes."""
    against_start = (*difference(row, DEFAULT, START), "")
    rival = hardest_rival(row, DEFAULT, told=False)
    compared = [against_start, *([rival] if rival else [])]
    if any(mean > ALLOWED + doubt for mean, doubt, _ in compared):
        word = "LOSES"
    else:
        word = "best or level" if all(mean <= doubt for mean, doubt, _ in compared) else "within 0.5"
    held = row[row.method == DEFAULT].remark
    means = row.groupby("method").error.mean()

    def shown(difference: tuple[float, float, str] | None) -> str:
        return "" if difference is None else "{:+.2f} ± {:.2f} {}".format(*difference).strip()

    return [
        f"{means[DEFAULT]:.2f}", shown(against_start), shown(rival),
        f"{(held == 'HELD_BACK').sum()} of {len(held)}", word,
        shown(hardest_rival(row, DEFAULT, told=True)), f"{means[PRIOR]:.2f}",
        shown(hardest_rival(row, PRIOR, told=True)),
    ]  # fmt: skip


def bar_rows(records: pd.DataFrame) -> list[list[str]]:
    """MNIST beside the bars."""
    lines = []
    for method, n, bar in [(m, n, bar) for m, bars in MNIST_BARS.items() for n, bar in bars.items()]:
        errors = records[
            (records.data == "mnist") & (records.method == method) & (records.per_class == n)
        ].error
        if len(errors):
            word = "reached" if errors.mean() <= bar else "MISSED"
            sets = " ".join(f"{e:.2f}" for e in errors)
            lines.append([f"{method} {n}", f"{bar:g}", f"{errors.mean():.2f}", word, sets])
    return lines
