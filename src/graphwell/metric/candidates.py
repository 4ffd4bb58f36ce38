"""The metrics that are compared: a settings file. A new one is a function with a decorator.

Each function takes a `Sample` and returns a fitted map. Those that need labels are compared on labels that
were hidden from them; the others may also be chosen by `graphwell.metric.rules`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwell.metric.maps import Chain, Identity, Linear, LogOfCounts, Map, Scale, UnitLength, beside, dense
from graphwell.metric.sample import Sample, inverse, leading_axes

COMPONENTS = 10
IQR_OF_A_NORMAL = 1.35
LABELS_FOR_A_PERCEPTRON = 500
LABELS_TO_COMPARE = 30
"""Fewer labels in all tell metrics apart by chance alone."""


@dataclass(frozen=True)
class Candidate:
    """A metric that can be chosen.

    Attributes
    ----------
    name, summary : str
        What it is called, and what is done to the rows, in a few words.
    fit : callable
    compared : bool
        Whether it is compared with what the rules say.
    labels, labels_per_class : int
        Number of labels, and of labels per class, from which on it is compared.
    """

    name: str
    summary: str
    fit: Callable[[Sample], Map]
    compared: bool
    labels: int
    labels_per_class: int


CANDIDATES: dict[str, Candidate] = {}


def metric_candidate(
    name: str, summary: str, *, compared: bool = True, labels: int = 0, labels_per_class: int = 0
) -> Callable[[Any], Any]:
    """Register a function as a candidate."""

    def register(fit: Callable[[Sample], Map]) -> Callable[[Sample], Map]:
        CANDIDATES[name] = Candidate(name, summary, fit, compared, labels, labels_per_class)
        return fit

    return register


def compared_with(rule: str, n_labels: int, n_classes: int) -> list[str]:
    """Names of the candidates for so many labels, the one that the rules chose first.

    Examples
    --------
    >>> compared_with("standard", n_labels=50, n_classes=3)
    ['standard', 'plain', 'components', 'discriminants', 'importances', 'logits']
    """
    able = [
        c.name
        for c in CANDIDATES.values()
        if n_labels >= LABELS_TO_COMPARE
        and c.compared
        and max(c.labels, c.labels_per_class * n_classes) <= n_labels
    ]
    return [rule, *(name for name in able if name != rule)]


@metric_candidate("plain", "features as they are")
def plain(sample: Sample) -> Map:
    """Rows as they are."""
    return Identity()


@metric_candidate("standard", "features standardised", compared=False)
def standard(sample: Sample) -> Map:
    """Every column to mean 0 and variance 1."""
    return sample.standard


@metric_candidate("robust", "features scaled by their quartiles", compared=False)
def robust(sample: Sample) -> Map:
    """Every column to median 0 and the spread of its middle half; of all where half the values are equal."""
    X = dense(sample.X)
    low, median, high = np.percentile(X, [25, 50, 75], axis=0)
    spread = np.where(high > low, (high - low) / IQR_OF_A_NORMAL, X.std(axis=0))
    return Scale(median, inverse(spread))


@metric_candidate("logarithms", "logarithms of counts", compared=False)
def logarithms(sample: Sample) -> Map:
    """Logarithms of counts."""
    return LogOfCounts()


@metric_candidate("cosine", "angles between rows", compared=False)
def cosine(sample: Sample) -> Map:
    """Angles between rows."""
    return UnitLength()


@metric_candidate("components", f"{COMPONENTS} principal components")
def components(sample: Sample) -> Map:
    """The leading principal components of the standardised rows."""
    return Chain((sample.standard, leading_axes(sample.scaled, COMPONENTS)))


@metric_candidate("discriminants", "shrunk linear discriminants", labels_per_class=3)
def discriminants(sample: Sample) -> Map:
    """Linear discriminants: within the classes the shrunk covariance becomes the identity."""
    found = sample.model("discriminants")
    axes = found.scalings_[:, : len(found.classes_) - 1]
    return Chain((sample.standard, Linear(np.zeros(len(axes)), np.ascontiguousarray(axes))))


@metric_candidate("importances", "features times their importance for a forest")
def importances(sample: Sample) -> Map:
    """Standardised columns times the importances of a forest."""
    weights = sample.model("forest").feature_importances_
    return Chain((sample.standard, Scale(np.zeros(len(weights)), weights / (weights.max() or 1.0))))


@metric_candidate("logits", "features beside the logits of a linear model")
def logits(sample: Sample) -> Map:
    """Standardised columns beside the logits of a logistic regression."""
    axes = sample.model("logistic").coef_.T
    linear = Linear(np.zeros(len(axes)), np.ascontiguousarray(axes))
    return Chain((sample.standard, beside((Identity(), linear), sample.scaled)))


@metric_candidate("hidden layer", "the hidden layer of a small perceptron", labels=LABELS_FOR_A_PERCEPTRON)
def hidden_layer(sample: Sample) -> Map:
    """The hidden layer of a perceptron."""
    return _layer(sample)


@metric_candidate("beside layer", "features beside that hidden layer", labels=LABELS_FOR_A_PERCEPTRON)
def beside_layer(sample: Sample) -> Map:
    """The rows as they are beside the hidden layer of a perceptron."""
    return beside((Identity(), _layer(sample)), sample.X)


def _layer(sample: Sample) -> Map:
    found = sample.model("perceptron")
    layer = Linear(np.zeros(len(found.coefs_[0])), found.coefs_[0], found.intercepts_[0])
    return Chain((sample.rows_for("perceptron"), layer))
