"""What sweep, descent and fit cost on MNIST, each beside a floor that is measured with it.

- ``sweep``: in products of scipy, its float32 CSR matrix times a vector, on the same graph with 10
  neighbours. Sweeps are timed where a run spends its time: after the first.
- ``descent``: start and descent of a fit in such products; 7,000 labels.
- ``fit``: a whole fit, from features to labels, beside faiss's exact search for 11 neighbours.
"""

from functools import partial
from itertools import product

import numpy as np

from benchmarks.data import load
from benchmarks.output import REPETITIONS, Figure, Options, ratios, report
from graphwell import DiffuseInterfaceClassifier, Graph
from graphwell._random import stream
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.datasets import sample_labels
from graphwell.metrics import unlabelled_error
from graphwell.solve.problem import Problem
from graphwell.solve.start import random_start

SWEEP_BARS = {1: 2.3, 2: 1.3}
"""Products, by the number of threads."""
FIRST_SWEEPS, SWEEPS, PRODUCTS = 400, 40, 40
PER_CLASS = (700, 1)
"""Many labels, and so few that the graph of communities is looked at too."""


def scipy_product(graph: Graph):
    """The floor: one product of the normalised affinity with a vector, in single precision."""
    from scipy import sparse

    S = sparse.csr_array((graph.S.data.astype(np.float32), graph.S.indices, graph.S.indptr), graph.S.shape)
    vector = np.random.default_rng(0).random(graph.n_vertices, dtype=np.float32)
    return lambda: S @ vector


def threads(n_jobs: int) -> str:
    return "1 thread" if n_jobs == 1 else f"{n_jobs} threads"


def sweep(options: Options) -> None:
    data = load("mnist")
    graph = data.graph
    problem = Problem(graph, sample_labels(data.y, 700, 0), 10)
    floor = scipy_product(graph)
    figures = []
    for n_jobs, bar in SWEEP_BARS.items():
        engine = NumbaEngine(graph, n_jobs=n_jobs)
        start = random_start(problem, engine, stream(0, "start")).state
        moving = engine.sweep(problem, start, 1.0, 0.01, FIRST_SWEEPS).state
        sweeps = partial(engine.sweep, problem, moving, 1.0, 0.01, SWEEPS)
        values = [value / SWEEPS for value in ratios(sweeps, floor, floor_times=SWEEPS)]
        figures.append(Figure(f"a sweep on {threads(n_jobs)}, in products", values, bar))
    report("sweep", f"The sweep over {graph.W.nnz:,} entries", figures, options)


def flat_search(X, n_threads: int) -> None:
    """The floor: faiss compares all pairs."""
    import faiss

    faiss.omp_set_num_threads(n_threads)
    index = faiss.IndexFlatL2(X.shape[1])
    index.add(X)
    index.search(X, 11)


def fit(options: Options) -> None:
    data = load("mnist")
    X = np.ascontiguousarray(data.X, dtype=np.float32)
    figures = []
    for n_jobs, per_class in product((1, 2), PER_CLASS):
        clf = DiffuseInterfaceClassifier(models=None, n_jobs=n_jobs, random_state=0)
        whole = partial(clf.fit, X, sample_labels(data.y, per_class, 0))
        repetitions = 2 if options.quick else REPETITIONS
        values = ratios(whole, partial(flat_search, X, n_jobs), repetitions=repetitions)
        what = f"whole fit on {threads(n_jobs)}, {per_class} labels per class, in flat searches"
        stages = ", ".join(f"{stage} {took:.2f}" for stage, took in clf.timings_.items())
        figures.append(Figure(what, values, 0.35, note=f"s: {stages}"))
    labels = sample_labels(data.y, PER_CLASS[0], 0)
    approximate, exact = (
        100 * unlabelled_error(clf.fit(rows, labels).transduction_, data.y, labels >= 0)
        for rows in (X, Graph.from_features(X, exact=True))
    )
    figures += [
        Figure("neighbours not found", [1 - Graph.from_features(X).recall_], 0.03, ""),
        Figure("error, approximate graph", [approximate], None, "%"),
        Figure("error, exact graph", [exact], None, "%"),
        Figure("error that the approximation costs", [approximate - exact], 0.1, "points"),
    ]
    report("fit", f"A fit of {len(X):,} x {X.shape[1]} features", figures, options)
