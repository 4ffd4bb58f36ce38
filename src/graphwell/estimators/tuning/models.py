"""The rows that a metric is fitted on, and the classifiers that metrics are made of and that are stacked."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline

from graphwell._rows import by_columns
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.estimators.tuning.maps import Chain, Identity, Linear, Map, Scale, dense, spread_of

TREES, TREES_ON_TRIAL = 100, 50
"""Trees of a forest, and of one that is only judged by held-out labels."""
HIDDEN_UNITS = 256
KERNEL_ROWS = 300
"""Labelled rows that a kernel machine compares others with."""
EPOCHS = 40
MOST_COLUMNS = 200
"""Wider rows are projected onto `AXES_OF_WIDE_ROWS` principal axes before models see them."""
AXES_OF_WIDE_ROWS = 50
MOST_ROWS = 5_000
FEW_COLUMNS, FEW_OF_THE_COLUMNS = 4.0, 0.3
INNER, INNER_OF_A_NORMAL = (10, 90), 2.56
"""Percentiles that no small group of far rows reaches, and their distance in standard deviations."""
FARTHEST = 1e38
"""Trees read rows in single precision: values beyond are as far as this."""
ROUNDING = 1e-6
"""By which a probability may exceed 1."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows, and the class of some of them; one that is part of a `whole` serves a comparison alone."""

    X: Any  # array or sparse matrix of shape (n, d)
    labels: IntArray  # -1 where it is unknown
    whole: "Sample | None" = None  # of these rows or more: their columns are scaled as there
    compact: Any = None  # a map that makes columns that suit trees
    as_given: Map = field(default_factory=Identity)  # brings columns into the user's order
    counts: IntArray | None = None  # how often each label was given; None if once
    models: dict[str, Any] = field(default_factory=dict, repr=False)  # fitted to the labels, by name

    @cached_property
    def known(self) -> BoolArray:
        """Rows with a label."""
        return self.labels >= 0

    @cached_property
    def standard(self) -> Map:
        """Every column to mean 0 and variance 1, or all 0; wide rows are projected in their proportions."""
        if self.whole is not None:
            return self.whole.standard
        if self.X.shape[1] <= MOST_COLUMNS:
            X = dense(self.X)
            return Scale(X.mean(axis=0), inverse(by_columns(lambda columns: columns.std(axis=0), X)))
        axes = leading_axes(self.X, AXES_OF_WIDE_ROWS)
        width = axes.matrix.shape[1]
        even = np.sqrt(width) / spread_of(axes(self.X))
        return Chain((axes, Scale(np.zeros(width), np.full(width, even))))

    @cached_property
    def scaled(self) -> FloatArray:
        """The standardised rows."""
        if self.whole is not None and self.whole.X is self.X:
            return self.whole.scaled
        return np.asarray(self.standard(self.X))

    @cached_property
    def even(self) -> Map:
        """As `standard`, but columns of one unit keep their proportions: principal components, say."""
        if self.whole is not None:
            return self.whole.even
        if self.X.shape[1] > MOST_COLUMNS or units_differ(dense(self.X)):
            return self.standard
        X = dense(self.X)
        return Scale(X.mean(axis=0), np.full(X.shape[1], np.sqrt(X.shape[1]) / spread_of(X)))

    def rows_for(self, name: str) -> Map:
        """The columns that suit a model: columns of noise do a perceptron harm."""
        if name in ("words", "directions"):  # of one unit, and few
            return Identity()
        if MODELS[name].trees and self.compact is not None:
            return self.compact
        return self.even if name == "perceptron" else self.standard

    def model(self, name: str) -> Any:
        """A model of `MODELS` fitted to the labelled rows, in the columns that suit it; it is fitted once."""
        if name not in self.models:
            known = self.known
            X = self.scaled[known] if self.rows_for(name) is self.standard else None
            X = self.rows_for(name)(self.X[known]) if X is None else X
            X, labels = self.repeated(X)
            model = MODELS[name].make()
            if self.whole is not None and "n_estimators" in model.get_params():
                model.set_params(n_estimators=TREES_ON_TRIAL)
            self.models[name] = fitted(model, X, labels)
        return self.models[name]

    def repeated(self, X: Any) -> tuple[Any, IntArray]:
        """Labelled rows and their labels, each as often as it was given."""
        labels = self.labels[self.known]
        if self.counts is None:
            return X, labels
        counts = self.counts[self.known]
        return X[np.repeat(np.arange(len(labels)), counts)], np.repeat(labels, counts)

    def with_labels(self, labels: IntArray) -> "Sample":
        """The same rows with other labels; what does not depend on labels is kept."""
        return replace(self, labels=labels, whole=self, models={})

    def some(self, places: IntArray) -> "Sample":
        """Some of the rows, scaled as all of them."""
        counts = None if self.counts is None else self.counts[places]
        X, labels = self.X[places], self.labels[places]
        return replace(self, X=X, labels=labels, whole=self, counts=counts, models={})


def units_differ(X: FloatArray) -> bool:
    """Whether a few of the columns alone hold the variance, and that of the inner four fifths too."""
    spread = by_columns(lambda columns: columns.std(axis=0), X)
    low, high = np.percentile(evenly(X, MOST_ROWS), INNER, axis=0)
    return _are_few(spread) and _are_few(np.where(high > low, (high - low) / INNER_OF_A_NORMAL, spread))


def _are_few(spread: FloatArray) -> bool:
    variances = (spread[spread > 0] / (spread.max() or 1.0)) ** 2
    if len(variances) < 2:
        return False
    effective = float(variances.sum() ** 2 / (variances**2).sum())
    return effective < min(FEW_COLUMNS, 1 + FEW_OF_THE_COLUMNS * (len(variances) - 1))


def evenly(X: Any, most: int) -> Any:
    """So many rows at most, evenly spaced."""
    n = X.shape[0]
    return X if n <= most else X[np.linspace(0, n - 1, most).astype(int)]


def inverse(spread: FloatArray) -> FloatArray:
    """One over each value; 0 where that is 0."""
    return np.where(spread > 0, 1 / np.where(spread > 0, spread, 1.0), 0.0)


def leading_axes(X: Any, count: int) -> Linear:
    """Projection onto the leading principal axes of a sample of the rows; sparse rows are not centred."""
    few = evenly(X, MOST_ROWS)
    count = min(count, *few.shape)
    if sparse.issparse(few):
        axes = TruncatedSVD(max(1, min(count, min(few.shape) - 1)), random_state=0).fit(few).components_
        return Linear(np.zeros(X.shape[1]), np.ascontiguousarray(axes.T))
    found = PCA(count, svd_solver="auto", random_state=0).fit(few)
    return Linear(found.mean_, np.ascontiguousarray(found.components_.T))


# ------------------------------------------------------------------------------------------------ classifiers


@dataclass(frozen=True)
class ModelCandidate:
    """A classifier that can be stacked, and from how many labels on."""

    make: Callable[[], Any]
    labels: int = 0
    labels_per_class: int = 2
    most_classes: int = 1_000
    trees: bool = False  # which are given compact columns, where there are such
    rows: str = "any"  # or "sparse": only for a sparse matrix; "asked": only where it is asked for


def kernel_machine(C: float) -> Any:
    """Logistic regression on Gaussian kernels around some of the rows; C is the inverse of its penalty."""
    kernels = Nystroem(n_components=KERNEL_ROWS, random_state=0)
    return make_pipeline(kernels, LogisticRegression(C=C, max_iter=300))


MODELS: dict[str, ModelCandidate] = {
    "logistic": ModelCandidate(lambda: LogisticRegression(max_iter=300)),
    "shrunk discriminants": ModelCandidate(
        lambda: LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto"), labels_per_class=4
    ),
    # Of few columns that matter among many, splits at random must see half: 2.3 points on messy tables.
    "extra trees": ModelCandidate(
        lambda: ExtraTreesClassifier(TREES, max_features=0.5, random_state=0), trees=True
    ),
    "forest": ModelCandidate(lambda: RandomForestClassifier(TREES, random_state=0), trees=True),
    "scaled forest": ModelCandidate(lambda: RandomForestClassifier(TREES, random_state=0), rows="asked"),
    # A tree for each class and round: of many classes it takes more time than all others together.
    "boosting": ModelCandidate(
        lambda: HistGradientBoostingClassifier(min_samples_leaf=3, max_iter=50, random_state=0),
        labels=30,
        labels_per_class=5,
        most_classes=8,
        trees=True,
    ),
    # Ten labels of `ring`, two Gaussians of one centre: 7 % wrong, where all others have 30 and more.
    "smooth kernel": ModelCandidate(lambda: kernel_machine(C=1.0), labels_per_class=5),
    "kernel": ModelCandidate(lambda: kernel_machine(C=10.0), labels_per_class=20),
    "perceptron": ModelCandidate(
        lambda: MLPClassifier(HIDDEN_UNITS, alpha=0.1, max_iter=EPOCHS, random_state=0), labels=500
    ),
    "words": ModelCandidate(lambda: LogisticRegression(C=10.0, max_iter=300), rows="sparse"),
    "directions": ModelCandidate(lambda: LogisticRegression(C=10.0, max_iter=300), rows="asked"),
}


def models_for(X: Any, n_labels: int, n_classes: int) -> list[str]:
    """The classifiers that are judged beside the graph, for so many labels."""
    kinds = ("any", "sparse") if sparse.issparse(X) else ("any",)
    return [
        name
        for name, model in MODELS.items()
        if max(model.labels, model.labels_per_class * n_classes) <= n_labels
        and n_classes <= model.most_classes
        and model.rows in kinds
    ]


def name_of(made: Any) -> str:
    """Name of a classifier in a report."""
    return made if isinstance(made, str) else type(made).__name__


def fitted(model: Any, X: Any, y: IntArray) -> Any:
    """A model fitted to some rows; one that has not converged is judged by what it says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A fitted classifier, asked for probabilities of all classes."""

    change: Map  # of rows, before the classifier sees them
    model: Any  # of class numbers
    n_classes: int

    def __call__(self, X: Any) -> FloatArray:
        """Return a probability of each class for each row; 0 for classes it was not fitted to."""
        predicted = np.zeros((X.shape[0], self.n_classes))
        if len(predicted):  # a block of a cluster may be empty
            rows, classes = self.change(X), self.model.classes_.astype(int)
            if not sparse.issparse(rows) and np.abs(rows).max(initial=0) > FARTHEST:
                rows = np.clip(rows, -FARTHEST, FARTHEST)
            given, shape = self.model.predict_proba(rows), (X.shape[0], len(classes))
            try:
                found = np.asarray(given, dtype=np.float64)
            except (TypeError, ValueError):
                found = np.empty(0)
            if found.shape != shape or not ((found >= 0) & (found <= 1 + ROUNDING)).all():
                raise ValueError(
                    f"models: predict_proba of {type(self.model).__name__} must give each row a number from "
                    f"0 to 1 for each of {len(classes)} classes."
                )
            predicted[:, classes] = found
        return predicted


def fit_model(made: Any, sample: Sample, n_classes: int) -> FittedModel:
    """A model by its name in `MODELS`, on columns that suit it; or any classifier, on rows as they are."""
    if isinstance(made, str):
        return FittedModel(sample.rows_for(made), sample.model(made), n_classes)
    X, labels = sample.repeated(sample.as_given(sample.X[sample.known]))
    return FittedModel(sample.as_given, fitted(clone(made), X, labels), n_classes)
