"""Cross-validation: which metric and which models label the rows best, by labels that are held out in turn.

One split of the labels serves all: the choice of the metric, the temperatures and weights of the models, and
the estimate of the accuracy. Part of the labels is held out, and each model labels them from the others: the
graph is solved anew as a whole, start, coarse level and descent; classifiers are fitted anew. Then

1. a learned metric replaces the one that the data alone speaks for if it is better by a standard error;
2. each model gets a temperature, and those that are clearly behind the best are dropped;
3. the others are stacked, with weights under which the held-out labels are likeliest;
4. the accuracy is the mean score of the rows without a label, corrected by the held-out labels (`estimate`);
   what the stacked models say of a fold has temperatures and weights from the labels of the others.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from graphwell._rows import one_of_each
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.base import Backend, PlacedGraph, Rows, Vector
from graphwell.backends.induction import distributions
from graphwell.backends.registry import find_backend
from graphwell.estimators.tuning.estimate import HeldOut, ModelScore, Tuning
from graphwell.estimators.tuning.maps import Columns, Map
from graphwell.estimators.tuning.metrics import CANDIDATES, Ruled, by_the_data, compared_with
from graphwell.estimators.tuning.models import Sample, fit_model, models_for, name_of
from graphwell.estimators.tuning.stacking import (
    POOLED_SHARPENING,
    Mixture,
    best_power,
    log_likelihoods,
    stacking_weights,
    tempered,
)
from graphwell.graph.canonical import equal_rows
from graphwell.model_selection import HiddenLabelsSplit
from graphwell.progress import Progress, silent
from graphwell.solve.descent import Status
from graphwell.solve.fit import Recipe, Run, fit
from graphwell.solve.problem import Problem
from graphwell.solve.select import LABELS_PER_CLASS_ENOUGH

# With many rows a fold costs nearly a whole fit; two suffice.
FOLDS, FOLDS_OF_MANY, MANY_ROWS = 5, 2, 50_000
LABELS_PER_CLASS_NEEDED = 2
# Labels that models are compared by, at most; they learn from all others of the sample.
LABELS_SCORED = 2_000
# Most probabilities kept per model for label checking: 200,000 labels of ten classes.
PROBABILITIES_CHECKED = 2_000_000
# Size of the sample for rules, metrics and classifiers: 1,500 rows; from more labels, at most 10,000 of them
# and a quarter as many other rows.
ROWS_LOOKED_AT, LABELS_FITTED = 1_500, 10_000
# With more rows learned metrics must win on a sample first, of so many rows or more if labels are more.
SCREENED_FROM, ROWS_OF_SCREENING = 5_000, 600
# Standard errors behind the best model at which one is dropped: see docs/data.md.
CLEARLY = 2.5
# Log-loss difference of one added pseudo-label, on which two models differ.
ONE_MORE_LABEL = 1.0
# Learned metrics that are left after the first fold.
MOST_RIVALS = 2
# A model of less weight is not stacked: it takes as long to ask as a weighty one.
SMALLEST_WEIGHT = 0.03
# Times that classifiers are given a label that was given more often.
MOST_REPEATED = 100


@dataclass(frozen=True, eq=False)
class Tuned:
    """The choice: the metric, the graph under it, and the models that are stacked with it."""

    tuning: Tuning
    change: Map | None = None
    graph: PlacedGraph | None = None
    mixture: Mixture | None = None


@dataclass(frozen=True, eq=False)
class CrossValidationProblem:
    """Rows and labels to compare models on, and how their graph is built and solved."""

    backend: Backend
    rows: Rows
    labels: IntArray
    groups: IntArray | None  # equal where rows with a label are copies of each other
    n_classes: int
    problem: Callable[[PlacedGraph, Vector], Problem]
    recipe: Recipe
    graph_parameters: tuple[int, int, str]  # n_neighbors, scale_neighbor, distance
    run: Run
    strengths: FloatArray | None = None  # how often each label was given
    statuses: dict[str, list[Status]] = field(default_factory=dict)  # of the fits of each graph

    def graph_of(self, change: Map | None) -> PlacedGraph:
        """The graph of the rows under a metric."""
        return self.backend.build_graph(replace(self.rows, change=change), *self.graph_parameters, silent)

    def solved(self, name: str, graph: PlacedGraph, labels: IntArray, places: IntArray) -> FloatArray:
        """Probabilities of some rows, after a fit of the whole graph to these labels."""
        self.run.check()
        shown = self.backend.asarray(labels)
        problem = self.problem(graph.bridged(shown >= 0), shown)
        # With so many labels that the fit to all of them goes without the coarse level, these do too.
        many = (self.labels >= 0).sum() >= LABELS_PER_CLASS_ENOUGH * self.n_classes
        recipe = replace(
            self.recipe, coarse=self.recipe.coarse and not (many and problem.size_bounds is None)
        )
        found = fit(self.backend, problem, recipe, Run(cancel=self.run.cancel), np.random.default_rng(0))
        self.statuses.setdefault(name, []).append(found.result.status)
        one_each = np.full(len(labels), len(places))
        one_each[places] = np.arange(len(places))
        shares = found.engine.group_means(found.engine.shares(found.scores), one_each, len(places) + 1)
        return distributions(np, self.backend.to_host(found.result.labels)[places], shares[:-1])

    def model(self, name: str, graph: PlacedGraph) -> "Model":
        """The fit of a graph as a model to compare."""
        return lambda labels, shown, asked: self.solved(name, graph, labels, asked)

    def kept(self, name: str) -> Status | None:
        """The candidate that most fits of a graph kept; None if there is no such.

        The fit to all labels keeps the same: scores of another kind would have another temperature.
        """
        found = self.statuses.get(name, [])
        kinds = [Status.SETTLED if status is Status.UNSETTLED else status for status in found]
        return next((kind for kind in kinds if 2 * kinds.count(kind) > len(kinds)), None)

    def on_sample(self, sample: Sample) -> "CrossValidationProblem":
        """The same on some rows, on one thread of this machine."""
        n = sample.X.shape[0]
        rows = Rows(sample.X, sample.X, n, sample.X.shape[1], compact=sample.compact)
        n_neighbors, scale_neighbor, distance = self.graph_parameters
        parameters = min(n_neighbors, n - 1), min(scale_neighbor, n - 1), distance
        groups = np.full(n, -1)
        groups[sample.known] = equal_rows(sample.X[sample.known])
        return replace(
            self, backend=find_backend("cpu", n_jobs=1), rows=rows, labels=sample.labels, groups=groups,
            graph_parameters=parameters, strengths=None, statuses={},
        )  # fmt: skip


def sampled(labels: IntArray, most_labels: int, n_rows: int, rng: np.random.Generator) -> IntArray:
    """Draw labelled rows and others: at least a quarter more, and so many rows in all."""
    known, others = np.flatnonzero(labels >= 0), np.flatnonzero(labels < 0)
    if len(known) > most_labels:
        known = rng.choice(known, most_labels, replace=False)
    wanted = max(n_rows - len(known), len(known) // 4)
    if len(others) > wanted:
        others = rng.choice(others, wanted, replace=False)
    return np.sort(np.concatenate([known, others]))


# ----------------------------------------------------------------------------------------- out-of-fold labels


def folds_of(cv: CrossValidationProblem, rng: np.random.Generator) -> list[IntArray]:
    """Rows whose labels are held out together, by class, copies in one fold; none if labels are few."""
    alone = one_of_each(cv.labels, cv.groups)
    counts = np.bincount(alone[alone >= 0], minlength=cv.n_classes)
    several = counts[counts > 1]
    if len(several) < 2 or not counts.all() or counts.sum() < LABELS_PER_CLASS_NEEDED * cv.n_classes:
        return []
    n_folds = FOLDS_OF_MANY if cv.rows.n_rows >= MANY_ROWS else FOLDS
    split = HiddenLabelsSplit(min(n_folds, int(several.sum())), random_state=rng)
    folds = [hidden for _, hidden in split.split(None, cv.labels.astype(int), cv.groups)]
    return [hidden for hidden in folds if len(hidden)]


Model = Callable[[IntArray, Sample, IntArray], FloatArray]
"""Takes the labels without the held-out ones, the sample with these, and rows; gives probabilities."""


class OutOfFold:
    """Out-of-fold probabilities of each model until it was dropped, at labels that were held out.

    Some of these are `scored`: models are compared and weighed by them. The others are only checked, for
    labels that look wrong.
    """

    def __init__(self, n_classes: int, names: Iterable[str]) -> None:
        self.left = list(names)  # models that were not dropped
        self.places, self.truth, self.fold = (np.zeros(0, dtype=np.int64) for _ in range(3))
        self.scored = np.zeros(0, dtype=bool)
        self.predicted = {name: np.zeros((0, n_classes)) for name in self.left}
        self.power = dict.fromkeys(self.left, 1.0)  # one over the temperature
        self.likely = {name: np.zeros(0) for name in self.left}  # log likelihoods under the temperature

    def hold_out(self, fold: int, places: IntArray, labels: IntArray, scored: BoolArray) -> None:
        """Begin one more fold, with the labels at these places."""
        self.places = np.concatenate([self.places, places])
        self.truth = np.concatenate([self.truth, labels.astype(np.int64)])
        self.fold = np.concatenate([self.fold, np.full(len(places), fold)])
        self.scored = np.concatenate([self.scored, scored])

    def scores_of(self, name: str) -> tuple[FloatArray, IntArray]:
        """Probabilities of a model at the scored labels that it was asked about, and these labels."""
        asked = self.scored[: len(self.predicted[name])]
        return self.predicted[name][asked], self.truth[: len(asked)][asked]

    def add(self, name: str, predicted: FloatArray) -> None:
        """Take the probabilities of one more fold; models are compared after temperature scaling."""
        self.predicted[name] = np.concatenate([self.predicted[name], predicted])
        predicted, labels = self.scores_of(name)
        self.power[name] = best_power(predicted, labels)
        self.likely[name] = log_likelihoods(tempered(predicted, self.power[name]), labels)

    def accuracy(self, name: str) -> float:
        """Share of the labels that a model found; NaN if it was asked about none."""
        predicted, labels = self.scores_of(name)
        correct = predicted.argmax(axis=1) == labels
        return float(correct.mean()) if len(correct) else float("nan")

    def lead(self, name: str, over: str) -> tuple[float, float]:
        """Mean difference of log likelihoods, and its standard error as if one more label told them apart.

        Where few labels are held out and all are found, no difference would seem to be a sure one otherwise.
        """
        n = min(len(self.likely[name]), len(self.likely[over]))
        difference = self.likely[name][:n] - self.likely[over][:n]
        squares = float(((difference - difference.mean()) ** 2).sum()) + ONE_MORE_LABEL**2
        return float(difference.mean()), float(np.sqrt(squares)) / n

    def z_score(self, name: str, over: str) -> float:
        """The lead in standard errors."""
        ahead, error = self.lead(name, over)
        return ahead / error

    def best(self, names: Iterable[str]) -> str:
        """The likeliest of some models, the first of equals."""
        return max(names, key=lambda name: float(self.likely[name].mean()))


def out_of_fold(
    cv: CrossValidationProblem,
    folds: list[IntArray],
    models: dict[str, Model],
    sample: Sample,
    places: IntArray,
    scored: IntArray,
    metrics: Iterable[str] = (),
    named: Iterable[str] = (),
    checked: IntArray | None = None,
) -> OutOfFold:
    """Ask every model about the labels of each fold, and drop those that are clearly behind the best.

    Learned `metrics` cost a graph each: few are left, and none that is behind the first model, the graph.
    `named` ones always stay. Models learn from the sample, which lies at its `places` among all rows. Those
    `scored` are places of the labels that they are compared by, those `checked` of further ones.
    """
    found = OutOfFold(cv.n_classes, list(models))
    every = scored if checked is None else np.union1d(scored, checked)
    for number, hidden in enumerate(folds):
        labels = cv.labels.copy()
        labels[hidden] = -1
        asked = np.intersect1d(hidden, every)
        shown = sample.with_labels(labels[places])
        found.hold_out(number, asked, cv.labels[asked], np.isin(asked, scored))
        for place, name in enumerate(found.left):
            cv.run.report("tuning", (number + place / len(found.left)) / len(folds))
            found.add(name, models[name](labels, shown, asked))
        graph, best = found.left[0], found.best(found.left)
        rivals = sorted([m for m in metrics if m in found.left], key=lambda name: -found.lead(name, graph)[0])
        for name in found.left[1:]:
            behind, error = found.lead(graph if name in rivals else best, name)
            if name in rivals:
                dropped = name not in rivals[:MOST_RIVALS] or behind > error
            else:
                dropped = name not in named and behind > CLEARLY * error
            if dropped:
                found.left.remove(name)
    return found


# ------------------------------------------------------------------------------------- comparing and stacking


def compare_and_stack(
    cv: CrossValidationProblem,
    folds: list[IntArray],
    ruled: Ruled,
    graphs: dict[str, Model],
    wanted: Any,
    sample: Sample,
    places: IntArray,
    rows_at: Callable[[IntArray], Any],
    always: tuple[str, ...] = (),
    screened: Mapping[str, float] = MappingProxyType({}),
) -> Tuned:
    """Ask the models about held-out labels; choose the graph, the first unless another is better, and stack.

    `wanted` are the classifiers, "auto" or in a list. Those that are named, and those of `always`, are
    stacked even where no label can be held out, with the weights of the prior. `screened`: by how many
    standard errors graphs led on a sample of the rows.
    """
    automatic = isinstance(wanted, str)
    if automatic:
        able = models_for(sample.X, int(sample.known.sum()), cv.n_classes) if folds else []
        every_class_is_known = len(np.unique(cv.labels[cv.labels >= 0])) == cv.n_classes
        always = always if every_class_is_known else ()
        wanted = [*(name for name in able if name not in always), *always]
    made: dict[str, Any] = {}
    for each in wanted:
        name = name_of(each)
        # A metric of the same name would be overwritten.
        made[name if name not in made and name not in graphs else f"{name} {len(made) + 1}"] = each
    scored = places[np.random.default_rng(0).permutation(np.flatnonzero(sample.known))[:LABELS_SCORED]]
    checked = sampled(cv.labels, PROBABILITIES_CHECKED // cv.n_classes, 0, np.random.default_rng(0))

    def classifier(each: Any) -> Model:
        return lambda labels, shown, asked: fit_model(each, shown, cv.n_classes)(rows_at(asked))

    models = {**graphs, **{name: classifier(each) for name, each in made.items()}}
    metrics, named = list(graphs)[1:], always if automatic else tuple(made)
    with threadpool_limits(1):  # few rows, and the same bits for any number of threads
        found = out_of_fold(cv, folds, models, sample, places, scored, metrics, named, checked)
        graph = first = next(iter(graphs))
        if folds:
            ahead = {name: found.z_score(name, first) for name in metrics if name in found.left}
            # Combine the z-scores by Stouffer (not independent: the sample is a subset).
            ahead = {n: (z + screened[n]) / np.sqrt(2) if n in screened else z for n, z in ahead.items()}
            graph = found.best([name for name in ahead if ahead[name] > 1] or [first])
        members = [graph, *(name for name in made if name in found.left)]
        while True:
            scaled = [tempered(found.scores_of(name)[0], found.power[name]) for name in members]
            weights = dict(zip(members, stacking_weights(scaled, found.scores_of(graph)[1]), strict=True))
            light = [n for n in members[1:] if weights[n] < SMALLEST_WEIGHT and n not in named]
            if not light:
                break
            members.remove(min(light, key=lambda name: weights[name]))
        fitted = tuple(fit_model(made[name], sample, cv.n_classes) for name in members[1:])
    held_out = None
    if folds:
        # What the stacked models say of a fold, with temperatures and weights from the labels of the others.
        predicted = [found.predicted[name] for name in members]
        stacked = np.zeros_like(predicted[0])
        for number in range(int(found.fold.max(initial=-1)) + 1):
            here, there = found.fold == number, (found.fold != number) & found.scored
            powers = [best_power(each[there], found.truth[there]) for each in predicted]
            scaled = [tempered(each, power) for each, power in zip(predicted, powers, strict=True)]
            others = stacking_weights([each[there] for each in scaled], found.truth[there])
            stacked[here] = np.tensordot(others, [each[here] for each in scaled], axes=1)
        unique = np.flatnonzero(found.scored)
        if cv.groups is not None:
            unique = unique[np.unique(cv.groups[found.places[unique]], return_index=True)[1]]
        truth, probabilities = found.truth[unique], stacked[unique]
        correct = probabilities.argmax(axis=1) == truth
        held_out = HeldOut(truth, correct, probabilities.max(axis=1), found.places, stacked)
    scores = {
        name: ModelScore(found.accuracy(name), 1 / found.power[name], float(weights.get(name, 0.0)))
        for name in models
    }
    why = ruled.why if graph == first else "best on held-out labels"
    # A mean of calibrated scores is underconfident (Ranjan and Gneiting 2010).
    sharpening = POOLED_SHARPENING if len(members) > 1 else 1.0
    powers, shares = [sharpening * found.power[n] for n in members], [float(weights[n]) for n in members]
    return Tuned(
        Tuning(
            ruled.name if graph == first else graph,
            why,
            scores,
            powers[0],
            int(found.scored.sum()),
            cv.kept(graph),
            held_out,
        ),
        mixture=Mixture(fitted, tuple(powers[1:]), tuple(shares[1:])) if fitted else None,
    )


def tune_rows(cv: CrossValidationProblem, models: Any, rng: np.random.Generator) -> Tuned:
    """Compare the graph of rows, learned metrics and classifiers."""
    places = sampled(cv.labels, LABELS_FITTED, ROWS_LOOKED_AT, rng)
    X, order = cv.backend.some_rows(cv.rows, places), cv.rows.order
    sample = Sample(X, cv.labels[places], compact=cv.rows.compact)
    if order is not None and order.columns is not None:
        sample = replace(sample, as_given=Columns(np.argsort(order.columns)))
    if cv.strengths is not None:
        counts = np.clip(np.rint(cv.strengths[places]), 1, MOST_REPEATED).astype(np.int64)
        sample = replace(sample, counts=counts)

    def map_of(metric: str, sample: Sample) -> Map | None:
        return None if metric == "plain" else CANDIDATES[metric].fit(sample)

    def graphs_of(cv: CrossValidationProblem, graph: PlacedGraph, names: Iterable[str]) -> dict[str, Model]:
        def learned(name: str) -> Model:
            return lambda labels, shown, asked: cv.solved(
                name, cv.graph_of(map_of(name, shown)), labels, asked
            )

        return {"graph": cv.model("graph", graph), **{name: learned(name) for name in names}}

    with threadpool_limits(1):
        ruled = by_the_data(sample.X)
        change = map_of(ruled.name, sample)
    graph, folds = cv.graph_of(change), folds_of(cv, rng)
    names = compared_with(ruled.name, int(sample.known.sum()), cv.n_classes) if folds else []
    screened: dict[str, float] = {}
    if names and cv.rows.n_rows > SCREENED_FROM:
        few = sample.some(sampled(sample.labels, LABELS_SCORED, ROWS_OF_SCREENING, rng))
        small = cv.on_sample(few)
        screening = graphs_of(small, small.graph_of(change), names)
        everywhere = np.arange(few.X.shape[0])
        with threadpool_limits(1):
            found = out_of_fold(small, folds_of(small, rng), screening, few, everywhere, everywhere, names)
        screened = {name: found.z_score(name, "graph") for name in found.left[1:]}
        names = [name for name in screened if screened[name] > 0]
    rows_at = partial(cv.backend.some_rows, cv.rows)
    tuned = compare_and_stack(
        cv, folds, ruled, graphs_of(cv, graph, names), models, sample, places, rows_at,
        screened=screened,
    )  # fmt: skip
    if tuned.tuning.metric != ruled.name:
        change = map_of(tuned.tuning.metric, sample)
        graph = cv.graph_of(change)
    return replace(tuned, change=change, graph=graph)


def tune_on_worker(cv: CrossValidationProblem, models: Any, rng: np.random.Generator) -> Tuned:
    """Compare on some rows of a cluster, on one worker: all of them would be solved in many messages."""
    places = sampled(cv.labels, LABELS_FITTED, ROWS_LOOKED_AT, np.random.default_rng(0))
    X = cv.backend.some_rows(cv.rows, places)
    sample = Sample(X, cv.labels[places], compact=cv.rows.compact)
    here: Any = None  # backend, rows and run stay here
    without = replace(cv, backend=here, rows=here, run=here)
    found = cv.backend.apart(_tune_sample, without, sample, models, rng, progress=cv.run.report)
    held_out = found.tuning.held_out
    if held_out is not None:
        held_out = replace(held_out, rows=places[held_out.rows])
    return replace(found, tuning=replace(found.tuning, held_out=held_out))


def _tune_sample(
    cv: CrossValidationProblem,
    sample: Sample,
    models: Any,
    rng: np.random.Generator,
    progress: Progress,
) -> Tuned:
    small = replace(cv.on_sample(sample), run=Run(progress=progress))
    return replace(tune_rows(small, models, rng), graph=None)
