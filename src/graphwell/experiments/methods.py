"""The method under the settings of the paper, and those beside it, each timed as one run of an experiment."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

import graphwell as gw
from graphwell._types import FloatArray, IntArray
from graphwell.backends import find_backend
from graphwell.estimators.methods import spectral_clustering
from graphwell.experiments.results import Picture, Run, errors
from graphwell.metrics import matched, unlabelled_error
from graphwell.solve import Problem, descend
from graphwell.solve.reference import literal_start
from graphwell.view import plots

# Section 4 of the paper.
STEP_SIZE = 0.01
FIDELITY = 30.0
LABEL_SETS = 4
FIXED = gw.Fixed(1.0, sweeps=800)
ANNEALED = gw.Annealed(2.0, 0.1, ratio=0.9, sweeps=40)
ANNEALED_LONG = gw.Annealed(2.0, 0.01, ratio=0.9, sweeps=40)

STARTS = ("random", "nearest", "diffusion")
SHARES = (1, 2, 3, 4, 5, 7, 10)
"""Per cent of all points that have a label, where the error is drawn against it."""

Schedule: TypeAlias = gw.Fixed | gw.Annealed
Solved: TypeAlias = tuple[IntArray, int, Mapping[str, Any]]
"""Labels, sweeps, and whatever else was measured."""


@dataclass(frozen=True)
class Case:
    """A graph with its true classes, and the labels of one run; the seeds are those of `Run`."""

    graph: gw.Graph
    truth: IntArray
    given: IntArray
    data_set: int | None = None
    label_set: int | None = None

    def run(self, key: str, seed: int, solve: Callable[[], Solved]) -> tuple[Run, IntArray]:
        """Time a method; return what was measured and its labels."""
        began = time.perf_counter()
        labels, sweeps, details = solve()
        seconds = time.perf_counter() - began
        error = share_of(labels, self.truth)
        return Run(key, seed, self.data_set, self.label_set, error, seconds, sweeps, details), labels

    def unlabelled(self, labels: IntArray) -> dict[str, float]:
        """The error of the points without a given label, as a detail of a run."""
        return {"error_unlabelled": unlabelled_error(labels, self.truth, self.given >= 0)}


def paper_graph(X: FloatArray, n_neighbors: int = 10, **options: Any) -> gw.Graph:
    """The graph of the paper: N = M neighbours."""
    return gw.Graph.from_features(X, n_neighbors=n_neighbors, scale_neighbor=n_neighbors, **options)


def as_in_the_paper(schedule: Schedule, seed: int, start: str = "random") -> gw.DiffuseInterfaceClassifier:
    """The classifier with every setting of the paper, on one thread like the paper's own runs."""
    return gw.DiffuseInterfaceClassifier(
        start=start, schedule=schedule, step_size=STEP_SIZE, fidelity=FIDELITY, n_jobs=1, random_state=seed
    )


def run_paper(
    key: str, case: Case, schedule: Schedule, seed: int, start: str = "random"
) -> tuple[Run, IntArray]:
    """Run the multiclass model."""

    def solve() -> Solved:
        clf = as_in_the_paper(schedule, seed, start).fit(case.graph, case.given)
        details = {
            **case.unlabelled(clf.transduction_),
            "seconds_start": clf.timings_["start"],
            "seconds_descent": clf.timings_["descent"],
            "status": clf.result_.status.name.lower(),
        }
        return clf.transduction_, clf.n_iter_, details

    return case.run(key, seed, solve)


def run_literal(key: str, case: Case, schedule: Schedule, seed: int) -> tuple[Run, IntArray]:
    """Run Algorithm 1 as it is printed: labelled vertices start at random like all others."""

    def solve() -> Solved:
        problem = Problem(case.graph, case.given, int(case.given.max()) + 1, FIDELITY)
        start = literal_start(problem, np.random.default_rng([seed, 1]))
        result = descend(find_backend(n_jobs=1).engine(case.graph), problem, start, schedule, STEP_SIZE)
        known = case.given >= 0
        lost = share_of(result.labels[known], case.given[known])
        return result.labels, result.n_sweeps, {**case.unlabelled(result.labels), "labels_lost": lost}

    return case.run(key, seed, solve)


def run_binary(key: str, case: Case) -> tuple[Run, IntArray]:
    """Run the two-class model of section 2."""

    def solve() -> Solved:
        clf = gw.BinaryInterfaceClassifier(
            n_eigenvectors=20,
            epsilon=1.0,
            fidelity=FIDELITY,
            step_size=0.1,
            max_iter=2000,
            tol=1e-4,
            n_jobs=1,
        ).fit(case.graph, case.given)
        return clf.transduction_, clf.n_iter_, case.unlabelled(clf.transduction_)

    return case.run(key, 0, solve)


def run_spectral(key: str, case: Case, seed: int) -> tuple[Run, IntArray]:
    """Run spectral clustering once; clusters are named by their best matching to the classes."""

    def solve() -> Solved:
        clusters = spectral_clustering(case.graph, int(case.truth.max()) + 1, random_state=seed)
        return matched(clusters, case.truth), 0, {}

    return case.run(key, seed, solve)


def run_shares(
    name: str,
    graph: gw.Graph,
    truth: IntArray,
    data_set: int | None,
    schedule: Schedule,
    shares: Sequence[int],
    label_sets: Sequence[int],
    count: Callable[[], None],
) -> list[Run]:
    """Run every start once for each share and label set, equally many labels per class."""
    done = []
    for share in shares:
        per_class = max(1, round(share / 100 * len(truth) / (int(truth.max()) + 1)))
        for start in STARTS:
            for label_set in label_sets:
                given = gw.datasets.sample_labels(truth, per_class, random_state=label_set)
                case = Case(graph, truth, given, data_set, label_set)
                key = f"{name}.labels-{share:02d}-{start}"
                done.append(run_paper(key, case, schedule, label_set, start)[0])
            count()
    return done


def shares_picture(file: str, caption: str, runs: Sequence[Run], name: str, shares: Sequence[int]) -> Picture:
    """Mean error of each start against the share of labels, with a band from its smallest to its largest."""
    figure, (panel,) = plots.new_figure(1, width=6.5, height=4.0)
    for start in STARTS:
        values = [errors(runs, f"{name}.labels-{share:02d}-{start}") for share in shares]
        means = [np.mean(v) for v in values]
        drawn = panel.plot(shares, means, marker="o", markersize=4, label=f"{start} start")[0]
        low, high = [min(v) for v in values], [max(v) for v in values]
        panel.fill_between(shares, low, high, color=drawn.get_color(), alpha=0.15, linewidth=0)
    panel.set_xlabel("labelled points (%)")
    panel.set_ylabel("error (%)")
    panel.set_ylim(bottom=0)
    panel.grid(alpha=0.3)
    panel.legend(frameon=False)
    return Picture(file, caption, figure)


def random_labels(truth: IntArray, count: int, seed: int) -> IntArray:
    """Keep the labels of `count` points drawn from all of them; the others become -1."""
    chosen = np.random.default_rng([seed, 2]).choice(len(truth), count, replace=False)
    given = np.full(len(truth), -1)
    given[chosen] = truth[chosen]
    return given


def share_of(labels: IntArray, truth: IntArray) -> float:
    """Share of wrong labels among all points."""
    return float((labels != truth).mean())
