"""Choosing the scale of the features by the data alone, where too few labels can be hidden.

Columns are standardised where their units differ so much that a few of them decide the distances alone: where
the variance lies in fewer columns than three tenths of them, and in less than four. Pixels, principal
components and shares have one unit and stay as they are, and so do counts that are mostly zero. A choice that
breaks the graph into parts is given up for the next.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from graphwell._types import FloatArray
from graphwell.metric.candidates import CANDIDATES
from graphwell.metric.sample import Sample, units_differ

FAR_OUT = 25.0
"""Standard deviations from which on a value is an outlier that spoils a standard deviation."""
MOSTLY_ZERO = 0.6
ROWS_FOR_PARTS = 2_000
NEIGHBORS = 10
LOST_ROWS = 0.02
"""Share of the rows that may lie outside the largest part of a graph before the choice is given up."""


@dataclass(frozen=True)
class Ruled:
    """A choice, and why.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> by_the_data(rng.normal(size=(50, 3)) * [1, 10, 1000])
    Ruled(name='standard', why='a few features would decide the distances alone')
    """

    name: str
    why: str


def by_the_data(X: Any) -> Ruled:
    """Choose among the metrics that need no labels.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    """
    if sparse.issparse(X):
        return Ruled("plain", "the rows are sparse")
    if X.min() >= 0 and (X == 0).mean() > MOSTLY_ZERO:
        return Ruled("plain", "most values are zero")
    if not units_differ(X):
        return Ruled("plain", "the features have similar units")
    why = "a few features would decide the distances alone"
    wanted = ("robust", "standard") if has_outliers(X) else ("standard", "robust")
    lost = lost_rows(X)
    for name in wanted:
        if lost_rows(CANDIDATES[name].fit(Sample(X, np.full(len(X), -1)))(X)) <= max(LOST_ROWS, lost):
            return Ruled(name, why)
    return Ruled("plain", "scaled features would break the graph apart")


def has_outliers(X: FloatArray) -> bool:
    """Whether a value lies many standard deviations out."""
    spread = X.std(axis=0)
    away = np.abs(X - X.mean(axis=0)).max(axis=0)
    return bool((away > FAR_OUT * spread)[spread > 0].any())


def lost_rows(X: FloatArray) -> float:
    """Share of the rows outside the largest part of the nearest-neighbour graph, of a sample.

    Examples
    --------
    >>> line = np.arange(60.0)[:, None]
    >>> lost_rows(line), lost_rows(np.where(line < 45, line, line + 1000))
    (0.0, 0.25)
    """
    from sklearn.neighbors import kneighbors_graph

    few = X[np.linspace(0, len(X) - 1, min(len(X), ROWS_FOR_PARTS)).astype(int)]
    if len(few) < 3:
        return 0.0
    graph = kneighbors_graph(few, min(NEIGHBORS, len(few) - 1))
    parts = csgraph.connected_components(graph, directed=False)[1]
    return float(1 - np.bincount(parts).max() / len(few))
