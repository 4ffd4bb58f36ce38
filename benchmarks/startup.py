"""How long a fresh process takes: to an error, to its first sweep, and to compile all kernels."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.output import REPETITIONS, Figure, Options, report, seconds

PROGRAM = """
import json, resource, sys, time
import numpy as np
from graphwell import DiffuseInterfaceClassifier

rng = np.random.default_rng(0)
n = int(sys.argv[1])
X = rng.normal(size=(n, 20)).astype(np.float32)
X[: n // 2] += 3
y = np.full(n, -1)
y[0], y[-1] = 0, 1
seen = {}

def first_step(step):
    seen.setdefault("first", time.time())

clf = DiffuseInterfaceClassifier(random_state=0).fit(X, y, callback=first_step)
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"first": seen["first"], "cpu": used.ru_utime + used.ru_stime}))
"""
FEW_ROWS, MANY_ROWS = 2_000, 22_000
"""Many enough for the approximate search, whose kernels are then compiled too."""


def run(n_rows: int, cache: str | None) -> tuple[float, float]:
    """Seconds of a fresh process until the first step of the descent, and its processor time in all."""
    environment = dict(os.environ) if cache is None else {**os.environ, "NUMBA_CACHE_DIR": cache}
    began = time.time()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(n_rows)],
        check=True, capture_output=True, text=True, env=environment,
    )  # fmt: skip
    found = json.loads(done.stdout)
    return found["first"] - began, found["cpu"]


def compiling(n_rows: int) -> float:
    """Processor time that a first fit takes longer than a second one."""
    with tempfile.TemporaryDirectory() as cache:
        return run(n_rows, cache)[1] - run(n_rows, cache)[1]


def import_scikit_learn() -> None:
    subprocess.run([sys.executable, "-c", "import sklearn.base"], check=True)


def processor_seconds(*arguments: str, bytecode: str) -> float:
    """Processor time of a fresh process of Python, which finds its bytecode in a folder."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def quick_answers() -> list[Figure]:
    """The help, and an error in a table, beside a process that only imports what both need.

    All modules are compiled already, as those of an installed package are.
    """
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.csv"
        table.write_text("x,label\n1,a\n2,\n")
        wrong = ("-m", "graphwell", "classify", str(table), "-o", str(table.with_name("out.csv")))
        helped, told, floor = (
            [processor_seconds(*arguments, bytecode=folder) for _ in range(REPETITIONS + 1)][1:]
            for arguments in (("-m", "graphwell", "--help"), wrong, ("-c", "import numpy, typer._adapters"))
        )
    return [
        Figure("the help (processor time)", helped, 0.3, "s"),
        Figure("an error in a table (processor time)", told, 0.4, "s"),
        Figure("of which a process that only imports NumPy and Typer", floor, None, "s"),
    ]


def main(options: Options) -> None:
    run(FEW_ROWS, None), run(MANY_ROWS, None)
    warm = [run(FEW_ROWS, None)[0] for _ in range(REPETITIONS)]
    floor = [seconds(import_scikit_learn) for _ in range(REPETITIONS)]
    cold = {n_rows: [compiling(n_rows) for _ in range(REPETITIONS)] for n_rows in (FEW_ROWS, MANY_ROWS)}
    figures = [
        *quick_answers(),
        Figure(f"to the first step of {FEW_ROWS:,} rows, kernels cached", warm, 1.5, "s"),
        Figure("of which a process that only imports scikit-learn's base class", floor, None, "s"),
        *(Figure(f"compiling for {n:,} rows (processor time)", found, 10, "s") for n, found in cold.items()),
    ]
    report("startup", "A fresh process", figures, options)
