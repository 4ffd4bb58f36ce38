"""How time and memory of a fit grow with the number of points: a mixture of 10 Gaussians in 50 dimensions.

Each fit runs in a process of its own, which first fits a small set, so that nothing is compiled or imported
on the clock. The points are a file of single precision, opened as a memory map. Memory is the largest amount
that the process holds during the fit, less that before it; pages of the file do not count. The floor, taken
in the same process, is a product of scipy with the fitted graph: the matrix times a vector.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.output import Figure, Options, report, seconds, write_picture
from benchmarks.speed import scipy_product
from graphwell.memory import fit_bytes, held, in_words

SIZES = (50_000, 200_000, 1_000_000, 4_000_000)
SMALL = 22_000
REPEATED_UP_TO, REPETITIONS = 1_000_000, 3
LARGEST_EXPONENT, LARGEST_BYTES = 1.12, 600
FIXED_COSTS_VANISH_FROM = 1_000_000
"""Below, what a process holds whatever the number of points is a large part of its memory."""
PRODUCTS = 20
WATCH = """
import sys, time
from graphwell.memory import held
most, told = 0, open(sys.argv[2], "w")
while (now := held("RssAnon", sys.argv[1])) is not None:
    most = max(most, now)
    told.seek(0)
    told.write(f"{most:20d}")
    told.flush()
    time.sleep(0.01)
"""


@dataclass(frozen=True)
class Run:
    """One fit."""

    n: int
    seconds: float
    product: float
    bytes_per_point: float
    expected_bytes_per_point: float
    error: float
    recall: float
    stages: dict[str, float]


def mixture(n: int):
    """Features in single precision and classes."""
    rng = np.random.default_rng(0)
    centres, y = rng.normal(size=(10, 50)).astype(np.float32), rng.integers(10, size=n)
    X = rng.standard_normal((n, 50), dtype=np.float32)
    for start in range(0, n, 50_000):
        X[start : start + 50_000] += centres[y[start : start + 50_000]]
    return X, y


@contextmanager
def mapped(n: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The mixture in a file, opened as a memory map."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "points.npy"
        X, y = mixture(n)
        np.save(path, X)
        del X
        yield np.load(path, mmap_mode="r"), y


@contextmanager
def watched() -> Iterator[Callable[[], int]]:
    """Bytes that this process holds at most inside the block, asked of the system by another process."""
    with tempfile.NamedTemporaryFile("r") as told:
        child = subprocess.Popen([sys.executable, "-c", WATCH, str(os.getpid()), told.name])
        try:
            yield lambda: int(Path(told.name).read_text() or 0)
        finally:
            child.kill()
            child.wait()


def measure(n: int) -> Run:
    from graphwell import DiffuseInterfaceClassifier

    def fit(X, y):
        labels = np.where(np.random.default_rng(1).random(len(y)) < 0.01, y, -1)
        before, began = held("RssAnon") or 0, time.perf_counter()
        clf = DiffuseInterfaceClassifier(random_state=0).fit(X, labels)
        return clf, time.perf_counter() - began, before

    fit(*mixture(SMALL))
    with mapped(n) as (X, y), watched() as most:
        clf, took, before = fit(X, y)
        peak = most() - before
    error = float((clf.transduction_ != y).mean())
    stages = {stage: round(value, 3) for stage, value in clf.timings_.items()}
    floor = seconds(scipy_product(clf.graph_), PRODUCTS)
    expected = fit_bytes(n, 10, 10) / n
    return Run(n, took, floor, peak / n, expected, 100 * error, clf.graph_.recall_, stages)


def in_own_process(n: int) -> Run:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scale", str(n)], check=True, capture_output=True, text=True
    )
    return Run(**json.loads(done.stdout))


def picture(sizes, times, memory):
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    from graphwell.view.plots import new_figure

    figure, (left, right) = new_figure(2)
    left.loglog(sizes, times, "o-", color="black", label="measured")
    power = f"n^{LARGEST_EXPONENT}"
    left.loglog(sizes, [times[0] * (n / sizes[0]) ** LARGEST_EXPONENT for n in sizes], "--", label=power)
    left.set(xlabel="points", ylabel="seconds", title="time of a fit")
    left.legend(frameon=False)
    right.semilogx(sizes, memory, "o-", color="black", label="measured")
    right.semilogx(sizes, [fit_bytes(n, 10, 10) / n for n in sizes], "--", label="said in advance")
    right.set(xlabel="points", ylabel="bytes per point", title="peak memory beyond the input", ylim=(0, None))
    right.legend(frameon=False)
    for axis in (left.xaxis, left.yaxis, right.xaxis):
        axis.set_minor_formatter(NullFormatter())
        axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    left.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    return figure


def figures_of(runs: dict[int, list[Run]]) -> list[Figure]:
    """What is judged: growth, memory, and seconds in products of scipy."""
    smallest, largest = min(runs), max(runs)
    span = np.log(largest / smallest)
    exponents = [
        float(np.log(last.seconds / first.seconds) / span)
        for first, last in zip(runs[smallest], runs[largest], strict=False)
    ]
    return [
        *(Figure(f"{n:,} points", [run.seconds for run in runs[n]], None, "s") for n in runs),
        *(
            Figure(f"{n:,} points", [run.seconds / run.product for run in runs[n]], None, "products")
            for n in runs
        ),
        Figure(f"power of n, {smallest:,} to {largest:,} points", exponents, LARGEST_EXPONENT, ""),
        *(
            Figure(
                f"bytes per point, {n:,}",
                [run.bytes_per_point for run in runs[n]],
                LARGEST_BYTES if n >= FIXED_COSTS_VANISH_FROM else None,
                "",
            )
            for n in runs
        ),
    ]


def main(options: Options) -> None:
    runs: dict[int, list[Run]] = {n: [] for n in (SIZES[:2] if options.quick else SIZES)}
    for repetition in range(REPETITIONS):
        for n in runs:
            if repetition and n > REPEATED_UP_TO:
                continue
            run = in_own_process(n)
            runs[n].append(run)
            print(
                f"{n:>9,} points: {run.seconds:6.1f} s, {run.seconds / run.product:6.0f} products, "
                f"{run.bytes_per_point:5.0f} bytes per point, recall {run.recall:.3f}, "
                f"error {run.error:.3f} %, {run.stages}",
                flush=True,
            )
    largest = max(runs)
    print(f"Said in advance for {largest:,} points: {in_words(fit_bytes(largest, 10, 10))}")
    every = [asdict(run) for some in runs.values() for run in some]
    report("scale", "Time and memory against n", figures_of(runs), options, runs=every)
    times = [median(run.seconds for run in runs[n]) for n in runs]
    memory = [median(run.bytes_per_point for run in runs[n]) for n in runs]
    write_picture(options.out / "scale.png", picture(list(runs), times, memory))


if __name__ == "__main__":
    print(json.dumps(asdict(measure(int(sys.argv[1])))))
