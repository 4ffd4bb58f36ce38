"""Fits of many rows on one NVIDIA GPU: twenty curved classes in 50 dimensions, 50 labels of each.

The floor is what comparing every pair would take: it is measured on some rows against all, and scaled up.
The same rows tell which share of their true neighbours the search found.
"""

import time
from typing import Any

import numpy as np

from benchmarks.cluster import surface
from graphwell import DiffuseInterfaceClassifier, datasets
from graphwell.backends.cuda._cupy import cupy
from graphwell.backends.cuda.cells import search_for
from graphwell.backends.cuda.search import CudaSearch

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
BARS = {1_000_000: 0.9, 10_000_000: 12.0}
CLASSES, DIMENSION, LABELS_PER_CLASS = 20, 50, 50
ROWS_AT_ONCE = 1_000_000
SAMPLE = 4096
FITS = 3


def curved_classes(n: int) -> tuple[Any, Any]:
    """Rows and classes, a million at a time."""
    X, y = np.empty((n, DIMENSION), dtype=np.float32), np.empty(n, dtype=np.int64)
    for part, begin in enumerate(range(0, n, ROWS_AT_ONCE)):
        rows = slice(begin, begin + ROWS_AT_ONCE)
        X[rows], y[rows] = surface(min(ROWS_AT_ONCE, n - begin), part, CLASSES, DIMENSION)
    return X, y


def clocked(job: Any) -> tuple[float, Any]:
    wait = cupy().cuda.Device().synchronize
    wait()
    began = time.perf_counter()
    found = job()
    wait()
    return time.perf_counter() - began, found


def searched(X: Any) -> dict[str, float]:
    """Seconds of a search, of comparing every pair, and the share of the true neighbours found."""
    rows = cupy().asarray(X)
    search_for(rows, 10).of_all(10)  # compiles
    seconds, found = clocked(lambda: search_for(rows, 10).of_all(10)[0])
    sample = cupy().asarray(np.random.default_rng(1).choice(len(X), min(SAMPLE, len(X)), replace=False))
    every = CudaSearch(rows)
    every.nearest(rows[sample], 11)
    floor, (true, _) = clocked(lambda: every.nearest(rows[sample], 11))
    is_found = (true[:, :, None] == found[sample][:, None, :]).any(axis=2)
    others = true != sample[:, None]
    recall = float(is_found[others].mean())
    return {"search": seconds, "every pair": floor * len(X) / len(sample), "recall": recall}


def measured(n: int) -> dict[str, Any]:
    """Fit so many rows, NumPy array in, labels out; the last of some fits counts."""
    X, y = curved_classes(n)
    told: dict[str, Any] = {"rows": n, **searched(X)}
    given = datasets.sample_labels(y, per_class=LABELS_PER_CLASS, random_state=0)
    model = DiffuseInterfaceClassifier(device="cuda", random_state=0, tune=False)
    seconds, pool = [], cupy().get_default_memory_pool()
    for _ in range(FITS):
        pool.free_all_blocks()
        took, fitted = clocked(lambda: model.fit(X, given))
        seconds.append(took)
        told["gibibytes"] = (pool.total_bytes() - X.nbytes) / 2**30
    told |= {"seconds": min(seconds[1:]), "copy": clocked(lambda: cupy().asarray(X))[0]}
    told |= {"stages": dict(fitted.timings_), "recall_": fitted.graph_.recall_}
    return told | {"error": 100 * float((fitted.transduction_ != y).mean())}
