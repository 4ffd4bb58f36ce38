"""What a fit on a Dask cluster of this machine costs: time by stage, scheduling, bytes moved, memory.

- ``made-up``: 200,000 points of eight classes on a curved surface of 6 dimensions in 32, with 1 and 2
  workers, beside one machine.
- ``mnist``: the same for MNIST (PCA-50).
- ``parquet``: a million such points in Parquet files through `graphwell classify --cluster`, with 2 workers
  of 1.5 GiB; the peak memory of every process is told. Not part of a quick run.

- ``scheduling``: the sweeps of 2 workers alone, for blocks of 50,000 to 1,000,000 rows.

Every worker is one process with one thread. Of the time of the descent, *sweeping* is the share in which the
busiest worker computes, *transfer* that in which it fetches others' states, and *scheduling* the rest.
"""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import graphwell as gw
from benchmarks.data import DataMissingError, load
from benchmarks.output import Options, show_table, write_json

CASES = ("parquet", "scheduling", "made-up", "mnist")
WORKERS = (1, 2)
LABELS_PER_CLASS = 20
MEMORY_LIMIT = "1.5GiB"
SWEEPING = ("graphwell-place-", "graphwell-sweep-", "graphwell-finish-")
CLIENT_LIMIT = 2**30
SIZES = (100_000, 400_000, 1_000_000, 2_000_000)
ROWS, PARQUET_ROWS, ROWS_PER_FILE = 200_000, 1_000_000, 100_000


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
    from distributed import Client, LocalCluster

    with (
        dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GiB"}),
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            dashboard_address=":0",
            memory_limit=memory_limit,
            silence_logs=40,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def fitted(rows: Any, y: Any, n_workers: int, **parameters: Any) -> tuple[dict[str, Any], Any]:
    """Fit on so many workers; what it cost, and the labels."""
    from distributed import get_task_stream

    with cluster_of(n_workers) as client:
        classifier = gw.DiffuseInterfaceClassifier(random_state=0, **parameters)
        with get_task_stream(client) as stream:
            began = time.perf_counter()
            classifier.fit(rows, y)
            seconds = time.perf_counter() - began
            labels = classifier.transduction_.compute()
        cost = {
            "workers": n_workers,
            "seconds": {**classifier.timings_, "in all": seconds},
            "sweeps": classifier.n_iter_,
            "recall": classifier.graph_.recall_,
            "halo": sum(size for _, size in classifier.graph_.halos) / len(y),
            "bytes per sweep": bytes_per_sweep(classifier),
            **shares(stream.data, classifier.timings_["descent"]),
        }
        return cost, labels


def shares(stream: list[dict[str, Any]], seconds: float) -> dict[str, float]:
    """Shares of the descent that the busiest worker sweeps, and waits for the states of others."""
    spent: dict[str, dict[str, float]] = {}
    for task in stream:
        if str(task["key"]).startswith(SWEEPING):
            of_worker = spent.setdefault(task["worker"], {"compute": 0.0, "transfer": 0.0})
            for part in task["startstops"]:
                if part["action"] in of_worker:
                    of_worker[part["action"]] += part["stop"] - part["start"]
    busiest = max(spent.values(), key=lambda of_worker: of_worker["compute"])
    sweeping, transfer = busiest["compute"] / seconds, busiest["transfer"] / seconds
    return {"sweeping": sweeping, "transfer": transfer, "scheduling": 1 - sweeping - transfer}


def bytes_per_sweep(classifier: Any) -> int:
    """Bytes that cross between workers in a sweep; an export goes once to each worker that needs it."""
    graph, n_classes = classifier.graph_, len(classifier.classes_)
    homes = graph.tasks.homes
    boundaries = graph.tasks.results(graph.tasks.each("size", len, graph.boundaries))
    needed = {(q, homes[p]) for p, (sources, _) in enumerate(graph.halos) for q in sources}
    return sum(4 * boundaries[q] + 8 * n_classes for q, home in needed if home != homes[q])


def peak_memory() -> int:
    """Largest resident memory of this process so far, in bytes."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


def time_case(name: str, X: Any, truth: Any) -> dict[str, Any]:
    import dask.array as da

    y = gw.datasets.sample_labels(truth, LABELS_PER_CLASS, random_state=0)
    unknown = y < 0
    began = time.perf_counter()
    one = gw.DiffuseInterfaceClassifier(random_state=0, n_jobs=1).fit(X, y)
    seconds = {**one.timings_, "in all": time.perf_counter() - began}
    error = 100 * float((one.transduction_ != truth)[unknown].mean())
    lines = [["one machine, 1 thread", *stage_cells(seconds), f"{error:.3f}", "", "", "", "", ""]]
    costs: list[dict[str, Any]] = [{"workers": 0, "seconds": seconds, "error": error}]
    for n_workers in WORKERS:
        cost, labels = fitted(da.from_array(X, chunks=(-(-len(X) // 8), X.shape[1])), y, n_workers)
        cost["error"] = 100 * float((labels != truth)[unknown].mean())
        costs.append(cost)
        parts = [f"{100 * cost[part]:.0f} %" for part in ("halo", "sweeping", "transfer", "scheduling")]
        moved = f"{cost['bytes per sweep'] / 1e6:.2f} MB"
        cells = [*stage_cells(cost["seconds"]), f"{cost['error']:.3f}", *parts, moved]
        lines.append([f"{n_workers} worker{'s' if n_workers > 1 else ''}", *cells])
    columns = (f"{name}, {len(X):,} x {X.shape[1]}", "graph s", "start s", "descent s", "in all s", "error %")
    show_table("A fit", (*columns, "halo", "sweeping", "transfer", "scheduling", "moved per sweep"), lines)
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
        parts = [f"{100 * cost[part]:.0f} %" for part in ("halo", "sweeping", "transfer", "scheduling")]
        lines.append(
            [f"{n // 2:,}", f"{1000 * sweep:.1f}", *parts, f"{cost['bytes per sweep'] / 1e6:.2f} MB"]
        )
    columns = (
        "rows per block",
        "ms per sweep",
        "halo",
        "sweeping",
        "transfer",
        "scheduling",
        "moved per sweep",
    )
    show_table("Sweeps of two workers", columns, lines)
    return {"case": "scheduling", "costs": costs}


def surface_points(n: int, seed: int) -> Any:
    return surface(n, seed)[0]


def stage_cells(seconds: dict[str, float]) -> list[str]:
    return [f"{seconds[stage]:.1f}" for stage in ("graph", "start", "descent", "in all")]


def parquet_case(rows: int) -> dict[str, Any]:
    """Label a folder of Parquet files on two workers with little memory."""
    from graphwell.jobs.classify_on_cluster import label_folder
    from graphwell.jobs.options import ClassifyOptions

    with tempfile.TemporaryDirectory() as folder, cluster_of(2, MEMORY_LIMIT) as client:
        write_parts(Path(folder) / "in.parquet", rows)
        began = time.perf_counter()
        options = ClassifyOptions(
            table=Path(folder) / "in.parquet", truth="truth", output=Path(folder) / "out.parquet"
        )
        report = label_folder(options, gw.DiffuseInterfaceClassifier(random_state=0))
        seconds = time.perf_counter() - began
        memory = {"client": peak_memory(), **client.run(peak_memory)}
    lines = [[process, f"{value / 2**30:.2f}"] for process, value in memory.items()]
    show_table(f"Parquet, {rows:,} x 32: peak memory", ("process", "GiB"), lines)
    summary = report.to_json()
    accuracy = summary["truth"]["accuracy"]
    print(f"{seconds:.0f} s; {100 * (1 - accuracy):.3f} % wrong; {summary['seconds']}; {summary['notes']}")
    if memory["client"] > CLIENT_LIMIT:
        print("Missed: the client took more than 1 GiB")
    return {
        "case": "parquet",
        "rows": rows,
        "seconds": summary["seconds"],
        "memory": memory,
        "in all": seconds,
    }


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
            found += [] if options.quick else [parquet_case(PARQUET_ROWS)]
        elif case == "scheduling":
            found.append(scheduling_case(SIZES[:1] if options.quick else SIZES))
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
