"""Every method on the same graphs and labels, and the clusterers without any: error, seconds and memory.

Every row of figures is appended to company.jsonl as it is found; a run that was stopped goes on from there.
"""

import json
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import DataMissingError, Dataset, load
from benchmarks.output import Options, show_table
from graphwell import DiffuseInterfaceClustering, methods
from graphwell._types import FloatArray, IntArray
from graphwell.datasets import sample_labels
from graphwell.estimators.methods.base import Clusterer
from graphwell.memory import in_words, peak_memory
from graphwell.metrics import matched_error, unlabelled_error

SETS = ("two_moons", "three_moons", "digits", "optdigits", "segment", "satimage", "mnist")
RATES = (0, 1, 5, 20)
"""Labels per class; 0 for the clusterers alone."""
SEEDS = (1, 3, 5)
OURS = "diffuse interface clusters"


@dataclass(frozen=True)
class Job:
    """One method on one label set of one data set."""

    data: str
    rate: int
    seed: int
    method: str


def main(options: Options) -> None:
    """Measure what is not in company.jsonl yet, print the tables, and draw the picture."""
    path = options.out / "company.jsonl"
    found = read(path)
    jobs = [job for job in planned(options) if job not in found]
    with path.open("a") as file:
        for record in each(jobs, options.processes):
            file.write(json.dumps(record) + "\n")
            file.flush()
    report(list(read(path).values()), options.out)


def planned(options: Options) -> list[Job]:
    """All jobs, the largest set first and on one label set alone."""
    names = options.data or SETS
    seeds = options.seeds or (SEEDS[:1] if options.quick else SEEDS)
    return [
        Job(name, rate, seed, method)
        for seed in seeds
        for name in reversed(SETS)
        if name in names and (seed == seeds[0] or name != SETS[-1])
        for rate in RATES
        for method in taking_part(name, clusterers() if rate == 0 else [*methods()])
    ]


def clusterers() -> list[str]:
    """Methods that need no label."""
    return [OURS, *(name for name, entry in methods().items() if issubclass(entry.classifier, Clusterer))]


def taking_part(data: str, names: list[str]) -> list[str]:
    """Those of the methods that can tell the classes apart."""
    known = methods()
    return [n for n in names if n == OURS or known[n].most_classes is None or data == "two_moons"]


def each(jobs: list[Job], processes: int) -> Iterator[dict[str, Any]]:
    """The figures of each job, in any order."""
    if processes == 1:
        yield from map(measured, jobs)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed

    with ProcessPoolExecutor(processes) as pool:
        for future in as_completed([pool.submit(measured, job) for job in jobs]):
            yield future.result()


_loaded: dict[tuple[str, int], Dataset] = {}


def data_of(job: Job) -> Dataset:
    """The data set, kept with its graph from one job to the next; moons are drawn anew by each seed."""
    key = (job.data, job.seed if "moons" in job.data else 0)
    if key not in _loaded:
        _loaded.clear()
        _loaded[key] = moons(*key) if "moons" in job.data else load(job.data)
    return _loaded[key]


def moons(name: str, seed: int) -> Dataset:
    """Two or three moons in 100 dimensions."""
    from graphwell import datasets

    make = datasets.make_two_moons if name == "two_moons" else datasets.make_three_moons
    return Dataset(name, *make(random_state=seed))


def measured(job: Job) -> dict[str, Any]:
    """Error, seconds and memory of one job; a sentence where the method refuses."""
    from threadpoolctl import threadpool_limits

    record: dict[str, Any] = dict(vars(job))
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            data = data_of(job)
            data.graph.S  # noqa: B018 - made before the clock runs
            with peak_memory() as peak:
                began = time.perf_counter()
                error = fitted_error(job, data)
                record["seconds"] = round(time.perf_counter() - began, 3)
            return {**record, "error": round(100 * error, 3), "bytes": peak()}
        except (DataMissingError, ValueError) as problem:
            return {**record, "refused": str(problem)}


def fitted_error(job: Job, data: Dataset) -> float:
    """Share of wrong rows: of those without a label, or under the best matching of clusters."""
    n_classes = int(data.y.max()) + 1
    if job.method == OURS:
        return matched_error(_up(clusters_of_ours(n_classes, data, job.seed)), data.y)
    entry = methods()[job.method]
    made = entry(n_jobs=1)
    told: dict[str, Any] = {"random_state": job.seed} if "random_state" in made.get_params() else {}
    if job.rate == 0:
        return matched_error(made.set_params(n_clusters=n_classes, **told).fit_predict(data.graph), data.y)
    if entry.told_sizes:
        told["class_prior"] = data.shares
    given = sample_labels(data.y, job.rate, job.seed)
    labels = made.set_params(**told).fit(data.graph, given).transduction_
    return unlabelled_error(labels, data.y, given >= 0)


def clusters_of_ours(n_classes: int, data: Dataset, seed: int) -> IntArray:
    """Clusters by graphwell without any label."""
    found = DiffuseInterfaceClustering(n_classes, n_jobs=1, random_state=seed).fit_predict(data.graph)
    return np.asarray(found)


def _up(clusters: IntArray) -> IntArray:
    """Rows of no cluster as one more, which no class is matched to unless one is left over."""
    return np.where(clusters < 0, clusters.max() + 1, clusters)


def read(path: Path) -> dict[Job, dict[str, Any]]:
    """The records of a file."""
    lines = path.read_text().splitlines() if path.is_file() else []
    records = [json.loads(line) for line in lines]
    return {Job(r["data"], r["rate"], r["seed"], r["method"]): r for r in records}


def report(records: list[dict[str, Any]], out: Path) -> None:
    """Print a table for each number of labels, and draw one picture."""
    for rate in RATES:
        here = [r for r in records if r["rate"] == rate]
        if here:
            names, rows = table_of(here)
            title = f"Error in %, {rate} labels per class" if rate else "Error in %, no label"
            show_table(title, ["method", *names], rows)
    show_table("The largest set", ["method", "labels", "seconds", "memory"], largest(records))
    draw(records, out / "company.png")


def table_of(records: list[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Data sets, and a row of mean errors for each method, best first."""
    names = [name for name in SETS if any(r["data"] == name for r in records)]
    found = {m: [errors_of(records, m, name) for name in names] for m in {r["method"] for r in records}}
    ranked = sorted(found, key=lambda m: float(np.mean([e.mean() if len(e) else 100.0 for e in found[m]])))
    return names, [[m, *(f"{e.mean():.1f}" if len(e) else "-" for e in found[m])] for m in ranked]


def errors_of(records: list[dict[str, Any]], method: str, data: str) -> FloatArray:
    """Errors of a method on a data set; empty where it refused."""
    here = [r for r in records if (r["method"], r["data"]) == (method, data)]
    return np.array([r["error"] for r in here if "error" in r])


def largest(records: list[dict[str, Any]]) -> list[list[str]]:
    """Seconds and memory on the last set that was measured, and what was refused."""
    last = [name for name in SETS if any(r["data"] == name for r in records)][-1]
    rows = []
    for record in records:
        if record["data"] == last and record["seed"] == min(r["seed"] for r in records):
            cost = (
                [f"{record['seconds']:.1f}", in_words(record["bytes"] or 0)]
                if "error" in record
                else ["", ""]
            )
            said = [] if "error" in record else [record["refused"]]
            rows.append([record["method"], str(record["rate"]), *(said + cost)[:2]])
    return rows


def draw(records: list[dict[str, Any]], path: Path) -> None:
    """Error against the number of labels, a panel for each data set."""
    from graphwell.view import plots

    names = [name for name in SETS if any(r["data"] == name for r in records)]
    figure, panels = plots.new_figure(4, width=2.4, height=2.1, rows=-(-len(names) // 4))
    for panel in panels[len(names) :]:
        panel.set_visible(False)
    for panel, name in zip(panels, names, strict=False):
        for method in sorted({r["method"] for r in records}):
            points = [
                (place, float(errors.mean()))
                for place, rate in enumerate(RATES[1:])
                if len(errors := errors_of([r for r in records if r["rate"] == rate], method, name))
            ]
            ours = method == "diffuse interface"
            style = {"color": "#c0392b", "linewidth": 2.2, "zorder": 3} if ours else {"color": "0.7"}
            if points:
                panel.plot(*zip(*points, strict=True), **style)
        panel.set_title(name, fontsize=9)
        panel.set_xticks(range(len(RATES) - 1), [str(rate) for rate in RATES[1:]])
        panel.set_ylim(bottom=0)
    plots.save(figure, path)
