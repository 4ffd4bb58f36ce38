"""What a whole fit costs, from features to labels, beside faiss's exact search for 11 neighbours; MNIST."""

from functools import partial
from itertools import product

import numpy as np

from benchmarks.data import load
from benchmarks.output import Figure, Options, ratios, report
from graphwell import DiffuseInterfaceClassifier, Graph
from graphwell.datasets import sample_labels
from graphwell.metrics import unlabelled_error

THREADS = (1, 2)
PER_CLASS = (700, 1)
"""Many labels, and so few that the graph of communities is looked at too."""


def flat_search(X, n_threads: int):
    """The floor: faiss compares all pairs."""
    import faiss

    X = np.ascontiguousarray(X, dtype=np.float32)

    def search() -> None:
        faiss.omp_set_num_threads(n_threads)
        index = faiss.IndexFlatL2(X.shape[1])
        index.add(X)
        index.search(X, 11)

    return search


def main(options: Options) -> None:
    data = load("mnist")
    X = np.ascontiguousarray(data.X, dtype=np.float32)
    figures = []
    for n_jobs, per_class in product(THREADS, PER_CLASS):
        clf = DiffuseInterfaceClassifier(n_jobs=n_jobs, random_state=0)
        repetitions = 2 if options.quick else 5
        fit = partial(clf.fit, X, sample_labels(data.y, per_class, 0))
        values = ratios(fit, flat_search(X, n_jobs), repetitions=repetitions)
        name = f"{'1 thread' if n_jobs == 1 else f'{n_jobs} threads'}, {per_class} labels per class"
        figures.append(Figure(f"whole fit on {name}, in flat searches", values, 0.35))
        stages = {stage: round(seconds, 2) for stage, seconds in clf.timings_.items()}
        print(f"{name}: {stages}")
    labels = sample_labels(data.y, PER_CLASS[0], 0)
    exact = Graph.from_features(X, exact=True)
    found = [
        100 * unlabelled_error(clf.fit(rows, labels).transduction_, data.y, labels >= 0)
        for rows in (X, exact)
    ]
    figures += [
        Figure("neighbours not found", [1 - Graph.from_features(X).recall_], 0.03, ""),
        Figure("error, approximate graph", [found[0]], None, "%"),
        Figure("error, exact graph", [found[1]], None, "%"),
        Figure("error that the approximation costs", [found[0] - found[1]], 0.1, "points"),
    ]
    report("fit", f"A fit of {len(X):,} x {X.shape[1]} features", figures, options)
