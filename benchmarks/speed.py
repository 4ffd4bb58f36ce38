"""What sweep, descent and fit cost on MNIST, each beside a floor that is measured with it.

- ``sweep``: in products of scipy, its float32 CSR matrix times a vector, on the same graph with 10
  neighbours. Sweeps are timed where a run spends its time: after the first.
- ``descent``: start and descent of a fit in such products; 7,000 labels.
- ``fit``: a whole fit, from features to labels, beside faiss's exact search for 11 neighbours.
"""

from functools import partial
from itertools import product
from typing import Any

import numpy as np

from benchmarks.data import load
from benchmarks.output import REPETITIONS, Figure, Options, ratios, report, seconds
from graphwell import Annealed, DiffuseInterfaceClassifier, Graph
from graphwell._random import stream
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.datasets import sample_labels
from graphwell.metrics import unlabelled_error
from graphwell.solve.problem import Problem
from graphwell.solve.start import random_start

SWEEP_BARS = {1: 2.3, 2: 1.3}
"""Products, by the number of threads."""
FIRST_SWEEPS, SWEEPS = 400, 40


def scipy_product(graph: Graph):
    """The floor: one product of the normalised affinity with a vector, in single precision."""
    from scipy import sparse

    S = sparse.csr_array((graph.S.data.astype(np.float32), graph.S.indices, graph.S.indptr), graph.S.shape)
    vector = np.random.default_rng(0).random(graph.n_vertices, dtype=np.float32)
    return lambda: S @ vector


def sweep(options: Options) -> None:
    data = load("mnist")
    graph = data.graph
    labels = sample_labels(data.y, 700, 0)
    problem = Problem(graph, labels, 10)
    floor = scipy_product(graph)
    figures = []
    for n_jobs, bar in SWEEP_BARS.items():
        engine = NumbaEngine(graph, n_jobs=n_jobs)
        start = random_start(problem, engine, stream(0, "start")).state
        moving = engine.sweep(problem, start, 1.0, 0.01, FIRST_SWEEPS).state

        def sweeps(engine=engine, moving=moving) -> None:
            engine.sweep(problem, moving, 1.0, 0.01, SWEEPS)

        values = [value / SWEEPS for value in ratios(sweeps, floor, floor_times=SWEEPS)]
        threads = "1 thread" if n_jobs == 1 else f"{n_jobs} threads"
        figures.append(Figure(f"a sweep on {threads}, in products", values, bar))
    report("sweep", f"The sweep over {graph.W.nnz:,} entries", figures, options)


N_JOBS = 2
PRODUCTS = 40
PAPER: dict[str, Any] = {
    "start": "random",
    "schedule": Annealed(2.0, 0.01, ratio=0.9, sweeps=40),
    "step_size": 0.01,
}


def descent(options: Options) -> None:
    data = load("mnist")
    labels = sample_labels(data.y, 700, 0)
    floor = scipy_product(data.graph)
    started, descended, paper = [], [], []
    for repetition in range(REPETITIONS + 1):
        unit = seconds(floor, PRODUCTS)
        ours = DiffuseInterfaceClassifier(n_jobs=N_JOBS, random_state=0).fit(data.graph, labels)
        as_in_the_paper = DiffuseInterfaceClassifier(n_jobs=N_JOBS, random_state=0, **PAPER)
        as_in_the_paper.fit(data.graph, labels)
        if repetition:  # the first warms up
            started.append(ours.timings_["start"] / unit)
            descended.append(ours.timings_["descent"] / unit)
            paper.append(as_in_the_paper.timings_["descent"] / unit)
    both = [a + b for a, b in zip(started, descended, strict=True)]
    sweeps = as_in_the_paper.result_.n_sweeps
    figures = [
        Figure(f"descent of the default fit, {ours.n_iter_} sweeps", descended, 300, "products"),
        Figure("start of the default fit", started, None, "products"),
        Figure("start and descent", both, 1000, "products"),
        Figure(f"the paper's schedule, {sweeps} sweeps, none left out", paper, 1200, "products"),
    ]
    report("descent", f"The descent on {N_JOBS} threads", figures, options)


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


def fit(options: Options) -> None:
    data = load("mnist")
    X = np.ascontiguousarray(data.X, dtype=np.float32)
    figures = []
    for n_jobs, per_class in product(THREADS, PER_CLASS):
        clf = DiffuseInterfaceClassifier(n_jobs=n_jobs, random_state=0)
        repetitions = 2 if options.quick else REPETITIONS
        whole = partial(clf.fit, X, sample_labels(data.y, per_class, 0))
        values = ratios(whole, flat_search(X, n_jobs), repetitions=repetitions)
        name = f"{'1 thread' if n_jobs == 1 else f'{n_jobs} threads'}, {per_class} labels per class"
        figures.append(Figure(f"whole fit on {name}, in flat searches", values, 0.35))
        stages = {stage: round(took, 2) for stage, took in clf.timings_.items()}
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
