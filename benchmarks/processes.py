"""What is measured in fresh processes: time and memory against n, and the first seconds.

- ``scale``: fits of a mixture of 10 Gaussians in 50 dimensions, single precision, from a memory map. Each
  process first fits a small set, so that nothing is compiled or imported on the clock. Memory is the most
  that it holds during the fit, less that before; pages of the file do not count. The floor, taken in the
  same process, is a product of scipy: the fitted graph's matrix times a vector.
- ``startup``: the program's help, the first sweep, and all kernels compiled.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.output import REPETITIONS, Figure, Options, report, seconds
from benchmarks.speed import scipy_product
from graphwell.memory import fit_bytes, held

SIZES, SMALL = (50_000, 200_000, 1_000_000, 4_000_000), 22_000
REPEATED_UP_TO, REPEATED, PRODUCTS = 1_000_000, 3, 20
LARGEST_EXPONENT, LARGEST_BYTES = 1.12, 600
FIXED_COSTS_VANISH_FROM = 1_000_000
"""Below, what a process holds whatever the number of points is a large part of its memory."""
FEW_ROWS, MANY_ROWS = 2_000, 22_000
"""Many enough for the approximate search, whose kernels are then compiled too."""
FIRST_STEP = """
import json, resource, sys, time
import numpy as np
from graphwell import DiffuseInterfaceClassifier

rng = np.random.default_rng(0)
n = int(sys.argv[1])
X = rng.normal(size=(n, 20)).astype(np.float32)
X[: n // 2] += 3
y = np.full(n, -1)
y[0], y[-1] = 0, 1
steps = []
clf = DiffuseInterfaceClassifier(models=None, random_state=0)
clf.fit(X, y, callback=lambda step: steps.append(time.time()))
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"first": steps[0], "cpu": used.ru_utime + used.ru_stime}))
"""


def answer_of(*command: str, **environment: str) -> Any:
    """What a fresh process of Python prints as JSON."""
    done = subprocess.run(
        [sys.executable, *command], check=True, stdout=subprocess.PIPE, env={**os.environ, **environment}
    )
    return json.loads(done.stdout)


def mixture(n: int):
    """Features in single precision and classes."""
    rng = np.random.default_rng(0)
    centres, y = rng.normal(size=(10, 50)).astype(np.float32), rng.integers(10, size=n)
    X = rng.standard_normal((n, 50), dtype=np.float32)
    for start in range(0, n, 50_000):
        X[start : start + 50_000] += centres[y[start : start + 50_000]]
    return X, y


@contextmanager
def watched() -> Iterator[list[int]]:
    """Bytes that this process holds inside the block, read again and again; pages of files do not count."""
    found, over = [held("RssAnon") or 0], threading.Event()

    def watch() -> None:
        while not over.wait(0.01):
            found.append(held("RssAnon") or 0)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield found
    finally:
        over.set()
        thread.join()


def measure(n: int) -> dict[str, Any]:
    """One fit of so many points: seconds, those of a product, bytes per point, and how good it is."""
    from graphwell import DiffuseInterfaceClassifier

    def fit(X, y):
        labels = np.where(np.random.default_rng(1).random(len(y)) < 0.01, y, -1)
        began = time.perf_counter()
        clf = DiffuseInterfaceClassifier(models=None, random_state=0).fit(X, labels)
        return clf, time.perf_counter() - began

    fit(*mixture(SMALL))
    with tempfile.TemporaryDirectory() as folder:
        X, y = mixture(n)
        np.save(Path(folder) / "points.npy", X)
        del X
        with watched() as bytes_held:
            clf, took = fit(np.load(Path(folder) / "points.npy", mmap_mode="r"), y)
        peak = max(bytes_held) - bytes_held[0]
    floor = seconds(scipy_product(clf.graph_), PRODUCTS)
    return {
        "n": n, "seconds": took, "products": took / floor, "bytes per point": peak / n,
        "said in advance": fit_bytes(n, 10, 10) / n, "error": 100 * float((clf.transduction_ != y).mean()),
        "recall": clf.graph_.recall_, "stages": {name: round(each, 3) for name, each in clf.timings_.items()},
    }  # fmt: skip


def scale(options: Options) -> None:
    sizes = SIZES[:2] if options.quick else SIZES
    runs: list[dict[str, Any]] = []
    for repetition in range(REPEATED):
        for n in [n for n in sizes if not repetition or n <= REPEATED_UP_TO]:
            runs.append(answer_of("-m", "benchmarks.processes", str(n)))
            print(runs[-1], flush=True)
    found = pd.DataFrame(runs).groupby("n")
    times = {int(n): each.seconds.tolist() for n, each in found}
    both = zip(times[sizes[0]], times[sizes[-1]], strict=False)
    powers = [float(np.log(last / first) / np.log(sizes[-1] / sizes[0])) for first, last in both]
    figures = [Figure(f"power of n, {sizes[0]:,} to {sizes[-1]:,} points", powers, LARGEST_EXPONENT, "")]
    for n, each in found:
        bar = LARGEST_BYTES if n >= FIXED_COSTS_VANISH_FROM else None
        figures += [
            Figure(f"{n:,} points", times[n], None, "s"),
            Figure(f"{n:,} points", each["products"].tolist(), None, "products"),
            Figure(f"bytes per point, {n:,}", each["bytes per point"].tolist(), bar, ""),
        ]
    report("scale", "Time and memory against n", figures, options, runs=runs)


def first_step(n_rows: int, **environment: str) -> tuple[float, float]:
    """Seconds of a fresh process until the first step of the descent, and its processor time in all."""
    began = time.time()
    found = answer_of("-c", FIRST_STEP, str(n_rows), **environment)
    return found["first"] - began, found["cpu"]


def compiling(n_rows: int) -> float:
    """Processor time that a first fit takes longer than a second one."""
    with tempfile.TemporaryDirectory() as cache:
        first, second = (first_step(n_rows, NUMBA_CACHE_DIR=cache)[1] for _ in range(2))
        return first - second


def startup(options: Options) -> None:
    for n_rows in (FEW_ROWS, MANY_ROWS):
        first_step(n_rows)  # compiles
    warm = [first_step(FEW_ROWS)[0] for _ in range(REPETITIONS)]
    run = partial(subprocess.run, check=True, stdout=subprocess.DEVNULL)
    commands = {
        "the help": (("-m", "graphwell", "--help"), 0.5),
        "a process that only imports scikit-learn's base class": (("-c", "import sklearn.base"), None),
    }
    figures = [
        Figure(what, [seconds(partial(run, [sys.executable, *command])) for _ in warm], bar, "s")
        for what, (command, bar) in commands.items()
    ]
    figures.append(Figure(f"to the first step of {FEW_ROWS:,} rows, kernels cached", warm, 1.5, "s"))
    for n in (FEW_ROWS, MANY_ROWS):
        cold = [compiling(n) for _ in range(1 if options.quick else REPETITIONS)]
        figures.append(Figure(f"compiling for {n:,} rows (processor time)", cold, 10, "s"))
    report("startup", "A fresh process", figures, options)


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
