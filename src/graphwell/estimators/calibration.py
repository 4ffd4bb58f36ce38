"""Scores held against hidden labels: as sure as they are right, no more and no less.

Part of the given labels is hidden, the rest labels them, and their scores show whether the method is too sure
of itself or too modest. One power of all scores puts that right. It changes neither the class of a row nor
the order of its scores.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from graphwell._copies import dealt_together, one_of_each
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.base import Backend
from graphwell.solve.fit import Recipe, scores_as, set_out
from graphwell.solve.problem import Problem
from graphwell.solve.result import Result

LABELS_PER_CLASS_NEEDED = 10
FOLDS, HIDDEN_WANTED = 3, 100
"""Parts that the labels are cut into; hidden labels after which no further part is hidden."""
MOST_ROWS = 20_000
"""With more rows the further solves would cost too much of a fit to be made unasked."""
POWERS = 2.0 ** np.linspace(-3, 4, 57)
BLUNDERS = 0.05
"""Share of the hidden labels that may be anything: a few of them cannot dictate the power."""
EVIDENCE_NEEDED = 4.0
"""Twice the gain in log-likelihood: two standard errors."""


@dataclass(frozen=True)
class Calibration:
    """What hidden labels say about the scores.

    Attributes
    ----------
    power : float
        That the scores were raised to; 1 if the hidden labels do not contradict them.
    n_hidden : int
        Number of hidden labels, all splits together.
    right : float
        Share of them that came back.
    """

    power: float
    n_hidden: int
    right: float


def enough_to_calibrate(backend: Backend, problem: Problem) -> bool:
    """Whether every class has labels to hide, and further solves cost so little that they are made unasked.

    On a cluster they are made of messages, and cost as much for few rows as for many.
    """
    given = backend.to_host(problem.labels)
    apart = one_of_each(given, problem.groups)
    counts = np.bincount(apart[apart >= 0], minlength=problem.n_classes)
    return (
        backend.name != "dask" and len(given) <= MOST_ROWS and bool(counts.min() >= LABELS_PER_CLASS_NEEDED)
    )


def calibrate(
    backend: Backend, problem: Problem, recipe: Recipe, result: Result, rng: np.random.Generator
) -> Calibration:
    """Find the power of the scores that hidden labels speak for.

    Parameters
    ----------
    backend : Backend
    problem : Problem
    recipe : Recipe
        That the problem was solved by.
    result : Result
        What it came to: the hidden labels are found in the same way.
    rng : numpy.random.Generator
        Draws the hidden labels.
    """
    given = backend.to_host(problem.labels)
    shares, classes = [np.zeros((0, problem.n_classes))], [given[:0]]
    for hidden in folds(given, rng, problem.groups):
        shown = replace(problem, labels=backend.asarray(np.where(hidden, -1, given)))
        like = replace(recipe, coarse=recipe.coarse and bool(result.candidates))
        setting = set_out(shown, like, backend, np.random.default_rng(0))
        asked = np.flatnonzero(hidden & backend.to_host(shown.reachable))
        scores = setting.engine.shares(scores_as(result.status, setting, like))
        groups = np.full(len(given), len(asked))
        groups[asked] = np.arange(len(asked))
        shares.append(setting.engine.group_means(scores, groups, len(asked) + 1)[:-1])
        classes.append(given[asked])
        if sum(map(len, classes)) >= HIDDEN_WANTED:
            break
    found, true = np.concatenate(shares), np.concatenate(classes)
    right = float((found.argmax(axis=1) == true).mean()) if len(true) else float("nan")
    return Calibration(best_power(found, true), len(true), right)


def folds(labels: IntArray, rng: np.random.Generator, groups: IntArray | None = None) -> Iterator[BoolArray]:
    """Hide a third of the labels of each class, then the second, then the last; copies of a row together."""

    def deal(labels: IntArray) -> IntArray:
        turn = np.full(len(labels), -1)
        for c in np.unique(labels[labels >= 0]):
            members = rng.permutation(np.flatnonzero(labels == c))
            turn[members] = np.arange(len(members)) % FOLDS if len(members) > 1 else -1
        return turn

    turn = dealt_together(labels, groups, deal)
    for fold in range(FOLDS):
        yield turn == fold


def best_power(shares: FloatArray, classes: IntArray) -> float:
    """The power under which the true classes are likeliest; 1 unless another is clearly better.

    Parameters
    ----------
    shares : array of shape (m, n_classes)
        Rows add up to 1.
    classes : array of shape (m,)
        The true class of each row.

    Examples
    --------
    >>> sure = np.array([[0.99, 0.01]] * 40)
    >>> best_power(sure, np.array([0] * 39 + [1]))
    1.0
    >>> best_power(sure, np.array([0] * 30 + [1] * 10)) < 0.5
    True
    """
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
