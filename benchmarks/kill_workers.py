"""Whether a fit ends with its labels when one of its workers is killed on the way.

Fits rows on a Dask cluster of this machine, undisturbed at first; then again and again, each time with a
worker ended by SIGKILL at a moment drawn evenly from the length of the undisturbed fit. Dask's nanny starts
another in its place. Every fit must end by itself, with the labels of the undisturbed one.

    python -m benchmarks.kill_workers --rows 20000 --workers 2 --kills 20
"""

import argparse
import os
import signal
import threading
import time
from typing import Any

import numpy as np

import graphwell as gw
from benchmarks.cluster import LABELS_PER_CLASS, cluster_of, surface


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=None, help="of the moments; drawn anew by default")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    with cluster_of(options.workers) as client:
        kill_and_compare(client, options.rows, options.workers, options.kills, rng)


def kill_and_compare(client: Any, rows: int, workers: int, kills: int, rng: np.random.Generator) -> None:
    import dask.array as da

    points, truth = surface(rows, seed=0)
    X = da.from_array(points, chunks=(-(-rows // 8), points.shape[1]))
    y = gw.datasets.sample_labels(truth, LABELS_PER_CLASS, random_state=0)
    fit(X, y)  # kernels are loaded
    seconds, labels = fit(X, y)
    print(f"{rows:,} rows on {workers} workers; an undisturbed fit takes {seconds:.1f} s", flush=True)
    for kill in range(1, kills + 1):
        client.wait_for_workers(workers)
        moment = float(rng.uniform(0, seconds))
        killer = threading.Timer(moment, kill_one, (pids(client), rng))
        killer.start()
        took, found = fit(X, y)
        killer.join()
        if not np.array_equal(found, labels):
            raise SystemExit(f"kill {kill}, after {moment:.2f} s: the fit ended with other labels")
        print(f"kill {kill}: after {moment:.2f} s; the same labels after {took:.1f} s", flush=True)
    print(f"{kills} kills, every fit ended with the labels of the undisturbed one")


def fit(X: Any, y: Any) -> tuple[float, Any]:
    """Seconds of a fit, and its labels."""
    began = time.perf_counter()
    labels = gw.DiffuseInterfaceClassifier(random_state=0).fit(X, y).transduction_.compute()
    return time.perf_counter() - began, labels


def pids(client: Any) -> list[int]:
    """Process numbers of the workers."""
    return list(client.run(os.getpid).values())


def kill_one(of: list[int], rng: np.random.Generator) -> None:
    os.kill(int(rng.choice(of)), signal.SIGKILL)


if __name__ == "__main__":
    main()
