"""Labels as users give them: one per class, at random, uneven, and more of them; against the bars."""

import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import lru_cache

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.data import DataMissingError, Dataset, load_cut
from benchmarks.labels_report import BEFORE, RATES, SEEDS, Run, report
from benchmarks.output import Options, show_table, write_json
from graphwell import DiffuseInterfaceClassifier
from graphwell._random import stream
from graphwell._types import FloatArray, IntArray
from graphwell.backends import find_backend
from graphwell.datasets import sample_labels
from graphwell.estimators.methods import LaplaceLearning
from graphwell.solve.fit import Recipe, fit
from graphwell.solve.problem import Problem

WORST_SEEDS, MORE_SEEDS = range(20), range(10)
RATES_OF_MNIST = ("2", "10", "50", "700")
RATES_WITH_SIZES = ("1", "5", "r4")
LARGE = ("mnist", "letter/raw", "mnist/cut")
"""Sets that begin first where several processes share the work."""


@dataclass(frozen=True)
class Task:
    """The fits of one label set."""

    data: str
    rate: str
    seed: int


def main(options: Options) -> None:
    """Fit every row, print the tables, and write labels.json."""
    names = [name for name in options.data or BEFORE if _is_there(name)]
    runs = measured(tasks_for(names, options), options.processes)
    more = more_labels(options) if "digits" in names else []
    content = {"runs": [asdict(run) for run in runs], "more_labels": more}
    write_json(options.out / "labels.json", content)
    report(runs)
    if more:
        show_table("Right labels more, digits, % right", ["labels", "right"], _rows_of(more))


def tasks_for(names: Sequence[str], options: Options) -> list[Task]:
    """The label sets of every row, those of large data sets first."""
    names = sorted(names, key=lambda name: name not in LARGE)
    return [Task(*each) for name in names for each in _label_sets(name, options)]


def _label_sets(name: str, options: Options) -> Iterator[tuple[str, str, int]]:
    for rate in (*RATES, *(RATES_OF_MNIST if name == "mnist" else ())):
        seeds = WORST_SEEDS if (name, rate) == ("mnist", "1") else SEEDS
        chosen = options.seeds or (seeds[1:4:2] if options.quick else seeds)
        yield from ((name, rate, seed) for seed in chosen)


def measured(tasks: Sequence[Task], processes: int = 1) -> list[Run]:
    """Run the tasks, in several processes if that is asked for; sets with one class only are left out."""
    if processes == 1:
        found = [_run(task) for task in tasks]
    else:
        with ProcessPoolExecutor(processes) as pool:
            found = list(pool.map(_run, tasks))
    return [run for run in found if run is not None]


def _is_there(name: str) -> bool:
    try:
        load_cut(name)
    except DataMissingError as missing:
        print(f"{name} is left out: {missing}")
        return False
    return True


@lru_cache(maxsize=2)
def _loaded(name: str) -> Dataset:
    return load_cut(name)


def _run(task: Task) -> Run | None:
    data = _loaded(task.data)
    given = drawn(data.y, task.rate, task.seed)
    if len(np.unique(given[given >= 0])) < 2:
        return None
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows of unseen classes are counted as what they are: wrong
        return _fits(data, given, task)


def _fits(data: Dataset, given: IntArray, task: Task) -> Run:
    unknown = given < 0
    began = time.perf_counter()
    clf = DiffuseInterfaceClassifier(n_jobs=1, random_state=0).fit(data.graph, given)
    seconds = time.perf_counter() - began
    laplace = LaplaceLearning(n_jobs=1).fit(data.graph.sharpened(2.0), given)
    areas = [
        risk_coverage(scores[unknown], (labels != data.y)[unknown])
        for scores, labels in (
            (clf.label_distributions_, clf.transduction_),
            start_of(data, given),
            (laplace.label_distributions_, laplace.transduction_),
        )
    ]
    return Run(
        **asdict(task),
        error=float(100 * (clf.transduction_ != data.y)[unknown].mean()),
        error_with_sizes=with_sizes(data, given) if task.rate in RATES_WITH_SIZES else None,
        area=areas[0],
        start_area=areas[1],
        laplace_area=areas[2],
        seconds=seconds,
        status=clf.result_.status.name,
    )


def start_of(data: Dataset, given: IntArray) -> tuple[FloatArray, IntArray]:
    """Scores and labels of the start by itself."""
    classes = np.unique(given[given >= 0])
    labels = np.where(given >= 0, np.searchsorted(classes, given), -1)
    problem = Problem(data.graph, labels, len(classes))
    recipe, backend = Recipe(time=0.0, coarse=False), find_backend("cpu", n_jobs=1)
    fitted = fit(backend, problem, recipe, rng=stream(0, "start"))
    return np.asarray(fitted.engine.shares(fitted.scores)), classes[fitted.result.labels]


def with_sizes(data: Dataset, given: IntArray) -> float | None:
    """Error if the true class sizes are given; None if a class has no label."""
    if len(np.unique(given[given >= 0])) < len(data.shares):
        return None
    sizes = {c: float(share) for c, share in enumerate(data.shares)}
    clf = DiffuseInterfaceClassifier(n_jobs=1, random_state=0, class_prior=sizes).fit(data.graph, given)
    return float(100 * (clf.transduction_ != data.y)[given < 0].mean())


def drawn(y: IntArray, rate: str, seed: int) -> IntArray:
    """Labels of a rate: ``"5"`` is five per class, ``"r4"`` is four times the classes, at random."""
    if not rate.startswith("r"):
        return sample_labels(y, int(rate), seed)
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(y), int(rate[1:]) * len(np.unique(y)), replace=False)
    given = np.full(len(y), -1)
    given[chosen] = y[chosen]
    return given


def risk_coverage(scores: FloatArray, wrong: IntArray) -> float:
    """Area under the risk-coverage curve in %: mean error of the surest rows, over all their numbers.

    Examples
    --------
    >>> risk_coverage(np.array([[0.9, 0.1], [0.6, 0.4]]), np.array([False, True]))
    25.0
    """
    ranked = np.sort(scores, axis=1)
    order = np.argsort(ranked[:, -2] - ranked[:, -1], kind="stable")
    return float(100 * (np.cumsum(wrong[order]) / np.arange(1, len(order) + 1)).mean())


def more_labels(options: Options) -> list[list[float]]:
    """Share right from one label per class, with ten more at the doubtful rows, and with ten at random."""
    seeds = MORE_SEEDS[:3] if options.quick else MORE_SEEDS
    if options.processes == 1:
        return [_with_more(seed) for seed in seeds]
    with ProcessPoolExecutor(options.processes) as pool:
        return list(pool.map(_with_more, seeds))


def _with_more(seed: int) -> list[float]:
    data = _loaded("digits")
    given = sample_labels(data.y, 1, seed)
    clf = DiffuseInterfaceClassifier(n_jobs=1, random_state=0).fit(data.graph, given)
    rng = np.random.default_rng(seed + 100)
    some = rng.choice(np.flatnonzero(given < 0), 10, replace=False)
    choices: tuple[list[int], ...] = ([], clf.doubtful(10).tolist(), some.tolist())
    return [_right(data, given, more) for more in choices]


def _right(data: Dataset, given: IntArray, more: list[int]) -> float:
    labels = given.copy()
    labels[more] = data.y[more]
    clf = DiffuseInterfaceClassifier(n_jobs=1, random_state=0).fit(data.graph, labels)
    return float(100 * (clf.transduction_ == data.y)[labels < 0].mean())


def _rows_of(right: list[list[float]]) -> list[list[str]]:
    names = (
        "one per class (87.1 before)",
        "and 10 at doubtful rows (78.7 before, bar 93)",
        "and 10 at random",
    )
    return [[name, f"{value:.1f}"] for name, value in zip(names, np.mean(right, axis=0), strict=True)]
