"""What a sweep costs, in products of scipy: its float32 CSR matrix times a vector, on the same graph.

The graph is that of MNIST with 10 neighbours. Sweeps are timed where a run spends its time: after the first.
"""

import numpy as np

from benchmarks.data import load
from benchmarks.output import Figure, Options, ratios, report
from graphwell import Graph
from graphwell._random import stream
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.datasets import sample_labels
from graphwell.solve.problem import Problem
from graphwell.solve.start import random_start

BARS = {1: 2.3, 2: 1.3}
FIRST_SWEEPS, SWEEPS = 400, 40


def scipy_product(graph: Graph):
    """The floor: one product of the normalised affinity with a vector, in single precision."""
    from scipy import sparse

    S = sparse.csr_array((graph.S.data.astype(np.float32), graph.S.indices, graph.S.indptr), graph.S.shape)
    vector = np.random.default_rng(0).random(graph.n_vertices, dtype=np.float32)
    return lambda: S @ vector


def main(options: Options) -> None:
    data = load("mnist")
    graph = data.graph
    labels = sample_labels(data.y, 700, 0)
    problem = Problem(graph, labels, 10)
    floor = scipy_product(graph)
    figures = []
    for n_jobs, bar in BARS.items():
        engine = NumbaEngine(graph, n_jobs=n_jobs)
        start = random_start(problem, engine, stream(0, "start")).state
        moving = engine.sweep(problem, start, 1.0, 0.01, FIRST_SWEEPS).state

        def sweeps(engine=engine, moving=moving) -> None:
            engine.sweep(problem, moving, 1.0, 0.01, SWEEPS)

        values = [value / SWEEPS for value in ratios(sweeps, floor, floor_times=SWEEPS)]
        threads = "1 thread" if n_jobs == 1 else f"{n_jobs} threads"
        figures.append(Figure(f"a sweep on {threads}, in products", values, bar))
    report("sweep", f"The sweep over {graph.W.nnz:,} entries", figures, options)
