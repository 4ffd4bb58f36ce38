"""The user's rows as dense rows whose Euclidean distance is the metric asked for."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from graphwell._checks import one_of
from graphwell._types import FloatArray
from graphwell.memory import available, in_words

Change = Callable[[Any], Any]
"""What is done to rows before they are compared: each becomes another row, by itself."""
METRICS = ("euclidean", "cosine")
SPARSE_COMPONENTS = 100
OVERSAMPLES = 10
"""Further vectors that the randomised singular value decomposition works with."""


@dataclass(frozen=True)
class FeatureMap:
    """Maps rows of features into the space that is searched.

    Sparse rows with more than `SPARSE_COMPONENTS` features are projected onto their leading right
    singular vectors, narrower ones are made dense. Rows under the cosine metric are scaled to length
    one (a row of zeros stays where it is, equally far from every other row): the squared Euclidean
    distance is then twice the cosine distance. Before all that, rows may be changed, into a learned metric
    say.
    """

    metric: str
    projection: FloatArray | None = None
    change: Change | None = None

    @classmethod
    def fit(cls, X: Any, metric: str, change: Change | None = None) -> "FeatureMap":
        """Choose the map for these rows."""
        check_metric(metric)
        if change is not None:
            X = change(X)
        if not sparse.issparse(X) or X.shape[1] <= SPARSE_COMPONENTS:
            return cls(metric, change=change)
        from sklearn.decomposition import TruncatedSVD

        components = min(SPARSE_COMPONENTS, min(X.shape) - 1)
        _check_projection(X.shape[1], components)
        svd = TruncatedSVD(max(1, components), random_state=0).fit(_unit_rows(X) if metric == "cosine" else X)
        return cls(metric, np.ascontiguousarray(svd.components_.T), change)

    def __call__(self, X: Any) -> FloatArray:
        """Map rows; dense Euclidean rows come back as they are, without a copy where possible."""
        if self.change is not None:
            X = self.change(X)
        if self.metric == "cosine":
            X = _unit_rows(X)
        if self.projection is not None:
            return np.ascontiguousarray(X @ self.projection)
        dense = X.toarray() if sparse.issparse(X) else np.asarray(X)
        if dense.dtype not in (np.float32, np.float64):
            dense = dense.astype(np.float64)
        return np.ascontiguousarray(dense)


def check_metric(metric: str, also: tuple[str, ...] = ()) -> None:
    """Refuse a metric that there is none of.

    Examples
    --------
    >>> check_metric("manhattan")
    Traceback (most recent call last):
    graphwell.errors.OptionError: metric must be one of euclidean, cosine; got 'manhattan'.
    """
    one_of("metric", metric, (*METRICS, *also))


def _check_projection(n_features: int, components: int) -> None:
    """Refuse columns whose projection would not fit into memory, before any of it is taken."""
    need, free = 3 * 8 * n_features * (components + OVERSAMPLES), available()
    if need > free:
        raise ValueError(
            f"X has {n_features:,} columns, and to project them takes about {in_words(need)} of memory, "
            f"more than the {in_words(free)} that are free; leave out the columns that are empty or rare."
        )


def _unit_rows(X: Any) -> Any:
    from sklearn.preprocessing import normalize

    return normalize(X)
