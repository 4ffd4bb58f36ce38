"""The multiclass diffuse interface model as a scikit-learn classifier."""

import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps
from typing import Any

from graphwell._random import Seed, stream
from graphwell.backends.base import Backend, PlacedGraph, Rows, Vector
from graphwell.backends.registry import find_backend
from graphwell.errors import OptionError, without
from graphwell.estimators.base import GraphClassifier, Solved
from graphwell.estimators.labels import Labels
from graphwell.estimators.parameters import read_class_prior, read_size_bounds
from graphwell.estimators.registry import method
from graphwell.estimators.tuning.crossvalidation import CrossValidationProblem, tune_on_worker, tune_rows
from graphwell.estimators.tuning.estimate import label_issues
from graphwell.estimators.tuning.graphs import tune_graph
from graphwell.estimators.tuning.models import name_of
from graphwell.graph import Graph
from graphwell.graph.compiled import told_of_compiling
from graphwell.progress import Progress, silent
from graphwell.solve.descent import Callback, on_host
from graphwell.solve.fit import EngineCache, Recipe, Run, fit, paper_recipe
from graphwell.solve.problem import FIDELITY, Problem, of_present_classes
from graphwell.solve.schedule import Schedule

FEATURES_BESIDE_A_GRAPH = (
    "features go beside a graph: give a Graph of this machine, or an affinity matrix with "
    'metric="precomputed"; features without a graph are X itself.'
)
NOT_STACKED = {
    "graph": "X is a graph without features; give fit its features, or models=None",
    "classes": "a class has no label; label a row of each, or leave models out",
    "paper": 'nothing is compared with the descent of the paper; leave out schedule and start="random"',
}
"""Why a classifier that is named cannot be stacked, and what to do."""
EARLIER = ("tune", "evidence", "calibrate")


def _understands_earlier_names(init: Callable[..., None]) -> Callable[..., None]:
    """Translate the names that `models` had before 0.2; they go with 0.3."""

    @wraps(init)
    def understood(self: Any, *values: Any, **parameters: Any) -> None:
        earlier = {name: parameters.pop(name) for name in EARLIER if name in parameters}
        if earlier:
            warnings.warn(
                f"{' and '.join(earlier)}: earlier names of models (tune=False, evidence=None is "
                "models=None; evidence=None is models=[]; evidence=classifier is models=[classifier]).",
                FutureWarning,
                stacklevel=2,
            )
            evidence = earlier.get("evidence", "auto")
            if evidence is not None and not isinstance(evidence, str):
                parameters["models"] = [evidence]
            elif not earlier.get("tune", True):
                parameters["models"] = None
            elif evidence is None:
                parameters["models"] = []
        init(self, *values, **parameters)

    return understood


@method(
    "diffuse interface",
    "graphwell's own descent, or the paper's under a schedule",
    sources=("garciacardona2013multiclass",),
)
class DiffuseInterfaceClassifier(GraphClassifier):
    """Label every row from a few labels, by the method of Garcia-Cardona, Flenner and Percus.

    Rows become the vertices of a graph. Each takes a class and an offset from it; sweeps of gradient descent
    propagate the known labels until the boundaries between classes lie where the data is thin.

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
    models : "auto", None, a classifier or a list of classifiers
        What is stacked with the graph. "auto" compares the graph, metrics learned from the labels, and
        classifiers of scikit-learn on labels that are held out in turn, from two labels per class on; below
        that rules that look at the data alone choose how rows are compared. None is the graph alone, rows as
        they are, in the time of one fit. Classifiers that are named are stacked in any case; ``[]`` is "auto"
        without classifiers. With a `schedule` or a random start nothing is compared. See ``docs/data.md``.
    tune, evidence, calibrate
        Earlier names of `models`, understood for one release: ``tune=False, evidence=None`` is
        ``models=None``, ``evidence=None`` is ``models=[]``, and ``evidence=classifier`` is
        ``models=[classifier]``. Scores are calibrated wherever labels were held out.
    device : {"cpu", "cuda"}
        Where everything runs: on all cores, or on an NVIDIA GPU (``pip install "graphwell[cuda]"``). With
        "cuda", rows may be CuPy arrays or PyTorch tensors on the GPU; `transduction_`,
        `label_distributions_` and predictions are then such arrays too.
    n_jobs : int, optional
        Threads; all cores by default. The result does not depend on it.
    random_state : int, Generator or RandomState, optional
        Seed of the start.

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
        True where a component held no label and was connected to the nearest one: the least certain.
    columns_ : tuple of Treatment
        After a fit on a data frame: the treatment of each column.
    result_ : Result
        Status in words, energies, epsilons, sweeps, seconds.
    graph_ : Graph
        The graph; ``graph_.S`` is the normalised affinity.
    n_iter_ : int
        Number of sweeps.
    timings_ : dict
        Seconds of each stage.
    accuracy_ : float or None
        Share of correct labels, estimated on held-out labels; None where none could be held out.
    accuracy_interval_ : (float, float) or None
        That holds the share with a probability of 90 %.
    models_ : DataFrame
        What was compared: out-of-fold accuracy, temperature and weight of each. Not with ``models=None``.
    calibrated_ : bool
        Whether the scores were calibrated on held-out labels; otherwise they rank, and are no probabilities.
    label_issues_ : DataFrame or None
        Given labels that the rest of the data contradicts, worst first: `row`, `label`, the class that is
        `suggested`, and the out-of-fold probability of each of the two. Below 0.1 a label is most likely
        wrong. None where no label could be held out.
    tuning_ : Tuning
        How rows are compared, and why; the same figures. Not with ``models=None``.

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

    @_understands_earlier_names
    @without(verbose="fit(X, y, progress=print)")
    def __init__(
        self,
        n_neighbors: int = 10,
        scale_neighbor: int = 10,
        metric: str = "euclidean",
        *,
        start: str = "auto",
        schedule: Schedule | None = None,
        step_size: float | None = None,
        fidelity: float = FIDELITY,
        class_prior: Any = None,
        classes: Any = None,
        unknown: Any = None,
        models: Any = "auto",
        device: str = "cpu",
        n_jobs: int | None = None,
        random_state: Seed = None,
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
        self.models = models
        self.device = device
        self.n_jobs = n_jobs
        self.random_state = random_state

    @without(
        checkpoint="fit(X, y), as it takes seconds",
        holdout="fit(X, y), as accuracy_ is estimated",
        verbose="fit(X, y, progress=print)",
    )
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        features: Any = None,
        callback: Callback | None = None,
        progress: Progress = silent,
        cancel: Any = None,
    ) -> "DiffuseInterfaceClassifier":
        """Label every row of `X` from the known labels in `y`.

        Parameters
        ----------
        X : array, data frame, sparse matrix or Graph
            Features of shape (n, d). Columns of a data frame may hold numbers, categories, texts and dates.
            With ``metric="precomputed"`` a symmetric affinity matrix of shape (n, n). A `Graph` is used as it
            is. A Dask array of features is worked on by the workers of the Dask client in use; what is told
            of each row is then a Dask array too, in the same chunks.
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
        progress : callable
            Told the stage (compiling, neighbours, tuning, start, descent) and the share of it that is done,
            None if unknown; ``progress=print`` prints them.
        cancel : threading.Event, optional
            Once set, from any thread, the fit ends with `CancelledError`, and the classifier is as it was
            before: within a second, or once the kernels are compiled where that happens for the first time.

        Returns
        -------
        self
        """
        run = Run(callback, progress, cancel)
        with told_of_compiling(lambda: progress("compiling", None)):
            self._fit(X, y, run, sample_weight, features)
        return self

    def _backend(self, X: Any) -> Backend:
        return find_backend(self.device, X, self.n_jobs)

    def _problem(self, graph: PlacedGraph, engine_labels: Vector, labels: Labels) -> Problem:
        bounds = read_size_bounds(self.class_prior, labels.classes)
        prior = self.class_prior if bounds is None else None
        shares = read_class_prior(prior, labels.classes, labels.counts)
        return Problem(
            graph,
            engine_labels,
            len(labels.classes),
            self.fidelity,
            class_shares=shares,
            size_bounds=bounds,
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
        models = [self.models] if hasattr(self.models, "predict_proba") else self.models
        recipe, n_classes = self._recipe(), len(labels.classes)
        named = models is not None and not isinstance(models, str) and len(models) > 0
        alone = graph is not None and features is None
        if named and (alone or recipe.schedule is not None or not labels.counts.all()):
            why = NOT_STACKED["graph" if alone else "paper" if recipe.schedule is not None else "classes"]
            raise OptionError("models", "{field}: {} cannot be stacked: {}.", name_of(models[0]), why)
        on_cluster = backend.name == "dask"
        nothing = models is None and features is None
        if nothing or recipe.schedule is not None or n_classes == 1 or (on_cluster and graph is not None):
            return rows, graph, {"label_issues_": None}, {}
        began = time.perf_counter()
        rng = stream(self.random_state, "hidden labels")
        cv = CrossValidationProblem(
            backend,
            rows,
            labels.codes,
            labels.groups,
            n_classes,
            partial(self._unfitted()._problem, labels=labels),
            recipe,
            (self.n_neighbors, self.scale_neighbor, self.metric),
            run,
            labels.strengths,
        )
        with run.stage("tuning"), EngineCache().open():
            if graph is not None:
                found, rows = tune_graph(cv, graph, features, models, rng)
            elif on_cluster:
                found = tune_on_worker(cv, models, rng)
            else:
                found = tune_rows(cv, models, rng)
        if graph is None:
            rows = replace(rows, change=found.change, evidence=found.mixture)
        seconds = {"tuning": time.perf_counter() - began}
        tuned = {
            "tuning_": found.tuning,
            "models_": found.tuning.table(),
            "label_issues_": label_issues(found.tuning, labels.codes, labels.classes),
        }
        return rows, found.graph, tuned, seconds

    def _solve(self, backend: Backend, problem: Problem, run: Run) -> Solved:
        narrow, present = of_present_classes(problem, backend)
        fitted = fit(backend, narrow, self._recipe(), run, stream(self.random_state, "start"))
        engine, assigned = fitted.engine, fitted.result.labels
        result = on_host(fitted.result, engine.to_host)
        if len(present) < problem.n_classes:
            assigned = engine.xp.take(engine.asarray(present), assigned)
            result = replace(result, labels=engine.to_host(assigned))
        attributes = {"result_": result, "n_iter_": result.n_sweeps}
        return Solved(engine, assigned, fitted.scores, present, attributes, fitted.seconds)

    def _recipe(self) -> Recipe:
        """Graphwell's own descent, or the paper's where a schedule or its start is asked for."""
        if self.schedule is not None or self.start == "random":
            return paper_recipe(self.start, self.schedule, self.step_size)
        return Recipe(self.start, step_size=self.step_size, candidate=self._keep)
