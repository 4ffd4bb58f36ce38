"""Held-out labels: folds of them, which candidate they select, and temperature scaling of the scores.

Part of the given labels is held out, and the rest labels them. Their scores show which candidate is better,
and whether a method is too sure of itself or too modest: one power of all scores, an inverse temperature,
puts that right. It changes neither the class of a row nor the order of its scores.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from graphwell._rows import dealt_together, one_of_each
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.base import Backend
from graphwell.solve.descent import Result
from graphwell.solve.fit import Recipe, fit
from graphwell.solve.problem import Problem

# Each label is held out once: with three random draws instead, texture and segment at five labels per class
# could not be told apart (docs/decisions.md, Metric and evidence).
FOLDS = 4
LABELS_PER_CLASS_NEEDED = 5
ONE_MORE_LABEL = 1.0
"""Weight of a label that one of two candidates finds and the other does not, in logarithms."""
MOST_RIVALS = 2
"""Rivals of the first candidate that are left after the first part of the labels."""


def enough_labels(labels: IntArray, n_classes: int, needed: int = LABELS_PER_CLASS_NEEDED) -> bool:
    """Whether there are so many labels, in the mean of the classes, and two of some class to hold one out."""
    counts = np.bincount(labels[labels >= 0], minlength=n_classes)
    return n_classes > 1 and bool(counts.sum() >= needed * n_classes and counts.max() > 1)


def sampled(labels: IntArray, most_labels: int, n_rows: int, rng: np.random.Generator) -> IntArray:
    """Draw labelled rows and others: at least a quarter more, and so many rows in all."""
    known, others = np.flatnonzero(labels >= 0), np.flatnonzero(labels < 0)
    if len(known) > most_labels:
        known = rng.choice(known, most_labels, replace=False)
    wanted = max(n_rows - len(known), len(known) // 4)
    if len(others) > wanted:
        others = rng.choice(others, wanted, replace=False)
    return np.sort(np.concatenate([known, others]))


def folds(
    labels: IntArray, n_classes: int, rng: np.random.Generator, groups: IntArray | None = None
) -> Iterator[BoolArray]:
    """Hold out each label once, a part of every class at a time; a class with a single label keeps it.

    Labels of one group, copies of a row, are held out together.
    """

    def deal(labels: IntArray) -> IntArray:
        fold = np.full(len(labels), -1)
        for c in range(n_classes):
            members = rng.permutation(np.flatnonzero(labels == c))
            if len(members) > 1:
                fold[members] = (np.arange(len(members)) + rng.integers(FOLDS)) % FOLDS
        return fold

    fold = dealt_together(labels, groups, deal)
    for number in range(FOLDS):
        if (fold == number).any():
            yield fold == number


def select(names: list[str], likelihoods: dict[str, FloatArray]) -> str:
    """The likeliest candidate if it beats the first by a standard error of the difference, else the first."""
    # Two standard errors did as well: 19.1 % wrong in the mean of 80 rows each time (docs/decisions.md).
    best = max(names, key=lambda name: float(likelihoods[name].mean()))
    gain, error = _gain(likelihoods[best], likelihoods[names[0]])
    return best if gain > error else names[0]


def rivals_left(names: list[str], likelihoods: dict[str, FloatArray]) -> list[str]:
    """The first metric, and its best rivals unless they are a standard error behind the best."""
    in_order = sorted(names, key=lambda name: -float(likelihoods[name].mean()))
    near = []
    for name in in_order:
        lead, error = _gain(likelihoods[in_order[0]], likelihoods[name])
        if lead <= error and name != names[0]:
            near.append(name)
    return [names[0], *near[:MOST_RIVALS]]


def _gain(likelihoods: FloatArray, of_first: FloatArray) -> tuple[float, float]:
    """Mean difference, and its standard error, as if one more label had been found by one of them alone.

    Where few labels are held out and all are found, no difference would seem to be a sure one otherwise.
    """
    difference = likelihoods - of_first
    squares = float(((difference - difference.mean()) ** 2).sum()) + ONE_MORE_LABEL**2
    return float(difference.mean()), np.sqrt(squares) / len(difference)


LABELS_TO_CALIBRATE = 10
CALIBRATION_FOLDS, HIDDEN_WANTED = 3, 100
"""Parts that the labels are cut into; held-out labels after which no further part is held out."""
MOST_ROWS = 20_000
"""With more rows further solves cost too much of a fit to be made unasked: on MNIST more than a tenth."""
POWERS = 2.0 ** np.linspace(-3, 4, 57)
BLUNDERS = 0.05
"""Share of the held-out labels that may be anything: a few of them cannot dictate the power."""
EVIDENCE_NEEDED = 4.0
"""Twice the gain in log-likelihood: two standard errors. This and `BLUNDERS` were chosen among nine rules on
label sets with even numbers (docs/decisions.md, Calibration)."""


@dataclass(frozen=True)
class Calibration:
    """The temperature of the scores by held-out labels.

    Attributes
    ----------
    power : float
        That the scores were raised to; 1 if the held-out labels do not contradict them.
    n_hidden : int
        Number of held-out labels, all folds together.
    right : float
        Share of them that came back.
    """

    power: float
    n_hidden: int
    right: float


def enough_to_calibrate(backend: Backend, problem: Problem) -> bool:
    """Whether every class has labels to hold out, and further solves cost little enough to be made unasked.

    On a cluster they are made of messages, and cost as much for few rows as for many.
    """
    given = backend.to_host(problem.labels)
    apart = one_of_each(given, problem.groups)
    counts = np.bincount(apart[apart >= 0], minlength=problem.n_classes)
    return backend.name != "dask" and len(given) <= MOST_ROWS and bool(counts.min() >= LABELS_TO_CALIBRATE)


def calibrate(
    backend: Backend, problem: Problem, recipe: Recipe, result: Result, rng: np.random.Generator
) -> Calibration:
    """Find the power of the scores under which held-out labels are likeliest: temperature scaling."""
    given = backend.to_host(problem.labels)
    shares, classes = [np.zeros((0, problem.n_classes))], [given[:0]]
    for hidden in calibration_folds(given, rng, problem.groups):
        shown = replace(problem, labels=backend.asarray(np.where(hidden, -1, given)))
        like = replace(recipe, coarse=recipe.coarse and bool(result.candidates), keep=result.status)
        fitted = fit(backend, shown, like, rng=np.random.default_rng(0))
        asked = np.flatnonzero(hidden & backend.to_host(shown.reachable))
        scores = fitted.engine.shares(fitted.scores)
        groups = np.full(len(given), len(asked))
        groups[asked] = np.arange(len(asked))
        shares.append(fitted.engine.group_means(scores, groups, len(asked) + 1)[:-1])
        classes.append(given[asked])
        if sum(map(len, classes)) >= HIDDEN_WANTED:
            break
    found, true = np.concatenate(shares), np.concatenate(classes)
    right = float((found.argmax(axis=1) == true).mean()) if len(true) else float("nan")
    return Calibration(best_power(found, true), len(true), right)


def calibration_folds(
    labels: IntArray, rng: np.random.Generator, groups: IntArray | None = None
) -> Iterator[BoolArray]:
    """Hold out one third of the labels of each class after the other; copies of a row together."""

    def deal(labels: IntArray) -> IntArray:
        turn = np.full(len(labels), -1)
        for c in np.unique(labels[labels >= 0]):
            members = rng.permutation(np.flatnonzero(labels == c))
            turn[members] = np.arange(len(members)) % CALIBRATION_FOLDS if len(members) > 1 else -1
        return turn

    turn = dealt_together(labels, groups, deal)
    for fold in range(CALIBRATION_FOLDS):
        yield turn == fold


def best_power(shares: FloatArray, classes: IntArray) -> float:
    """The power under which the true classes are likeliest; 1 unless another is clearly better."""
    likelihoods = np.array([_log_likelihood(shares, classes, power) for power in POWERS])
    best = int(likelihoods.argmax())
    gain = 2 * (likelihoods[best] - _log_likelihood(shares, classes, 1.0))
    return float(POWERS[best]) if gain > EVIDENCE_NEEDED else 1.0


def _log_likelihood(shares: FloatArray, classes: IntArray, power: float) -> float:
    highest = shares.max(axis=1, keepdims=True)
    raised = (shares / np.where(highest > 0, highest, 1.0)) ** power
    total = np.maximum(raised.sum(axis=1), 1.0)
    of_class = raised[np.arange(len(classes)), classes] / total
    return float(np.log((1 - BLUNDERS) * of_class + BLUNDERS / shares.shape[1]).sum())
