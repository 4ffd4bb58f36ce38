"""What one NVIDIA GPU does: sweeps, neighbours and whole fits, against their bars and beside the CPU.

Times are medians of repeated runs after a first one that compiles; the clock waits for the GPU. Many rows
are twenty curved classes in 50 dimensions, 50 labels of each: their floor is what comparing every pair would
take, measured on some rows against all, and scaled up. The same rows tell which share of their true
neighbours the search found.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cluster import surface
from benchmarks.output import Options, show_table, write_json
from benchmarks.pictures import color_picture
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
from graphwell.solve.descent import descend
from graphwell.solve.problem import Balance, Problem
from graphwell.solve.start import random_start

SCHEDULE = Annealed(2.0, 0.01, ratio=0.9, sweeps=40)
"""The paper's for MNIST: 51 steps, 2,040 sweeps."""
STEP_SIZE = 0.01
LABELLED_SHARE = 0.1
LARGE = 20_000_000
OFFSETS = (1, 2, 3, 5, 8, 13, 21)
FAR = 1024
"""Neighbours of vertex i of the large graph: i +- each offset on a ring, and i with one bit flipped."""
PARTS = ("mnist", "rows", "pictures")
"""What is measured, and may be named as data."""
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
ROWS_BARS = {1_000_000: 0.9, 10_000_000: 12.0}
CLASSES, DIMENSION, LABELS_PER_CLASS = 20, 50, 50
ROWS_AT_ONCE = 1_000_000
SAMPLE = 4096
FITS = 3
PICTURE_BARS = {1000: 0.15, 3464: 1.0}
"""Seconds by the side of a picture."""


@dataclass(frozen=True)
class Figure:
    """One line of the table."""

    what: str
    value: float
    unit: str
    bar: str
    met: bool | None
    cpu: float | None = None
    note: str = ""

    def row(self) -> list[str]:
        """The line as text."""
        verdict = {True: "met", False: "MISSED", None: ""}[self.met]
        cpu = "" if self.cpu is None else f"{_shown(self.cpu)} {self.unit}"
        return [self.what, f"{_shown(self.value)} {self.unit}", self.bar, verdict, cpu, self.note]


def seconds(job: Callable[[], Any], repetitions: int = 5) -> float:
    """Median time of a job, the GPU's work included, after one run that does not count."""
    return statistics.median([once(job)[0] for _ in range(repetitions + 1)][1:])


def once(job: Callable[[], Any]) -> tuple[float, Any]:
    """Time of a job, the GPU's work included, and its result."""
    wait = cupy().cuda.Device().synchronize
    wait()
    began = time.perf_counter()
    result = job()
    wait()
    return time.perf_counter() - began, result


def points(folder: Path) -> tuple[Any, Any]:
    """MNIST in its 50 leading principal components, kept in the folder of results."""
    kept = folder / "mnist.npz"
    if kept.is_file():
        with np.load(kept) as file:
            return file["P"], file["y"].astype(int)
    from benchmarks.data import load

    data = load("mnist")
    np.savez_compressed(kept, P=data.X.astype(np.float32), y=data.y)
    return data.X.astype(np.float32), data.y


def copy_rate() -> float:
    """Bytes per second of a copy on the GPU, read and written ones counted."""
    cp = cupy()
    source = cp.random.default_rng(0).random(1 << 28, dtype=np.float32)
    target = cp.empty_like(source)
    return 2 * source.nbytes / seconds(lambda: cp.copyto(target, source), 9)


def neighbour_figures(X: Any, cpu: bool) -> list[Figure]:
    rows = cupy().asarray(X)
    took = seconds(lambda: CudaSearch(rows).of_all(10))
    found = CudaSearch(rows).of_all(10)[0].get()
    beside, note = None, ""
    if cpu:
        from graphwell.graph.knn import build_search, neighbors_of_all

        neighbors_of_all(build_search(X[:1000], 10, exact=True), 10)  # compiles
        beside, exact = once(lambda: neighbors_of_all(build_search(X, 10, exact=True), 10)[0])
        note = f"{100 * (found == exact).mean():.4f} % equal to the CPU's"
    shape = " x ".join(f"{side:,}" for side in X.shape)
    return [Figure(f"exact 10-NN of {shape}", 1000 * took, "ms", "<= 90 ms", took <= 0.09, _ms(beside), note)]


def sweep_figures(X: Any, y: Any, cpu: bool) -> list[Figure]:
    """The paper's descent on MNIST, on the same graph and from the same start as on the CPU."""
    graph = Graph.from_features(X, device="cuda")
    labels = np.where(np.random.default_rng(0).random(len(y)) < LABELLED_SHARE, y, -1)
    host = Graph(graph.W)
    problem = Problem(host, labels, 10)
    there = NumbaEngine(host)
    start = random_start(problem, there, stream(0, "start")).state
    engine = CudaEngine(CudaGraph.of(graph))
    placed = replace(problem, graph=engine.graph, labels=engine.asarray(labels))
    begin = State(engine.asarray(start.labels), engine.asarray(start.offsets))

    def run(problem: Problem) -> Any:
        return descend(engine, problem, begin, SCHEDULE, STEP_SIZE)

    took, first, second = seconds(lambda: run(placed)), run(placed), run(placed)
    same = bool((first.labels == second.labels).all() and (first.offsets == second.offsets).all())
    balanced = replace(placed, balance=Balance(0.3, np.full(10, 0.1)), implicit=True)
    figures = [
        Figure("two runs on the GPU identical in every bit", float(same), "", "yes", same),
        Figure(
            "the same sweeps with pressure on class sizes",
            1000 * seconds(lambda: run(balanced)),
            "ms",
            "",
            None,
        ),
    ]
    beside = None
    if cpu:
        there.sweep(problem, start, 1.0, STEP_SIZE, 1)
        beside, expected = once(lambda: descend(there, problem, start, SCHEDULE, STEP_SIZE))
        equal = float((first.labels.get() == expected.labels).mean())
        bits = float((first.offsets.get() == expected.offsets).mean())
        note = f"offsets equal in every bit on {100 * bits:.3f} %"
        figures.append(
            Figure("labels equal to the CPU's", 100 * equal, "%", ">= 99.95 %", equal >= 0.9995, note=note)
        )
    error = 100 * float((first.labels.get() != y)[labels < 0].mean())
    note = f"{1e6 * took / 2040:.2f} us per sweep, error {error:.2f} %"
    main = Figure("MNIST, 2,040 sweeps", 1000 * took, "ms", "<= 20 ms", took <= 0.02, _ms(beside), note)
    return [main, *figures]


def fit_figures(X: Any, y: Any, cpu: bool) -> list[Figure]:
    """A whole fit with start `auto` and the coarse level, NumPy array in, labels out."""
    given = datasets.sample_labels(y, per_class=10, random_state=0)

    def fit(device: str) -> Any:
        return DiffuseInterfaceClassifier(device=device, random_state=0, tune=False).fit(X, given)

    took, fitted = seconds(lambda: fit("cuda")), fit("cuda")
    stages = ", ".join(f"{stage} {1000 * value:.0f}" for stage, value in fitted.timings_.items())
    error = 100 * float((fitted.transduction_ != y)[given < 0].mean())
    note = f"ms: {stages}; {fitted.result_.solver_iterations} iterations; error {error:.2f} %"
    beside = None
    if cpu:
        fit("cpu")  # compiles
        beside, there = once(lambda: fit("cpu"))
        note += f"; {100 * (there.transduction_ == fitted.transduction_).mean():.2f} % as on the CPU"
    return [
        Figure(
            "whole fit, start auto, second call",
            1000 * took,
            "ms",
            "<= 200 ms",
            took <= 0.2,
            _ms(beside),
            note,
        )
    ]


def curved_classes(n: int) -> tuple[Any, Any]:
    """Rows and classes, a million at a time."""
    X, y = np.empty((n, DIMENSION), dtype=np.float32), np.empty(n, dtype=np.int64)
    for part, begin in enumerate(range(0, n, ROWS_AT_ONCE)):
        rows = slice(begin, begin + ROWS_AT_ONCE)
        X[rows], y[rows] = surface(min(ROWS_AT_ONCE, n - begin), part, CLASSES, DIMENSION)
    return X, y


def searched(X: Any) -> dict[str, float]:
    """Seconds of a search, of comparing every pair, and the share of the true neighbours found."""
    rows = cupy().asarray(X)
    search_for(rows, 10).of_all(10)  # compiles
    seconds, found = once(lambda: search_for(rows, 10).of_all(10)[0])
    sample = cupy().asarray(np.random.default_rng(1).choice(len(X), min(SAMPLE, len(X)), replace=False))
    every = CudaSearch(rows)
    every.nearest(rows[sample], 11)
    floor, (true, _) = once(lambda: every.nearest(rows[sample], 11))
    is_found = (true[:, :, None] == found[sample][:, None, :]).any(axis=2)
    others = true != sample[:, None]
    recall = float(is_found[others].mean())
    return {"search": seconds, "every pair": floor * len(X) / len(sample), "recall": recall}


def fit_of_many(n: int) -> dict[str, Any]:
    """Fit so many rows, NumPy array in, labels out; the last of some fits counts."""
    X, y = curved_classes(n)
    told: dict[str, Any] = {"rows": n, **searched(X)}
    given = datasets.sample_labels(y, per_class=LABELS_PER_CLASS, random_state=0)
    model = DiffuseInterfaceClassifier(device="cuda", random_state=0, tune=False)
    seconds, pool = [], cupy().get_default_memory_pool()
    for _ in range(FITS):
        pool.free_all_blocks()
        took, fitted = once(lambda: model.fit(X, given))
        seconds.append(took)
        told["gibibytes"] = (pool.total_bytes() - X.nbytes) / 2**30
    told |= {"seconds": min(seconds[1:]), "copy": once(lambda: cupy().asarray(X))[0]}
    told |= {"stages": dict(fitted.timings_), "recall_": fitted.graph_.recall_}
    return told | {"error": 100 * float((fitted.transduction_ != y).mean())}


def many_rows_figures(told: list[dict[str, Any]]) -> list[Figure]:
    """Whole fits of many rows, beside what comparing every pair would take."""
    figures = []
    for fit in told:
        bar = ROWS_BARS.get(fit["rows"])
        stages = ", ".join(f"{stage} {value:.2f}" for stage, value in fit["stages"].items())
        note = (
            f"s: {stages}; search {fit['search']:.2f}, every pair {fit['every pair']:.2f}, "
            f"copy {fit['copy']:.2f}; recall {fit['recall']:.4f}; {fit['gibibytes']:.1f} GiB; "
            f"error {fit['error']:.2f} %"
        )
        met = None if bar is None else fit["seconds"] <= bar and fit["recall"] >= 0.95
        what, most = (
            f"whole fit of {fit['rows']:,} x {DIMENSION}",
            "" if bar is None else f"<= {bar} s",
        )
        figures.append(Figure(what, fit["seconds"], "s", most, met, None, note))
    return figures


def large_graph(n: int) -> CudaGraph:
    """A graph whose neighbours are near in memory, with random symmetric weights, made on the GPU."""
    cp = cupy()
    steps = np.array(sorted([-o for o in OFFSETS] + list(OFFSETS)), dtype=np.int64)
    width = len(steps) + 1
    indices = cp.empty((n, width), dtype=np.int32)
    for first in range(0, n, 1 << 20):
        i = cp.arange(first, min(n, first + (1 << 20)), dtype=np.int64)[:, None]
        block = cp.concatenate([(i + cp.asarray(steps)) % n, i ^ FAR], axis=1)
        indices[first : first + len(block)] = cp.sort(cp.where(block < n, block, i ^ 1), axis=1).astype(
            np.int32
        )
    indices = indices.ravel()
    data = cp.empty(n * width)
    for first in range(0, n, 1 << 20):
        part = slice(first * width, min(n, first + (1 << 20)) * width)
        i = cp.repeat(cp.arange(first, min(n, first + (1 << 20)), dtype=np.int64), width)
        j = indices[part].astype(np.int64)
        data[part] = 0.5 + ((i + j) * 2654435761 % 65536) / 131072.0  # the same from both ends
    return CudaGraph(GpuMatrix(cp.arange(0, n * width + 1, width, dtype=np.int32), indices, data))


def large_figures(rate: float, n: int = LARGE) -> list[Figure]:
    cp = cupy()
    graph = large_graph(n)
    entries = len(graph.matrix.data)
    engine = CudaEngine(graph)
    rng = np.random.default_rng(0)
    truth = np.arange(n) // (n // 40) % 10
    labels = cp.asarray(np.where(rng.random(n) < 0.01, truth, -1))
    problem = Problem(graph, labels, 10)
    start = State(cp.asarray(np.where(rng.random(n) < 0.9, truth, 0)), cp.where(labels >= 0, 0.0, 0.3))
    state = engine.sweep(problem, start, 1.0, 0.05, 20).state  # the first sweeps, with many changes of class
    few, many = (seconds(partial(engine.sweep, problem, state, 1.0, 0.05, c), 5) for c in (2, 12))
    took = (many - few) / 10
    floor = 8 * entries / rate
    note = f"{took / floor:.2f} x the floor of {1000 * floor:.2f} ms (graph alone at {rate / 1e12:.2f} TB/s)"
    what = f"{n / 1e6:.0f} M vertices, {entries / 1e6:.0f} M entries, one sweep"
    return [Figure(what, 1000 * took, "ms", f"<= {4000 * floor:.2f} ms", took <= 4 * floor, None, note)]


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _ms(value: float | None) -> float | None:
    return None if value is None else 1000 * value


def picture_figures(side: int, bar: float) -> list[Figure]:
    """A colour picture with a stroke in each region, from NumPy to labels, and with one stroke more."""
    image, truth = color_picture(side, 0.05)
    seeds = strokes(truth, length=side // 20)
    more = seeds.copy()
    more[side // 2, side // 2 : side // 2 + 20] = truth[side // 2, side // 2 : side // 2 + 20]

    def run(device: str) -> Any:
        return Segmenter(image, device=device).segment(seeds)

    took, (beside, there) = seconds(lambda: run("cuda"), 3), once(lambda: run("cpu"))
    for _ in range(2):  # the first further stroke compiles
        ready = Segmenter(image, device="cuda")
        found = ready.segment(seeds)
        further, _ = once(partial(ready.segment, more))
    stages = ", ".join(f"{stage} {1000 * value:.0f}" for stage, value in found.seconds.items())
    unlike = int((found.labels != there.labels).sum())
    note = f"ms: {stages}; a further stroke {1000 * further:.0f}; {unlike} pixels unlike the CPU's"
    what = f"a colour picture of {side**2 / 1e6:.1f} megapixels"
    return [
        Figure(what, 1000 * took, "ms", f"<= {1000 * bar:.0f} ms", took <= bar, _ms(beside), note),
    ]


def main(options: Options) -> None:
    try:
        name = cupy().cuda.runtime.getDeviceProperties(0)["name"].decode()
    except (ImportError, OSError) as error:
        print(f"gpu is left out: {error}")
        return
    chosen = options.data or PARTS
    if not set(PARTS) & set(chosen):
        print(f"gpu is left out: it measures {', '.join(PARTS)}.")
        return
    rate = copy_rate()
    figures = [Figure("copy on the GPU", rate / 1e12, "TB/s", "", None)]
    many: list[Any] = []
    if "mnist" in chosen:
        X, y = points(options.out)
        figures += neighbour_figures(X, True) + sweep_figures(X, y, True) + fit_figures(X, y, True)
        figures += large_figures(rate, LARGE // 10 if options.quick else LARGE)
    if "rows" in chosen:
        sizes = SIZES[:-1] if options.quick else SIZES
        many = [fit_of_many(n) for n in sizes]
        figures += many_rows_figures(many)
    if "pictures" in chosen:
        for side, bar in PICTURE_BARS.items():
            figures += picture_figures(side, bar)
    show_table(name, ("what", "gpu", "bar", "", "CPU", "note"), [figure.row() for figure in figures])
    write_json(
        options.out / "gpu.json",
        {"device": name, "figures": [asdict(figure) for figure in figures], "scale": many},
    )
