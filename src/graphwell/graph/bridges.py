"""Bridges: parts of a graph without a known row are joined to the nearest part by their shortest distances.

Every such part is linked to what lies nearest outside it, parts that have met are taken together, and so on,
until a known row can be reached from everywhere: a minimum spanning forest that grows from the known parts.
"""

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.errors import Sentence
from graphwell.graph.distances import distances_to
from graphwell.progress import heartbeat

PAIRS = 3
"""Bridges of a part: its rows nearest to the outside, each with its nearest row there."""
MOST_ASKED, MOST_ASKED_OF_A_PART = 20_000, 1000
"""Rows that look outside in one round, of all parts and of one; larger parts then get a closer look."""
DISTANCES_AT_ONCE = 1_000_000
QUANTUM = 2.0**-20
"""Weights are summed in multiples of this, so that no order of the sum matters."""
MANY_PARTS = 10
ROWS_LOOKED_AT = 2000
FAR_OUT, FAR_APART = 50.0, 50.0
"""Spreads that a value lies off its column; times that one column spreads wider than another."""


@dataclass(frozen=True, eq=False)
class Bridges:
    """The edges that join parts without a known row to others.

    Attributes
    ----------
    near, far : arrays of shape (n_bridges,)
        A row of such a part, and the row outside it.
    weights : array of shape (n_bridges,)
    rows : array of shape (n,)
        Whether each row lay in such a part.
    n_parts : int
    cause : Sentence, optional
        What is likely to have broken the graph into many parts.
    """

    near: IntArray = field(repr=False)
    far: IntArray = field(repr=False)
    weights: FloatArray = field(repr=False)
    rows: BoolArray = field(repr=False)
    n_parts: int
    cause: Sentence | None = None

    def both_ways(self) -> Any:
        """Return the bridges as a symmetric matrix."""
        ends = (np.concatenate([self.near, self.far]), np.concatenate([self.far, self.near]))
        shape = (len(self.rows), len(self.rows))
        weights = np.concatenate([self.weights, self.weights])
        one_each = sparse.csr_array((np.ones(len(weights)), ends), shape=shape)  # a pair may be there twice
        total = sparse.csr_array((weights.astype(np.float64), ends), shape=shape)
        total.data /= one_each.data
        return total.astype(np.float32)


class Space(Protocol):
    """Rows that can be compared, wherever they lie."""

    def rows_at(self, places: IntArray) -> FloatArray:
        """Return some of the rows."""
        ...

    def nearest(
        self, rows: FloatArray, of: IntArray, groups: IntArray, *, inside: bool
    ) -> tuple[IntArray, FloatArray]:
        """Return the place and the distance of the nearest row inside, or outside, the group of each row."""
        ...


@dataclass(frozen=True)
class Points:
    """The space of points in the memory of this machine."""

    points: FloatArray

    def rows_at(self, places: IntArray) -> FloatArray:
        """Return some of the points."""
        return self.points[places]

    def nearest(
        self, rows: FloatArray, of: IntArray, groups: IntArray, *, inside: bool
    ) -> tuple[IntArray, FloatArray]:
        """Return the place and the distance of the nearest point inside, or outside, the group of each row.

        Of several at the same distance the first is taken; -1 and infinity where there is none.

        Examples
        --------
        >>> space = Points(np.array([[0.0], [1.0], [5.0]]))
        >>> space.nearest(np.array([[0.0]]), np.array([7]), np.array([7, 7, 8]), inside=False)
        (array([2]), array([5.]))
        """
        from threadpoolctl import threadpool_limits

        found, apart = np.full(len(rows), -1), np.full(len(rows), np.inf)
        if len(self.points) == 0:
            return found, apart
        center = self.points.mean(axis=0, dtype=np.float64)
        points = self.points - center
        squares = np.einsum("ij,ij->i", points, points)
        few = max(1, DISTANCES_AT_ONCE // len(points))
        with threadpool_limits(1, user_api="blas"):
            for start in range(0, len(rows), few):
                heartbeat()
                part = slice(start, start + few)
                barred = (groups == of[part, None]) != inside
                around = (rows[part], rows[part] - center, points, squares, barred)
                found[part], apart[part] = self._nearest_of(*around)
        return found, apart

    def _nearest_of(
        self,
        rows: FloatArray,
        centred: FloatArray,
        points: FloatArray,
        squares: FloatArray,
        barred: BoolArray,
    ) -> tuple[IntArray, FloatArray]:
        """Candidates by a matrix product; what rounding cannot tell apart is measured one by one."""
        compared = centred @ points.T
        compared *= -2
        compared += squares
        compared[barred] = np.inf
        lowest = compared.min(axis=1)
        own = np.einsum("ij,ij->i", centred, centred)
        rounding = 1e-12 * (own + squares.max())
        limit = np.where(np.isinf(lowest), -np.inf, lowest + rounding)
        row, place = np.nonzero(compared <= limit[:, None])
        apart = distances_to(rows[row], self.points, place[:, None], 1)[:, 0]
        order = np.lexsort((place, apart, row))
        row, place, apart = row[order], place[order], apart[order]
        first = np.flatnonzero(np.diff(row, prepend=-1))
        found, distance = np.full(len(rows), -1), np.full(len(rows), np.inf)
        found[row[first]], distance[row[first]] = place[first], apart[first]
        return found, distance


def find_bridges(space: Space, components: IntArray, known: BoolArray) -> tuple[IntArray, IntArray]:
    """Return both ends of the bridges that lead from every component to one with a known row.

    Parameters
    ----------
    space : Space
    components : array of shape (n,)
    known : array of shape (n,)
        At least one is.

    Examples
    --------
    >>> space = Points(np.array([[0.0], [1.0], [5.0], [6.0], [30.0], [31.0]]))
    >>> near, far = find_bridges(space, np.array([0, 0, 1, 1, 2, 2]), np.arange(6) == 0)
    >>> list(zip(near.tolist(), far.tolist()))
    [(2, 1), (3, 1), (4, 3), (5, 3)]
    """
    groups, near, far = components, [components[:0]], [components[:0]]
    while True:
        waiting = np.setdiff1d(groups, groups[known])
        if len(waiting) == 0:
            return np.concatenate(near), np.concatenate(far)
        here, there = _shortest_pairs(space, groups, waiting)
        near.append(here)
        far.append(there)
        n = int(groups.max()) + 1
        met = sparse.coo_array((np.ones(len(here)), (groups[here], groups[there])), shape=(n, n))
        groups = csgraph.connected_components(met, directed=False)[1][groups]


def _shortest_pairs(space: Space, groups: IntArray, waiting: IntArray) -> tuple[IntArray, IntArray]:
    """For each waiting group, its rows nearest to the outside, and the row nearest to each there."""
    most = int(np.clip(MOST_ASKED // len(waiting), 1, MOST_ASKED_OF_A_PART))
    sizes = np.bincount(groups)
    near = some_of_each(groups, waiting, most)
    far, apart = space.nearest(space.rows_at(near), groups[near], groups, inside=False)
    large = np.flatnonzero(sizes[groups[near]] > most)
    if len(large):
        best = large[shortest(groups[near[large]], apart[large])]
        across = space.rows_at(far[best])
        closer = np.unique(space.nearest(across, groups[near[best]], groups, inside=True)[0])
        beyond, how_far = space.nearest(space.rows_at(closer), groups[closer], groups, inside=False)
        near, first = np.unique(np.concatenate([near, closer]), return_index=True)
        far, apart = np.concatenate([far, beyond])[first], np.concatenate([apart, how_far])[first]
    kept = shortest(groups[near], apart)
    return near[kept], far[kept]


def some_of_each(groups: IntArray, chosen: IntArray, most: int) -> IntArray:
    """Places of at most so many rows of each chosen group, evenly spread over its rows.

    Examples
    --------
    >>> some_of_each(np.array([0, 0, 0, 0, 1, 2]), np.array([0, 2]), 2)
    array([0, 2, 5])
    """
    places = np.flatnonzero(np.isin(groups, chosen))
    places = places[np.argsort(groups[places], kind="stable")]
    of = groups[places]
    firsts = np.flatnonzero(np.diff(of, prepend=-1))
    counts = np.diff(np.append(firsts, len(of)))
    number, size = np.arange(len(of)) - np.repeat(firsts, counts), np.repeat(counts, counts)
    wanted = np.minimum(size, most)
    return np.sort(places[number * wanted // size != (number - 1) * wanted // size])


def shortest(groups: IntArray, apart: FloatArray) -> IntArray:
    """Places of the `PAIRS` smallest values of each group, the first of equals."""
    order = np.lexsort((apart, groups))
    of = groups[order]
    firsts = np.flatnonzero(np.diff(of, prepend=-1))
    counts = np.diff(np.append(firsts, len(of)))
    return order[np.arange(len(of)) - np.repeat(firsts, counts) < PAIRS]


def weight_sums(W: Any, groups: IntArray, n_groups: int) -> tuple[IntArray, IntArray]:
    """Sum, in multiples of `QUANTUM`, and number of the weights in the rows of each group.

    Examples
    --------
    >>> weight_sums(sparse.csr_array([[0, 0.5], [0.5, 0]]), np.array([0, 0]), 1)
    (array([1048576]), array([2]))
    """
    of = np.repeat(groups, np.diff(W.indptr))
    sums = np.zeros(n_groups, dtype=np.int64)
    np.add.at(sums, of, np.rint(W.data / QUANTUM).astype(np.int64))
    return sums, np.bincount(of, minlength=n_groups)


def make_bridges(
    space: Space, components: IntArray, known: BoolArray, sums: IntArray, counts: IntArray
) -> Bridges:
    """Bridges whose weights are the mean of those of the part that they leave.

    The kernel would give them a weight near zero, over which no label spreads.
    """
    lost = np.setdiff1d(components, components[known])
    rows = np.isin(components, lost)
    near, far = find_bridges(space, components, known)
    mean = np.maximum(sums, 1) / np.maximum(counts, 1) * QUANTUM
    weights = mean[components[near]].astype(np.float32)
    cause = None
    if len(lost) >= MANY_PARTS:
        cause = likely_cause(space.rows_at(np.flatnonzero(rows)[:ROWS_LOOKED_AT]))
    return Bridges(near, far, weights, rows, len(lost), cause)


def likely_cause(rows: FloatArray) -> Sentence:
    """What is likely to have broken a graph into many parts, from some rows of these parts.

    Examples
    --------
    >>> str(likely_cause(np.repeat(np.arange(3.0), 20)[:, None]))
    'Many rows are exact copies of others: keep one of each, or raise n_neighbors.'
    """
    if 2 * len(np.unique(rows, axis=0)) < len(rows):
        return Sentence("Many rows are exact copies of others: keep one of each, or raise {n_neighbors}.")
    middle = np.median(rows, axis=0)
    spreads = np.median(np.abs(rows - middle), axis=0)
    used = spreads > 0
    off = np.abs(rows - middle)[:, used] / spreads[used]
    if used.any() and (off.max() > FAR_OUT or spreads[used].max() > FAR_APART * spreads[used].min()):
        return Sentence(
            "Some columns hold values far from all others, or spread far wider than others: "
            "bring them to a like scale, or take ranks or logarithms."
        )
    return Sentence("A row has few neighbours: raise {n_neighbors}.")
