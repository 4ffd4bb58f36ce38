"""Every method on the same graphs and labels, and the clusterers without any: error, seconds and memory.

Every row of figures is appended to company.jsonl as it is found; a run that was stopped goes on from there.
"""

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import DataMissingError, Dataset, load
from benchmarks.output import Options, draw_curves, on_one_thread, resumed, show_table
from graphwell import DiffuseInterfaceClustering, datasets, methods
from graphwell._types import FloatArray
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
    report(resumed(path, measured, planned(options), options.processes), options.out)


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


_loaded: dict[tuple[str, int], Dataset] = {}


def data_of(job: Job) -> Dataset:
    """The data set, kept with its graph from one job to the next; moons are drawn anew by each seed."""
    key = (job.data, job.seed if "moons" in job.data else 0)
    if key not in _loaded:
        _loaded.clear()
        made = getattr(datasets, f"make_{job.data}") if "moons" in job.data else None
        _loaded[key] = Dataset(job.data, *made(random_state=job.seed)) if made else load(job.data)
    return _loaded[key]


@on_one_thread()
def measured(job: Job) -> dict[str, Any]:
    """Error, seconds and memory of one job; a sentence where the method refuses."""
    record: dict[str, Any] = asdict(job)
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
        ours = DiffuseInterfaceClustering(n_classes, n_jobs=1, random_state=job.seed)
        clusters = np.asarray(ours.fit_predict(data.graph))
        # rows of no cluster are one more, which no class is matched to unless one is left over
        return matched_error(np.where(clusters < 0, clusters.max() + 1, clusters), data.y)
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


def report(records: list[dict[str, Any]], out: Path) -> None:
    """Print a table for each number of labels, and draw one picture."""
    for rate in RATES:
        here = [r for r in records if r["rate"] == rate]
        if here:
            names, rows = table_of(here)
            title = f"Error in %, {rate} labels per class" if rate else "Error in %, no label"
            show_table(title, ["method", *names], rows)
    show_table("The largest set", ["method", "labels", "seconds", "memory"], largest(records))
    panels: dict[str, Any] = {}
    for name in names_of(records):
        found = {
            method: [
                (rate, float(errors.mean()))
                for rate in RATES[1:]
                if len(errors := errors_of([r for r in records if r["rate"] == rate], method, name))
            ]
            for method in sorted({r["method"] for r in records})
        }
        panels[name] = {m: tuple(zip(*points, strict=True)) for m, points in found.items() if points}
    bold = {"diffuse interface": "#c0392b"}
    draw_curves(out / "company.png", panels, "labels per class", bold, grey=True)


def names_of(records: list[dict[str, Any]]) -> list[str]:
    """The sets that were measured."""
    return [name for name in SETS if any(r["data"] == name for r in records)]


def table_of(records: list[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Data sets, and a row of mean errors for each method, best first."""
    names = names_of(records)
    found = {m: [errors_of(records, m, name) for name in names] for m in {r["method"] for r in records}}
    ranked = sorted(found, key=lambda m: float(np.mean([e.mean() if len(e) else 100.0 for e in found[m]])))
    return names, [[m, *(f"{e.mean():.1f}" if len(e) else "-" for e in found[m])] for m in ranked]


def errors_of(records: list[dict[str, Any]], method: str, data: str) -> FloatArray:
    """Errors of a method on a data set; empty where it refused."""
    here = [r for r in records if (r["method"], r["data"]) == (method, data)]
    return np.array([r["error"] for r in here if "error" in r])


def largest(records: list[dict[str, Any]]) -> list[list[str]]:
    """Seconds and memory on the last set that was measured, and what was refused."""
    last = names_of(records)[-1]
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
