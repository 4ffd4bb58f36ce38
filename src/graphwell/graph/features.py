"""The user's rows as dense rows whose Euclidean distance is the metric asked for."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from graphwell._types import FloatArray

METRICS = ("euclidean", "cosine")
SPARSE_COMPONENTS = 100


@dataclass(frozen=True)
class FeatureMap:
    """Maps rows of features into the space that is searched.

    Sparse rows with more than `SPARSE_COMPONENTS` features are projected onto their leading right
    singular vectors, narrower ones are made dense. Rows under the cosine metric are scaled to length
    one (a row of zeros stays where it is, equally far from every other row): the squared Euclidean
    distance is then twice the cosine distance.
    """

    metric: str
    projection: FloatArray | None = None

    @classmethod
    def fit(cls, X: Any, metric: str) -> "FeatureMap":
        """Choose the map for these rows."""
        check_metric(metric)
        if not sparse.issparse(X) or X.shape[1] <= SPARSE_COMPONENTS:
            return cls(metric)
        from sklearn.decomposition import TruncatedSVD

        components = min(SPARSE_COMPONENTS, min(X.shape) - 1)
        svd = TruncatedSVD(max(1, components), random_state=0).fit(_unit_rows(X) if metric == "cosine" else X)
        return cls(metric, np.ascontiguousarray(svd.components_.T))

    def __call__(self, X: Any) -> FloatArray:
        """Map rows; dense Euclidean rows come back as they are, without a copy where possible."""
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
    ValueError: metric must be one of euclidean, cosine; got 'manhattan'.
    """
    if not isinstance(metric, str) or metric not in (*METRICS, *also):
        raise ValueError(f"metric must be one of {', '.join((*METRICS, *also))}; got {metric!r}.")


def _unit_rows(X: Any) -> Any:
    from sklearn.preprocessing import normalize

    return normalize(X)
