"""Whether a fit ends with its labels when one of its workers is killed on the way.

Fits rows on a Dask cluster of this machine, undisturbed at first; then again and again, each time with a
worker ended by SIGKILL at a moment drawn evenly from the length of the undisturbed fit. Dask's nanny starts
another in its place. A fit that ends before its moment comes does not count. Every fit must end by itself,
with the labels of the undisturbed one.

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
    killed: list[int] = []
    while len(killed) < kills:
        wait_for_all(client)
        before, moment = len(killed), float(rng.uniform(0, seconds))
        killer = threading.Timer(moment, kill_one, (client, rng, killed))
        killer.start()
        took, found = fit(X, y)
        killer.cancel()
        killer.join()
        if not np.array_equal(found, labels):
            raise SystemExit(f"a worker was killed after {moment:.2f} s, and the fit ended with other labels")
        if len(killed) > before:
            print(f"kill {len(killed)}: after {moment:.2f} s; the same labels after {took:.1f} s", flush=True)
    print(f"{kills} kills, every fit ended with the labels of the undisturbed one")


def fit(X: Any, y: Any) -> tuple[float, Any]:
    """Seconds of a fit, and its labels."""
    began = time.perf_counter()
    labels = gw.DiffuseInterfaceClassifier(random_state=0).fit(X, y).transduction_.compute()
    return time.perf_counter() - began, labels


def wait_for_all(client: Any) -> None:
    """Wait until the scheduler knows the worker that each nanny has started, and no other."""
    while {nanny.worker_address for nanny in client.cluster.workers.values()} != set(
        client.scheduler_info(n_workers=-1)["workers"]
    ):
        time.sleep(0.2)


def kill_one(client: Any, rng: np.random.Generator, killed: list[int]) -> None:
    """End one of the workers, and note its process number."""
    pid = int(rng.choice([nanny.pid for nanny in client.cluster.workers.values()]))
    os.kill(pid, signal.SIGKILL)
    killed.append(pid)


if __name__ == "__main__":
    main()
