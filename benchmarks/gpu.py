"""What one NVIDIA GPU does: whole fits and pictures, against their bars and beside the CPU.

Times are medians of repeated runs after a first one that compiles; the clock waits for the GPU. Many rows are
twenty curved classes in 50 dimensions, 50 labels of each.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.cluster import surface
from benchmarks.data import load
from benchmarks.output import Figure, Options, report
from benchmarks.segmentation import color_picture
from graphwell import DiffuseInterfaceClassifier, Segmenter, datasets
from graphwell.backends.cuda._cupy import cupy
from graphwell.datasets.strokes import strokes

PARTS = ("mnist", "rows", "pictures")
"""What is measured, and may be named as data."""
ROWS_BARS = {1_000_000: 0.9, 10_000_000: 12.0}
CLASSES, DIMENSION, LABELS_PER_CLASS = 20, 50, 50
ROWS_AT_ONCE, FITS = 1_000_000, 3
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


def many_rows_figures(n: int, bar: float) -> list[Figure]:
    """Fit so many rows, NumPy array in, labels out; the first fit does not count."""
    X, y = curved_classes(n)
    given = datasets.sample_labels(y, per_class=LABELS_PER_CLASS, random_state=0)
    model = DiffuseInterfaceClassifier(device="cuda", random_state=0, models=None)
    took, pool = [], cupy().get_default_memory_pool()
    for _ in range(FITS):
        pool.free_all_blocks()
        took.append(once(lambda: model.fit(X, given))[0] / 1000)
        taken = (pool.total_bytes() - X.nbytes) / 2**30
    copied, error = once(lambda: cupy().asarray(X))[0], 100 * float((model.transduction_ != y).mean())
    note = f"{stages_of(model.timings_)}, copy {copied:.0f} ms; {taken:.1f} GiB; error {error:.2f} %; "
    note += f"recall {model.graph_.recall_:.3f}"
    return [Figure(f"whole fit of {n:,} x {DIMENSION}", took[1:], bar, "s", note)]


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
    figures = []
    if "mnist" in chosen:
        data = load("mnist")
        figures += fit_figures(data.X.astype(np.float32), data.y)
    if "rows" in chosen:
        for n, bar in list(ROWS_BARS.items())[: 1 if options.quick else None]:
            figures += many_rows_figures(n, bar)
    if "pictures" in chosen:
        for side, bar in PICTURE_BARS.items():
            figures += picture_figures(side, bar)
    report("gpu", name, figures, options)
