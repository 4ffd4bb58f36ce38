"""Communities of a graph, about as many as wanted, and the most central row of each.

They are made of aggregates, the small groups of vertices that `graphwell.solve.communities` finds on every
backend.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from graphwell._types import FloatArray, IntArray
from graphwell.backends.aggregation import merged_matrix
from graphwell.solve.communities import Aggregates, joined_until

if TYPE_CHECKING:
    from graphwell.active.query import Query

LOWEST, DOUBLING = 0.5, 2.0
"""The first resolution to try; below 1, that of plain modularity, classes that touch are merged."""
SUBSTANCE = 0.1
"""A community counts if it has this share of the rows that an even share would be."""
POWER_STEPS = 30
"""Enough to find the core of a community, too few to end in a knot of copies."""
ROWS_COMPARED = 60


@dataclass(frozen=True, eq=False)
class Communities:
    """Communities at one resolution: that of each aggregate, and the number of rows in each."""

    of_aggregates: IntArray
    sizes: FloatArray
    aggregates: Aggregates

    @cached_property
    def of_rows(self) -> IntArray:
        """Community of each row."""
        return self.of_aggregates[self.aggregates.members]

    @cached_property
    def W(self) -> Any:
        """Sums of the weights between communities, sparse; the diagonal holds those inside."""
        return merged_matrix(self.aggregates.W, self.of_aggregates)

    def of_substance(self, wanted: int) -> int:
        """How many are not much smaller than an even share of so many would be."""
        return int((self.sizes >= SUBSTANCE * self.sizes.sum() / wanted).sum())


def find_communities(aggregates: Aggregates, wanted: int, seed: int = 0) -> Communities:
    """The communities at the lowest resolution with so many of substance; the finest if none has."""
    rows = np.bincount(aggregates.members, minlength=aggregates.W.shape[0])

    def at(resolution: float) -> Communities:
        of_aggregates = aggregates.level(resolution, seed)[0]
        return Communities(of_aggregates, np.bincount(of_aggregates, weights=rows), aggregates)

    found, high = at(LOWEST), LOWEST
    while found.of_substance(wanted) < wanted and len(found.sizes) < len(found.of_aggregates):
        high *= DOUBLING
        found = at(high)
    if high > LOWEST:
        for resolution in high / DOUBLING * DOUBLING ** np.array([0.25, 0.5, 0.75]):
            lower = at(float(resolution))
            if lower.of_substance(wanted) >= wanted:
                return lower
    return found


def coarsened(aggregates: Aggregates, most: int) -> Aggregates:
    """Join aggregates to their heaviest neighbours until there are few enough.

    Where no edges are left between them, and there are still too many, the smallest become one.
    """
    members, W = joined_until(aggregates.members, aggregates.W, most)
    if W.shape[0] > most:
        group = np.empty(W.shape[0], dtype=np.int64)
        group[np.argsort(-np.bincount(members), kind="stable")] = np.minimum(np.arange(len(group)), most - 1)
        members, W = group[members], merged_matrix(W, group)
    return Aggregates(members, W)


def central_rows(query: "Query", communities: Communities, chosen: Sequence[int]) -> IntArray:
    """The most central open row of each chosen community; -1 where none is open.

    Central is where the leading eigenvector of the community's own weights is large. It is found on the
    aggregates; where these hold several rows, those of the best aggregates are then compared one by one.
    """
    members, W, n = query.aggregates.members, query.aggregates.W, len(query.sizes)
    inside = [np.flatnonzero(communities.of_aggregates == c) for c in chosen]
    centrality = [leading_vector(W[group][:, group], query.sizes[group]) for group in inside]
    if len(members) == n:
        row_of = np.argsort(members)
        best = [_best_open(query, row_of[group], x) for group, x in zip(inside, centrality, strict=True)]
        return np.array(best, dtype=np.int64)
    is_open = np.zeros(n, dtype=bool)  # aggregates that hold a row that may be asked
    is_open[members[query.open]] = True
    candidates = []
    for group, x in zip(inside, centrality, strict=True):
        order = group[np.argsort(-x, kind="stable")]
        order = order[is_open[order]]
        enough = int(np.searchsorted(np.cumsum(query.sizes[order]), ROWS_COMPARED)) + 1
        candidates.append(np.flatnonzero(np.isin(members, order[:enough]) & query.open))
    # Each candidate is an aggregate of its own for a moment, so that one matrix holds all weights.
    rows = np.concatenate([*candidates, np.empty(0, dtype=np.int64)]).astype(np.int64)
    alone = members.copy()
    alone[rows] = n + np.arange(len(rows))
    W = sparse.csr_array(query.engine.condensed(alone, n + len(rows)))
    sizes = np.bincount(alone, minlength=n + len(rows))
    found, first = [], n
    for group, own in zip(inside, candidates, strict=True):
        here = np.concatenate([group, first + np.arange(len(own))])
        found.append(_best_open(query, own, leading_vector(W[here][:, here], sizes[here])[len(group) :]))
        first += len(own)
    return np.array(found, dtype=np.int64)


def leading_vector(W: Any, sizes: IntArray) -> FloatArray:
    """Leading eigenvector of the weights per row, by a few steps of the power iteration."""
    x, per_row = np.ones(len(sizes)), 1 / np.maximum(sizes, 1)
    shift = 0.5 * float((per_row * (W @ x)).max(initial=0.0))  # without it, a star would flicker
    for _ in range(POWER_STEPS):
        x = per_row * (W @ x) + shift * x
        x = x / (x.max(initial=0.0) or 1.0)
    return x


def _best_open(query: "Query", rows: IntArray, values: FloatArray) -> int:
    """The open row of highest value, of equals that of highest degree; -1 if none is open."""
    is_open = query.open[rows]
    if not is_open.any():
        return -1
    rows, values = rows[is_open], values[is_open]
    return int(rows[np.lexsort((-query.degrees[rows], -values))[0]])
