"""The method under the settings of the paper and those beside it, and what an experiment leaves behind.

Each run is timed; runs become lines, which stand beside the figures of the paper, and lines a section of the
report. `expected.toml` holds the lines' titles, the values of the paper and ours, and the words of sections.
"""

import math
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.resources import files
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from threadpoolctl import threadpool_limits

import graphwell as gw
from graphwell._types import FloatArray, IntArray
from graphwell.backends import find_backend
from graphwell.estimators.methods import spectral_clustering
from graphwell.metrics import majority_error, matched, unlabelled_error
from graphwell.progress import Progress
from graphwell.solve import Problem, descend
from graphwell.solve.problem import FIDELITY
from graphwell.solve.reference import literal_start

# Section 4 of the paper.
STEP_SIZE = 0.01
LABEL_SETS = 4
FIXED = gw.Fixed(1.0, sweeps=800)
ANNEALED = gw.Annealed(2.0, 0.1, ratio=0.9, sweeps=40)
ANNEALED_LONG = gw.Annealed(2.0, 0.01, ratio=0.9, sweeps=40)

STARTS = ("random", "nearest", "diffusion")

# The paper's runs had one thread. The matrices are small, and two threads that wait for each other on a busy
# machine are many times slower than one.
on_one_thread = threadpool_limits.wrap(limits=1)

Schedule: TypeAlias = gw.Fixed | gw.Annealed
# Labels, sweeps, and whatever else was measured.
Solved: TypeAlias = tuple[IntArray, int, Mapping[str, Any]]


@dataclass(frozen=True)
class Repetition:
    """One execution of one method; `line` is the key of its line.

    `data_set` and `label_set` are the seeds that data and labels were drawn with, None where nothing is
    drawn. `error` is the share of wrong labels among all points, given ones included, as the paper counts.
    """

    line: str
    seed: int
    data_set: int | None
    label_set: int | None
    error: float
    seconds: float
    sweeps: int = 0
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Line:
    """One number, the mean of `values`, beside that of the paper and what is expected of it.

    `expected` may hold what is published (`paper`, `paper_spread`, `paper_best`), and holds the `value` to
    reach within a `tolerance` that was chosen for so many `runs`, or a limit `at_most`.
    """

    key: str
    values: tuple[float, ...]
    title: str
    unit: str
    expected: Mapping[str, float]

    @property
    def mean(self) -> float:
        """Mean over the runs."""
        return float(np.mean(self.values))

    @property
    def spread(self) -> float:
        """Standard deviation over the runs."""
        return float(np.std(self.values))

    @property
    def room(self) -> float:
        """How far the mean of this many runs may lie from `value`: that of fewer varies more."""
        return self.expected["tolerance"] * math.sqrt(max(1.0, self.expected["runs"] / len(self.values)))

    @property
    def ok(self) -> bool:
        """Whether the result lies where it should."""
        if "at_most" in self.expected:
            return self.mean <= self.expected["at_most"]
        return abs(self.mean - self.expected["value"]) <= self.room + 1e-9

    @property
    def range(self) -> str:
        """Where the result should lie, in words."""
        if "at_most" in self.expected:
            return f"at most {self.written(self.expected['at_most'])} {self.unit}"
        return f"{self.written(self.expected['value'])} ± {self.written(self.room)} {self.unit}"

    @property
    def published(self) -> str:
        """The value of the paper, in words; empty if it has none."""
        if "paper" not in self.expected:
            return ""
        spread, best = self.expected.get("paper_spread"), self.expected.get("paper_best")
        words = f"{self.expected['paper']:g}" + ("" if spread is None else f" ± {spread:g}")
        return f"{words} {self.unit}" + ("" if best is None else f" (best {best:g})")

    @property
    def difference(self) -> str:
        """Our mean minus the paper's."""
        if "paper" not in self.expected:
            return ""
        difference = self.mean - self.expected["paper"]
        return f"{'-' if difference < 0 else '+'}{self.written(abs(difference))}"

    @property
    def complaint(self) -> str:
        """The line, its result and where it should lie, in a sentence."""
        relation = "should be" if "at_most" in self.expected else "outside"
        result = f"{self.written(self.mean)} {self.unit}"
        return f"{self.key} is {result}, {relation} {self.range} ({self.title})"

    def __str__(self) -> str:
        spread = f" ± {self.written(self.spread)}" if len(self.values) > 1 else ""
        return f"{self.written(self.mean)}{spread} {self.unit}"

    def written(self, value: float) -> str:
        """A number as the line's unit is usually given."""
        if self.unit == "s":
            return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.3f}"
        return f"{value:.2f}" if self.unit == "%" else f"{value:.1f}"


class ResultTable(NamedTuple):
    """Rows of text that are not compared line by line."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[object]]


@dataclass(frozen=True)
class Case:
    """A graph with its true classes, and the labels of one run; the seeds are those of `Repetition`."""

    graph: gw.Graph
    truth: IntArray
    given: IntArray
    data_set: int | None = None
    label_set: int | None = None


@cache
def expected() -> Mapping[str, Any]:
    """The content of ``expected.toml``."""
    return tomllib.loads(files(__package__).joinpath("expected.toml").read_text(encoding="utf-8"))


class Section:
    """One experiment: its runs while it goes on, then all that the report shows of it.

    `name` is that of its lines and words in ``expected.toml``.
    """

    def __init__(self, name: str, progress: Progress) -> None:
        self.name, self.title = name, expected()["sections"][name]["title"]
        self.runs: list[Repetition] = []
        self.lines: list[Line] = []
        self.tables: list[ResultTable] = []
        self.setting, self.remarks = "", [""]
        progress(name.replace("-", " "), None)

    def of_line(self, line: str) -> list[Repetition]:
        """The runs of one line."""
        return [run for run in self.runs if run.line == f"{self.name}.{line}"]

    def errors(self, line: str) -> list[float]:
        """The errors of the runs of one line, in per cent."""
        return [100 * run.error for run in self.of_line(line)]

    def finish(self, values: Mapping[str, Sequence[float]] | None = None, **facts: Any) -> "Section":
        """Add the lines that have `values`, or else runs, whose errors these then are, and the words."""
        for name, entry in expected()["lines"][self.name].items():
            others = {"unit": "%", "runs": 20, **entry}
            found = (values or {}).get(name) or self.errors(name)
            if found:
                title, unit = others.pop("title"), others.pop("unit")
                self.lines.append(Line(f"{self.name}.{name}", tuple(found), title, unit, others))
        texts = expected()["sections"][self.name]
        facts = {"lines": {line.key.split(".")[1]: line for line in self.lines}, **facts}
        self.setting = texts["setting"].format(**facts)
        self.remarks = [remark.format(**facts) for remark in texts["remarks"]]
        return self

    # Methods; each is timed, and leaves a run.

    def run(
        self, line: str, case: Case, seed: int, solve: Callable[[], Solved]
    ) -> tuple[Repetition, IntArray]:
        """Time a method; return its run and its labels."""
        began = time.perf_counter()
        labels, sweeps, details = solve()
        seconds, error = time.perf_counter() - began, share_of(labels, case.truth)
        if (case.given >= 0).any():
            details = {"error_unlabelled": unlabelled_error(labels, case.truth, case.given >= 0), **details}
        seeds = seed, case.data_set, case.label_set
        self.runs.append(Repetition(f"{self.name}.{line}", *seeds, error, seconds, sweeps, details))
        return self.runs[-1], labels

    def multiclass(
        self, line: str, case: Case, schedule: Schedule, seed: int, start: str = "random"
    ) -> tuple[Repetition, IntArray]:
        """Run the multiclass model."""

        def solve() -> Solved:
            clf = as_in_the_paper(schedule, seed, start).fit(case.graph, case.given)
            details = {
                "seconds_start": clf.timings_["start"],
                "seconds_descent": clf.timings_["descent"],
                "status": clf.result_.status.name.lower(),
            }
            return clf.transduction_, clf.n_iter_, details

        return self.run(line, case, seed, solve)

    def literal(self, line: str, case: Case, schedule: Schedule, seed: int) -> None:
        """Run Algorithm 1 as it is printed: labelled vertices start at random like all others."""

        def solve() -> Solved:
            problem = Problem(case.graph, case.given, int(case.given.max()) + 1, FIDELITY)
            start = literal_start(problem, np.random.default_rng([seed, 1]))
            result = descend(find_backend(n_jobs=1).engine(case.graph), problem, start, schedule, STEP_SIZE)
            return result.labels, result.n_sweeps, {}

        self.run(line, case, seed, solve)

    def binary(self, line: str, case: Case) -> None:
        """Run the two-class model of section 2."""

        def solve() -> Solved:
            options: Any = {"n_eigenvectors": 20, "epsilon": 1.0, "fidelity": FIDELITY, "step_size": 0.1}
            clf = gw.BinaryInterfaceClassifier(**options, max_iter=2000, tol=1e-4, n_jobs=1)
            clf.fit(case.graph, case.given)
            return clf.transduction_, clf.n_iter_, {}

        self.run(line, case, 0, solve)

    def clusterer(self, line: str, graph: gw.Graph, truth: IntArray, seed: int, starts: int = 1) -> None:
        """Run a clusterer on a graph, each cluster named after the class of most of its points."""
        made: Any = {
            "p-laplacian": gw.baselines.PLaplacianClustering,
            "cheeger": partial(gw.baselines.RatioCheegerCut, n_starts=starts),
            "one-cut": gw.baselines.NormalisedOneCut,
            "binary": gw.baselines.BalancedInterface,
            "ours": gw.DiffuseInterfaceClustering,
        }[line]
        began = time.perf_counter()
        clusters = made(int(truth.max()) + 1, n_jobs=1, random_state=seed).fit_predict(graph)
        seconds, error = time.perf_counter() - began, majority_error(clusters, truth)
        self.runs.append(Repetition(f"{self.name}.{line}", seed, seed, None, error, seconds))


def graph_of(X: FloatArray, n_neighbors: int = 10, **options: Any) -> gw.Graph:
    """The graph of the paper: N = M neighbours."""
    return gw.Graph.from_features(X, n_neighbors=n_neighbors, scale_neighbor=n_neighbors, **options)


def as_in_the_paper(schedule: Schedule, seed: int, start: str = "random") -> gw.DiffuseInterfaceClassifier:
    """The classifier with every setting of the paper, on one thread like the paper's own runs."""
    return gw.DiffuseInterfaceClassifier(
        start=start, schedule=schedule, step_size=STEP_SIZE, fidelity=FIDELITY, n_jobs=1, random_state=seed
    )


def spectral_labels(case: Case, seed: int) -> IntArray:
    """Labels of spectral clustering."""
    clusters = spectral_clustering(case.graph, int(case.truth.max()) + 1, random_state=seed)
    return matched(clusters, case.truth)


def random_labels(truth: IntArray, count: int, seed: int) -> IntArray:
    """Keep the labels of `count` points drawn from all of them; the others become -1."""
    chosen = np.random.default_rng([seed, 2]).choice(len(truth), count, replace=False)
    given = np.full(len(truth), -1)
    given[chosen] = truth[chosen]
    return given


def share_of(labels: IntArray, truth: IntArray) -> float:
    """Share of wrong labels among all points."""
    return float((labels != truth).mean())
