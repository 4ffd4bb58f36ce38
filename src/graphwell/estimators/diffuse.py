"""The multiclass diffuse interface model as a scikit-learn classifier."""

import sys
import time
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._arrays import to_host
from graphwell._random import Seed, stream
from graphwell._types import FloatArray, IntArray
from graphwell._version import __version__
from graphwell.backends import Engine, State, make_engine
from graphwell.backends.base import check_device
from graphwell.backends.cpu.compiling import told_of_compiling
from graphwell.backends.dask import is_dask
from graphwell.estimators.base import GraphClassifier
from graphwell.estimators.prior import read_class_prior
from graphwell.estimators.registry import method
from graphwell.estimators.tuning import enough_labels, tune
from graphwell.graph import Graph
from graphwell.memory import fit_bytes, in_words
from graphwell.progress import Progress, in_pieces, listening, silent
from graphwell.solve.checkpoint import Checkpoint, Fingerprint
from graphwell.solve.descent import Callback, Reached, Step, descend
from graphwell.solve.problem import Problem
from graphwell.solve.recipe import (
    Outcome,
    Prepared,
    Recipe,
    follow,
    prepare,
    schedule_of,
    stable_step,
    support,
)
from graphwell.solve.result import Result, Status
from graphwell.solve.schedule import Annealed, Schedule
from graphwell.solve.start import STARTS, SYSTEMS

PAPER_SCHEDULE = Annealed(2.0, 0.1, ratio=0.9, sweeps=40)
PAPER_STEP = 0.01


@method("diffuse interface", "graphwell's own descent, or the paper's under a schedule")
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
    start : {"auto", "diffusion", "nearest", "random"}
        Where the descent starts: at the scores that diffuse from the labels, at the label nearest along the
        graph, or at random as in the paper. "auto" is the diffusion start, or plain Laplace learning where
        that is more decided, as it is when the classes are uneven.
    schedule : Schedule, optional
        How epsilon falls in the paper's descent: `Fixed`, `Annealed` or any iterable of (epsilon, sweeps).
        Without one, graphwell's own descent is used, which needs far fewer labels; from a random start, the
        paper's.
    step_size : float, optional
        Time step of the descent. By default as large as is stable, and 0.01 in the paper's.
    fidelity : float
        Weight of the known labels. At 30, the paper's, no label is overruled; below about 4 one that
        contradicts its neighbours can be.
    class_prior : None, "labels", array or dict
        Sizes of the classes as shares of all rows, if they are known: by name, in the order of the sorted
        classes, or as among the given labels. Sizes wrong by a fifth do more harm than none.
    tune : bool or "auto"
        Choose the settings of the descent by hiding part of the given labels in turn; costs several times
        the fit. "auto" does so when every class has at least 10 labels.
    device : {"cpu", "cuda"}
        Where everything runs: on all cores, or on an NVIDIA GPU (``pip install "graphwell[cuda]"``). With
        "cuda", rows may be CuPy arrays or PyTorch tensors on the GPU; `transduction_`,
        `label_distributions_` and predictions are then such arrays too.
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
    tuning_ : Tuning
        After tuning: the chosen settings and the accuracy on hidden labels.

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
        step_size: float | None = None,
        fidelity: float = 30.0,
        class_prior: Any = None,
        tune: bool | str = False,
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
        self.class_prior = class_prior
        self.tune = tune
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
            (n, n). A `Graph` is used as it is. A Dask array of features is worked on by the workers of the
            Dask client in use; what is told of each row is then a Dask array too, in the same chunks.
        y : array-like of shape (n,)
            Labels; unknown ones are -1 (integers), None or NaN.
        callback : callable, optional
            Called with a `Step` after each step of the schedule; a true answer ends the run.
        checkpoint : path, optional
            File that the descent is saved in after each step. If it exists, the run goes on from there and
            ends with exactly the labels of an uninterrupted one; a file of other data or parameters is
            refused. Needs an integer `random_state`.
        progress : callable
            Told the stage (compiling, neighbours, start, descent) and the share of it that is done, None if
            unknown.

        Returns
        -------
        self
        """
        self._check_choices()
        self._callback = self._report if self.verbose and callback is None else callback
        self._checkpoint_path = None if checkpoint is None else self._resumable(Path(checkpoint))
        self._progress = progress
        try:
            if is_dask(X):
                from graphwell.backends.dask.fit import fit_on_cluster

                fit_on_cluster(self, X, y)
            else:
                with told_of_compiling(self._tell_of_compiling):
                    super().fit(X, y)
        finally:
            del self._callback, self._checkpoint_path, self._progress
        return self

    def _solve(self, problem: Problem) -> tuple[IntArray, FloatArray]:
        if problem.n_classes == 1:
            zeros = problem.graph.asarray(np.zeros(problem.graph.n_vertices, dtype=np.int32))
            scores = problem.graph.asarray(np.ones((len(zeros), 1)))
            outcome = Outcome(Result(zeros, zeros.astype(float), Status.ONE_CLASS), scores)
        else:
            outcome = self._outcome(problem)
        result = outcome.result
        self.result_ = replace(result, labels=to_host(result.labels), offsets=to_host(result.offsets))
        self.n_iter_ = result.n_sweeps
        return result.labels, outcome.scores

    def _outcome(self, problem: Problem) -> Outcome:
        as_in_the_paper = self.schedule is not None or self.start == "random"
        recipe = Recipe(self.start)
        if as_in_the_paper:
            recipe = replace(recipe, sharpness=1.0)
        elif self.tune is True or (self.tune == "auto" and enough_labels(problem)):
            recipe, problem = self._tuned(problem, recipe)
        self._progress("start", None)
        rng = stream(self.random_state, "start")
        with listening(in_pieces(self._progress, "start", SYSTEMS.get(recipe.start, (1.0,)))):
            prepared = prepare(problem, recipe, self._make_engine, rng)
        self.timings_["start"] = prepared.seconds
        outcome = self._paper(problem, prepared) if as_in_the_paper else self._own(prepared, recipe)
        self.timings_["descent"] = outcome.result.seconds
        return outcome

    def _tuned(self, problem: Problem, default: Recipe) -> tuple[Recipe, Problem]:
        began = time.perf_counter()
        self._progress("tuning", None)
        rng = stream(self.random_state, "hidden labels")
        self.tuning_, graph = tune(problem, default, self._make_engine, rng)
        self.timings_["tuning"] = time.perf_counter() - began
        return self.tuning_.recipe, replace(problem, graph=graph)

    def _own(self, prepared: Prepared, recipe: Recipe) -> Outcome:
        step = (
            stable_step(prepared.problem.graph, prepared.engine) if self.step_size is None else self.step_size
        )
        saved = self._saved(prepared.problem, schedule_of(recipe, step))
        return follow(prepared, recipe, step, *saved)

    def _paper(self, problem: Problem, prepared: Prepared) -> Outcome:
        schedule, step = self._paper_steps()
        saved = self._saved(problem, schedule)
        result = descend(prepared.engine, problem, prepared.start.state, schedule, step, *saved)
        state = State(result.labels, result.offsets)
        return Outcome(result, support(problem, prepared.engine, state))

    def _paper_steps(self) -> tuple[Schedule, float]:
        schedule = PAPER_SCHEDULE if self.schedule is None else self.schedule
        return schedule, PAPER_STEP if self.step_size is None else self.step_size

    def _make_engine(self, graph: Graph) -> Engine:
        return make_engine(graph, self.device, self.n_jobs)

    def _saved(self, problem: Problem, schedule: Schedule) -> tuple[Callback, Reached | None]:
        """What to call after each step, and how far an earlier run came."""
        checkpoint = self._checkpoint(problem, schedule)
        if checkpoint is None:
            return self._each_step, None
        return checkpoint.saving(self._each_step), checkpoint.load()

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

    def _problem(self, graph: Graph, labels: IntArray) -> Problem:
        shares = read_class_prior(self.class_prior, self.classes_, labels)
        codes = graph.asarray(labels)
        return Problem(graph, codes, len(self.classes_), self.fidelity, class_shares=shares)

    def _check_choices(self) -> None:
        check_device(self.device)
        if self.start not in STARTS:
            raise ValueError(f"start must be one of {', '.join(STARTS)}; got {self.start!r}.")
        if self.step_size is not None and not self.step_size > 0:
            raise ValueError(f"step_size must be positive, got {self.step_size!r}.")
        if self.tune not in (False, True, "auto"):
            raise ValueError(f'tune must be True, False or "auto", got {self.tune!r}.')
        if self.schedule is not None and not isinstance(self.schedule, Schedule):
            raise ValueError(f"schedule must be Fixed(...) or Annealed(...), got {self.schedule!r}.")

    def _tell_of_compiling(self) -> None:
        self._progress("compiling", None)
        if self.verbose:
            sys.stderr.write("compiling the kernels: some seconds, once on a machine\n")

    def _announce(self, n_rows: int) -> None:
        if self.verbose:
            need = in_words(fit_bytes(n_rows, self.n_neighbors, len(self.classes_)))
            sys.stderr.write(
                f"{n_rows:,} rows, {len(self.classes_)} classes: needs about {need} beyond the input\n"
            )

    @staticmethod
    def _report(step: Step) -> None:
        sys.stderr.write(
            f"step {step.number} of {step.of}: epsilon {step.epsilon:.3g}, energy {step.energy:.6g}, "
            f"{step.label_changes} labels changed\n"
        )
