"""The multiclass diffuse interface model as a scikit-learn classifier."""

import sys
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from graphwell import __version__
from graphwell._random import Seed, stream
from graphwell._rows import one_of_each
from graphwell.backends.base import Backend, PlacedGraph, Rows, Vector
from graphwell.backends.cpu.compiling import told_of_compiling
from graphwell.backends.registry import find_backend
from graphwell.errors import OptionError
from graphwell.estimators.base import GraphClassifier, Solved
from graphwell.estimators.labels import Labels
from graphwell.estimators.parameters import read_class_prior, read_size_bounds
from graphwell.estimators.registry import method
from graphwell.estimators.tuning.cross_validation import (
    LABELS_PER_CLASS_NEEDED,
    calibrate,
    enough_labels,
    enough_to_calibrate,
)
from graphwell.estimators.tuning.stacking import name_of
from graphwell.estimators.tuning.tune import CrossValidation, tuned_graph, tuned_rows
from graphwell.graph import Graph
from graphwell.memory import fit_bytes, in_words
from graphwell.progress import COMPILING, Progress, silent
from graphwell.solve.descent import Callback, Result, Status, Step, on_host
from graphwell.solve.fit import Flag, Recipe, Run, fit, paper_recipe
from graphwell.solve.problem import Problem, of_present_classes
from graphwell.solve.schedule import Schedule

FEATURES_BESIDE_A_GRAPH = (
    "features go beside a graph: give a Graph of this machine, or an affinity matrix with "
    'metric="precomputed"; features without a graph are X itself.'
)
UNHEARD = {
    "graph": "X is a graph without features; give fit its features, or leave evidence out",
    "paper": 'the descent of the paper hears none; leave out schedule and start="random", or evidence',
    "labels": "its weight is decided on hidden labels, so every class needs a label and one of them two; "
    "give more labels, or leave evidence out",
}
"""Why a classifier that is named cannot be heard, and what to do."""


@method(
    "diffuse interface",
    "graphwell's own descent, or the paper's under a schedule",
    on_cluster=True,
    sources=("garciacardona2013multiclass",),
)
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
    class_prior : None, "labels", "auto", array or dict
        Sizes of the classes as shares of all rows, if they are known: by name, in the order of the sorted
        classes, or as among the given labels. Sizes wrong by a fifth do more harm than none. A dict may hold
        bounds, ``{"a": (0.05, 0.2)}``, for some of the classes; "auto" estimates the sizes.
    classes : list, optional
        Classes there are, if some have no label yet. Those get rows only if `class_prior` gives them a size.
    unknown : object, or several in a list
        Labels that mean unknown, besides -1, None, NaN and empty text. By default "?", "n/a", "unknown" and
        the like are unknown too; ``unknown=""`` makes classes of them.
    tune : bool or "auto"
        Choose how rows are compared: by the data alone, and with five labels per class or more by hiding
        part of them in turn. True hides labels whenever a class has two; False compares rows as they are,
        and so do a `schedule`, a random start, and graphs that are given.
    evidence : None, "auto" or a classifier
        What else is heard of each row: the probabilities of a classifier (any of scikit-learn's), with a
        weight from held-out labels. "auto" asks a logistic regression and a forest, and with many labels
        boosted trees, a perceptron and a kernel machine; it is heard only where `tune` hides labels. For a
        classifier that is named labels are hidden whenever a class has two; where it cannot be heard, the
        fit is refused. See ``docs/data.md``.
    calibrate : bool or "auto"
        Hold the scores against labels that are hidden from a second run or more, so that of the rows with
        score 0.8 four in five are right. "auto" does so up to 20,000 rows of one machine, when every class
        has at least 10 labels.
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
        The classes found among the known labels, and those of `classes`; sorted.
    unlabelled_classes_ : array
        The classes that have no label.
    reachable_ : array of shape (n,)
        False where no label lies in the same part of a given graph: such rows cannot be decided.
    bridged_ : array of shape (n,)
        True where a part of the graph held no label and was joined to the nearest part: the least certain.
    columns_ : tuple of Treatment
        After a fit on a data frame: what became of each column.
    result_ : Result
        Status in words, energies, epsilons, sweeps, seconds.
    graph_ : Graph
        The graph; ``graph_.S`` is the normalised affinity.
    n_iter_ : int
        Number of sweeps.
    timings_ : dict
        Seconds of each stage.
    calibrated_ : bool
        Whether the scores were calibrated on held-out labels; otherwise they rank, and are no probabilities.
    calibration_ : Calibration
        After calibration: the power that the scores were raised to, and the held-out labels that came back.
    tuning_ : Tuning
        How rows are compared, why, what was compared on held-out labels, and the weight of the evidence.

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
        classes: Any = None,
        unknown: Any = None,
        tune: bool | str = "auto",
        evidence: Any = "auto",
        calibrate: bool | str = "auto",
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
        self.classes = classes
        self.unknown = unknown
        self.tune = tune
        self.evidence = evidence
        self.calibrate = calibrate
        self.device = device
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        features: Any = None,
        callback: Callback | None = None,
        checkpoint: str | PathLike[str] | None = None,
        progress: Progress = silent,
        cancel: Flag | None = None,
    ) -> "DiffuseInterfaceClassifier":
        """Label every row of `X` from the known labels in `y`.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Graph
            Features of shape (n, d). Columns of a data frame may hold numbers, categories, texts and dates.
            With ``metric="precomputed"`` a symmetric affinity matrix of shape (n, n). A `Graph` is used as it
            is. A Dask array, of features or of affinities, is worked on by the workers of the Dask client in
            use; what is told of each row is then a Dask array too, in the same chunks.
        y : array-like of shape (n,)
            Labels; unknown ones are -1 (integers), None, NaN, masked, or one of `unknown`.
        sample_weight : array-like of shape (n,), optional
            How far each known label is trusted: a factor of its fidelity and of its strength in the start.
            At 0 the label is unknown. Rows without a label may hold anything.
        features : array, data frame or sparse matrix of shape (n, d), optional
            Features of the vertices, where `X` is a graph or an affinity matrix: they join it, and
            classifiers are asked about their means along it, with weights from held-out labels.
        callback : callable, optional
            Called with a `Step` after each step of the schedule; a true answer ends the run.
        checkpoint : path, optional
            File that the descent is saved in after each step. If it exists, the run goes on from there and
            ends with exactly the labels of an uninterrupted one; a file of other data or parameters is
            refused. Needs an integer `random_state`.
        progress : callable
            Told the stage (compiling, neighbours, tuning, start, descent) and the share of it that is done,
            None if unknown.
        cancel : threading.Event, optional
            Once set, from any thread, the fit ends with `CancelledError`, and the classifier is as it was
            before: within a second, or once the kernels are compiled where that happens for the first time.

        Returns
        -------
        self
        """
        self._check_parameters()
        if self.verbose and callback is None:
            callback = _report
        saved_in = None if checkpoint is None else self._resumable(checkpoint)
        run = Run(callback, progress, cancel, saved_in, self._settings())
        with told_of_compiling(lambda: self._tell_of_compiling(progress)):
            self._fit(X, y, run, sample_weight, features)
        return self

    def _backend(self, X: Any) -> Backend:
        return find_backend(self.device, X, self.n_jobs)

    def _problem(self, graph: PlacedGraph, engine_labels: Vector, labels: Labels) -> Problem:
        bounds = read_size_bounds(self.class_prior, labels.classes)
        prior = self.class_prior if bounds is None else None
        shares = read_class_prior(prior, labels.classes, labels.codes)
        n_classes = len(labels.classes)
        return Problem(
            graph, engine_labels, n_classes, self.fidelity, class_shares=shares, size_bounds=bounds
        )

    def _tuned(
        self,
        backend: Backend,
        rows: Rows,
        graph: PlacedGraph | None,
        labels: Labels,
        features: Any,
        run: Run,
    ) -> tuple[Rows, PlacedGraph | None, dict[str, Any], dict[str, float]]:
        if features is not None and not isinstance(graph, Graph):
            raise ValueError(FEATURES_BESIDE_A_GRAPH)
        recipe, n_classes = self._recipe(), len(labels.classes)
        named = not (self.evidence is None or isinstance(self.evidence, str))
        needed = 1 if self.tune is True or named else LABELS_PER_CLASS_NEEDED
        apart = one_of_each(labels.codes, labels.groups)
        enough = enough_labels(apart, n_classes, needed) and bool(labels.counts.all())
        alone = graph is not None and features is None
        if named and (alone or recipe.schedule is not None or not enough):
            why = UNHEARD["graph" if alone else "labels" if recipe.schedule is None else "paper"]
            raise OptionError("evidence", "{field}: {} cannot be heard: {}.", name_of(self.evidence), why)
        idle = graph is None and self.tune is False and not named
        if alone or idle or recipe.schedule is not None or n_classes == 1:
            return rows, graph, {}, {}
        sizes = (self.n_neighbors, self.scale_neighbor, self.n_jobs)
        validation = CrossValidation(
            n_classes, recipe, *sizes, metrics=self.tune is not False, distance=self.metric
        )
        told = (labels.codes, validation, self.evidence, stream(self.random_state, "hidden labels"), run)
        with run.stage("tuning"):
            if isinstance(graph, Graph):
                on_host = backend.shown(graph)
                rows, chosen, tuning, seconds = tuned_graph(on_host, features, *told, by_labels=enough)
                graph = backend.place(chosen)
            else:
                rows, graph, tuning, seconds = tuned_rows(
                    backend, rows, *told, by_labels=enough, groups=labels.groups
                )
        return rows, graph, {"tuning_": tuning}, {"tuning": seconds}

    def _solve(self, backend: Backend, problem: Problem, run: Run) -> Solved:
        narrow, present = of_present_classes(problem, backend)
        solved = self._solve_narrow(backend, narrow, run)
        if len(present) == problem.n_classes:
            return solved
        assigned = solved.engine.xp.take(solved.engine.asarray(present), solved.assigned)
        result = replace(solved.attributes["result_"], labels=solved.engine.to_host(assigned))
        return replace(
            solved,
            problem=replace(problem, graph=solved.problem.graph),
            assigned=assigned,
            columns=present,
            attributes={**solved.attributes, "result_": result},
        )

    def _solve_narrow(self, backend: Backend, problem: Problem, run: Run) -> Solved:
        """Solve a problem whose classes can all get rows."""
        recipe = self._recipe()
        attributes: dict[str, Any] = {}
        fitted = fit(backend, problem, recipe, run, stream(self.random_state, "start"))
        result = on_host(fitted.result, fitted.engine.to_host)
        if self._calibrates(backend, problem, recipe, result):
            with run.stage("calibration"):
                rng = stream(self.random_state, "labels hidden from the scores")
                found = calibrate(backend, problem, recipe, result, rng)
            attributes = {"calibrated_": True, "calibration_": found}
        return Solved(
            problem,
            fitted.engine,
            fitted.result.labels,
            fitted.scores,
            attributes={**attributes, "result_": result, "n_iter_": result.n_sweeps},
            seconds=fitted.seconds,
        )

    def _calibrates(self, backend: Backend, problem: Problem, recipe: Recipe, result: Result) -> bool:
        """Whether labels are hidden to hold the scores against them."""
        possible = recipe.schedule is None and problem.n_classes > 1 and result.status is not Status.STOPPED
        if not possible or self.calibrate is False:
            return False
        return self.calibrate is True or enough_to_calibrate(backend, problem)

    def _recipe(self) -> Recipe:
        """Graphwell's own descent, or the paper's where a schedule or its start is asked for."""
        if self.schedule is not None or self.start == "random":
            return paper_recipe(self.start, self.schedule, self.step_size)
        return Recipe(self.start, step_size=self.step_size)

    def _settings(self) -> dict[str, Any]:
        """Settings that a run depends on besides its problem."""
        without_effect = ("n_jobs", "verbose")
        settings = {k: v for k, v in self.get_params().items() if k not in without_effect}
        return {**settings, "version": __version__}

    def _resumable(self, checkpoint: Any) -> Path:
        if not isinstance(checkpoint, str | PathLike) or not str(checkpoint):
            raise OptionError("checkpoint", "{field} must be the name of a file, got {!r}.", checkpoint)
        if isinstance(self.random_state, bool) or not isinstance(self.random_state, int | np.integer):
            raise OptionError(
                "checkpoint",
                "{field} needs an integer random_state, got {!r}: "
                "a run that goes on must draw the start that it began with.",
                self.random_state,
            )
        return Path(checkpoint)

    def _tell_of_compiling(self, progress: Progress) -> None:
        progress("compiling", None)
        if self.verbose:
            _say(COMPILING)

    def _announce(self, n_rows: int, n_classes: int) -> None:
        if self.verbose:
            need = in_words(fit_bytes(n_rows, self.n_neighbors, n_classes))
            _say(f"{n_rows:,} rows, {n_classes} classes: needs about {need} beyond the input")


def _report(step: Step) -> None:
    _say(
        f"step {step.number} of {step.of}: epsilon {step.epsilon:.3g}, energy {step.energy:.6g}, "
        f"{step.label_changes} labels changed"
    )


def _say(text: str) -> None:
    """Write a line on standard error, where there is one."""
    if sys.stderr is not None:
        sys.stderr.write(f"{text}\n")
