"""Time and error of what people use today beside ours: MNIST, every method from the same features and labels.

graphlearning and scikit-learn build their graphs themselves, as their users do. One thread each where they
can be told.
"""

import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np

from benchmarks.data import load
from benchmarks.output import Options, show_table, write_json
from graphwell import DiffuseInterfaceClassifier
from graphwell.datasets.labels import sample_labels
from graphwell.metrics import unlabelled_error

PER_CLASS = (1, 10, 700)
OURS = "graphwell"


@dataclass(frozen=True)
class Record:
    """One method on one label set."""

    method: str
    per_class: int
    graph_seconds: float | None
    seconds: float
    error: float


def ours(X):
    def label(labels):
        clf = DiffuseInterfaceClassifier(n_jobs=1, random_state=0).fit(X, labels)
        return clf.transduction_, clf.timings_["graph"]

    return label


def spreading(X):
    """scikit-learn finds the neighbours anew in each fit."""
    from sklearn.semi_supervised import LabelSpreading

    def label(labels):
        return LabelSpreading(kernel="knn", n_neighbors=10, n_jobs=1).fit(X, labels).transduction_, None

    return label


def graphlearning_methods(X) -> dict[str, Callable]:
    """The methods of graphlearning on its own graph, or none if it is not installed."""
    try:
        import graphlearning as gl
    except ImportError as error:
        print(f'graphlearning is left out: {error}. Get it by pip install "graphwell[bench]".')
        return {}
    began = time.perf_counter()
    W = gl.weightmatrix.knn(X, 10)
    graph_seconds = time.perf_counter() - began

    def method(make):
        def label(labels):
            known = np.flatnonzero(labels >= 0)
            model = make(W)
            model.fit(known, labels[known])
            return np.asarray(model.predict()), graph_seconds

        return label

    return {
        "graphlearning poisson": method(gl.ssl.poisson),
        "graphlearning laplace": method(gl.ssl.laplace),
        "graphlearning multiclass_mbo": method(gl.ssl.multiclass_mbo),
    }


def run(name: str, label: Callable, y, per_class: int) -> Record:
    labels = sample_labels(y, per_class, 0)
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, graph_seconds = label(labels)
    seconds = time.perf_counter() - began
    if name == OURS:
        seconds -= graph_seconds
    return Record(name, per_class, graph_seconds, seconds, 100 * unlabelled_error(found, y, labels >= 0))


def main(options: Options) -> None:
    data = load("mnist")
    X = np.ascontiguousarray(data.X, dtype=np.float32)
    methods = {OURS: ours(X), "scikit-learn LabelSpreading": spreading(X), **graphlearning_methods(X)}
    methods[OURS](sample_labels(data.y, 1, 0))  # compiles
    records = [
        run(name, label, data.y, per_class) for name, label in methods.items() for per_class in PER_CLASS
    ]
    rows = []
    for name in methods:
        here = [record for record in records if record.method == name]
        graph = here[0].graph_seconds
        shown = "with the fit" if graph is None else f"{graph:.1f}"
        rows.append([name, shown, *(f"{r.seconds:.1f}" for r in here), *(f"{r.error:.2f}" for r in here)])
    columns = (
        "method", "graph, s", *(f"fit, s, {n} per class" for n in PER_CLASS),
        *(f"error, %, {n}" for n in PER_CLASS),
    )  # fmt: skip
    show_table("Beside what people use today: MNIST, label set 0", columns, rows)
    write_json(options.out / "peers.json", {"records": [asdict(record) for record in records]})
