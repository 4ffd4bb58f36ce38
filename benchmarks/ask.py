"""Which rows to label next: error against the number of questions, every strategy, against the bars.

All that are registered: those of the package, seven more of `ask_strategies`, and peers. Each asks K
questions at a time, K being the number of classes. The default classifier is fitted after K, 2K, 4K and 10K
answers. Strategies that need labels begin at random. Constants were chosen on even seeds.
"""

import multiprocessing
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from benchmarks.ask_strategies import registered
from benchmarks.data import Dataset, available, load_cut
from benchmarks.output import Options, draw_curves, on_one_thread, show_table, write_json
from graphwell import active

SETS = (
    "mnist",
    "mnist/cut",
    "penbased/raw",
    "satimage/raw",
    "texture/raw",
    "optdigits",
    "optdigits/cut",
    "digits",
    "usps_2class/raw",
)
SEEDS = (1, 3, 5, 7, 9)
POINTS = (1, 2, 4, 10)
"""Where the error is measured, in numbers of classes."""
BARS = {
    ("mnist", 1): 2.8,
    ("mnist", 2): 2.6,
    ("mnist", 4): 2.5,
    ("optdigits", 1): 1.6,
    ("optdigits", 2): 1.5,
    ("digits", 1): 5.5,
    ("digits", 2): 3.8,
    ("texture/raw", 1): 4.5,
    ("texture/raw", 2): 4.5,
}
"""Error in % of the rows without an answer."""
OURS, FLOOR = "auto", "random"


@dataclass(frozen=True)
class Run:
    """One strategy on one set with one seed: errors and classes at each point, and what it cost.

    `all_found` is the number of questions after which every class had a label; None if some never had.
    """

    data: str
    strategy: str
    seed: int
    n_classes: int
    errors: list[float]
    found: list[int]
    all_found: int | None
    claimed: list[tuple[float, float]]
    seconds: float

    @property
    def area(self) -> float:
        """Mean error over the points."""
        return float(np.mean(self.errors))


def main(options: Options) -> None:
    """Simulate, print the tables, and write ask.json and ask.png."""
    runs: list[Run] = []
    with on_one_thread():
        for data in available(options.data or SETS, load_cut):
            runs += measured(data, options)
            write_json(options.out / "ask.json", {"runs": [asdict(run) for run in runs]})
    if runs:
        report(runs)
        names = dict.fromkeys(run.strategy for run in runs)
        panels = {
            data: {
                name: (
                    [times * own[0].n_classes for times in POINTS],
                    np.mean([r.errors for r in own], axis=0),
                )
                for name in names
                if (own := of(runs, data, name))
            }
            for data in dict.fromkeys(run.data for run in runs)
        }
        draw_curves(options.out / "ask.png", panels, "questions", {OURS: "black", FLOOR: "0.6"})


def measured(data: Dataset, options: Options) -> list[Run]:
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


def _simulated(task: tuple[str, int]) -> Run:
    name, seed = task
    data, n_classes = _shared, len(np.unique(_shared.y))
    points = [times * n_classes for times in POINTS]
    began = time.perf_counter()
    curve = active.simulate(
        data.graph, data.y, name, points[-1], n_classes, seed, measured_at=points, n_jobs=1
    )
    seconds = time.perf_counter() - began
    firsts = [int(np.flatnonzero(data.y[curve.rows] == c)[0]) + 1 for c in np.unique(data.y[curve.rows])]
    return Run(
        data.name,
        name,
        seed,
        n_classes,
        [float(100 * error) for error in curve.errors],
        curve.n_classes_found.tolist(),
        max(firsts) if len(firsts) == n_classes else None,
        [estimate.interval for estimate in curve.estimates],
        seconds,
    )


def report(runs: Sequence[Run]) -> None:
    """Print errors, areas, classes found, bars, and how often the claimed accuracy held."""
    names = list(dict.fromkeys(run.strategy for run in runs))
    columns = ["strategy", *(f"{times}K" for times in POINTS), "area", "found", "all found after", "seconds"]
    for data in dict.fromkeys(run.data for run in runs):
        rows = [_row(name, of(runs, data, name)) for name in names]
        show_table(f"{data}: error in %, mean of the seeds", columns, rows)
    show_table("Mean area over all sets", ["strategy", "area"], _areas(runs, names))
    show_table("Bars", ["row", "reached", "bar", ""], list(_bars(runs)))
    show_table(f"{OURS} behind {FLOOR} by more than a standard error", ["row", "points"], list(_behind(runs)))
    held = [low <= 1 - error / 100 <= high for run in runs for error, (low, high) in
            zip(run.errors, run.claimed, strict=True) if run.strategy == OURS]  # fmt: skip
    if held:
        print(f"The claimed interval of the accuracy held the truth in {100 * np.mean(held):.0f} % "
              f"of {len(held)} cases ({OURS}; 90 % are claimed).")  # fmt: skip


def of(runs: Iterable[Run], data: str, strategy: str) -> list[Run]:
    """The runs of a strategy on a set."""
    return [run for run in runs if (run.data, run.strategy) == (data, strategy)]


def _row(name: str, runs: Sequence[Run]) -> list[str]:
    errors = np.mean([run.errors for run in runs], axis=0)
    after = [run.all_found for run in runs if run.all_found is not None]
    shown = f"{np.mean(after):.0f}" if len(after) == len(runs) else f"{len(after)} of {len(runs)} runs"
    return [
        name,
        *(f"{error:.2f}" for error in errors),
        f"{np.mean([run.area for run in runs]):.2f}",
        f"{np.mean([run.found[0] for run in runs]):.1f} of {runs[0].n_classes}",
        shown,
        f"{np.median([run.seconds for run in runs]):.1f}",
    ]


def _areas(runs: Sequence[Run], names: Sequence[str]) -> list[list[str]]:
    """Strategies by mean area, on the sets that all of them were run on."""
    sets = {data for data in {run.data for run in runs} if all(of(runs, data, name) for name in names)}
    areas = {n: np.mean([r.area for r in runs if r.strategy == n and r.data in sets]) for n in names}
    return [[name, f"{area:.2f}"] for name, area in sorted(areas.items(), key=lambda item: item[1])]


def _bars(runs: Sequence[Run]) -> Iterable[list[str]]:
    for (data, times), bar in BARS.items():
        errors = [run.errors[POINTS.index(times)] for run in of(runs, data, OURS)]
        if errors:
            met = "met" if np.mean(errors) <= bar else "MISSED"
            yield [f"{data}, {times}K", f"{np.mean(errors):.2f}", f"{bar:g}", met]
    for data in dict.fromkeys(run.data for run in runs if run.data.endswith("/cut")):
        ours, chance = of(runs, data, OURS), of(runs, data, FLOOR)
        after = [run.all_found for run in ours if run.all_found is not None]
        needs = [run.all_found or POINTS[-1] * run.n_classes for run in chance]
        if ours and chance:
            met = "met" if len(after) == len(ours) and np.mean(after) <= np.mean(needs) / 2 else "MISSED"
            shown = f"{np.mean(after):.0f}" if after else "never"
            yield [f"{data}, all classes after", shown, f"half of {np.mean(needs):.0f}", met]


def _behind(runs: Sequence[Run]) -> Iterable[list[str]]:
    for data in dict.fromkeys(run.data for run in runs):
        ours, chance = ([run.errors for run in of(runs, data, name)] for name in (OURS, FLOOR))
        if not ours or not chance:
            continue
        gap = np.mean(ours, axis=0) - np.mean(chance, axis=0)
        doubt = np.sqrt((np.var(ours, axis=0) + np.var(chance, axis=0)) / len(ours))
        for times, points, error in zip(POINTS, gap, doubt, strict=True):
            if points > error:
                yield [f"{data}, {times}K", f"{points:.2f} ± {error:.2f}"]
