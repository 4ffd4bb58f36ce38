"""Labels that are hidden in turn, and which of several candidates they speak for."""

from collections.abc import Iterator

import numpy as np

from graphwell._copies import dealt_together
from graphwell._types import BoolArray, FloatArray, IntArray

FOLDS = 4
LABELS_PER_CLASS_NEEDED = 5
ONE_MORE_LABEL = 1.0
"""What a label counts that one of two candidates finds and the other does not, in logarithms."""
MOST_RIVALS = 2
"""Rivals of the first candidate that are left after the first part of the labels."""


def enough_labels(labels: IntArray, n_classes: int, needed: int = LABELS_PER_CLASS_NEEDED) -> bool:
    """Whether there are so many labels, in the mean of the classes, and two of some class to hide one.

    Examples
    --------
    >>> enough_labels(np.repeat([0, 1, -1], 5), 2), enough_labels(np.array([0, 1, 1, 1, -1]), 2)
    (True, False)
    """
    counts = np.bincount(labels[labels >= 0], minlength=n_classes)
    return n_classes > 1 and bool(counts.sum() >= needed * n_classes and counts.max() > 1)


def sampled(labels: IntArray, most_labels: int, n_rows: int, rng: np.random.Generator) -> IntArray:
    """Places of the labelled rows, and of others: at least a quarter more, and so many rows in all.

    Examples
    --------
    >>> sampled(np.array([-1, 0, 1, -1, -1]), 10, 4, np.random.default_rng(0))
    array([1, 2, 3, 4])
    """
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
    """Hide each label once, a part of every class at a time; a class with a single label keeps it.

    Labels of one group, copies of a row, are hidden together.

    Examples
    --------
    >>> hidden = list(folds(np.array([0, 0, 1, -1]), 2, np.random.default_rng(0)))
    >>> np.sum(hidden, axis=0)
    array([1, 1, 0, 0])
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


def winner(names: list[str], likelihoods: dict[str, FloatArray]) -> str:
    """The likeliest candidate if it beats the first by a standard error of the difference, else the first.

    Examples
    --------
    >>> even, better = np.zeros(9), np.full(9, 0.5)
    >>> winner(["plain", "logits"], {"plain": even, "logits": better})
    'logits'
    >>> noisy = np.array([0.9, -0.8] * 4 + [0.0])
    >>> winner(["plain", "logits"], {"plain": even, "logits": noisy})
    'plain'
    """
    best = max(names, key=lambda name: float(likelihoods[name].mean()))
    gain, error = _gain(likelihoods[best], likelihoods[names[0]])
    return best if gain > error else names[0]


def still_in(names: list[str], likelihoods: dict[str, FloatArray]) -> list[str]:
    """The first metric, and its best rivals unless they are a standard error behind the best.

    Examples
    --------
    >>> far, near = np.full(9, -1.0), np.array([0.3, -0.4] * 4 + [0.0])
    >>> still_in(["plain", "logits", "components"], {"plain": np.zeros(9), "logits": far, "components": near})
    ['plain', 'components']
    """
    in_order = sorted(names, key=lambda name: -float(likelihoods[name].mean()))
    near = []
    for name in in_order:
        lead, error = _gain(likelihoods[in_order[0]], likelihoods[name])
        if lead <= error and name != names[0]:
            near.append(name)
    return [names[0], *near[:MOST_RIVALS]]


def _gain(likelihoods: FloatArray, of_first: FloatArray) -> tuple[float, float]:
    """Mean difference, and its standard error, as if one more label had been found by one of them alone.

    Where few labels are hidden and all are found, no difference would seem to be a sure one otherwise.
    """
    difference = likelihoods - of_first
    squares = float(((difference - difference.mean()) ** 2).sum()) + ONE_MORE_LABEL**2
    return float(difference.mean()), np.sqrt(squares) / len(difference)
