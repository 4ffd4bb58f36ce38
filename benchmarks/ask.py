"""Which rows to label next: error against the number of questions, every strategy, against the bars.

Those of the package beside those of scikit-activeml. Each asks K questions at a time, K being the number of
classes. The graph alone is fitted after K, 2K, 4K and 10K answers. Constants were chosen on even seeds.
"""

import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.data import Dataset, load
from benchmarks.output import Options, resumed, show_frame, verdict
from graphwell import active, errors
from graphwell.active import Query, Question

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
PEERS = ("TypiClust", "CoreSet")
"""Strategies of scikit-activeml."""
LARGE = ("mnist", "mnist/cut")
"""Sets on which these are not run: they need all pairs of rows."""


def ask(options: Options) -> None:
    """Simulate what is not in ask.jsonl yet, and print the tables."""
    peers = PEERS if find_spec("skactiveml") else ()
    jobs = [
        {"data": data, "name": name, "seed": seed}
        for data in options.data or SETS
        for name in [*active.strategies(), *peers]
        for seed in options.seeds or (SEEDS[:2] if options.quick else SEEDS)
        if not (name in peers and (data in LARGE or options.quick))
    ]
    report(resumed("ask", measured, jobs, options))


def measured(data: str, name: str, seed: int) -> dict[str, Any]:
    """Errors and classes at each point, and what it cost.

    `all_found` is the number of questions after which every class had a label; None if some never had.
    """
    rows = load(data)
    n_classes = len(np.unique(rows.y))
    points = [times * n_classes for times in POINTS]
    rows.graph.S  # noqa: B018 - made before the clock runs
    choose: Any = skactiveml(rows, name) if name in PEERS else name
    session = active.Session(rows.graph, strategy=choose, random_state=seed, n_jobs=1)
    asked: list[int] = []
    errors_at, found_at, claimed = [], [], []
    began = time.perf_counter()
    for _ in range(POINTS[-1]):
        more = session.suggest(n_classes).rows
        session.answer(more, rows.y[more])
        asked += more.tolist()
        if len(asked) in points:
            with warnings.catch_warnings():
                for kind in (errors.BridgedWarning, errors.LabelWarning, errors.UnreachableWarning):
                    warnings.simplefilter("ignore", kind)  # such rows are counted, too
                labels = session.fit().transduction_
            errors_at.append(100 * float(np.delete(labels != rows.y, asked).mean()))
            found_at.append(len(np.unique(rows.y[asked])))
            claimed.append(session.accuracy().interval)
    seconds = time.perf_counter() - began
    firsts = np.unique(rows.y[asked], return_index=True)[1]
    return {
        "n_classes": n_classes, "errors": errors_at,
        "area": float(np.mean(errors_at)), "found": found_at,
        "all_found": int(firsts.max()) + 1 if len(firsts) == n_classes else None,
        "claimed": claimed, "seconds": seconds,
    }  # fmt: skip


def report(runs: pd.DataFrame) -> None:
    """Print errors, areas, classes found, bars, and how often the claimed accuracy held."""
    errors = [f"{times}K" for times in POINTS]
    runs = runs.assign(**dict(zip(errors, np.array(runs.errors.tolist()).T, strict=True)))
    runs["found at K"] = [found[0] for found in runs.found]
    for data, here in runs.groupby("data", sort=False):
        means = here.groupby("name", sort=False)[[*errors, "area", "found at K", "all_found", "seconds"]]
        show_frame(f"{data}: error in %, mean of the seeds", means.mean())
    # over the sets that all were run on
    areas = runs.pivot_table("area", "name", "data").dropna(axis=1).mean(axis=1)
    show_frame("Mean area over all sets", areas.sort_values().to_frame("area"))
    show_frame("Bars", pd.DataFrame(bars(runs)).set_index("row"))
    own = runs[runs.name == OURS]
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
    found: list[tuple[str, float, float]] = []
    for (data, times), bar in BARS.items():
        here = runs[(runs.data == data) & (runs.name == OURS)]
        if len(here):
            error = np.mean(here.errors.tolist(), axis=0)[POINTS.index(times)]
            found.append((f"{data}, {times}K", float(error), bar))
    for data, here in runs[runs.data.str.endswith("/cut")].groupby("data", sort=False):
        needed = here.all_found.astype(float)
        mean = needed.fillna(here.n_classes * POINTS[-1]).groupby(here.name).mean()
        if {OURS, FLOOR} <= set(mean.index):
            always = needed[here.name == OURS].notna().all()
            found.append((f"{data}, all classes after", mean[OURS] if always else np.inf, mean[FLOOR] / 2))
    rows = [{"row": row, "reached": r, "bar": bar, "met": verdict(r, bar)} for row, r, bar in found]
    return rows or [{"row": "none"}]


def skactiveml(data: Dataset, name: str) -> Callable[[Query, int], list[Question]]:
    from skactiveml import pool

    def choose(query: Query, n: int) -> list[Question]:
        labels = np.where(query.labels >= 0, query.labels.astype(float), np.nan)
        X = data.X[query.rows]
        made = getattr(pool, name)(random_state=query.seed)
        return [Question(int(row), "scikit-activeml") for row in made.query(X, labels, batch_size=n)]

    return choose
