"""What a fit on a Dask cluster of this machine costs: time by stage, scheduling, bytes moved, memory.

- ``made-up``: 200,000 points of eight classes on a curved surface of 6 dimensions in 32, with 1 and 2
  workers, beside one machine.
- ``mnist``: the same for MNIST (PCA-50).
- ``parquet``: a million such points in Parquet files through `graphwell classify --cluster`, with 2 workers
  of 1.5 GiB, beside one process with 2 threads; the peak memory of every process is told, beyond what it
  held after a small table was labelled. Not part of a quick run.
- ``large``: 4 million of them with 4 workers of 1.5 GiB. Only when it is asked for.
- ``scheduling``: the sweeps of 2 workers alone, for blocks of 50,000 to 1,000,000 rows.
- ``gpu``: a million of them with 2 workers that search with the GPU of this machine, beside 2 that do not.

Every worker is one process with one thread. *Halo* is the share of vertices that other workers need, *rounds*
are exchanges of messages between workers. Of the whole fit, *waiting* is the share in which the busiest one
waits for messages of others, and *scheduling* that in which no worker runs its program: rows are read, the
metric is chosen, tasks are started and results fetched. *Times one machine* is the whole fit beside that of
one process, in the same run.
"""

import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

import graphwell as gw
from benchmarks.data import DataMissingError, load
from benchmarks.output import Options, show_table, write_json
from graphwell.backends import find_backend
from graphwell.memory import begin_peak, held

CASES = ("parquet", "large", "scheduling", "gpu", "made-up", "mnist")
WORKERS = (1, 2)
LABELS_PER_CLASS = 20
MEMORY_LIMIT = "1.5GiB"
BYTES_PER_ROW = 64
COSTS = ("halo", "waiting", "scheduling", "rounds", "moved")
SIZES = (100_000, 400_000, 1_000_000, 2_000_000)
ROWS, PARQUET_ROWS, LARGE_ROWS, ROWS_PER_FILE = 200_000, 1_000_000, 4_000_000, 100_000
SMALL_ROWS = 25_000


def surface(n: int, seed: int, n_classes: int = 8, dimension: int = 32) -> tuple[Any, Any]:
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

    from graphwell.backends.dask.client import processes_here, require_dask

    require_dask()  # its defaults come first, or they would go with these settings
    settings = {
        "distributed.admin.large-graph-warning-threshold": "1GiB",
        "distributed.deploy.lost-worker-timeout": "1h",  # or one that is killed twice in 15 s is given up
    }
    with (
        dask.config.set(settings),
        processes_here(n_workers, memory_limit) as client,
    ):
        yield client


def fitted(rows: Any, y: Any, n_workers: int, **parameters: Any) -> tuple[dict[str, Any], Any]:
    """Fit on so many workers; what it cost, and the labels."""
    with cluster_of(n_workers):
        classifier = gw.DiffuseInterfaceClassifier(random_state=0, **parameters)
        began = time.perf_counter()
        classifier.fit(rows, y)
        seconds = time.perf_counter() - began
        labels = classifier.transduction_.compute()
        return {"workers": n_workers, **costs_of(classifier, seconds)}, labels


def costs_of(classifier: Any, seconds: float) -> dict[str, Any]:
    """What a fit on a cluster cost; its shares are those of the worker that took longest."""
    graph, stages = classifier.graph_, {**classifier.timings_, "in all": seconds}
    longest = max(graph.efforts, key=lambda effort: effort.seconds)
    return {
        "seconds": stages,
        "sweeps": classifier.n_iter_,
        "recall": graph.recall_,
        "halo": graph.halo,
        "rounds": longest.rounds,
        "bytes": sum(effort.bytes_sent for effort in graph.efforts),
        "waiting": longest.seconds_waited / seconds,
        "scheduling": 1 - longest.seconds / seconds,
    }


def time_case(name: str, X: Any, truth: Any) -> dict[str, Any]:
    import dask.array as da

    y = gw.datasets.sample_labels(truth, LABELS_PER_CLASS, random_state=0)
    unknown = y < 0
    began = time.perf_counter()
    one = gw.DiffuseInterfaceClassifier(random_state=0, n_jobs=1).fit(X, y)
    seconds = {**one.timings_, "in all": time.perf_counter() - began}
    error = 100 * float((one.transduction_ != truth)[unknown].mean())
    lines = [["one machine, 1 thread", *stage_cells(seconds), f"{error:.3f}", "1.0", *[""] * len(COSTS)]]
    costs: list[dict[str, Any]] = [{"workers": 0, "seconds": seconds, "error": error}]
    for n_workers in WORKERS:
        cost, labels = fitted(da.from_array(X, chunks=(-(-len(X) // 8), X.shape[1])), y, n_workers)
        cost["error"] = 100 * float((labels != truth)[unknown].mean())
        cost["times one machine"] = cost["seconds"]["in all"] / seconds["in all"]
        costs.append(cost)
        cells = [*stage_cells(cost["seconds"]), f"{cost['error']:.3f}", f"{cost['times one machine']:.1f}"]
        lines.append([f"{n_workers} worker{'s' if n_workers > 1 else ''}", *cells, *cost_cells(cost)])
    columns = (f"{name}, {len(X):,} x {X.shape[1]}", "graph s", "start s", "descent s", "in all s", "error %")
    show_table("A fit", (*columns, "times one machine", *COSTS), lines)
    return {"case": name, "rows": len(X), "costs": costs}


def scheduling_case(sizes: tuple[int, ...]) -> dict[str, Any]:
    """How the share of scheduling falls with the size of the blocks: 40 sweeps on two workers."""
    import dask.array as da
    from dask import delayed

    lines, costs = [], []
    for n in sizes:
        parts = [delayed(surface_points)(n // 8, seed) for seed in range(8)]
        rows = da.concatenate([da.from_delayed(part, (n // 8, 32), np.float32) for part in parts])
        y = np.full(n, -1)
        y[: n // 8] = gw.datasets.sample_labels(surface(n // 8, 0)[1], LABELS_PER_CLASS, random_state=0)
        cost, _ = fitted(rows, y, 2, start="random", schedule=gw.Annealed(2.0, 1.9, ratio=0.95, sweeps=20))
        costs.append({"rows": n, **cost})
        sweep = cost["seconds"]["descent"] / cost["sweeps"]
        lines.append([f"{n // 2:,}", f"{1000 * sweep:.1f}", *cost_cells(cost)])
    show_table("Sweeps of two workers", ("rows per block", "ms per sweep", *COSTS), lines)
    return {"case": "scheduling", "costs": costs}


def surface_points(n: int, seed: int) -> Any:
    return surface(n, seed)[0]


def gpu_case(n: int) -> list[dict[str, Any]]:
    """Two workers that search with a GPU, and two that do not; nothing where there is no GPU."""
    import dask.array as da

    try:
        find_backend("cuda")
    except (ImportError, OSError) as error:
        print(f"Workers with a GPU are left out: {error}")
        return []
    X, truth = surface(n, seed=0)
    y = gw.datasets.sample_labels(truth, LABELS_PER_CLASS, random_state=0)
    rows = da.from_array(X, chunks=(-(-n // 8), X.shape[1]))
    found = {device: fitted(rows, y, 2, device=device) for device in ("cpu", "cuda")}
    lines = [[device, *stage_cells(cost["seconds"])] for device, (cost, _) in found.items()]
    columns = (f"{n:,} x {X.shape[1]}, searched by", "graph s", "start s", "descent s", "in all s")
    show_table("Two workers", columns, lines)
    others = int((found["cpu"][1] != found["cuda"][1]).sum())
    print(f"Rows with another label where a GPU searched: {others:,}")
    return [{"case": "gpu", "device": device, "rows": n, **cost} for device, (cost, _) in found.items()]


def cost_cells(cost: dict[str, Any]) -> list[str]:
    shares = [f"{100 * cost[part]:.0f} %" for part in ("halo", "waiting", "scheduling")]
    return [*shares, f"{cost['rounds']:,}", f"{cost['bytes'] / 1e6:.1f} MB"]


def stage_cells(seconds: dict[str, float]) -> list[str]:
    return [f"{seconds[stage]:.1f}" for stage in ("graph", "start", "descent", "in all")]


def parquet_case(rows: int, n_workers: int, *, beside_one: bool) -> dict[str, Any]:
    """Label a folder of Parquet files on workers with little memory, and in one process beside them."""
    from graphwell.jobs.classify_on_cluster import label_folder

    with tempfile.TemporaryDirectory() as folder:
        with ProcessPoolExecutor(1, get_context("spawn")) as elsewhere:  # nothing of it stays in the client
            for name, size in (("small", SMALL_ROWS), ("in", rows)):
                elsewhere.submit(write_parts, Path(folder) / f"{name}.parquet", size).result()
        classifier = gw.DiffuseInterfaceClassifier(random_state=0)
        with cluster_of(n_workers, MEMORY_LIMIT) as client:
            label_folder(labelling(folder, "first", "small"), clone(classifier))  # loads all code
            idle = {"client": begin_peak(), **client.run(begin_peak)}
            began = time.perf_counter()
            summary = label_folder(labelling(folder, "out"), classifier).to_json()
            seconds = time.perf_counter() - began
            memory = {"client": held("VmHWM"), **client.run(held, "VmHWM")}
            cost = costs_of(classifier, seconds)
        cost |= {"case": "parquet", "rows": rows, "memory": memory, "in all": seconds}
        if beside_one:
            cost["times one machine"] = seconds / seconds_of_one_process(folder)
    lines = [
        [name, f"{value / 2**30:.2f}", f"{(value - idle[name]) / rows:.0f}"] for name, value in memory.items()
    ]
    show_table(
        f"Parquet, {rows:,} x 32: peak memory", ("process", "GiB", "bytes per row beyond an idle one"), lines
    )
    show_table("What it cost", COSTS, [cost_cells(cost)])
    wrong = 100 * (1 - summary["truth"]["accuracy"])
    print(f"{seconds:.0f} s; {wrong:.3f} % wrong; {summary['seconds']}; {summary['notes']}")
    if beside_one:
        print(f"{cost['times one machine']:.1f} times one process of {n_workers} threads")
    if memory["client"] - idle["client"] > BYTES_PER_ROW * rows:
        print(f"Missed: the client took more than {BYTES_PER_ROW} bytes per row")
    return cost


def labelling(folder: str, out: str, table_name: str = "in", **options: Any) -> Any:
    from graphwell.jobs.options import ClassifyOptions

    table, output = (Path(folder) / f"{name}.parquet" for name in (table_name, out))
    return ClassifyOptions(table=table, output=output, truth="truth", **options)


def seconds_of_one_process(folder: str) -> float:
    """Seconds that one process with two threads takes to label the same folder."""
    from graphwell.jobs.classify import classify

    began = time.perf_counter()
    classify(labelling(folder, "one", cluster="local", n_jobs=2))
    return time.perf_counter() - began


def write_parts(folder: Path, rows: int) -> None:
    import pyarrow
    from pyarrow import parquet

    folder.mkdir()
    for number in range(-(-rows // ROWS_PER_FILE)):
        X, truth = surface(min(ROWS_PER_FILE, rows - number * ROWS_PER_FILE), seed=number)
        labels = np.full(len(X), -1)
        if number == 0:
            labels = gw.datasets.sample_labels(truth, LABELS_PER_CLASS, random_state=0)
        columns = {f"x{c}": X[:, c] for c in range(X.shape[1])}
        table = pyarrow.table({**columns, "label": labels, "truth": truth})
        parquet.write_table(table, folder / f"{number:03d}.parquet")


def main(options: Options) -> None:
    found = []
    if find_spec("distributed") is None:
        print("The benchmark of the cluster is left out: it needs Dask, pip install 'graphwell[dask]'")
        return
    for case in CASES:
        if options.data is not None and case not in options.data:
            continue
        if case == "parquet":
            found += [] if options.quick else [parquet_case(PARQUET_ROWS, 2, beside_one=True)]
        elif case == "large":
            found += [] if options.data is None else [parquet_case(LARGE_ROWS, 4, beside_one=False)]
        elif case == "scheduling":
            found.append(scheduling_case(SIZES[:1] if options.quick else SIZES))
        elif case == "gpu":
            found += gpu_case(PARQUET_ROWS // 10 if options.quick else PARQUET_ROWS)
        elif case == "mnist":
            try:
                data = load("mnist")
            except DataMissingError as error:
                print(error)
                continue
            found.append(time_case("mnist", data.X, data.y))
        else:
            found.append(time_case("made-up", *surface(ROWS // 4 if options.quick else ROWS, seed=0)))
    if found:
        write_json(options.out / "cluster.json", {"cases": found})
