"""How much memory a table in single precision takes until its rows are ready to be compared."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.output import Figure, Options, report

COLUMNS = 50
FEW_ROWS, MANY_ROWS = 50_000, 500_000
PROGRAM = """
import json, sys
from pathlib import Path
import pyarrow.parquet
import graphwell.estimators.tuning.metrics
from graphwell.io.tables.base import open_table
from graphwell.jobs.options import ClassifyOptions
from graphwell.jobs.table import read_rows

def peak():  # not ru_maxrss, which knows what the process was before it was this program
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

before = peak()
options = ClassifyOptions(table=Path(sys.argv[1]), scale=sys.argv[2])
ready = read_rows(open_table(options.table), options)[1]
print(json.dumps({"kilobytes": peak() - before, "bytes of the rows": ready.X.nbytes}))
"""


def write_table(path: Path, n_rows: int) -> None:
    """Two classes, a hundredth of them labelled."""
    import pyarrow
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n_rows)
    X = (rng.normal(size=(n_rows, COLUMNS)) + truth[:, None]).astype(np.float32)
    label = np.where(rng.random(n_rows) < 0.01, np.array([*"ab"])[truth], "")
    columns = {f"f{place}": X[:, place] for place in range(COLUMNS)}
    parquet.write_table(pyarrow.table({**columns, "label": label.tolist()}), path)


def times_the_rows(path: Path, scale: str) -> float:
    """Memory of a fresh process beyond its libraries, in sizes of the features."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path), scale], check=True, capture_output=True, text=True
    )
    found = json.loads(done.stdout)
    return float(1024 * found["kilobytes"] / found["bytes of the rows"])


def main(options: Options) -> None:
    n_rows = FEW_ROWS if options.quick else MANY_ROWS
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        write_table(path, n_rows)
        figures = [
            Figure(f"{n_rows:,} rows of {COLUMNS} columns, scale {scale}", [times_the_rows(path, scale)], bar)
            for scale, bar in (("none", 2.2), ("auto", 2.2), ("standard", 3.0))
        ]
    report("reading", "Memory until rows are ready, in sizes of the features", figures, options)
