"""The metrics that are compared: a settings file. A new one is a function with the decorator `candidate`.

Each function takes a `Sample` and returns a fitted map. Those that need labels say so; they are compared only
where labels can be hidden from them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.metric.maps import (
    Chain,
    Identity,
    Linear,
    LogOfCounts,
    Map,
    Scale,
    UnitLength,
    beside,
    dense,
)

TREES = 200
HIDDEN_UNITS = 256
COMPONENTS = 10


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows that a metric is fitted on, with the class of some of them.

    Attributes
    ----------
    X : array or sparse matrix of shape (n, d)
    labels : array of shape (n,)
        Class, or -1 where it is unknown.
    """

    X: Any
    labels: IntArray

    @cached_property
    def known(self) -> BoolArray:
        """Rows with a label."""
        return self.labels >= 0

    @cached_property
    def standard(self) -> Scale:
        """Every column to mean 0 and variance 1."""
        X = dense(self.X)
        spread = X.std(axis=0)
        return Scale(X.mean(axis=0), np.where(spread > 0, 1 / np.where(spread > 0, spread, 1.0), 0.0))

    @cached_property
    def scaled(self) -> FloatArray:
        """The standardised rows."""
        return np.asarray(self.standard(dense(self.X)))

    @cached_property
    def taught(self) -> tuple[FloatArray, IntArray]:
        """Standardised rows with labels, and those labels."""
        return self.scaled[self.known], self.labels[self.known]

    def with_labels(self, labels: IntArray) -> "Sample":
        """The same rows with other labels; what does not depend on labels is kept."""
        other = Sample(self.X, labels)
        for name in ("standard", "scaled"):
            if name in self.__dict__:
                other.__dict__[name] = self.__dict__[name]
        return other


@dataclass(frozen=True)
class Candidate:
    """A metric that can be chosen.

    Attributes
    ----------
    name : str
    summary : str
        What is done to the rows, in a few words.
    fit : callable
    supervised : bool
        Whether it looks at labels.
    """

    name: str
    summary: str
    fit: Callable[[Sample], Map]
    supervised: bool


CANDIDATES: dict[str, Candidate] = {}


def candidate(name: str, summary: str, *, supervised: bool = False) -> Callable[[Any], Any]:
    """Register a function as a candidate."""

    def register(fit: Callable[[Sample], Map]) -> Callable[[Sample], Map]:
        CANDIDATES[name] = Candidate(name, summary, fit, supervised)
        return fit

    return register


@candidate("plain", "features as they are")
def plain(sample: Sample) -> Map:
    """Rows as they are."""
    return Identity()


@candidate("standard", "every feature to variance 1")
def standard(sample: Sample) -> Map:
    """Every column to mean 0 and variance 1."""
    return sample.standard


@candidate("robust", "every feature to interquartile range 1")
def robust(sample: Sample) -> Map:
    """Every column to median 0 and interquartile range 1; the standard deviation where that range is 0."""
    X = dense(sample.X)
    low, median, high = np.percentile(X, [25, 50, 75], axis=0)
    spread = np.where(high > low, (high - low) / 1.35, X.std(axis=0))
    return Scale(median, np.where(spread > 0, 1 / np.where(spread > 0, spread, 1.0), 0.0))


@candidate("logarithms", "logarithms of counts")
def logarithms(sample: Sample) -> Map:
    """Logarithms of counts."""
    return LogOfCounts()


@candidate("components", f"{COMPONENTS} principal components")
def components(sample: Sample) -> Map:
    """The leading principal components of the standardised rows."""
    X = sample.scaled
    _, _, axes = np.linalg.svd(X[np.linspace(0, len(X) - 1, min(len(X), 5000)).astype(int)], full_matrices=False)
    return Chain((sample.standard, Linear(np.zeros(X.shape[1]), np.ascontiguousarray(axes[:COMPONENTS].T))))


@candidate("cosine", "angles between rows")
def cosine(sample: Sample) -> Map:
    """Angles between rows."""
    return UnitLength()


@candidate("discriminants", "shrunk linear discriminants", supervised=True)
def discriminants(sample: Sample) -> Map:
    """Linear discriminants under a shrunk covariance, which within a class is then the identity."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    X, y = sample.taught
    found = LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto").fit(X, y)
    n = len(np.unique(y)) - 1
    return Chain((sample.standard, Linear(found.xbar_ if hasattr(found, "xbar_") else X.mean(axis=0), found.scalings_[:, :n])))


@candidate("importances", "features times their importance for a forest", supervised=True)
def importances(sample: Sample) -> Map:
    """Standardised columns times the importances of a forest."""
    forest = forest_of(sample)
    weight = forest.feature_importances_
    base = sample.standard
    return Scale(base.shift, base.factor * weight / (weight.max() or 1.0))


@candidate("logits", "features beside the logits of a linear model", supervised=True)
def logits(sample: Sample) -> Map:
    """Standardised columns beside the logits of a logistic regression."""
    return beside((sample.standard, Chain((sample.standard, logits_of(sample)))), sample.X)


@candidate("hidden layer", "the hidden layer of a small perceptron", supervised=True)
def hidden_layer(sample: Sample) -> Map:
    """The hidden layer of a perceptron trained on the labels."""
    return Chain((sample.standard, layer_of(sample)))


@candidate("beside hidden layer", "features beside the hidden layer of a small perceptron", supervised=True)
def beside_hidden_layer(sample: Sample) -> Map:
    """The rows as they are beside the hidden layer."""
    return beside((Identity(), Chain((sample.standard, layer_of(sample)))), sample.X)


def forest_of(sample: Sample) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    if "forest" not in sample.__dict__:
        X, y = sample.taught
        sample.__dict__["forest"] = RandomForestClassifier(TREES, random_state=0, n_jobs=1).fit(X, y)
    return sample.__dict__["forest"]


def logistic_of(sample: Sample) -> Any:
    from sklearn.linear_model import LogisticRegression

    if "logistic" not in sample.__dict__:
        X, y = sample.taught
        sample.__dict__["logistic"] = LogisticRegression(max_iter=300).fit(X, y)
    return sample.__dict__["logistic"]


def logits_of(sample: Sample) -> Linear:
    found = logistic_of(sample)
    return Linear(np.zeros(found.coef_.shape[1]), np.ascontiguousarray(found.coef_.T))


def perceptron_of(sample: Sample) -> Any:
    from sklearn.neural_network import MLPClassifier

    if "perceptron" not in sample.__dict__:
        X, y = sample.taught
        made = MLPClassifier(HIDDEN_UNITS, alpha=1e-3, max_iter=100, random_state=0)
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sample.__dict__["perceptron"] = made.fit(X, y)
    return sample.__dict__["perceptron"]


def layer_of(sample: Sample) -> Linear:
    found = perceptron_of(sample)
    return Linear(np.zeros(found.coefs_[0].shape[0]), found.coefs_[0], found.intercepts_[0])
