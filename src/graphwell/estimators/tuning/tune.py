"""Choosing the metric, or the graph, and the models that are stacked with it, by cross-validation.

The metric that the rules chose from the data alone is kept unless another one is better by a standard error.
Candidates are judged by the mean logarithm of the probability that they gave held-out labels, which tells
more than the number of right ones where few are held out.

Features beside a given graph: two graphs become one, and models are asked about the mean of the features
around a row, taken twice along the given graph: neighbours tend to be of one class, and their mean is clearer
than any of them. New rows come as affinities to the fitted ones, and those are all that the mean needs.
"""

import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.base import Backend, PlacedGraph, Rows
from graphwell.backends.induction import distributions
from graphwell.backends.registry import find_backend
from graphwell.estimators.tuning.cross_validation import (
    FOLDS,
    best_power,
    folds,
    rivals_left,
    sampled,
    select,
)
from graphwell.estimators.tuning.maps import Map, dense
from graphwell.estimators.tuning.metrics import CANDIDATES, Ruled, are_mostly_zero, by_the_data, compared_with
from graphwell.estimators.tuning.models import MOST_COLUMNS, Sample, leading_axes
from graphwell.estimators.tuning.stacking import (
    ONLY_IF_BETTER,
    SMALLEST_TOTAL,
    Evidence,
    fit_model,
    log_likelihoods,
    models_for,
    name_of,
    stacking_weights,
)
from graphwell.graph import Graph
from graphwell.graph.checks import read_features
from graphwell.progress import Progress
from graphwell.solve.fit import Recipe, Run, fit
from graphwell.solve.problem import Problem

HELD_OUT_ENOUGH = 150
"""So many held-out labels tell candidates apart; no further fold is tried."""
SMALLEST_WEIGHT = 0.05
"""A model of less weight is not stacked."""
ROWS_COMPARED, LABELS_COMPARED = 600, 2_000
"""Rows that candidates are compared on, with more where there are more labels; and labels, at most."""
ROWS_LOOKED_AT, ROWS_FITTED = 1_500, 20_000
"""Rows that the rules see and the chosen metric is fitted on, and their most: labelled ones first."""
WHOLE_FROM = 5_000
"""With more rows a metric that won on a sample must also win on the graph of all rows. MNIST needs none, but
600 of its rows do: from 10 labels per class, label set 0, the metric gave 3.65 % wrong, plain rows 2.43."""
HELD_OUT_AT_FULL_SIZE = 1_000
"""So many held-out labels are enough there; the folds of fewer labels are all solved."""


@dataclass(frozen=True)
class Tuning:
    """The choice, and how well each candidate did on held-out labels.

    Attributes
    ----------
    metric : str
        Name of the chosen metric, see `graphwell.estimators.tuning.metrics`.
    why : str
        Why, in a few words.
    accuracy : dict
        Share of the held-out labels that each candidate got right until it was dropped: metrics and models.
    likelihood : dict
        Geometric mean of the probability that each gave to them.
    evidence : dict
        Weight of each classifier beside the graph, which has the rest.
    n_hidden : int
        Number of labels that were held out, counted each time.
    power : float
        That calibrates stacked scores, see `graphwell.estimators.tuning.cross_validation`.
    rule : str
        The metric that the data alone speaks for.
    """

    metric: str
    why: str
    accuracy: dict[str, float] = field(default_factory=dict)
    likelihood: dict[str, float] = field(default_factory=dict)
    evidence: dict[str, float] = field(default_factory=dict)
    n_hidden: int = 0
    power: float = 1.0
    rule: str = "plain"

    def __str__(self) -> str:
        members = "".join(f", {100 * weight:.0f} % {name}" for name, weight in self.evidence.items())
        if not self.n_hidden:
            members = ", no other model was asked"
        known = CANDIDATES.get(self.metric)
        return f"{self.metric if known is None else known.summary} ({self.why}){members}"


@dataclass(frozen=True)
class CrossValidation:
    """Settings of a cross-validation; without `metrics` rows stay as they are."""

    n_classes: int
    recipe: Recipe
    n_neighbors: int
    scale_neighbor: int
    n_jobs: int | None = None
    metrics: bool = True
    distance: str = "euclidean"

    def candidates(self, rule: str, n_labels: int) -> list[str]:
        """Names of what is compared, what the rules chose first."""
        return compared_with(rule, n_labels, self.n_classes) if self.metrics else [rule]

    def probabilities(self, sample: Sample, name: str) -> FloatArray:
        """Probabilities of every row of a sample, on the graph of a candidate."""
        n = sample.X.shape[0]
        most = min(self.n_neighbors, n - 1), min(self.scale_neighbor, n - 1)
        change = CANDIDATES[name].fit(sample)
        graph = Graph.from_features(sample.X, *most, n_jobs=1, change=change)
        return graph_probabilities(self, graph, sample.labels)


def graph_probabilities(validation: CrossValidation, graph: Graph, labels: IntArray) -> FloatArray:
    """Probabilities of every vertex after the descent from these labels.

    The coarse level belongs to it: without it, rows as they are look worse than they are from few labels.
    """
    backend = find_backend("cpu", n_jobs=1)
    problem = Problem(graph, labels, validation.n_classes)
    fitted = fit(backend, problem, validation.recipe, rng=np.random.default_rng(0))
    return distributions(np, fitted.result.labels, fitted.scores)


def tuned_rows(
    backend: Backend,
    rows: Rows,
    labels: IntArray,
    validation: CrossValidation,
    evidence: Any,
    rng: np.random.Generator,
    run: Run,
    *,
    by_labels: bool,
    groups: IntArray | None = None,
) -> tuple[Rows, PlacedGraph | None, Tuning, float]:
    """Choose the metric and the stacked models; return them with the rows.

    Where the choice was checked on the graph of all rows, that graph is returned too.
    """
    began = time.perf_counter()
    places = sampled(labels, ROWS_FITTED // 2, ROWS_LOOKED_AT, rng)
    sample = Sample(backend.some_rows(rows, places), labels[places])
    settings = (validation, evidence, rng, by_labels)
    change, by_rule, stacked, tuning = backend.apart(chosen, sample, *settings, progress=run.told)
    rows, graph = replace(rows, change=change, evidence=stacked), None
    if change is not by_rule and rows.n_rows > WHOLE_FROM and backend.name != "dask":
        rival = replace(rows, change=by_rule)
        rows, graph, tuning = checked_at_full_size(
            backend, {tuning.rule: rival, tuning.metric: rows}, labels, validation, tuning, rng, run, groups
        )
    return rows, graph, tuning, time.perf_counter() - began


def checked_at_full_size(
    backend: Backend,
    rivals: dict[str, Rows],
    labels: IntArray,
    validation: CrossValidation,
    tuning: Tuning,
    rng: np.random.Generator,
    run: Run,
    groups: IntArray | None,
) -> tuple[Rows, PlacedGraph, Tuning]:
    """Keep the learned metric, the second rival, if it is better by a standard error on all rows too."""
    sizes = (validation.n_neighbors, validation.scale_neighbor, validation.distance)
    graphs = {name: backend.build_graph(rows, *sizes, run.told) for name, rows in rivals.items()}
    predicted: dict[str, list[FloatArray]] = {name: [] for name in rivals}
    truth: list[IntArray] = []
    for hidden in folds(labels, validation.n_classes, rng, groups):
        shown, places = backend.asarray(np.where(hidden, -1, labels)), np.flatnonzero(hidden)
        one_each = np.full(len(labels), len(places))
        one_each[places] = np.arange(len(places))
        for name, graph in graphs.items():
            run.check()
            problem = Problem(graph.bridged(shown >= 0), shown, validation.n_classes)
            fitted = fit(
                backend, problem, validation.recipe, Run(cancel=run.cancel), np.random.default_rng(0)
            )
            shares = fitted.engine.shares(fitted.scores)
            predicted[name].append(fitted.engine.group_means(shares, one_each, len(places) + 1)[:-1])
        truth.append(labels[hidden])
        likelihoods = {name: _calibrated_likelihoods(each, truth) for name, each in predicted.items()}
        behind = likelihoods[tuning.metric].mean() <= likelihoods[tuning.rule].mean()
        if behind or sum(map(len, truth)) >= HELD_OUT_AT_FULL_SIZE:
            break
    best = select(list(rivals), likelihoods)
    if best != tuning.metric:
        tuning = replace(tuning, metric=best, why="the metric learned on a sample is no better on all rows")
    return rivals[best], graphs[best], tuning


def chosen(
    sample: Sample,
    validation: CrossValidation,
    evidence: Any,
    rng: np.random.Generator,
    by_labels: bool,
    progress: Progress,
) -> tuple[Map | None, Map | None, Evidence | None, Tuning]:
    """The metric by choice and by rule, and the stacked models, by a sample of the rows."""
    asked: tuple[Any, ...] = ()
    with threadpool_limits(1):  # few rows, and the same bits for any number of threads
        ruled = by_the_data(sample.X) if validation.metrics else Ruled("plain", "as asked for")
        tuning = Tuning(ruled.name, ruled.why, rule=ruled.name)
        if by_labels:
            asked = models_for(evidence, int(sample.known.sum()), validation.n_classes)
            few = sampled(sample.labels, LABELS_COMPARED, ROWS_COMPARED, rng)
            tuning = cross_validated(sample.some(few), ruled, validation, asked, rng, progress)
        by_rule = change = _fitted(ruled.name, sample)
        if tuning.metric != ruled.name:
            change = _fitted(tuning.metric, sample)
        return change, by_rule, stacked_models(tuning, asked, sample, validation.n_classes), tuning


def _fitted(metric: str, sample: Sample) -> Map | None:
    return None if metric == "plain" else CANDIDATES[metric].fit(sample)


def stacked_models(tuning: Tuning, asked: tuple[Any, ...], sample: Sample, n_classes: int) -> Evidence | None:
    """The classifiers that have a weight, fitted to all labels of the sample."""
    members = [made for made in asked if name_of(made) in tuning.evidence]
    if not members:
        return None
    models = tuple(fit_model(made, sample, n_classes) for made in members)
    return Evidence(models, tuple(tuning.evidence[name_of(made)] for made in members))


def cross_validated(
    sample: Sample,
    ruled: Ruled,
    validation: CrossValidation,
    asked: tuple[Any, ...],
    rng: np.random.Generator,
    progress: Progress,
) -> Tuning:
    """Compare metrics and classifiers on held-out labels, and choose.

    After each part of the labels the first metric stays, and so do its best rivals as long as they may win.
    """
    names = validation.candidates(ruled.name, int(sample.known.sum()))
    predicted: dict[str, list[FloatArray]] = {}
    truth: list[IntArray] = []
    for fold, hidden in enumerate(folds(sample.labels, validation.n_classes, rng, sample.groups)):
        shown = sample.with_labels(np.where(hidden, -1, sample.labels))
        truth.append(sample.labels[hidden])
        for number, name in enumerate(names):
            progress("tuning", (fold + number / len(names)) / FOLDS)
            predicted.setdefault(name, []).append(validation.probabilities(shown, name)[hidden])
        for made in asked:
            predicted.setdefault(name_of(made), []).append(
                out_of_fold(made, sample, shown, hidden, validation.n_classes)
            )
        names = rivals_left(names, {name: _likelihoods(predicted[name], truth) for name in names})
        if sum(map(len, truth)) >= HELD_OUT_ENOUGH:
            break
    likelihoods = {name: _likelihoods(each, truth) for name, each in predicted.items()}
    chosen = select(names, likelihoods)
    members = without_weak_members([chosen, *map(name_of, asked)], likelihoods)
    weights, power = model_weights(members, predicted, np.concatenate(truth))
    return Tuning(
        chosen,
        ruled.why if chosen == ruled.name else "best on held-out labels",
        {name: float(np.concatenate(_hits(predicted[name], truth)).mean()) for name in predicted},
        {name: float(np.exp(each.mean())) for name, each in likelihoods.items()},
        weights,
        sum(map(len, truth)),
        power,
        ruled.name,
    )


def out_of_fold(made: Any, sample: Sample, shown: Sample, hidden: BoolArray, n_classes: int) -> FloatArray:
    """Out-of-fold probabilities of a classifier; of a forest, out-of-bag ones."""
    if made != "forest" or sample.groups.max() + 1 < sample.known.sum():  # trees have seen its copies
        return fit_model(made, shown, n_classes)(sample.X[hidden])
    predicted = np.zeros((int(hidden.sum()), n_classes))
    predicted[:, sample.model("forest").classes_] = sample.out_of_bag()[hidden[sample.known]]
    return predicted


def without_weak_members(members: list[str], likelihoods: dict[str, FloatArray]) -> list[str]:
    """Drop models of `ONLY_IF_BETTER` that do not beat every other by a standard error.

    One more model that is merely as good takes weight from the others by chance where few are held out.
    """
    usual = [name for name in members if name not in ONLY_IF_BETTER]
    best = max(usual, key=lambda name: float(likelihoods[name].mean()))
    better = [
        name for name in members if name in ONLY_IF_BETTER and select([best, name], likelihoods) == name
    ]
    return usual + better


def model_weights(
    members: list[str], predicted: dict[str, list[FloatArray]], truth: IntArray
) -> tuple[dict[str, float], float]:
    """Weights of the models beside the first, the graph; and the power that calibrates their mixture.

    A model of little weight is dropped: it takes as long to ask as a weighty one.
    """
    if len(members) == 1:
        return {}, 1.0
    stacked = [np.concatenate(predicted[name]) for name in members]
    found = stacking_weights(stacked, truth)
    clear = [
        members[0],
        *(name for name, weight in zip(members[1:], found[1:], strict=True) if weight >= SMALLEST_WEIGHT),
    ]
    if len(clear) < len(members):
        return model_weights(clear, predicted, truth)
    power = best_power(np.tensordot(found, stacked, axes=1), truth)
    weights = dict(zip(members[1:], map(float, found[1:]), strict=True))
    return weights if sum(weights.values()) >= SMALLEST_TOTAL else {}, power


def _hits(predicted: list[FloatArray], truth: list[IntArray]) -> list[BoolArray]:
    return [s.argmax(axis=1) == t for s, t in zip(predicted, truth, strict=False)]


def _calibrated_likelihoods(predicted: list[FloatArray], truth: list[IntArray]) -> FloatArray:
    """Log likelihoods after temperature scaling, so that modest scores do not lose to sure ones."""
    shares, classes = np.concatenate(predicted), np.concatenate(truth)
    raised = shares ** best_power(shares, classes)
    return log_likelihoods(raised / np.maximum(raised.sum(axis=1, keepdims=True), 1e-300), classes)


def _likelihoods(predicted: list[FloatArray], truth: list[IntArray]) -> FloatArray:
    return np.concatenate([log_likelihoods(s, t) for s, t in zip(predicted, truth, strict=False)])


ALONE, JOINED = "graph alone", "graph and features"


@dataclass(frozen=True, eq=False)
class AroundRows:
    """Stacked models of the features around rows, which are given as affinities to the fitted rows.

    Attributes
    ----------
    evidence : Evidence
    means : array of shape (n, d)
        Mean of the features around each fitted row, itself among them.
    """

    evidence: Evidence
    means: FloatArray

    @property
    def weight(self) -> float:
        """Their weight beside the graph."""
        return self.evidence.weight

    def __call__(self, X: Any) -> FloatArray:
        """Return the weighted sum of their probabilities for each row of affinities."""
        return self.evidence(mean_around(X, self.means))


@dataclass(frozen=True)
class GraphCrossValidation(CrossValidation):
    """A comparison of two graphs of the same rows."""

    graphs: dict[str, Graph] = field(default_factory=dict)

    def candidates(self, rule: str, n_labels: int) -> list[str]:
        """Both graphs, the joined one first."""
        return [rule, *(name for name in self.graphs if name != rule)]

    def probabilities(self, sample: Sample, name: str) -> FloatArray:
        """Probabilities of every row on one of the graphs."""
        return graph_probabilities(self, self.graphs[name], sample.labels)


def mean_around(A: Any, values: FloatArray) -> FloatArray:
    """Mean of the values of the rows that each row is linked to, by affinity; 0 where there is no link."""
    A = sparse.csr_array(A, dtype=np.float64)
    total = A @ np.ones(A.shape[1])
    return (A @ values) / np.where(total > 0, total, 1.0)[:, None]


def joined_graphs(graph: Graph, X: Any, n_neighbors: int, scale_neighbor: int, n_jobs: int | None) -> Graph:
    """The graph plus the nearest-neighbour graph of the features, both of the same total weight."""
    few = min(n_neighbors, X.shape[0] - 1), min(scale_neighbor, X.shape[0] - 1)
    counts = sparse.issparse(X) or are_mostly_zero(X)
    change = CANDIDATES[by_the_data(X).name].fit(Sample(X, np.full(X.shape[0], -1)))
    near = Graph.from_features(X, *few, "cosine" if counts else "euclidean", n_jobs, change=change)
    return Graph.from_affinity(graph.W + near.W * (graph.W.sum() / near.W.sum()))


def tuned_graph(
    graph: Graph,
    features: Any,
    labels: IntArray,
    validation: CrossValidation,
    evidence: Any,
    rng: np.random.Generator,
    run: Run,
    *,
    by_labels: bool,
) -> tuple[Rows, Graph, Tuning, float]:
    """Choose between the graph alone and joined with the features, and the models of the features.

    Without labels to hold out the joined graph is taken, and no model is stacked.
    """
    began = time.perf_counter()
    X = checked(features, graph.n_vertices)
    sizes = (validation.n_neighbors, validation.scale_neighbor, validation.n_jobs)
    graphs = {JOINED: joined_graphs(graph, X, *sizes), ALONE: graph}
    affinity = sparse.csr_array(graph.W + sparse.eye_array(graph.n_vertices))
    low = leading_axes(X, MOST_COLUMNS)(X) if X.shape[1] > MOST_COLUMNS else dense(X)
    means = mean_around(affinity, low)
    rows = Rows(affinity, affinity, graph.n_vertices, graph.n_vertices)
    tuning, stacked = Tuning(JOINED, "features were given"), None
    if by_labels:
        sample = Sample(mean_around(affinity, means), labels)
        asked = models_for(evidence, int(sample.known.sum()), validation.n_classes)
        both = GraphCrossValidation(validation.n_classes, validation.recipe, *sizes, graphs=graphs)
        tuning = cross_validated(sample, Ruled(JOINED, "features were given"), both, asked, rng, run.told)
        found = stacked_models(tuning, asked, sample, validation.n_classes)
        stacked = None if found is None else AroundRows(found, means)
    rows = Rows(rows.given, rows.values, rows.n_rows, rows.n_features, evidence=stacked)
    return rows, graphs[tuning.metric], tuning, time.perf_counter() - began


def checked(features: Any, n: int) -> Any:
    """Features of the vertices, one row for each."""
    X = read_features(features)
    if X.shape[0] != n:
        raise ValueError(f"features has {X.shape[0]} rows but the graph has {n}; give one row per vertex.")
    return X
