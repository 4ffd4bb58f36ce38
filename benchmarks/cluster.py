"""What a fit on a Dask cluster of this machine costs: time by stage, scheduling, bytes moved, memory.

- ``parquet``: a million points of eight classes on a curved surface of 6 dimensions in 32, from Parquet files
  and back as docs/cluster.md shows, with 2 workers of 1.5 GiB, beside one process with 2 threads, and the
  peak memory of every process beyond what it held after a small table was labelled.
- ``large``: 4 million of them with 4 workers of 1.5 GiB. Only where it is named.

Every worker is one process with one thread. *Halo* is the share of vertices that other workers need, *rounds*
are exchanges of messages between workers. Of the whole fit, *waiting* is the share in which the busiest one
waits for messages of others, and *scheduling* that in which no worker runs its program: rows are read, the
metric is chosen, tasks are started and results fetched.

``kill_workers`` fits 20,000 rows on two workers again and again, each time with a worker ended by SIGKILL at
a moment drawn evenly from the length of an uninterrupted fit; Dask's nanny starts another in its place. Every
fit must end by itself, with the labels of the uninterrupted one. A fit that ends before its moment does not
count.
"""

import logging
import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

import graphwell as gw
from benchmarks.output import Options, begin_peak, show_frame, verdict, write_json
from graphwell.memory import held

LABELS_PER_CLASS, BLOCKS, DIMENSION = 20, 8, 32
MEMORY_LIMIT = "1.5GiB"
BARS = {"times one process": 1.8, "scheduling %": 15, "bytes per row, client": 64}
PARQUET_ROWS, LARGE_ROWS, ROWS_PER_FILE, SMALL_ROWS = 1_000_000, 4_000_000, 100_000, 25_000
KILLS, KILL_ROWS = 20, 20_000


def surface(n: int, seed: int, n_classes: int = 8, dimension: int = DIMENSION) -> tuple[Any, Any]:
    """Points of some classes on a curved surface, the same one for every seed, and their classes."""
    fixed, rng = np.random.default_rng(0), np.random.default_rng([seed, 1])
    centres, inner = fixed.normal(size=(n_classes, 6)), fixed.normal(size=(6, 24))
    outer, truth = fixed.normal(size=(24, dimension)), rng.integers(n_classes, size=n)
    latent = 1.8 * centres[truth] + 0.6 * rng.normal(size=(n, 6))
    X = np.tanh(latent @ inner / 3) @ outer + 0.05 * rng.normal(size=(n, dimension))
    return X.astype(np.float32), truth


@contextmanager
def cluster_of(n_workers: int, memory_limit: str | None = None) -> Iterator[Any]:
    import dask
    import distributed

    settings = {
        "distributed.admin.low-level-log-length": 10,  # the scheduler shares the client's process
        "distributed.deploy.lost-worker-timeout": "1h",  # or one that is killed twice in 15 s is given up
    }
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=n_workers, threads_per_worker=1, dashboard_address=":0",
            memory_limit=memory_limit, silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):  # fmt: skip
        yield client


def labels_of(truth: Any) -> Any:
    return gw.datasets.sample_labels(truth, LABELS_PER_CLASS, random_state=0)


def blocks_of(X: Any) -> Any:
    import dask.array as da

    return da.from_array(X, chunks=(-(-len(X) // BLOCKS), X.shape[1]))


def costs_of(classifier: Any, seconds: float) -> dict[str, Any]:
    """What a fit on a cluster cost; its shares, in %, are those of the worker that took longest."""
    graph = classifier.graph_
    longest = max(graph.efforts, key=lambda effort: effort.seconds)
    return {
        **{f"{stage} s": took for stage, took in classifier.timings_.items()},
        "in all s": seconds,
        "sweeps": classifier.n_iter_,
        "recall": graph.recall_,
        "halo %": 100 * graph.halo,
        "waiting %": 100 * longest.seconds_waited / seconds,
        "scheduling %": 100 * (1 - longest.seconds / seconds),
        "rounds": longest.rounds,
        "MB moved": sum(effort.bytes_sent for effort in graph.efforts) / 1e6,
    }


def parquet(rows: int, n_workers: int, *, beside_one: bool) -> pd.DataFrame:
    """Label a folder of Parquet files on workers with little memory, and in one process beside them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with ProcessPoolExecutor(1, get_context("spawn")) as elsewhere:  # nothing of it stays in the client
            for table, size in (("small", SMALL_ROWS), ("in", rows)):
                elsewhere.submit(write_parts, folder / f"{table}.parquet", size).result()
        classifier = gw.DiffuseInterfaceClassifier(random_state=0)
        with cluster_of(n_workers, MEMORY_LIMIT) as client:
            label_folder(
                folder / "small.parquet", folder / "first.parquet", clone(classifier)
            )  # loads all code
            idle = pd.Series({"client": begin_peak(), **client.run(begin_peak)}, dtype=float)
            began = time.perf_counter()
            wrong = label_folder(folder / "in.parquet", folder / "out.parquet", classifier)
            cost = costs_of(classifier, time.perf_counter() - began)
            peak = pd.Series({"client": held("VmHWM"), **client.run(held, "VmHWM")}, dtype=float)
        if beside_one:
            began = time.perf_counter()
            table = pd.read_parquet(folder / "in.parquet")
            one = gw.DiffuseInterfaceClassifier(random_state=0, n_jobs=2)
            one.fit(table.drop(columns=["label", "truth"]), table["label"])
            cost["times one process"] = cost["in all s"] / (time.perf_counter() - began)
    cost["wrong %"] = wrong
    memory = pd.DataFrame({"GiB": peak / 2**30, "bytes per row beyond an idle one": (peak - idle) / rows})
    show_frame(f"Parquet, {rows:,} x 32: peak memory of each process", memory)
    table = pd.DataFrame({f"{rows:,} rows": cost}).T
    show_frame("What it cost", table, 1)
    table = table.assign(**memory["bytes per row beyond an idle one"].add_prefix("bytes per row, "))
    for name, bar in BARS.items():
        if name in table:
            reached = float(table[name].iloc[0])
            print(f"{name}: {reached:.3g}, at most {bar:g}: {verdict(reached, bar)}")
    return table


def label_folder(source: Path, target: Path, classifier: Any) -> float:
    """Label the rows of a folder of Parquet files on the workers, which write them again; % wrong."""
    import dask
    import dask.array as da

    files = sorted(source.glob("*.parquet"))
    labels = [pd.read_parquet(file, columns=["label"])["label"].to_numpy() for file in files]
    lengths, y = list(map(len, labels)), np.concatenate(labels)
    del labels
    blocks = [
        da.from_delayed(dask.delayed(features_of)(file), (length, DIMENSION), np.float32)
        for file, length in zip(files, lengths, strict=True)
    ]
    classifier.fit(da.concatenate(blocks), y)
    target.mkdir()
    found, scores = classifier.transduction_.to_delayed(), classifier.label_distributions_.to_delayed()[:, 0]
    written = [dask.delayed(write_labelled)(*part, target) for part in zip(files, found, scores, strict=True)]
    return 100 * sum(dask.compute(*written)) / len(y)


def features_of(file: Path) -> Any:
    return pd.read_parquet(file).drop(columns=["label", "truth"]).to_numpy()


def write_labelled(file: Path, found: Any, scores: Any, target: Path) -> int:
    """Write a file with its labels and scores; how many labels are wrong."""
    table = pd.read_parquet(file).assign(graphwell_label=found, graphwell_score=scores.max(axis=1))
    table.to_parquet(target / file.name, index=False)
    return int((table["graphwell_label"] != table["truth"]).sum())


def write_parts(folder: Path, rows: int) -> None:
    folder.mkdir()
    for number in range(-(-rows // ROWS_PER_FILE)):
        X, truth = surface(min(ROWS_PER_FILE, rows - number * ROWS_PER_FILE), seed=number)
        labels = labels_of(truth) if number == 0 else -1
        table = pd.DataFrame(X).add_prefix("x").assign(label=labels, truth=truth)
        table.to_parquet(folder / f"{number:03d}.parquet", index=False)


def main(options: Options) -> None:
    if find_spec("distributed") is None:
        print("The benchmark of the cluster is left out: it needs Dask, pip install 'graphwell[dask]'")
        return
    found = {}
    for case in options.data or ["parquet"]:
        rows, n_workers = (PARQUET_ROWS, 2) if case == "parquet" else (LARGE_ROWS, 4)
        rows = rows // 10 if options.quick else rows
        found[case] = parquet(rows, n_workers, beside_one=case == "parquet")
    cases = {case: table.to_dict("index") for case, table in found.items()}
    write_json(options.out / "cluster.json", cases)


def kill_workers(options: Options) -> None:
    """``--seeds`` draws the moments again; by default they are others in every run."""
    rng = np.random.default_rng(options.seeds)
    kills = 3 if options.quick else KILLS
    with cluster_of(2) as client:
        others = kill_and_compare(client, KILL_ROWS, kills, rng)
    same = sum(n == 0 for n in others)
    print(f"{same} of {kills} kills: the labels of an uninterrupted fit; up to {max(others)} rows differ")


def kill_and_compare(client: Any, rows: int, kills: int, rng: np.random.Generator) -> list[int]:
    """Rows with other labels than those of an uninterrupted fit, for each kill."""
    points, truth = surface(rows, seed=0)
    X, y = blocks_of(points), labels_of(truth)

    def fit() -> tuple[float, Any]:
        began = time.perf_counter()
        labels = gw.DiffuseInterfaceClassifier(random_state=0).fit(X, y).transduction_.compute()
        return time.perf_counter() - began, labels

    killed: list[int] = []
    others: list[int] = []

    def kill_one() -> None:
        pid = int(rng.choice([nanny.pid for nanny in client.cluster.workers.values()]))
        os.kill(pid, signal.SIGKILL)
        killed.append(pid)

    fit()  # kernels are loaded
    seconds, labels = fit()
    print(f"{rows:,} rows; an uninterrupted fit takes {seconds:.1f} s", flush=True)
    while len(killed) < kills:
        # until the scheduler knows the worker that each nanny has started, and no other
        while {nanny.worker_address for nanny in client.cluster.workers.values()} != set(
            client.scheduler_info(n_workers=-1)["workers"]
        ):
            time.sleep(0.2)
        before, moment = len(killed), float(rng.uniform(0, seconds))
        killer = threading.Timer(moment, kill_one)
        killer.start()
        took, found = fit()
        killer.cancel()
        killer.join()
        differing = int((found != labels).sum())
        if len(killed) > before:
            others.append(differing)
            print(
                f"kill {len(killed)}: after {moment:.2f} s; {differing} other labels after {took:.1f} s",
                flush=True,
            )
    return others
