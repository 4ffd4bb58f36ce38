"""The metrics that are compared, and the scale that is chosen by the data alone.

A metric is a function in a table; it takes a `Sample` and returns a fitted map. Those that need labels are
compared on labels that were held out.

By the data alone, columns are standardised where their units differ so much that a few of them decide the
distances: where the variance lies in fewer columns than three tenths of them, and in less than four. Pixels,
principal components and shares have one unit and stay as they are, and so do counts that are mostly zero. A
scale that breaks the graph apart, or drowns what holds the rows together in noise, is given up for the next.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from sklearn.neighbors import kneighbors_graph

from graphwell._rows import by_columns
from graphwell._types import FloatArray
from graphwell.estimators.tuning.maps import Chain, Identity, Linear, Map, Scale, beside, dense
from graphwell.estimators.tuning.models import MOST_ROWS, Sample, evenly, inverse, leading_axes, units_differ

COMPONENTS = 10
IQR_OF_A_NORMAL = 1.35
LABELS_FOR_A_PERCEPTRON = 500
LABELS_TO_COMPARE = 30
"""Fewer labels in all tell metrics apart by chance alone."""


@dataclass(frozen=True)
class MetricCandidate:
    """A metric: what is done to the rows, in a few words, and a function that fits the map to a sample.

    One that is `compared` with what the rules say needs so many labels, in all and per class.
    """

    summary: str
    fit: Callable[[Sample], Map]
    compared: bool = True
    labels: int = 0
    labels_per_class: int = 0


def robust(sample: Sample) -> Map:
    """Every column to median 0 and the spread of its middle half; of all where half the values are equal."""
    X = dense(sample.X)
    low, median, high = np.percentile(X, [25, 50, 75], axis=0)
    spread = np.where(high > low, (high - low) / IQR_OF_A_NORMAL, X.std(axis=0))
    return Scale(median, inverse(spread))


def components(sample: Sample) -> Map:
    """The leading principal components of the standardised rows."""
    return Chain((sample.standard, leading_axes(sample.scaled, COMPONENTS)))


def discriminants(sample: Sample) -> Map:
    """Linear discriminants: within the classes the shrunk covariance becomes the identity."""
    found = sample.model("shrunk discriminants")
    axes = found.scalings_[:, : len(found.classes_) - 1]
    return Chain((sample.standard, Linear(np.zeros(len(axes)), np.ascontiguousarray(axes))))


def importances(sample: Sample) -> Map:
    """Standardised columns times the importances of a forest."""
    weights = sample.model("forest" if sample.compact is None else "scaled forest").feature_importances_
    return Chain((sample.standard, Scale(np.zeros(len(weights)), weights / (weights.max() or 1.0))))


def logits(sample: Sample) -> Map:
    """Standardised columns beside the logits of a logistic regression."""
    axes = sample.model("logistic").coef_.T
    linear = Linear(np.zeros(len(axes)), np.ascontiguousarray(axes))
    return Chain((sample.standard, beside((Identity(), linear), sample.scaled)))


def hidden_layer(sample: Sample) -> Map:
    """The hidden layer of a perceptron."""
    found = sample.model("perceptron")
    layer = Linear(np.zeros(len(found.coefs_[0])), found.coefs_[0], found.intercepts_[0])
    return Chain((sample.rows_for("perceptron"), layer))


def beside_layer(sample: Sample) -> Map:
    """The rows as they are beside the hidden layer of a perceptron."""
    return beside((Identity(), hidden_layer(sample)), sample.X)


CANDIDATES: dict[str, MetricCandidate] = {
    # By the data alone
    "plain": MetricCandidate("features as they are", lambda sample: Identity()),
    "standard": MetricCandidate("features standardised", lambda sample: sample.standard, compared=False),
    "robust": MetricCandidate("features scaled by their quartiles", robust, compared=False),
    # Compared by cross-validation; what each gained on which sets: docs/decisions.md
    "components": MetricCandidate(f"{COMPONENTS} principal components", components),
    "discriminants": MetricCandidate("shrunk linear discriminants", discriminants, labels_per_class=3),
    "importances": MetricCandidate("features times their importance for a forest", importances),
    "logits": MetricCandidate("features beside the logits of a linear model", logits),
    "hidden layer": MetricCandidate(
        "the hidden layer of a small perceptron", hidden_layer, labels=LABELS_FOR_A_PERCEPTRON
    ),
    "beside layer": MetricCandidate(
        "features beside that hidden layer", beside_layer, labels=LABELS_FOR_A_PERCEPTRON
    ),
}


def compared_with(rule: str, n_labels: int, n_classes: int) -> list[str]:
    """Names of the other candidates for so many labels than the one that the rules chose."""
    return [
        name
        for name, each in CANDIDATES.items()
        if n_labels >= max(LABELS_TO_COMPARE, each.labels, each.labels_per_class * n_classes)
        and each.compared
        and name != rule
    ]


FAR_OUT = 25.0
"""Standard deviations from which on a value is an outlier that spoils a standard deviation."""
MOSTLY_ZERO = 0.6
ROWS_LOOKED_AT = 1_000
NEIGHBORS = 10
LOST_ROWS = 0.02
"""Share of the rows that may lie outside the largest part of a graph before the choice is given up."""
KEPT_BONDS = 0.5
"""Share of the bonds between rows that a scale must keep."""
ERRORS_BEYOND_CHANCE = 2.0


@dataclass(frozen=True)
class Ruled:
    """A choice, and why."""

    name: str
    why: str


def by_the_data(X: Any) -> Ruled:
    """Choose among the metrics that need no labels."""
    if sparse.issparse(X):
        return Ruled("plain", "the rows are sparse")
    if are_counts(X):
        return Ruled("plain", "the features are counts, and most are zero")
    if not units_differ(X):
        return Ruled("plain", "the features have similar units")
    spread, away = by_columns(
        lambda some: np.stack([some.std(axis=0), np.abs(some - some.mean(axis=0)).max(axis=0)]), X
    )
    has_outliers = (away > FAR_OUT * spread)[spread > 0].any()
    wanted = ("robust", "standard") if has_outliers else ("standard", "robust")
    sample, few, harm = Sample(X, np.full(len(X), -1)), evenly(X, ROWS_LOOKED_AT), ""
    lost, bonds, error = _bonds(few)
    for name in wanted:
        lost_so, bonds_so, error_so = _bonds(CANDIDATES[name].fit(sample)(few))
        missing, chance = KEPT_BONDS * bonds - bonds_so, np.hypot(KEPT_BONDS * error, error_so)
        if lost_so > max(LOST_ROWS, lost):
            harm = "break the graph apart"
        elif missing > ERRORS_BEYOND_CHANCE * chance:
            harm = "drown the others in noise"
        else:
            return Ruled(name, "a few features would decide the distances alone")
    return Ruled("plain", f"scaled features would {harm}")


def are_counts(X: FloatArray) -> bool:
    """Whether the features are whole numbers, mostly zero; columns of two values are no counts."""
    if not are_mostly_zero(X) or (np.floor(X) != X).any():
        return False
    more_than_two = [len(np.unique(column)) > 2 for column in evenly(X, MOST_ROWS).T]
    return any(more_than_two) and are_mostly_zero(X[:, more_than_two])


def are_mostly_zero(X: FloatArray) -> bool:
    """Whether most values are zero, and none is negative."""
    if X.min() < 0:
        return False
    return bool(by_columns(lambda columns: (columns == 0).sum(axis=0), X).sum() > MOSTLY_ZERO * X.size)


# So far apart are neighbours, compared with those of rows whose columns were shuffled one by one: the mean
# difference of the logarithms is 0 where columns know nothing of each other.
def _bonds(rows: FloatArray) -> tuple[float, float, float]:
    """Share of the rows outside the largest component; how near neighbours are, and its standard error."""
    if len(rows) < 3:
        return 0.0, 0.0, 0.0
    rng = np.random.default_rng(0)
    shuffled = np.column_stack([rng.permutation(column) for column in np.asarray(rows, dtype=float).T])
    near, chance = (
        kneighbors_graph(each, min(NEIGHBORS, len(rows) - 1), mode="distance") for each in (rows, shuffled)
    )
    parts = csgraph.connected_components(near, directed=False)[1]
    far, far_by_chance = near.max(axis=1).toarray().ravel(), chance.max(axis=1).toarray().ravel()
    smallest = 1e-3 * float(np.median(far_by_chance)) or 1.0
    bonds, by_chance = np.log(np.maximum(far, smallest)), np.log(np.maximum(far_by_chance, smallest))
    error = float(np.sqrt((bonds.var() + by_chance.var()) / len(rows)))
    return 1 - np.bincount(parts).max() / len(rows), float(by_chance.mean() - bonds.mean()), error
