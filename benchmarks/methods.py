"""Every method on the same graphs and labels, labels as users give them, and the table of the README.

``few_labels``: graphwell, also with the true class sizes, `graphwell.methods`, the clusterers without a
label.

``labels``: the graph alone with one label per class, labels at random and uneven classes, against the bars.

``peers``: what people use today, from the same rows and labels, with settings that suit few labels, not the
defaults, which do worse. LabelSpreading, on its own graph of ten neighbours and on ours, has alpha 0.99 (not
0.2) and 500 rounds (not 30); boosting has leaves of three rows (its usual twenty cannot split thirty labels).
Poisson learning is graphwell's, on our graph.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

import graphwell as gw
from benchmarks.data import Dataset, available, load
from benchmarks.output import Options, on_one_thread, resumed, show_frame, verdict, write_json
from graphwell import DiffuseInterfaceClassifier, DiffuseInterfaceClustering, Graph
from graphwell._types import FloatArray, IntArray
from graphwell.datasets import sample_labels
from graphwell.estimators import registry
from graphwell.estimators.methods.base import Clusterer
from graphwell.metrics import matched_error, unlabelled_error

DEFAULT, WITH_SIZES, CLUSTERS = "default", "class_prior", "diffuse interface clusters"
SETS = (
    "mnist", "optdigits", "penbased", "texture", "letter", "segment", "satimage", "digits", "three_moons",
    "two_moons", "mnist/geometric", "optdigits/geometric",
)  # fmt: skip
MNIST_RATES = {
    "0": range(1), "1": range(5), "2": range(5), "5": range(5), "10": range(5), "50": range(2),
    "700": range(2),
}  # fmt: skip
RATES = {"0": range(10, 13), "1": range(10, 15), "5": range(10, 15), "20": range(10, 15)}
"""Label sets by the number of labels per class; 0 is for the clusterers."""
SMALL_SETS = ("segment", "digits", "three_moons", "two_moons", "optdigits/geometric")
Labeller = Callable[[Graph, IntArray, FloatArray], IntArray]
"""Takes a graph, labels and the true class shares; returns a label for every vertex."""


@dataclass(frozen=True)
class Method:
    """A way to label a graph, and what is known of it."""

    label: Labeller
    with_sizes: bool = False
    slow: bool = False
    two_classes: bool = False
    clusters: bool = False


@cache
def candidates() -> dict[str, Method]:
    """Every method by name."""

    def own(graph: Graph, labels: IntArray, shares: FloatArray | None) -> IntArray:
        ours = DiffuseInterfaceClassifier(models=None, class_prior=shares, n_jobs=1, random_state=0)
        return ours.fit(graph, labels).transduction_

    def clusters(graph: Graph, labels: IntArray, shares: FloatArray) -> IntArray:
        found = DiffuseInterfaceClustering(len(shares), n_jobs=1, random_state=0).fit_predict(graph)
        return np.where(found < 0, found.max() + 1, found)  # rows of no cluster are one more

    found = {
        DEFAULT: Method(lambda graph, labels, _: own(graph, labels, None)),
        WITH_SIZES: Method(own, with_sizes=True),
        CLUSTERS: Method(clusters, clusters=True),
    }
    for name, entry in gw.methods().items():
        if name != registry.DEFAULT:
            is_clusterer = issubclass(entry.classifier, Clusterer)
            two = entry.most_classes is not None
            label = partial(by_registry, entry)
            found[name] = Method(label, entry.told_sizes, entry.slow, two, is_clusterer)
    return found


def by_registry(entry: registry.Method, graph: Graph, labels: IntArray, shares: FloatArray) -> IntArray:
    """Labels of a method of `graphwell.methods`; clusters where no label is known."""
    made = entry(n_jobs=1)
    given = {
        "random_state": 0,
        "class_prior": shares if entry.told_sizes else None,
        "n_clusters": len(shares),
    }
    if (labels >= 0).any():
        del given["n_clusters"]
    made.set_params(**{name: given[name] for name in given.keys() & made.get_params().keys()})
    return made.fit(graph, labels).transduction_ if (labels >= 0).any() else made.fit_predict(graph)


def drawn(data: Dataset, rate: str, seed: int) -> IntArray:
    """Labels of a rate: ``"5"`` is five per class, ``"r4"`` is four times the classes, at random.

    `MORE` is one per class, and then the true labels of the ten rows that a fit finds most uncertain.
    """
    y = data.y
    if rate == MORE:
        given = sample_labels(y, 1, seed)
        fitted = DiffuseInterfaceClassifier(models=None, n_jobs=1, random_state=0).fit(data.graph, given)
        chosen = fitted.doubtful(10)
    elif rate.startswith("r"):
        given, rng = np.full(len(y), -1), np.random.default_rng(seed)
        chosen = rng.choice(len(y), int(rate[1:]) * len(np.unique(y)), replace=False)
    else:
        return sample_labels(y, int(rate), seed) if rate != "0" else np.full(len(y), -1)
    given[chosen] = y[chosen]
    return given


def measured(data: str, rate: str, seed: int, method: str) -> dict[str, Any]:
    """Error in per cent and seconds of one method on one label set."""
    rows, way = load(data), candidates()[method]
    rows.graph.S  # noqa: B018 - made before the clock runs
    labels = drawn(rows, rate, seed)
    n_classes = len(np.unique(labels[labels >= 0]))
    if rate != "0" and n_classes < (len(rows.shares) if way.with_sizes else 2):
        raise ValueError("too few classes have a label.")
    began = time.perf_counter()
    found = way.label(rows.graph, labels, rows.shares)
    seconds = time.perf_counter() - began
    error = unlabelled_error(found, rows.y, labels >= 0) if n_classes else matched_error(found, rows.y)
    return {"error": 100 * error, "seconds": seconds}


def planned(options: Options) -> list[dict[str, Any]]:
    """All jobs, a set after the other; slow methods have the first label set of large sets alone."""
    jobs = []
    for data in options.data or SETS:
        for rate, seeds in (MNIST_RATES if data == "mnist" else RATES).items():
            able = {
                name: method
                for name, method in candidates().items()
                if (method.clusters if rate == "0" else name != CLUSTERS)
                and (not method.two_classes or data == "two_moons")
            }
            for seed in options.seeds or (seeds[:2] if options.quick else seeds):
                left_out = options.quick or (data not in SMALL_SETS and seed != seeds[0])
                jobs += [
                    {"data": data, "rate": rate, "seed": seed, "method": name}
                    for name, method in able.items()
                    if not (method.slow and left_out)
                ]
    return jobs


def few_labels(options: Options) -> None:
    """Measure what is not in few_labels.jsonl yet, and print the tables."""
    records = resumed("few_labels", measured, planned(options), options)
    records["rate"] = records["rate"].astype(int)
    errors = records.pivot_table("error", "method", ["data", "rate"], sort=False)
    show_frame("Error in % (mean of the label sets; without labels: under the best matching)", errors)
    seconds = records.pivot_table("seconds", "method", "data", aggfunc="median", sort=False)
    show_frame("Median seconds of a fit without the graph, on one thread", seconds)
    # missing where a method cannot be run on every set
    means = errors.T.groupby(level="rate").agg(lambda error: error.mean(skipna=False)).T
    show_frame("Error in %, mean of all sets, by labels per class", means)


USERS_SETS = (
    "mnist", "letter/raw", "mnist/cut", "optdigits", "penbased/raw", "texture/raw", "satimage/raw",
    "segment/raw", "usps_2class/raw", "coil_6class/raw", "digits", "wine", "cancer", "penbased/raw/cut",
    "optdigits/cut", "texture/raw/cut", "digits/cut",
)  # fmt: skip
"""The large ones first, since several processes may share the work."""
USERS_RATES, MORE = ("1", "5", "r2", "r4", "r10"), "1 and 10 uncertain"
RATES_OF = {"mnist": (*USERS_RATES, "2", "10", "50", "700"), "digits": (*USERS_RATES, MORE)}
RATES_WITH_SIZES = ("1", "5", "r4")
USERS_SEEDS, SEEDS_OF = range(8), {("mnist", "1"): range(20), ("digits", MORE): range(10)}
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


def labels_as_given(options: Options) -> list[dict[str, Any]]:
    """The label sets of every row; some of them also with the true class sizes."""
    jobs = []
    for data in options.data or USERS_SETS:
        for rate in RATES_OF.get(data, USERS_RATES):
            seeds = SEEDS_OF.get((data, rate), USERS_SEEDS)
            methods = (DEFAULT, WITH_SIZES) if rate in RATES_WITH_SIZES else (DEFAULT,)
            jobs += [
                {"data": data, "rate": rate, "seed": seed, "method": method}
                for seed in options.seeds or (seeds[1:4:2] if options.quick else seeds)
                for method in methods
            ]
    return jobs


def labels(options: Options) -> None:
    """Fit every row that is not in labels.jsonl yet, and print the tables."""
    report_of_labels(resumed("labels", measured, labels_as_given(options), options))


def report_of_labels(runs: pd.DataFrame) -> None:
    """Print every row with its spread and its bars, and the means of all rows."""
    rows = runs[runs.method == DEFAULT].groupby(["data", "rate"], sort=False)
    table = rows.error.agg(["mean", "std", "max", "count"])
    for what, bars in (("mean", BARS), ("max", WORST_BARS)):
        reached = zip(table.index, table[what], strict=True)
        told = [f"{bars[row]:g} {verdict(value, bars[row])}" if row in bars else "" for row, value in reached]
        table[f"bar of the {what}"] = told
    table["s"] = rows.seconds.median()
    show_frame("Error in % of the unlabelled rows", table)
    both = runs.pivot_table("error", ["data", "rate", "seed"], "method").dropna()
    if WITH_SIZES in both:
        means = both.groupby(["data", "rate"]).mean()
        without, given = means[[DEFAULT, WITH_SIZES]].mean()
        print(f"Mean of {len(means)} rows: {without:.2f} % wrong, {given:.2f} % where the sizes are given")


README_ROWS = {
    "mnist": (1, 5), "optdigits": (1, 5), "digits": (1, 5), "penbased": (5,), "texture": (5,),
    "satimage": (5,), "segment": (5,), "letter": (5,),
}  # fmt: skip
"""Labels per class of each set."""
SEEDS, MANY_ROWS = range(10), 20_000
"""So many rows have half of the label sets."""


def peers(options: Options) -> None:
    """Print each row of the table as soon as it is known, then the seconds, and write peers.json."""
    records: list[dict[str, Any]] = []
    with on_one_thread():
        for data in available(options.data or README_ROWS):
            methods = labellers(data)
            seeds = options.seeds or (SEEDS if len(data.y) < MANY_ROWS else SEEDS[:5])
            for per_class in README_ROWS[data.name]:
                row = []
                for seed in seeds[:2] if options.quick else seeds:
                    given = sample_labels(data.y, per_class, seed)
                    for name, label in methods.items():
                        began = time.perf_counter()
                        found = label(given)
                        seconds = time.perf_counter() - began
                        error = 100 * unlabelled_error(found, data.y, given >= 0)
                        row.append({"data": data.name, "per_class": per_class, "seed": seed, "method": name,
                                    "error": error, "seconds": seconds})  # fmt: skip
                if not records:
                    titles = ["% wrong, mean ± standard deviation", "label sets", *methods]
                    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}")
                print(markdown_row(row), flush=True)
                records += row
    seconds = pd.DataFrame(records).pivot_table("seconds", "method", "data", aggfunc="median", sort=False)
    show_frame("Median seconds of a fit, no search for neighbours where a graph is shared", seconds)
    write_json(options.out / "peers.json", {"records": records})


def markdown_row(records: Sequence[dict[str, Any]]) -> str:
    """Means over the label sets with their spread, the least in bold.

    Examples
    --------
    >>> row = {"data": "iris", "per_class": 5, "method": "forest"}
    >>> markdown_row([{**row, "seed": seed, "error": error} for seed, error in enumerate([4.0, 6.0])])
    '| iris, 5 | 2 | **5.0 ± 1.4** |'
    """
    errors = pd.DataFrame(records).groupby("method", sort=False).error.agg(["mean", "std"]).fillna(0.0)
    cells = [f"{mean:.1f} ± {std:.1f}" for mean, std in errors.to_numpy()]
    cells = [
        f"**{c}**" if m == errors["mean"].min() else c for c, m in zip(cells, errors["mean"], strict=True)
    ]
    first, n = records[0], len({record["seed"] for record in records})
    return f"| {first['data']}, {first['per_class']} | {n} | {' | '.join(cells)} |"


def labellers(data: Dataset) -> dict[str, Callable[[IntArray], IntArray]]:
    """Everyone by name; graphs are built once."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import kneighbors_graph
    from sklearn.semi_supervised import LabelSpreading

    X: FloatArray = np.ascontiguousarray(data.X)
    own_graph = kneighbors_graph(X, 10, include_self=True)  # what kernel="knn" builds in every fit

    def supervised(model: Any) -> Callable[[IntArray], IntArray]:
        return lambda y: model.fit(X[y >= 0], y[y >= 0]).predict(X)

    def spread(graph: Any) -> Callable[[IntArray], IntArray]:
        model = LabelSpreading(kernel=lambda *_: graph.copy(), alpha=0.99, max_iter=500, tol=1e-6)
        return lambda y: model.fit(X, y).transduction_

    poisson = gw.baselines.PoissonLearning(n_jobs=1)
    ours = DiffuseInterfaceClassifier(n_jobs=1, random_state=0)
    return {
        "logistic regression": supervised(LogisticRegression(max_iter=1000)),
        "forest": supervised(RandomForestClassifier(300, random_state=0, n_jobs=1)),
        "boosting": supervised(HistGradientBoostingClassifier(min_samples_leaf=3, random_state=0)),
        "LabelSpreading": spread(own_graph),
        "LabelSpreading, our graph": spread(data.graph.W),
        "Poisson learning": lambda y: poisson.fit(data.graph, y).transduction_,
        "graphwell": lambda y: ours.fit(X, y).transduction_,
    }
