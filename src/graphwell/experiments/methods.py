"""The method under the settings of the paper, timed, as one run of an experiment."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import ParamSpec, TypeAlias, TypeVar

import numpy as np

import graphwell as gw
from graphwell._types import FloatArray, IntArray
from graphwell.estimators.methods import spectral_clustering
from graphwell.experiments.record import Run
from graphwell.metrics import matched, unlabelled_error

STEP_SIZE = 0.01
FIDELITY = 30.0
LABEL_SETS = 4

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")
Schedule: TypeAlias = gw.Fixed | gw.Annealed

FIXED = gw.Fixed(1.0, sweeps=800)
ANNEALED = gw.Annealed(2.0, 0.1, ratio=0.9, sweeps=40)
ANNEALED_LONG = gw.Annealed(2.0, 0.01, ratio=0.9, sweeps=40)


def on_one_thread(experiment: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
    """Keep the linear algebra and k-means of an experiment on one thread.

    The paper's runs had one. The matrices are small, and two threads that wait for each other on a busy
    machine are many times slower than one.
    """

    @wraps(experiment)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(limits=1):
            return experiment(*args, **kwargs)

    return run


@dataclass(frozen=True)
class Case:
    """A graph with its true classes, and the labels of one run.

    `data_set` and `label_set` are the seeds that data and labels were drawn with.
    """

    graph: gw.Graph
    truth: IntArray
    given: IntArray
    data_set: int | None = None
    label_set: int | None = None


def as_in_the_paper(schedule: Schedule, seed: int, start: str = "random") -> gw.DiffuseInterfaceClassifier:
    """The classifier with every setting of the paper, on one thread like the paper's own runs."""
    return gw.DiffuseInterfaceClassifier(
        start=start,
        schedule=schedule,
        step_size=STEP_SIZE,
        fidelity=FIDELITY,
        n_jobs=1,
        random_state=seed,
    )


def run_paper(
    key: str, case: Case, schedule: Schedule, seed: int, start: str = "random"
) -> tuple[Run, IntArray]:
    """Run the classifier; return what was measured and the labels."""
    began = time.perf_counter()
    clf = as_in_the_paper(schedule, seed, start).fit(case.graph, case.given)
    seconds = time.perf_counter() - began
    details = {
        "error_unlabelled": unlabelled_error(clf.transduction_, case.truth, case.given >= 0),
        "seconds_start": clf.timings_["start"],
        "seconds_descent": clf.timings_["descent"],
        "status": clf.result_.status.name.lower(),
    }
    run = _record(key, case, seed, clf.transduction_, seconds, clf.n_iter_, details)
    return run, clf.transduction_


def run_literal(key: str, case: Case, schedule: Schedule, seed: int) -> tuple[Run, IntArray]:
    """Run Algorithm 1 as it is printed: labelled vertices start at random like all others."""
    from graphwell.backends import find_backend
    from graphwell.solve import Problem, descend
    from graphwell.solve.reference import literal_start

    began = time.perf_counter()
    problem = Problem(case.graph, case.given, int(case.given.max()) + 1, FIDELITY)
    start = literal_start(problem, np.random.default_rng([seed, 1]))
    result = descend(find_backend(n_jobs=1).engine(case.graph), problem, start, schedule, STEP_SIZE)
    seconds = time.perf_counter() - began
    known = case.given >= 0
    details = {
        "error_unlabelled": unlabelled_error(result.labels, case.truth, known),
        "labels_lost": share_of(result.labels[known], case.given[known]),
    }
    return _record(key, case, seed, result.labels, seconds, result.n_sweeps, details), result.labels


def run_binary(key: str, case: Case) -> tuple[Run, IntArray]:
    """Run the two-class model of section 2."""
    began = time.perf_counter()
    clf = gw.BinaryInterfaceClassifier(
        n_eigenvectors=20, epsilon=1.0, fidelity=FIDELITY, step_size=0.1, max_iter=2000, tol=1e-4, n_jobs=1
    )
    clf.fit(case.graph, case.given)
    seconds = time.perf_counter() - began
    details = {"error_unlabelled": unlabelled_error(clf.transduction_, case.truth, case.given >= 0)}
    return _record(key, case, 0, clf.transduction_, seconds, clf.n_iter_, details), clf.transduction_


def run_spectral(key: str, case: Case, seed: int) -> tuple[Run, IntArray]:
    """Run spectral clustering once; clusters are named by their best matching to the classes."""
    began = time.perf_counter()
    clusters = spectral_clustering(case.graph, int(case.truth.max()) + 1, random_state=seed)
    seconds = time.perf_counter() - began
    labels = matched(clusters, case.truth)
    return _record(key, case, seed, labels, seconds, 0, {}), labels


def random_labels(truth: IntArray, count: int, seed: int) -> IntArray:
    """Keep the labels of `count` points drawn from all of them; the others become -1.

    Examples
    --------
    >>> int((random_labels(np.arange(100), 4, seed=0) >= 0).sum())
    4
    """
    chosen = np.random.default_rng([seed, 2]).choice(len(truth), count, replace=False)
    given = np.full(len(truth), -1)
    given[chosen] = truth[chosen]
    return given


def share_of(labels: IntArray, truth: IntArray) -> float:
    """Share of wrong labels among all points."""
    return float((labels != truth).mean())


def _record(
    key: str,
    case: Case,
    seed: int,
    labels: IntArray,
    seconds: float,
    sweeps: int,
    details: Mapping[str, object],
) -> Run:
    error = share_of(labels, case.truth)
    return Run(key, seed, case.data_set, case.label_set, error, seconds, sweeps, details)


def in_unit_interval(size: int) -> FloatArray:
    """Positions of pixels along one side, the first at 0 and the last at 1."""
    return np.arange(size) / (size - 1)
