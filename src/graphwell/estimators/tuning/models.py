"""The rows that a metric is fitted on, and the models that metrics and evidence are made of."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline

from graphwell._rows import by_columns, equal_rows
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.estimators.tuning.maps import Chain, Linear, Map, Scale, dense, spread_of

TREES, TREES_ON_TRIAL = 100, 30
"""Trees of a forest, and of one that is only judged by held-out labels."""
HIDDEN_UNITS = 256
KERNEL_ROWS, KERNEL_FREEDOM = 300, 10.0
"""Labelled rows that a kernel machine compares others with, and the inverse of its penalty."""
EPOCHS = 40
MOST_COLUMNS = 200
"""Wider rows are projected onto `AXES_OF_WIDE_ROWS` principal axes before models see them."""
AXES_OF_WIDE_ROWS = 50
MOST_ROWS = 5_000
FEW_COLUMNS, FEW_OF_THE_COLUMNS = 4.0, 0.3
INNER, INNER_OF_A_NORMAL = (10, 90), 2.56
"""Percentiles that no small group of far rows reaches, and their distance in standard deviations."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows, and the class of some of them.

    Attributes
    ----------
    X : array or sparse matrix of shape (n, d)
    labels : array of shape (n,)
        Class, or -1 where it is unknown.
    on_trial : bool
        Whether some labels are hidden, so that models serve a comparison alone.
    """

    X: Any
    labels: IntArray
    models: dict[str, Any] = field(default_factory=dict, repr=False)
    on_trial: bool = False

    @cached_property
    def known(self) -> BoolArray:
        """Rows with a label."""
        return self.labels >= 0

    @cached_property
    def groups(self) -> IntArray:
        """Equal numbers where rows with a label are copies of each other."""
        groups = np.full(len(self.labels), -1)
        groups[self.known] = equal_rows([self.X[self.known]])
        return groups

    @cached_property
    def standard(self) -> Map:
        """Every column to mean 0 and variance 1; wide rows are projected and keep their proportions."""
        if self.X.shape[1] <= MOST_COLUMNS:
            return standardising(dense(self.X))
        axes = leading_axes(self.X, AXES_OF_WIDE_ROWS)
        width = axes.matrix.shape[1]
        even = np.sqrt(width) / spread_of(axes(self.X))
        return Chain((axes, Scale(np.zeros(width), np.full(width, even))))

    @cached_property
    def scaled(self) -> FloatArray:
        """The standardised rows."""
        return np.asarray(self.standard(self.X))

    @cached_property
    def even(self) -> Map:
        """As `standard`, but columns of one unit keep their proportions: principal components, say."""
        if self.X.shape[1] > MOST_COLUMNS or units_differ(dense(self.X)):
            return self.standard
        X = dense(self.X)
        return Scale(X.mean(axis=0), np.full(X.shape[1], np.sqrt(X.shape[1]) / spread_of(X)))

    def rows_for(self, name: str) -> Map:
        """The scaling of rows for a model: columns of noise do a perceptron harm."""
        return self.even if name == "perceptron" else self.standard

    def model(self, name: str) -> Any:
        """A model of `MODELS` taught by the labelled rows, scaled for it; it is fitted once."""
        if name not in self.models:
            X = self.scaled[self.known] if name != "perceptron" else self.even(self.X[self.known])
            model = MODELS[name]()
            if name == "forest" and self.on_trial:
                model.set_params(n_estimators=TREES_ON_TRIAL, oob_score=False)
            self.models[name] = taught(model, X, self.labels[self.known])
        return self.models[name]

    def out_of_bag(self) -> FloatArray:
        """Out-of-bag probabilities of the forest for each labelled row; 0 if there are none.

        The columns are the classes that have a label.
        """
        return np.nan_to_num(self.model("forest").oob_decision_function_)

    def with_labels(self, labels: IntArray) -> "Sample":
        """The same rows with other labels; what does not depend on labels is kept."""
        other = Sample(self.X, labels, on_trial=True)
        for name in ("standard", "scaled", "even"):
            other.__dict__[name] = getattr(self, name)
        return other

    def some(self, places: IntArray) -> "Sample":
        """Some of the rows, scaled as all of them; models are shared if all labels are among them."""
        labels = self.labels[places]
        whole = int((labels >= 0).sum()) == int(self.known.sum())
        other = Sample(self.X[places], labels, self.models if whole else {})
        other.__dict__.update(standard=self.standard, even=self.even, scaled=self.scaled[places])
        return other


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


def standardising(X: FloatArray) -> Scale:
    """Map of every column to mean 0 and variance 1; constant columns become 0."""
    return Scale(X.mean(axis=0), inverse(by_columns(lambda columns: columns.std(axis=0), X)))


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


def taught(model: Any, X: Any, y: IntArray) -> Any:
    """A model fitted to some rows; one that has not converged is judged by what it says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


def _logistic() -> Any:
    return LogisticRegression(max_iter=300)


def _forest() -> Any:
    return RandomForestClassifier(TREES, oob_score=True, random_state=0)


def _boosting() -> Any:
    return HistGradientBoostingClassifier(random_state=0)


def _discriminants() -> Any:
    return LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto")


def _perceptron() -> Any:
    return MLPClassifier(HIDDEN_UNITS, alpha=0.1, max_iter=EPOCHS, random_state=0)


def _kernel() -> Any:
    return make_pipeline(
        Nystroem(n_components=KERNEL_ROWS, random_state=0),
        LogisticRegression(C=KERNEL_FREEDOM, max_iter=300),
    )


MODELS: dict[str, Callable[[], Any]] = {
    "logistic": _logistic,
    "forest": _forest,
    "boosting": _boosting,
    "discriminants": _discriminants,
    "perceptron": _perceptron,
    "kernel": _kernel,
}
