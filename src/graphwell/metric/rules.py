"""Choosing the scale of the features by the data alone, where too few labels can be hidden.

Columns are standardised where their units differ so much that a few of them decide the distances alone: where
the variance lies in fewer columns than three tenths of them, and in less than four. Pixels, principal
components and shares have one unit and stay as they are, and so do counts that are mostly zero. A scale that
breaks the graph into parts, or drowns what holds the rows together in noise, is given up for the next.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from sklearn.neighbors import kneighbors_graph

from graphwell._by_columns import by_columns
from graphwell._types import FloatArray
from graphwell.metric.candidates import CANDIDATES
from graphwell.metric.sample import MOST_ROWS, Sample, evenly, units_differ

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
    if are_counts(X):
        return Ruled("plain", "the features are counts, and most are zero")
    if not units_differ(X):
        return Ruled("plain", "the features have similar units")
    wanted = ("robust", "standard") if has_outliers(X) else ("standard", "robust")
    few = evenly(X, ROWS_LOOKED_AT)
    sample, before = Sample(X, np.full(len(X), -1)), Look.at(few)
    harm = ""
    for name in wanted:
        harm = before.harmed_by(Look.at(CANDIDATES[name].fit(sample)(few)))
        if not harm:
            return Ruled(name, "a few features would decide the distances alone")
    return Ruled("plain", f"scaled features would {harm}")


def are_counts(X: FloatArray) -> bool:
    """Whether the features are whole numbers, mostly zero; columns of two values are no counts.

    Examples
    --------
    >>> counts = np.array([[0.0, 3], [0, 0], [0, 0], [2, 1], [0, 0], [1, 0]])
    >>> are_counts(counts), are_counts(np.minimum(counts, 1))
    (True, False)
    """
    if not are_mostly_zero(X) or (np.floor(X) != X).any():
        return False
    more_than_two = [len(np.unique(column)) > 2 for column in evenly(X, MOST_ROWS).T]
    return any(more_than_two) and are_mostly_zero(X[:, more_than_two])


def are_mostly_zero(X: FloatArray) -> bool:
    """Whether most values are zero, and none is negative."""
    if X.min() < 0:
        return False
    return bool(by_columns(lambda columns: (columns == 0).sum(axis=0), X).sum() > MOSTLY_ZERO * X.size)


def has_outliers(X: FloatArray) -> bool:
    """Whether a value lies many standard deviations out."""
    spread, away = by_columns(_spread_and_farthest, X)
    return bool((away > FAR_OUT * spread)[spread > 0].any())


def _spread_and_farthest(columns: FloatArray) -> FloatArray:
    return np.stack([columns.std(axis=0), np.abs(columns - columns.mean(axis=0)).max(axis=0)])


@dataclass(frozen=True)
class Look:
    """What the nearest neighbours of a few rows tell.

    Attributes
    ----------
    lost : float
        Share of the rows outside the largest part of the nearest-neighbour graph.
    bonds : float
        How much nearer neighbours are than those of rows whose columns were shuffled one by one: the mean
        difference of the logarithms. 0 where columns know nothing of each other.
    error : float
        Standard error of the bonds.

    Examples
    --------
    >>> line = np.arange(60.0)[:, None]
    >>> Look.at(line).lost, Look.at(np.where(line < 45, line, line + 1000)).lost
    (0.0, 0.25)
    >>> Look.at(np.hstack([line, line])).bonds > 0.2
    True
    """

    lost: float
    bonds: float
    error: float

    @classmethod
    def at(cls, rows: FloatArray) -> "Look":
        """Look at rows."""
        if len(rows) < 3:
            return cls(0.0, 0.0, 0.0)
        rng = np.random.default_rng(0)
        shuffled = np.column_stack([rng.permutation(column) for column in np.asarray(rows, dtype=float).T])
        near, chance = _neighbours(rows), _neighbours(shuffled)
        parts = csgraph.connected_components(near, directed=False)[1]
        far, far_by_chance = near.max(axis=1).toarray().ravel(), chance.max(axis=1).toarray().ravel()
        smallest = 1e-3 * float(np.median(far_by_chance)) or 1.0
        bonds, by_chance = np.log(np.maximum(far, smallest)), np.log(np.maximum(far_by_chance, smallest))
        error = np.sqrt((bonds.var() + by_chance.var()) / len(rows))
        lost = 1 - np.bincount(parts).max() / len(rows)
        return cls(float(lost), float(by_chance.mean() - bonds.mean()), float(error))

    def harmed_by(self, scaled: "Look") -> str:
        """What a scale that leads to another look does to the rows; nothing if it does no harm."""
        if scaled.lost > max(LOST_ROWS, self.lost):
            return "break the graph apart"
        missing = KEPT_BONDS * self.bonds - scaled.bonds
        error = np.hypot(KEPT_BONDS * self.error, scaled.error)
        return "drown the others in noise" if missing > ERRORS_BEYOND_CHANCE * error else ""


def _neighbours(rows: FloatArray) -> Any:
    return kneighbors_graph(rows, min(NEIGHBORS, len(rows) - 1), mode="distance")
