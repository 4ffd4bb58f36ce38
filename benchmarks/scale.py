"""How time and memory of a fit grow with the number of points: a mixture of 10 Gaussians in 50 dimensions.

Each fit runs in a process of its own, which first fits a small set, so that nothing is compiled or imported
on the clock. Memory is the largest resident set during the fit, less that before it, which holds the input.
"""

import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.output import Options, write_picture
from benchmarks.ratios import Figure, report
from graphwell.memory import fit_bytes, in_words

SIZES = (50_000, 100_000, 200_000, 500_000, 1_000_000)
SMALL = 22_000
LARGEST_EXPONENT, LARGEST_BYTES = 1.15, 1000


@dataclass(frozen=True)
class Run:
    """One fit."""

    n: int
    seconds: float
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


def resident(kind: str) -> int:
    """Bytes of this process that lie in memory: now (VmRSS) or at most so far (VmHWM)."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(next(line.split()[1] for line in status.splitlines() if line.startswith(kind)))


def measure(n: int) -> Run:
    from graphwell import DiffuseInterfaceClassifier

    def fit(size: int):
        X, y = mixture(size)
        labels = np.where(np.random.default_rng(1).random(size) < 0.01, y, -1)
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        before, began = resident("VmRSS"), time.perf_counter()
        clf = DiffuseInterfaceClassifier(random_state=0).fit(X, labels)
        return clf, time.perf_counter() - began, resident("VmHWM") - before, (clf.transduction_ != y).mean()

    fit(SMALL)
    clf, seconds, peak, error = fit(n)
    stages = {stage: round(value, 3) for stage, value in clf.timings_.items()}
    return Run(n, seconds, peak / n, fit_bytes(n, 10, 10) / n, 100 * error, clf.graph_.recall_, stages)


def in_own_process(n: int) -> Run:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scale", str(n)], check=True, capture_output=True, text=True
    )
    return Run(**json.loads(done.stdout))


def picture(sizes, seconds, memory):
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    from graphwell.view.plots import new_figure

    figure, (left, right) = new_figure(2)
    left.loglog(sizes, seconds, "o-", color="black", label="measured")
    left.loglog(sizes, [seconds[0] * (n / sizes[0]) ** LARGEST_EXPONENT for n in sizes], "--", label="n^1.15")
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


def main(options: Options) -> None:
    sizes = SIZES[:3] if options.quick else SIZES
    repetitions = 2 if options.quick else 5
    runs = []
    for _ in range(repetitions):
        for n in sizes:
            runs.append(in_own_process(n))
            run = runs[-1]
            print(
                f"{n:>9,} points: {run.seconds:6.1f} s, {run.bytes_per_point:5.0f} bytes per point, "
                f"recall {run.recall:.3f}, error {run.error:.3f} %, {run.stages}",
                flush=True,
            )
    times = {n: [run.seconds for run in runs if run.n == n] for n in sizes}
    memory = {n: [run.bytes_per_point for run in runs if run.n == n] for n in sizes}
    span = np.log(sizes[-1] / sizes[0])
    exponents = [float(np.log(b / a) / span) for a, b in zip(times[sizes[0]], times[sizes[-1]], strict=True)]
    figures = [Figure(f"{n:,} points", times[n], None, "s") for n in sizes]
    figures += [
        Figure(f"power of n, {sizes[0]:,} to {sizes[-1]:,} points", exponents, LARGEST_EXPONENT, ""),
        *(Figure(f"bytes per point, {n:,}", memory[n], LARGEST_BYTES, "") for n in sizes),
    ]
    print(f"Said in advance for {sizes[-1]:,} points: {in_words(fit_bytes(sizes[-1], 10, 10))}")
    report("scale", "Time and memory against n", figures, options, runs=[asdict(run) for run in runs])
    medians = [median(times[n]) for n in sizes], [median(memory[n]) for n in sizes]
    write_picture(options.out / "scale.png", picture(list(sizes), *medians))


if __name__ == "__main__":
    print(json.dumps(asdict(measure(int(sys.argv[1])))))
