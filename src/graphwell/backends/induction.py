"""Answers for every row after a fit on one machine, and for rows that come later."""

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.errors import UnreachableWarning, warn_user
from graphwell.graph.canonical import Canonical
from graphwell.graph.checks import read_features, read_new_affinities
from graphwell.graph.graph import Origin

# Square of the smallest distance, in local scales, that rows are told apart by.
NEAREST = 1e-12

# By which the assigned class leads where others have the same score.
TIE = 1e-12


@dataclass(frozen=True)
class Induction:
    """Scores of new rows: the vote of their nearest fitted rows under the kernel of the graph.

    It holds what the vote needs and nothing else, and can be pickled. Each row is answered by itself,
    whatever other rows are asked.
    """

    origin: Origin | None = field(repr=False)  # what the graph was made from; else new rows are affinities
    classes: Any
    distributions: FloatArray = field(repr=False)  # of shape (n, n_classes)
    reachable: BoolArray = field(repr=False)
    prior: FloatArray = field(repr=False)  # scores of a row that is linked to none
    evidence: Any = field(default=None, repr=False)  # besides the vote: see `base.Rows`
    votes: FloatArray | None = field(default=None, repr=False)  # distributions without the evidence
    order: Canonical | None = field(default=None, repr=False)  # of the fit, and back to the user's

    def __setstate__(self, state: dict[str, Any]) -> None:
        try:
            _ = [state[each.name] for each in fields(self)]
            sizes = (state["distributions"], state["reachable"], state["prior"], state["classes"])
            told, reachable, prior, classes = (np.asarray(values) for values in sizes)
            scales = told if state["origin"] is None else state["origin"].scales
        except (AttributeError, KeyError) as error:
            raise ValueError("This pickled classifier is of another version; fit it anew.") from error
        sound = (
            told.ndim == 2
            and told.dtype.kind == prior.dtype.kind == "f"
            and bool(np.isfinite(told).all() and np.isfinite(prior).all())
            and prior.shape == classes.shape == (told.shape[1],)
            and reachable.shape == (len(told),) == (len(scales),)
        )
        if not sound:
            raise ValueError("This pickled classifier is damaged; fit it anew.")
        self.__dict__.update(state)

    @property
    def takes_features(self) -> bool:
        """Whether new rows are features rather than affinities."""
        return self.origin is not None

    def scores(self, X: Any) -> FloatArray:
        """Return the scores of each new row; they add up to 1."""
        found = self._scores(X)
        return found if self.order is None else self.order.by_class(found)

    def _scores(self, X: Any) -> FloatArray:
        if self.order is not None and self.origin is not None:
            X = self.order.of_new_rows(read_features(X, at_least=1))
        elif self.order is not None:
            X = read_new_affinities(X, len(self.distributions))[:, self.order.firsts]
        if self.origin is not None:
            affinity = self.origin.affinity_to(X)
            affinity.data = nearer(affinity.data)
        else:
            affinity = read_new_affinities(X, len(self.distributions))
        scores = affinity @ (self.distributions if self.votes is None else self.votes)
        support = np.asarray(affinity.sum(axis=1)).ravel()
        lost = (support == 0) | (affinity @ self.reachable.astype(float) == 0)
        if lost.any():
            warn_user(lost_rows(int(lost.sum()), len(lost)), UnreachableWarning)
        scores[support == 0] = self.prior
        scores = np.asarray(scores / scores.sum(axis=1, keepdims=True))
        if self.evidence is None:
            return scores
        return (1 - self.evidence.weight) * scores + self.evidence(read_features(X, at_least=1))

    def labels(self, X: Any) -> Any:
        """Return the class of each new row."""
        return self.classes[self._scores(X).argmax(axis=1)]

    def least_certain(self, k: int, given: BoolArray, bridged: BoolArray) -> IntArray:
        """Return the `k` least certain of the fitted rows whose label was not given, those first."""
        told, reachable, vertices = self.distributions, self.reachable, None
        if self.order is not None:
            vertices = self.order.vertices
            told, reachable = told[vertices], reachable[vertices]
        return least_certain(told, reachable, bridged, given, k, vertices)[0]


def nearer(affinities: FloatArray) -> FloatArray:
    """Affinities over the scaled distance that they stand for (Shepard's interpolation).

    So a row is answered as the fitted row that it nearly equals; ten neighbours would outvote that one.
    """
    return affinities / np.sqrt(np.maximum(-np.log(np.minimum(affinities, 1.0)), NEAREST))


def two_highest_apart(xp: Any, scores: FloatArray) -> FloatArray:
    """Distance between the two highest entries of each row; 1 where there is one column."""
    if scores.shape[1] == 1:
        return xp.ones_like(scores[:, 0])
    ranked = xp.sort(scores, axis=1)
    return ranked[:, -1] - ranked[:, -2]


def least_certain(
    scores: FloatArray,
    reachable: BoolArray,
    bridged: BoolArray,
    given: BoolArray,
    k: int,
    places: IntArray | None = None,
) -> tuple[IntArray, FloatArray]:
    """Places of the `k` least certain rows whose label was not given, those first; and how certain they are.

    Certainty is the distance between the two highest scores, -1 where no label reaches, and 1 less where one
    does over a bridge alone. Of equally certain ones the first in their places come first.
    """
    certain = np.where(reachable, two_highest_apart(np, scores), -1.0) - bridged
    certain[given] = np.inf
    k = min(k, int((~given).sum()))
    if k == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    rows = np.flatnonzero(certain <= np.partition(certain, k - 1)[k - 1])  # few, of millions
    places = np.arange(len(certain)) if places is None else places  # decide among equals
    rows = rows[np.lexsort((places[rows], certain[rows]))[:k]]
    return rows, certain[rows]


def lost_rows(lost: int, of: int) -> str:
    """The warning about new rows that no label reaches."""
    return (
        f"{lost} of {of} rows are linked to no fitted row that a label reached; "
        "their scores are the class shares of the given labels."
    )


def answered(
    xp: Any, assigned: IntArray, scores: FloatArray, columns: IntArray, n_classes: int, bridged: BoolArray
) -> FloatArray:
    """Distributions over all classes, from scores of some, whose numbers are the `columns`."""
    if scores.shape[1] != n_classes:
        wide = xp.zeros((len(scores), n_classes), dtype=scores.dtype)
        wide[:, columns] = scores
        scores = wide
    found = distributions(xp, assigned, scores)
    if not bridged.any():
        return found
    # Labels reach these over a bridge alone, no label lies near them: halfway to even.
    return xp.where(bridged[:, None], (found + 1 / n_classes) / 2, found)


def distributions(xp: Any, assigned: IntArray, scores: FloatArray) -> FloatArray:
    """Rows that sum to 1 and whose largest entry is the assigned class."""
    scores = scores.astype(np.float64)
    xp.maximum(scores, 0.0, out=scores)
    highest = scores.max(axis=1)
    beaten = xp.flatnonzero(scores.argmax(axis=1) != assigned)
    scores[beaten, assigned[beaten]] = xp.nextafter(highest[beaten], np.inf)
    total = scores.sum(axis=1, keepdims=True)
    empty = xp.flatnonzero(total[:, 0] == 0)
    scores /= xp.where(total > 0, total, 1.0)
    scores[empty, assigned[empty]] = 1.0
    tied = xp.flatnonzero((scores == scores.max(axis=1)[:, None]).sum(axis=1) > 1)
    scores[tied, assigned[tied]] *= 1 + TIE  # in whatever order the columns are looked at
    return scores
