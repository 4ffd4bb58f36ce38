"""Choosing the metric, and what the evidence of classifiers counts, by the user's own labels, hidden in turn.

The metric that the rules chose from the data alone is kept unless another one is better by a standard error.
Whatever is compared is judged by what it says of hidden labels: by the mean logarithm of the probability that
it gave them, which tells more than the number of right ones where few are hidden.
"""

import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.base import Backend, PlacedGraph, Rows
from graphwell.backends.induction import distributions
from graphwell.backends.registry import find_backend
from graphwell.estimators.calibration import best_power
from graphwell.estimators.evidence import (
    NEWCOMERS,
    TOO_LITTLE,
    Evidence,
    expert_of,
    experts_for,
    log_likelihoods,
    mixture_weights,
    name_of,
)
from graphwell.estimators.hidden import FOLDS, folds, sampled, still_in, winner
from graphwell.graph import Graph
from graphwell.metric.candidates import CANDIDATES, compared_with
from graphwell.metric.maps import Map
from graphwell.metric.rules import Ruled, by_the_data
from graphwell.metric.sample import Sample
from graphwell.progress import Progress
from graphwell.solve.fit import Recipe, fit, follow, set_out
from graphwell.solve.problem import Problem
from graphwell.solve.run import Run

HIDDEN_ENOUGH = 150
"""So many hidden labels tell candidates apart; no further ones are hidden."""
FAINT = 0.05
"""A voice of less weight is not heard."""
ROWS_COMPARED, LABELS_COMPARED = 600, 2_000
"""Rows that candidates are compared on, with more where there are more labels; and labels, at most."""
ROWS_LOOKED_AT, ROWS_FITTED = 1_500, 20_000
"""Rows that the rules see and the chosen metric is fitted on, and their most: labelled ones first."""
WHOLE_FROM = 5_000
"""With more rows a metric that won on a sample must also win on the graph of all rows. MNIST needs none, but
600 of its rows do: from 10 labels per class, label set 0, the metric gave 3.65 % wrong, plain rows 2.43."""
HIDDEN_AT_FULL_SIZE = 1_000
"""So many hidden labels are enough there; the folds of fewer labels are all solved."""


@dataclass(frozen=True)
class Tuning:
    """What was chosen, and how well each candidate did on the hidden labels.

    Attributes
    ----------
    metric : str
        Name of the chosen metric, see `graphwell.metric.candidates`.
    why : str
        Why, in a few words.
    accuracy : dict
        Share of the hidden labels that each candidate got right until it was dropped: metrics, and what was
        asked for evidence.
    likelihood : dict
        Geometric mean of the probability that each gave to them.
    evidence : dict
        Weight of each classifier beside the graph, which has the rest.
    n_hidden : int
        Number of labels that were hidden, counted each time.
    power : float
        That calibrates scores with evidence, see `graphwell.estimators.calibration`.
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
        voices = "".join(f", {100 * weight:.0f} % {name}" for name, weight in self.evidence.items())
        if not self.n_hidden:
            voices = ", no other model was asked"
        known = CANDIDATES.get(self.metric)
        return f"{self.metric if known is None else known.summary} ({self.why}){voices}"


@dataclass(frozen=True)
class Contest:
    """What the comparison on hidden labels runs with; without `metrics` rows stay as they are."""

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

    def graph_says(self, sample: Sample, name: str) -> FloatArray:
        """Probabilities of every row of a sample, on the graph of a candidate."""
        n = sample.X.shape[0]
        most = min(self.n_neighbors, n - 1), min(self.scale_neighbor, n - 1)
        change = CANDIDATES[name].fit(sample)
        graph = Graph.from_features(sample.X, *most, n_jobs=1, change=change)
        return says(self, graph, sample.labels)


def says(contest: Contest, graph: Graph, labels: IntArray) -> FloatArray:
    """Probabilities of every vertex after the descent from these labels.

    The coarse level belongs to it: without it, rows as they are look worse than they are from few labels.
    """
    backend = find_backend("cpu", n_jobs=1)
    problem = Problem(graph, labels, contest.n_classes)
    outcome = follow(set_out(problem, contest.recipe, backend, np.random.default_rng(0)), contest.recipe)
    return distributions(np, outcome.result.labels, outcome.scores)


def tuned_rows(
    backend: Backend,
    rows: Rows,
    labels: IntArray,
    contest: Contest,
    evidence: Any,
    rng: np.random.Generator,
    run: Run,
    *,
    by_labels: bool,
    groups: IntArray | None = None,
) -> tuple[Rows, PlacedGraph | None, Tuning, float]:
    """Choose what is done to the rows and what is asked besides the graph; return it with the rows.

    Where the choice was checked on the graph of all rows, that graph is returned too.

    Parameters
    ----------
    backend : Backend
    rows : Rows
    labels : array of shape (n,)
        Class, or -1 where it is unknown.
    contest : Contest
    evidence : None, "auto" or a classifier
    rng : numpy.random.Generator
        Of the sample, and of the labels that are hidden.
    run : Run
    by_labels : bool
        Whether labels may be hidden; if not, the rules choose alone.
    groups : array of shape (n,), optional
        Copies of rows, which are hidden together.
    """
    began = time.perf_counter()
    places = sampled(labels, ROWS_FITTED // 2, ROWS_LOOKED_AT, rng)
    sample = Sample(backend.some_rows(rows, places), labels[places])
    settings = (contest, evidence, rng, by_labels)
    change, by_rule, heard, tuning = backend.apart(chosen, sample, *settings, progress=run.told)
    rows, graph = replace(rows, change=change, evidence=heard), None
    if change is not by_rule and rows.n_rows > WHOLE_FROM and backend.name != "dask":
        rival = replace(rows, change=by_rule)
        rows, graph, tuning = checked_at_full_size(
            backend, {tuning.rule: rival, tuning.metric: rows}, labels, contest, tuning, rng, run, groups
        )
    return rows, graph, tuning, time.perf_counter() - began


def checked_at_full_size(
    backend: Backend,
    rivals: dict[str, Rows],
    labels: IntArray,
    contest: Contest,
    tuning: Tuning,
    rng: np.random.Generator,
    run: Run,
    groups: IntArray | None,
) -> tuple[Rows, PlacedGraph, Tuning]:
    """Keep the learned metric, the second rival, if it is better by a standard error on all rows too."""
    sizes = (contest.n_neighbors, contest.scale_neighbor, contest.distance)
    graphs = {name: backend.build_graph(rows, *sizes, run.told) for name, rows in rivals.items()}
    said: dict[str, list[FloatArray]] = {name: [] for name in rivals}
    truth: list[IntArray] = []
    for hidden in folds(labels, contest.n_classes, rng, groups):
        shown, places = backend.asarray(np.where(hidden, -1, labels)), np.flatnonzero(hidden)
        one_each = np.full(len(labels), len(places))
        one_each[places] = np.arange(len(places))
        for name, graph in graphs.items():
            run.check()
            problem = Problem(graph.bridged(shown >= 0), shown, contest.n_classes)
            fitted = fit(backend, problem, contest.recipe, Run(cancel=run.cancel), np.random.default_rng(0))
            shares = fitted.engine.shares(fitted.scores)
            said[name].append(fitted.engine.group_means(shares, one_each, len(places) + 1)[:-1])
        truth.append(labels[hidden])
        likelihoods = {name: _calibrated_likelihoods(each, truth) for name, each in said.items()}
        behind = likelihoods[tuning.metric].mean() <= likelihoods[tuning.rule].mean()
        if behind or sum(map(len, truth)) >= HIDDEN_AT_FULL_SIZE:
            break
    best = winner(list(rivals), likelihoods)
    if best != tuning.metric:
        tuning = replace(tuning, metric=best, why="the metric learned on a sample is no better on all rows")
    return rivals[best], graphs[best], tuning


def chosen(
    sample: Sample,
    contest: Contest,
    evidence: Any,
    rng: np.random.Generator,
    by_labels: bool,
    progress: Progress,
) -> tuple[Map | None, Map | None, Evidence | None, Tuning]:
    """What is done to the rows by choice and by rule, and what is asked besides the graph, by a sample."""
    asked: tuple[Any, ...] = ()
    with threadpool_limits(1):  # few rows, and the same bits for any number of threads
        ruled = by_the_data(sample.X) if contest.metrics else Ruled("plain", "as asked for")
        tuning = Tuning(ruled.name, ruled.why, rule=ruled.name)
        if by_labels:
            asked = experts_for(evidence, int(sample.known.sum()), contest.n_classes)
            few = sampled(sample.labels, LABELS_COMPARED, ROWS_COMPARED, rng)
            tuning = compared(sample.some(few), ruled, contest, asked, rng, progress)
        by_rule = change = _fitted(ruled.name, sample)
        if tuning.metric != ruled.name:
            change = _fitted(tuning.metric, sample)
        return change, by_rule, heard_of(tuning, asked, sample, contest.n_classes), tuning


def _fitted(metric: str, sample: Sample) -> Map | None:
    return None if metric == "plain" else CANDIDATES[metric].fit(sample)


def heard_of(tuning: Tuning, asked: tuple[Any, ...], sample: Sample, n_classes: int) -> Evidence | None:
    """The classifiers that have a weight, taught by all labels of the sample."""
    voices = [made for made in asked if name_of(made) in tuning.evidence]
    if not voices:
        return None
    experts = tuple(expert_of(made, sample, n_classes) for made in voices)
    return Evidence(experts, tuple(tuning.evidence[name_of(made)] for made in voices))


def compared(
    sample: Sample,
    ruled: Ruled,
    contest: Contest,
    asked: tuple[Any, ...],
    rng: np.random.Generator,
    progress: Progress,
) -> Tuning:
    """Compare metrics and classifiers on hidden labels, and choose.

    After each part of the labels the first metric stays, and so do its best rivals as long as they may win.
    """
    names = contest.candidates(ruled.name, int(sample.known.sum()))
    said: dict[str, list[FloatArray]] = {}
    truth: list[IntArray] = []
    for fold, hidden in enumerate(folds(sample.labels, contest.n_classes, rng, sample.groups)):
        shown = sample.with_labels(np.where(hidden, -1, sample.labels))
        truth.append(sample.labels[hidden])
        for number, name in enumerate(names):
            progress("tuning", (fold + number / len(names)) / FOLDS)
            said.setdefault(name, []).append(contest.graph_says(shown, name)[hidden])
        for made in asked:
            said.setdefault(name_of(made), []).append(unseen(made, sample, shown, hidden, contest.n_classes))
        names = still_in(names, {name: _likelihoods(said[name], truth) for name in names})
        if sum(map(len, truth)) >= HIDDEN_ENOUGH:
            break
    likelihoods = {name: _likelihoods(each, truth) for name, each in said.items()}
    chosen = winner(names, likelihoods)
    voices = borne_out([chosen, *map(name_of, asked)], likelihoods)
    weights, power = weighed(voices, said, np.concatenate(truth))
    return Tuning(
        chosen,
        ruled.why if chosen == ruled.name else "hidden labels bear it out best",
        {name: float(np.concatenate(_hits(said[name], truth)).mean()) for name in said},
        {name: float(np.exp(each.mean())) for name, each in likelihoods.items()},
        weights,
        sum(map(len, truth)),
        power,
        ruled.name,
    )


def unseen(made: Any, sample: Sample, shown: Sample, hidden: BoolArray, n_classes: int) -> FloatArray:
    """What a classifier says of hidden rows; of a forest, the trees that have not seen them."""
    if made != "forest" or sample.groups.max() + 1 < sample.known.sum():  # trees have seen its copies
        return expert_of(made, shown, n_classes)(sample.X[hidden])
    said = np.zeros((int(hidden.sum()), n_classes))
    said[:, sample.model("forest").classes_] = sample.out_of_bag()[hidden[sample.known]]
    return said


def borne_out(voices: list[str], likelihoods: dict[str, FloatArray]) -> list[str]:
    """The voices without newcomers that are not better by a standard error than every other voice.

    One more voice that is merely as good takes weight from the others by chance where few labels are hidden.

    Examples
    --------
    >>> told = {"plain": np.zeros(9), "logistic": np.full(9, -0.5), "kernel": np.full(9, 0.5)}
    >>> borne_out(["plain", "logistic", "kernel"], told)
    ['plain', 'logistic', 'kernel']
    >>> borne_out(["plain", "logistic", "kernel"], told | {"kernel": np.zeros(9)})
    ['plain', 'logistic']
    """
    usual = [name for name in voices if name not in NEWCOMERS]
    best = max(usual, key=lambda name: float(likelihoods[name].mean()))
    better = [name for name in voices if name in NEWCOMERS and winner([best, name], likelihoods) == name]
    return usual + better


def weighed(
    voices: list[str], said: dict[str, list[FloatArray]], truth: IntArray
) -> tuple[dict[str, float], float]:
    """Weights of the voices beside the first, the graph; and the power that calibrates their mixture.

    A faint voice is left out: it would take as long to ask all rows as a loud one.

    Examples
    --------
    >>> right, wrong = [np.tile([0.9, 0.1], (900, 1))], [np.tile([0.1, 0.9], (900, 1))]
    >>> said = {"graph": right, "logistic": right, "forest": wrong}
    >>> weighed(["graph", "logistic", "forest"], said, np.zeros(900, dtype=int))[0]
    {'logistic': 0.5}
    """
    if len(voices) == 1:
        return {}, 1.0
    heard = [np.concatenate(said[name]) for name in voices]
    found = mixture_weights(heard, truth)
    clear = [
        voices[0],
        *(name for name, weight in zip(voices[1:], found[1:], strict=True) if weight >= FAINT),
    ]
    if len(clear) < len(voices):
        return weighed(clear, said, truth)
    power = best_power(np.tensordot(found, heard, axes=1), truth)
    weights = dict(zip(voices[1:], map(float, found[1:]), strict=True))
    return weights if sum(weights.values()) >= TOO_LITTLE else {}, power


def _hits(said: list[FloatArray], truth: list[IntArray]) -> list[BoolArray]:
    return [s.argmax(axis=1) == t for s, t in zip(said, truth, strict=False)]


def _calibrated_likelihoods(said: list[FloatArray], truth: list[IntArray]) -> FloatArray:
    """Log likelihoods after temperature scaling, so that modest scores do not lose to sure ones."""
    shares, classes = np.concatenate(said), np.concatenate(truth)
    raised = shares ** best_power(shares, classes)
    return log_likelihoods(raised / np.maximum(raised.sum(axis=1, keepdims=True), 1e-300), classes)


def _likelihoods(said: list[FloatArray], truth: list[IntArray]) -> FloatArray:
    return np.concatenate([log_likelihoods(s, t) for s, t in zip(said, truth, strict=False)])
