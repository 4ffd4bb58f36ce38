"""Which rows to label next: error against the number of questions, every strategy, against the bars.

Those of the package beside those of graphlearning and scikit-activeml. Each asks K questions at a time, K
being the number of classes. The default classifier is fitted after K, 2K, 4K and 10K answers. Strategies that
need labels begin at random. Constants were chosen on even seeds.
"""

import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from benchmarks.data import Dataset, available
from benchmarks.output import Options, on_one_thread, show_frame, write_json
from graphwell import active
from graphwell.active import Query, Question, forget, strategy

SETS = (
    "mnist", "mnist/cut", "penbased/raw", "satimage/raw", "texture/raw", "optdigits", "optdigits/cut",
    "digits", "usps_2class/raw",
)  # fmt: skip
SEEDS = (1, 3, 5, 7, 9)
POINTS = (1, 2, 4, 10)
"""Where the error is measured, in numbers of classes."""
BARS = {
    ("mnist", 1): 2.8, ("mnist", 2): 2.6, ("mnist", 4): 2.5, ("optdigits", 1): 1.6, ("optdigits", 2): 1.5,
    ("digits", 1): 5.5, ("digits", 2): 3.8, ("texture/raw", 1): 4.5, ("texture/raw", 2): 4.5,
}  # fmt: skip
"""Error in % of the rows without an answer."""
OURS, FLOOR = "auto", "random"
LARGEST_FOR_PEERS = 12_000
"""Rows up to which other libraries are run: beyond, they need all pairs of rows, or minutes a batch."""
EIGENVECTORS = 100

Choose: TypeAlias = Callable[[Query, int], list[Question]]


def ask(options: Options) -> None:
    """Simulate, print the tables, and write ask.json."""
    runs: list[dict[str, Any]] = []
    with on_one_thread():
        for data in available(options.data or SETS):
            runs += measured(data, options)
            write_json(options.out / "ask.json", {"runs": runs})
    if runs:
        report(pd.DataFrame(runs))


def measured(data: Dataset, options: Options) -> list[dict[str, Any]]:
    """All strategies and seeds on one set, in processes that share its graph."""
    began = time.perf_counter()
    print(f"{data.name}: {data.graph}", flush=True)
    with registered(data, quick=options.quick):
        names = options.strategies or list(active.strategies())
        seeds = options.seeds or (SEEDS[:2] if options.quick else SEEDS)
        global _shared
        _shared = data
        _simulated((OURS, seeds[0]))  # compiles, and warms up what the processes inherit
        tasks = [(name, seed) for name in names for seed in seeds]
        with multiprocessing.get_context("fork").Pool(options.processes) as pool:
            runs = pool.map(_simulated, tasks, chunksize=1)
    print(f"{data.name}: {len(runs)} runs in {time.perf_counter() - began:.0f} s", flush=True)
    return runs


_shared: Dataset


def _simulated(task: tuple[str, int]) -> dict[str, Any]:
    """One strategy with one seed: errors and classes at each point, and what it cost.

    `all_found` is the number of questions after which every class had a label; None if some never had.
    """
    name, seed = task
    data, n_classes = _shared, len(np.unique(_shared.y))
    points = [times * n_classes for times in POINTS]
    began = time.perf_counter()
    curve = active.simulate(
        data.graph, data.y, name, points[-1], n_classes, seed, measured_at=points, n_jobs=1
    )
    seconds = time.perf_counter() - began
    firsts = np.unique(data.y[curve.rows], return_index=True)[1]
    errors = [float(100 * error) for error in curve.errors]
    return {
        "data": data.name, "strategy": name, "seed": seed, "n_classes": n_classes, "errors": errors,
        "area": float(np.mean(errors)), "found": curve.n_classes_found.tolist(),
        "all_found": int(firsts.max()) + 1 if len(firsts) == n_classes else None,
        "claimed": [estimate.interval for estimate in curve.estimates], "seconds": seconds,
    }  # fmt: skip


def report(runs: pd.DataFrame) -> None:
    """Print errors, areas, classes found, bars, and how often the claimed accuracy held."""
    errors = [f"{times}K" for times in POINTS]
    runs = runs.assign(**dict(zip(errors, np.array(runs.errors.tolist()).T, strict=True)))
    runs["found at K"] = [found[0] for found in runs.found]
    for data, here in runs.groupby("data", sort=False):
        means = here.groupby("strategy", sort=False)[[*errors, "area", "found at K", "all_found", "seconds"]]
        table = means.mean()
        table["runs that found all"] = [f"{each.all_found.count()} of {len(each)}" for _, each in means]
        show_frame(f"{data}: error in %, mean of the seeds", table)
    # over the sets that all were run on
    areas = runs.pivot_table("area", "strategy", "data").dropna(axis=1).mean(axis=1)
    show_frame("Mean area over all sets", areas.sort_values().to_frame("area"))
    show_frame("Bars", pd.DataFrame(bars(runs)).set_index("row"))
    own = runs[runs.strategy == OURS]
    held = [
        low <= 1 - error / 100 <= high
        for errors, claimed in zip(own.errors, own.claimed, strict=True)
        for error, (low, high) in zip(errors, claimed, strict=True)
    ]
    if held:
        print(f"The claimed interval of the accuracy held the truth in {100 * np.mean(held):.0f} % "
              f"of {len(held)} cases ({OURS}; 90 % are claimed).")  # fmt: skip


def bars(runs: pd.DataFrame) -> list[dict[str, Any]]:
    """Errors beside their bars; on cut sets all classes must be found in half of the questions of chance."""
    rows = []
    for (data, times), bar in BARS.items():
        here = runs[(runs.data == data) & (runs.strategy == OURS)]
        if len(here):
            error = np.mean(here.errors.tolist(), axis=0)[POINTS.index(times)]
            rows.append({"row": f"{data}, {times}K", "reached": error, "bar": bar, "met": error <= bar})
    for data, here in runs[runs.data.str.endswith("/cut")].groupby("data", sort=False):
        most = here.n_classes * POINTS[-1]
        needed = (
            here.assign(all_found=here.all_found.astype(float).fillna(most)).groupby("strategy").all_found
        )
        mean, always = needed.mean(), here[here.strategy == OURS].all_found.notna().all()
        if {OURS, FLOOR} <= set(mean.index):
            bar = mean[FLOOR] / 2
            met = always and mean[OURS] <= bar
            rows.append({"row": f"{data}, all classes after", "reached": mean[OURS], "bar": bar, "met": met})
    return [{**row, "met": "met" if row["met"] else "MISSED"} for row in rows] or [{"row": "none"}]


@contextmanager
def registered(data: Dataset, quick: bool = False) -> Iterator[None]:
    """Register the peers that are installed, where the data is small enough; forget them in the end."""
    added: dict[str, tuple[int, Choose]] = {}
    if len(data.y) <= LARGEST_FOR_PEERS and not quick:
        for library in (_graphlearning, _scikit_activeml):
            try:
                added |= library(data)
            except ImportError as error:
                print(f'{error}; get it by pip install "graphwell[bench]".')
    for name, (needs_labels, choose) in added.items():
        strategy(name, "of the benchmark", needs_labels=needs_labels)(choose)
    try:
        yield
    finally:
        for name in added:
            forget(name)


def _graphlearning(data: Dataset) -> dict[str, tuple[int, Choose]]:
    import graphlearning as gl
    from graphlearning import active_learning as al
    from scipy.sparse.linalg import eigsh

    first, k = np.ones(len(data.y)), min(EIGENVECTORS, len(data.y) - 2)
    values, vectors = eigsh(data.graph.S, k=k, which="LA", v0=first)
    spectral = {"C": np.diag(1 / (1 - values + 0.01)), "V": vectors}

    def chooser(acquisition: Any, **given: Any) -> Choose:
        def choose(query: Query, n: int) -> list[Question]:
            known, model = np.flatnonzero(query.labels >= 0), gl.ssl.laplace(data.graph.W)
            learner = al.active_learner(model, acquisition, known, query.labels[known], **given)
            rows = learner.select_queries(batch_size=n)
            return [Question(int(row), "graphlearning") for row in rows]

        return choose

    return {
        "graphlearning margin": (2, chooser(al.unc_sampling)),
        "graphlearning vopt": (2, chooser(al.var_opt, **spectral)),
        "graphlearning sigma": (2, chooser(al.sigma_opt, **spectral)),
        "graphlearning model change": (2, chooser(al.model_change, **spectral)),
    }


def _scikit_activeml(data: Dataset) -> dict[str, tuple[int, Choose]]:
    from skactiveml.pool import CoreSet, TypiClust

    def chooser(make: Any) -> Choose:
        def choose(query: Query, n: int) -> list[Question]:
            labels = np.where(query.labels >= 0, query.labels.astype(float), np.nan)
            rows = make(random_state=query.seed).query(data.X, labels, batch_size=n)
            return [Question(int(row), "scikit-activeml") for row in rows]

        return choose

    return {
        "scikit-activeml TypiClust": (0, chooser(TypiClust)),
        "scikit-activeml CoreSet": (0, chooser(CoreSet)),
    }
