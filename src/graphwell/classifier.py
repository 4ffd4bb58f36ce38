"""The multiclass diffuse interface model as a scikit-learn classifier."""

import sys
import time
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._random import Seed, stream
from graphwell._types import FloatArray, IntArray
from graphwell._version import __version__
from graphwell.engines import make_engine
from graphwell.estimator import GraphClassifier
from graphwell.progress import Progress, silent
from graphwell.solve.checkpoint import Checkpoint, Fingerprint
from graphwell.solve.descent import Callback, Step, descend
from graphwell.solve.problem import Problem
from graphwell.solve.result import Result, Status
from graphwell.solve.schedule import Annealed, Schedule
from graphwell.solve.start import STARTS

DEFAULT_SCHEDULE = Annealed(2.0, 0.1, ratio=0.9, sweeps=40)


class DiffuseInterfaceClassifier(GraphClassifier):
    """Label every row from a few labels, by the method of Garcia-Cardona, Flenner and Percus.

    Rows become the vertices of a graph. Each takes a class and an offset from it; sweeps of gradient descent
    let the known labels spread until the boundaries between classes lie where the data is thin.

    Parameters
    ----------
    n_neighbors : int
        Number of neighbours each row chooses.
    scale_neighbor : int
        The distance to this neighbour is the local scale of a row.
    metric : {"euclidean", "cosine", "precomputed"}
        How rows are compared; "precomputed" takes a symmetric affinity matrix in place of features.
    start : {"auto", "nearest", "random"}
        Where the descent starts: at the label nearest along the graph, or at random as in the paper.
    schedule : Schedule, optional
        How epsilon falls: `Fixed`, `Annealed` or any iterable of (epsilon, sweeps).
    step_size : float
        Time step of the descent.
    fidelity : float
        Weight of the known labels. At 30, the paper's, no label is overruled; below about 4 one that
        contradicts its neighbours can be.
    device : {"cpu", "cuda"}
        Where the sweeps run.
    n_jobs : int, optional
        Threads; all cores by default. The result does not depend on it.
    random_state : int, Generator or RandomState, optional
        Seed of the start.
    verbose : bool
        Report each step on standard error.

    Attributes
    ----------
    transduction_ : array of shape (n,)
        A label for every fitted row.
    label_distributions_ : array of shape (n, n_classes)
        Scores of every fitted row; rows sum to 1.
    classes_ : array of shape (n_classes,)
        The classes found among the known labels.
    reachable_ : array of shape (n,)
        False where no label lies in the same part of the graph: such rows cannot be decided.
    result_ : Result
        Status in words, energies, epsilons, sweeps, seconds.
    graph_ : Graph
        The graph; ``graph_.S`` is the normalised affinity.
    n_iter_ : int
        Number of sweeps.
    timings_ : dict
        Seconds of each stage.

    Examples
    --------
    >>> import numpy as np
    >>> from graphwell import DiffuseInterfaceClassifier, datasets
    >>> X, truth = datasets.make_three_moons(random_state=0)
    >>> y = np.full(len(X), -1)
    >>> y[::20] = truth[::20]
    >>> clf = DiffuseInterfaceClassifier(random_state=0).fit(X, y)
    >>> bool((clf.transduction_ == truth).mean() > 0.95)
    True
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        scale_neighbor: int = 10,
        metric: str = "euclidean",
        *,
        start: str = "auto",
        schedule: Schedule | None = None,
        step_size: float = 0.01,
        fidelity: float = 30.0,
        device: str = "cpu",
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.scale_neighbor = scale_neighbor
        self.metric = metric
        self.start = start
        self.schedule = schedule
        self.step_size = step_size
        self.fidelity = fidelity
        self.device = device
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        callback: Callback | None = None,
        checkpoint: str | PathLike[str] | None = None,
        progress: Progress = silent,
    ) -> "DiffuseInterfaceClassifier":
        """Label every row of `X` from the known labels in `y`.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Graph
            Features of shape (n, d); with ``metric="precomputed"`` a symmetric affinity matrix of shape
            (n, n). A `Graph` is used as it is.
        y : array-like of shape (n,)
            Labels; unknown ones are -1 (integers), None or NaN.
        callback : callable, optional
            Called with a `Step` after each step of the schedule; a true answer ends the run.
        checkpoint : path, optional
            File that the descent is saved in after each step. If it exists, the run goes on from there and
            ends with exactly the labels of an uninterrupted one; a file of other data or parameters is
            refused. Needs an integer `random_state`.
        progress : callable
            Told the stage (neighbours, start, descent) and the share of it that is done, None if unknown.

        Returns
        -------
        self
        """
        self._check_choices()
        self._callback = self._report if self.verbose and callback is None else callback
        self._checkpoint_path = None if checkpoint is None else self._resumable(Path(checkpoint))
        self._progress = progress
        try:
            super().fit(X, y)
        finally:
            del self._callback, self._checkpoint_path, self._progress
        return self

    def _solve(self, problem: Problem) -> tuple[IntArray, FloatArray]:
        if problem.n_classes == 1:
            zeros = np.zeros(problem.graph.n_vertices, dtype=np.int32)
            self.result_ = Result(zeros, zeros.astype(float), Status.ONE_CLASS)
        else:
            self.result_ = self._descend(problem)
        self.n_iter_ = self.result_.n_sweeps
        return self.result_.labels, support(problem, self.result_)

    def _descend(self, problem: Problem) -> Result:
        began = time.perf_counter()
        self._progress("start", None)
        rng = stream(self.random_state, "start")
        start = STARTS["nearest" if self.start == "auto" else self.start](problem, rng)
        self.timings_["start"] = time.perf_counter() - began
        engine = make_engine(problem.graph, self.device, self.n_jobs)
        schedule = DEFAULT_SCHEDULE if self.schedule is None else self.schedule
        checkpoint = self._checkpoint(problem, schedule)
        callback = self._each_step if checkpoint is None else checkpoint.saving(self._each_step)
        reached = None if checkpoint is None else checkpoint.load()
        result = descend(engine, problem, start, schedule, self.step_size, callback, reached)
        self.timings_["descent"] = result.seconds
        return result

    def _each_step(self, step: Step) -> object:
        self._progress("descent", step.number / step.of)
        return None if self._callback is None else self._callback(step)

    def _checkpoint(self, problem: Problem, schedule: Schedule) -> Checkpoint | None:
        if self._checkpoint_path is None:
            return None
        settings = {**self.get_params(), "schedule": list(schedule), "version": __version__}
        for without_effect in ("n_jobs", "verbose"):
            del settings[without_effect]
        return Checkpoint(self._checkpoint_path, Fingerprint.of(problem, settings))

    def _resumable(self, checkpoint: Path) -> Path:
        if isinstance(self.random_state, bool) or not isinstance(self.random_state, int | np.integer):
            raise ValueError(
                f"checkpoint needs an integer random_state, got {self.random_state!r}: "
                "a run that goes on must draw the start that it began with."
            )
        return checkpoint

    def _fidelity(self) -> float:
        return self.fidelity

    def _check_choices(self) -> None:
        if self.start not in ("auto", *STARTS):
            raise ValueError(f"start must be one of auto, {', '.join(STARTS)}; got {self.start!r}.")
        if self.schedule is not None and not isinstance(self.schedule, Schedule):
            raise ValueError(f"schedule must be Fixed(...) or Annealed(...), got {self.schedule!r}.")

    @staticmethod
    def _report(step: Step) -> None:
        sys.stderr.write(
            f"step {step.number} of {step.of}: epsilon {step.epsilon:.3g}, energy {step.energy:.6g}, "
            f"{step.label_changes} labels changed\n"
        )


def support(problem: Problem, result: Result) -> FloatArray:
    """Presence of each class around each vertex: ``sum_{j in class} S_ij r_j``, itself included."""
    S, n, n_classes = problem.graph.S, problem.graph.n_vertices, problem.n_classes
    r = 0.5 - np.abs(result.offsets.astype(np.float64))
    rows = np.repeat(np.arange(n), np.diff(S.indptr))
    cells = rows * n_classes + result.labels[S.indices]
    scores: FloatArray = np.bincount(cells, S.data * r[S.indices], minlength=n * n_classes).reshape(
        n, n_classes
    )
    scores[np.arange(n), result.labels] += r
    return scores
