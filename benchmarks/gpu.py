"""What one NVIDIA GPU does: sweeps, neighbours and whole fits, against their bars and beside the CPU.

Times are medians of repeated runs after a first one that compiles; the clock waits for the GPU. Many rows
are twenty curved classes in 50 dimensions, 50 labels of each: their floor is what comparing every pair would
take, measured on some rows against all, and scaled up. The same rows say which share of their true
neighbours the search found.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from benchmarks.cluster import surface
from benchmarks.data import load
from benchmarks.output import Figure, Options, report
from benchmarks.segmentation import color_picture
from graphwell import Annealed, DiffuseInterfaceClassifier, Graph, Segmenter, datasets
from graphwell._random import stream
from graphwell.backends import State
from graphwell.backends.cpu.engine import NumbaEngine
from graphwell.backends.cuda import CudaEngine, CudaGraph
from graphwell.backends.cuda._cupy import cupy
from graphwell.backends.cuda.cells import search_for
from graphwell.backends.cuda.matrix import GpuMatrix
from graphwell.backends.cuda.search import CudaSearch
from graphwell.datasets.strokes import strokes
from graphwell.graph.knn import build_search, neighbors_of_all
from graphwell.solve.descent import descend
from graphwell.solve.problem import Problem
from graphwell.solve.start import random_start

SCHEDULE, STEP_SIZE = Annealed(2.0, 0.01, ratio=0.9, sweeps=40), 0.01
"""The paper's for MNIST: 51 steps, 2,040 sweeps."""
LARGE = 20_000_000
OFFSETS, FAR = (1, 2, 3, 5, 8, 13, 21), 1024
"""Neighbours of vertex i of the large graph: i +- each offset on a ring, and i with one bit flipped."""
PARTS = ("mnist", "rows", "pictures")
"""What is measured, and may be named as data."""
ROWS_BARS = {1_000_000: 0.9, 10_000_000: 12.0}
LARGEST_SHARE_NOT_FOUND = 0.05
CLASSES, DIMENSION, LABELS_PER_CLASS = 20, 50, 50
ROWS_AT_ONCE, SAMPLE, FITS = 1_000_000, 4096, 3
PICTURE_BARS = {1000: 150.0, 3464: 1000.0}
"""Milliseconds by the side of a picture."""


def once(job: Callable[[], Any]) -> tuple[float, Any]:
    """Milliseconds of a job, the GPU's work included, and its result."""
    wait = cupy().cuda.Device().synchronize
    wait()
    began = time.perf_counter()
    result = job()
    wait()
    return 1000 * (time.perf_counter() - began), result


def times(job: Callable[[], Any], repetitions: int = 5) -> list[float]:
    """Milliseconds of several runs, after one that does not count."""
    return [once(job)[0] for _ in range(repetitions + 1)][1:]


def stages_of(found: dict[str, float]) -> str:
    return ", ".join(f"{stage} {1000 * value:.0f}" for stage, value in found.items())


def copy_figure() -> Figure:
    """Bytes per second of a copy on the GPU, read and written ones counted."""
    cp = cupy()
    source = cp.random.default_rng(0).random(1 << 28, dtype=np.float32)
    target = cp.empty_like(source)
    rates = [2 * source.nbytes / (1e9 * took) for took in times(partial(cp.copyto, target, source), 9)]
    return Figure("copy on the GPU", rates, None, "TB/s")


def neighbour_figures(X: Any) -> list[Figure]:
    rows = cupy().asarray(X)
    took = times(lambda: CudaSearch(rows).of_all(10))
    found = CudaSearch(rows).of_all(10)[0].get()
    neighbors_of_all(build_search(X[:1000], 10, exact=True), 10)  # compiles
    beside, exact = once(lambda: neighbors_of_all(build_search(X, 10, exact=True), 10)[0])
    note = f"CPU {beside:,.0f} ms; {100 * (found == exact).mean():.4f} % equal to the CPU's"
    return [Figure(f"exact 10-NN of {len(X):,} x {X.shape[1]}", took, 90, "ms", note)]


def sweep_figures(X: Any, y: Any) -> list[Figure]:
    """The paper's descent on MNIST, on the same graph and from the same start as on the CPU."""
    graph = Graph.from_features(X, device="cuda")
    labels = np.where(np.random.default_rng(0).random(len(y)) < 0.1, y, -1)
    host = Graph(graph.W)
    problem, there = Problem(host, labels, 10), NumbaEngine(host)
    start = random_start(problem, there, stream(0, "start")).state
    engine = CudaEngine(CudaGraph.of(graph))
    placed = replace(problem, graph=engine.graph, labels=engine.asarray(labels))
    begin = State(engine.asarray(start.labels), engine.asarray(start.offsets))

    def run() -> Any:
        return descend(engine, placed, begin, SCHEDULE, STEP_SIZE)

    took, first, second = times(run), run(), run()
    there.sweep(problem, start, 1.0, STEP_SIZE, 1)  # compiles
    beside, expected = once(lambda: descend(there, problem, start, SCHEDULE, STEP_SIZE))
    unlike = int((first.labels != second.labels).sum() + (first.offsets != second.offsets).sum())
    others = 100 * float((first.labels.get() != expected.labels).mean())
    bits = 100 * float((first.offsets.get() == expected.offsets).mean())
    error = 100 * float((first.labels.get() != y)[labels < 0].mean())
    note = f"CPU {beside:,.0f} ms; {1000 * min(took) / 2040:.2f} us per sweep, error {error:.2f} %"
    return [
        Figure("MNIST, 2,040 sweeps", took, 20, "ms", note),
        Figure("values unlike in a second run", [unlike], 0, ""),
        Figure("labels unlike the CPU's", [others], 0.05, "%", f"offsets equal in every bit: {bits:.3f} %"),
    ]


def fit_figures(X: Any, y: Any) -> list[Figure]:
    """A whole fit with start `auto` and the coarse level, NumPy array in, labels out."""
    given = datasets.sample_labels(y, per_class=10, random_state=0)

    def fit(device: str) -> Any:
        return DiffuseInterfaceClassifier(device=device, random_state=0, models=None).fit(X, given)

    took, fitted = times(lambda: fit("cuda")), fit("cuda")
    fit("cpu")  # compiles
    beside, there = once(lambda: fit("cpu"))
    error = 100 * float((fitted.transduction_ != y)[given < 0].mean())
    same = 100 * (there.transduction_ == fitted.transduction_).mean()
    note = (
        f"CPU {beside:,.0f} ms; {stages_of(fitted.timings_)} ms; error {error:.2f} %; "
        f"{fitted.result_.solver_iterations} iterations; {same:.2f} % as on the CPU"
    )
    return [Figure("whole fit, start auto, second call", took, 200, "ms", note)]


def curved_classes(n: int) -> tuple[Any, Any]:
    """Rows and classes, a million at a time."""
    X, y = np.empty((n, DIMENSION), dtype=np.float32), np.empty(n, dtype=np.int64)
    for part, begin in enumerate(range(0, n, ROWS_AT_ONCE)):
        rows = slice(begin, begin + ROWS_AT_ONCE)
        X[rows], y[rows] = surface(min(ROWS_AT_ONCE, n - begin), part, CLASSES, DIMENSION)
    return X, y


def search_figures(X: Any) -> list[Figure]:
    """A search, beside comparing every pair, and the share of the true neighbours that it did not find."""
    rows = cupy().asarray(X)
    search_for(rows, 10).of_all(10)  # compiles
    took, found = once(lambda: search_for(rows, 10).of_all(10)[0])
    sample = cupy().asarray(np.random.default_rng(1).choice(len(X), min(SAMPLE, len(X)), replace=False))
    every = CudaSearch(rows)
    every.nearest(rows[sample], 11)
    floor, (true, _) = once(lambda: every.nearest(rows[sample], 11))
    is_found = (true[:, :, None] == found[sample][:, None, :]).any(axis=2)
    missing = 1 - float(is_found[true != sample[:, None]].mean())
    note = f"every pair {floor * len(X) / len(sample):,.0f} ms"
    return [
        Figure(f"search of {len(X):,} x {DIMENSION}", [took], None, "ms", note),
        Figure("neighbours not found", [missing], LARGEST_SHARE_NOT_FOUND, ""),
    ]


def many_rows_figures(n: int, bar: float) -> list[Figure]:
    """Fit so many rows, NumPy array in, labels out; the first fit does not count."""
    X, y = curved_classes(n)
    figures = search_figures(X)
    given = datasets.sample_labels(y, per_class=LABELS_PER_CLASS, random_state=0)
    model = DiffuseInterfaceClassifier(device="cuda", random_state=0, models=None)
    took, pool = [], cupy().get_default_memory_pool()
    for _ in range(FITS):
        pool.free_all_blocks()
        took.append(once(lambda: model.fit(X, given))[0] / 1000)
        taken = (pool.total_bytes() - X.nbytes) / 2**30
    copied, error = once(lambda: cupy().asarray(X))[0], 100 * float((model.transduction_ != y).mean())
    note = f"{stages_of(model.timings_)}, copy {copied:.0f} ms; {taken:.1f} GiB; error {error:.2f} %"
    return [*figures, Figure(f"whole fit of {n:,} x {DIMENSION}", took[1:], bar, "s", note)]


def large_graph(n: int) -> CudaGraph:
    """A graph whose neighbours are near in memory, with random symmetric weights, made on the GPU."""
    cp = cupy()
    steps = cp.asarray(sorted([-o for o in OFFSETS] + list(OFFSETS)))
    width = len(steps) + 1
    indices, data = cp.empty((n, width), dtype=np.int32), cp.empty((n, width))
    for first in range(0, n, 1 << 20):
        i = cp.arange(first, min(n, first + (1 << 20)), dtype=np.int64)[:, None]
        j = cp.concatenate([(i + steps) % n, i ^ FAR], axis=1)
        j = cp.sort(cp.where(j < n, j, i ^ 1), axis=1)
        rows = slice(first, first + len(i))
        indices[rows] = j
        data[rows] = 0.5 + ((i + j) * 2654435761 % 65536) / 131072.0  # the same from both ends
    indptr = cp.arange(0, n * width + 1, width, dtype=np.int32)
    return CudaGraph(GpuMatrix(indptr, indices.ravel(), data.ravel()))


def large_figures(rate: float, n: int) -> list[Figure]:
    cp, graph = cupy(), large_graph(n)
    engine, entries = CudaEngine(graph), len(graph.matrix.data)
    rng = np.random.default_rng(0)
    truth = np.arange(n) // (n // 40) % 10
    labels = cp.asarray(np.where(rng.random(n) < 0.01, truth, -1))
    problem = Problem(graph, labels, 10)
    start = State(cp.asarray(np.where(rng.random(n) < 0.9, truth, 0)), cp.where(labels >= 0, 0.0, 0.3))
    state = engine.sweep(problem, start, 1.0, 0.05, 20).state  # the first sweeps, with many changes of class
    few, many = (np.array(times(partial(engine.sweep, problem, state, 1.0, 0.05, c))) for c in (2, 12))
    floor = 8 * entries / rate / 1e9
    took = ((many - np.median(few)) / 10 / floor).tolist()
    note = f"floor {floor:.2f} ms: the graph alone at {rate:.2f} TB/s"
    return [Figure(f"{n:,} vertices, {entries:,} entries, one sweep", took, 4, "floors", note)]


def picture_figures(side: int, bar: float) -> list[Figure]:
    """A colour picture with a stroke in each region, from NumPy to labels, and with one stroke more."""
    image, truth = color_picture(side, 0.05)
    seeds = strokes(truth, length=side // 20)
    more = seeds.copy()
    more[side // 2, side // 2 : side // 2 + 20] = truth[side // 2, side // 2 : side // 2 + 20]

    def run(device: str) -> Any:
        return Segmenter(image, device=device).segment(seeds)

    took, (beside, there) = times(lambda: run("cuda"), 3), once(lambda: run("cpu"))
    for _ in range(2):  # the first further stroke compiles
        ready = Segmenter(image, device="cuda")
        found = ready.segment(seeds)
        further, _ = once(partial(ready.segment, more))
    unlike = int((found.labels != there.labels).sum())
    note = (
        f"CPU {beside:,.0f} ms; {stages_of(found.seconds)} ms; a further stroke {further:.0f} ms; "
        f"{unlike} pixels unlike the CPU's"
    )
    return [Figure(f"a colour picture of {side**2 / 1e6:.1f} megapixels", took, bar, "ms", note)]


def main(options: Options) -> None:
    try:
        name = cupy().cuda.runtime.getDeviceProperties(0)["name"].decode()
    except (ImportError, OSError) as error:
        print(f"gpu is left out: {error}")
        return
    chosen = [part for part in PARTS if part in (options.data or PARTS)]
    if not chosen:
        print(f"gpu is left out: it measures {', '.join(PARTS)}.")
        return
    figures = [copy_figure()]
    if "mnist" in chosen:
        data = load("mnist")
        X = data.X.astype(np.float32)
        figures += neighbour_figures(X) + sweep_figures(X, data.y) + fit_figures(X, data.y)
        figures += large_figures(figures[0].median, LARGE // 10 if options.quick else LARGE)
    if "rows" in chosen:
        for n, bar in list(ROWS_BARS.items())[: 1 if options.quick else None]:
            figures += many_rows_figures(n, bar)
    if "pictures" in chosen:
        for side, bar in PICTURE_BARS.items():
            figures += picture_figures(side, bar)
    report("gpu", name, figures, options)
