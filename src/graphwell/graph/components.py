"""Connected components, and the bridges that join those without a known row to others.

Every such component is linked to what lies nearest outside it, by its few shortest distances. Components that
have met are taken together, and so on, until a known row can be reached from everywhere: a minimum spanning
forest that grows from the components with a known row, in the rounds of Boruvka.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from graphwell._threads import one_blas_thread
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.errors import Sentence
from graphwell.graph.checks import frozen
from graphwell.graph.compiled import compiled, inner
from graphwell.graph.scan import squared_distance
from graphwell.progress import heartbeat

# Distances between two moments at which a fit can be cancelled.
DISTANCES_AT_ONCE = 50_000_000
NO_GROUP = -1
ROWS_TOGETHER, POINTS_TOGETHER = 64, 256
# Of a squared distance that is taken by products, as a share of the squares it is the difference of.
ROUNDING = 1e-12


@dataclass(frozen=True)
class PointSpace:
    """Rows that can be compared, in the memory of this machine; groups are numbered from 0.

    Those of a cluster have the same two verbs (`backends.dask.search`).
    """

    points: FloatArray

    def rows_at(self, places: IntArray) -> FloatArray:
        """Return some of the points."""
        return self.points[places]

    def nearest(
        self, rows: FloatArray, of: IntArray, groups: IntArray, *, inside: bool
    ) -> tuple[IntArray, FloatArray]:
        """Return the place and the distance of the nearest point inside, or outside, the group of each row.

        Of several at the same distance the first is taken; -1 and infinity where there is none.
        """
        with one_blas_thread():  # once: to set it takes 6 ms, and there may be thousands of groups
            if not inside:
                return self._nearest_of(rows, of, np.arange(len(self.points)), groups)
            found, apart = np.full(len(rows), -1), np.full(len(rows), np.inf)
            members = np.argsort(groups, kind="stable")
            sorted_groups = groups[members]
            for group in np.unique(of):  # a row is compared with its own group alone
                here = np.flatnonzero(of == group)
                first, last = np.searchsorted(sorted_groups, [group, group + 1])
                anyone = np.full(len(here), NO_GROUP)
                found[here], apart[here] = self._nearest_of(rows[here], anyone, members[first:last], groups)
            return found, apart

    def _nearest_of(
        self, rows: FloatArray, barred: IntArray, places: IntArray, groups: IntArray
    ) -> tuple[IntArray, FloatArray]:
        """The nearest of the points at these places, without those of the group that is barred to a row."""
        found, apart = np.full(len(rows), -1), np.full(len(rows), np.inf)
        if len(places) == 0:
            return found, apart
        center, few = self._middle, max(1, DISTANCES_AT_ONCE // len(places))
        for start in range(0, len(rows), few):
            heartbeat()
            part = slice(start, start + few)
            around = (self.points, places, groups, center)
            nearest_outside(rows[part], barred[part], *around, found[part], apart[part])
        return found, apart

    @cached_property
    def _middle(self) -> FloatArray:
        """A point amid the others: differences from it lose little to rounding."""
        return np.asarray(self.points[:: max(1, len(self.points) // 1000)].mean(axis=0, dtype=np.float64))


@compiled(nogil=True)
def nearest_outside(
    rows: FloatArray,
    barred: IntArray,
    points: FloatArray,
    places: IntArray,
    groups: IntArray,
    center: FloatArray,
    found: IntArray,
    apart: FloatArray,
) -> None:
    """Write the nearest of some points to each row, and its distance; not one of the group barred to the row.

    The first of several at the same distance is taken. Matrix products, about a centre, say which points may
    be the nearest; what rounding cannot tell apart is measured.
    """
    m, d = rows.shape
    a, b = np.empty((ROWS_TOGETHER, d)), np.empty((POINTS_TOGETHER, d))
    own, squares = np.empty(ROWS_TOGETHER), np.empty(POINTS_TOGETHER)
    space = np.empty(ROWS_TOGETHER * POINTS_TOGETHER)
    everything, lowest = np.arange(m), np.full(m, np.inf)
    for first_point in range(0, len(places), POINTS_TOGETHER):
        some = places[first_point : first_point + POINTS_TOGETHER]
        _about(points, some, center, b, squares)
        for first in range(0, m, ROWS_TOGETHER):
            count = min(ROWS_TOGETHER, m - first)
            _about(rows, everything[first : first + count], center, a, own)
            products = space[: count * len(some)].reshape(count, len(some))
            np.dot(a[:count], b[: len(some)].T, products)
            for i in range(count):
                row = first + i
                for j in range(len(some)):
                    value = own[i] + squares[j] - 2 * products[i, j]
                    rounding = ROUNDING * (own[i] + squares[j])
                    if value > lowest[row] + rounding or groups[some[j]] == barred[row]:
                        continue
                    lowest[row] = min(lowest[row], value + rounding)
                    distance = np.sqrt(squared_distance(rows[row], points[some[j]]))
                    if distance < apart[row] or (distance == apart[row] and some[j] < found[row]):
                        apart[row], found[row] = distance, some[j]


@inner
def _about(
    points: FloatArray, chosen: IntArray, center: FloatArray, out: FloatArray, squares: FloatArray
) -> None:
    """Write the chosen points relative to a centre, and their squared lengths."""
    for i in range(len(chosen)):
        total = 0.0
        for c in range(len(center)):
            value = points[chosen[i], c] - center[c]
            out[i, c] = value
            total += value * value
        squares[i] = total


@compiled(nogil=True)
def number_components(starts: IntArray, columns: IntArray, numbers: IntArray, waiting: IntArray) -> int:
    """Number the components as they are met, write that of each vertex, and return how many there are.

    `columns` must name every edge from both ends, `numbers` be negative; `waiting` is room for all vertices.
    """
    count = 0
    for vertex in range(len(numbers)):
        if numbers[vertex] >= 0:
            continue
        numbers[vertex], waiting[0], left = count, vertex, 1
        while left:
            left -= 1
            here = waiting[left]
            for entry in range(starts[here], starts[here + 1]):
                there = columns[entry]
                if numbers[there] < 0:
                    numbers[there], waiting[left] = count, there
                    left += 1
        count += 1
    return count


# Bridges of a component: its rows nearest to the outside, each with its nearest row there. On letter and
# coil_6class with one label per class, 1, 3 or 10 made no difference beyond chance (docs/few-labels.md).
PAIRS = 3
# Rows of a component that look outside, and distances that all may take, of which each round has half of
# what is left; larger components then get a closer look. 2,000 components of 70,000 rows take 10 s.
MOST_REPRESENTATIVES, MOST_DISTANCES = 1000, 400_000_000
# Weights are summed in multiples of this, so that no order of the sum matters.
QUANTUM = 2.0**-20
MANY_COMPONENTS = 10
ROWS_LOOKED_AT = 2000
# Spreads that a value lies off its column; times that one column spreads wider than another.
FAR_OUT, FAR_APART = 50.0, 50.0


@dataclass(frozen=True, eq=False)
class Bridges:
    """The edges that join connected components without a known row to others.

    Attributes
    ----------
    near, far : arrays of shape (n_bridges,)
        A row of such a component, and the row outside it.
    weights : array of shape (n_bridges,)
    rows : array of shape (n,)
        Whether each row lay in such a component.
    n_parts : int
    cause : Sentence, optional
        The likely reason for many components.
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


def find_bridges(space: Any, components: IntArray, known: BoolArray) -> tuple[IntArray, IntArray]:
    """Return both ends of the bridges that lead from every component to one with a known row."""
    groups, near, far = components, [components[:0]], [components[:0]]
    left = MOST_DISTANCES // max(1, len(components))
    while True:
        waiting = np.setdiff1d(groups, groups[known])
        if len(waiting) == 0:
            return np.concatenate(near), np.concatenate(far)
        left //= 2
        most = int(np.clip(left // len(waiting), 1, MOST_REPRESENTATIVES))
        here, there = _shortest_pairs(space, groups, waiting, most)
        near.append(here)
        far.append(there)
        n = int(groups.max()) + 1
        met = sparse.coo_array((np.ones(len(here)), (groups[here], groups[there])), shape=(n, n))
        groups = csgraph.connected_components(met, directed=False)[1][groups]


def _shortest_pairs(space: Any, groups: IntArray, waiting: IntArray, most: int) -> tuple[IntArray, IntArray]:
    """For each waiting group, its rows nearest to the outside, and the row nearest to each there."""
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
    """Places of at most so many rows of each chosen group, evenly spread over its rows."""
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
    """Sum, in multiples of `QUANTUM`, and number of the weights in the rows of each group."""
    of = np.repeat(groups, np.diff(W.indptr))
    sums = np.zeros(n_groups, dtype=np.int64)
    np.add.at(sums, of, np.rint(W.data / QUANTUM).astype(np.int64))
    return sums, np.bincount(of, minlength=n_groups)


def make_bridges(
    space: Any, components: IntArray, known: BoolArray, sums: IntArray, counts: IntArray
) -> Bridges:
    """Bridges whose weights are the mean of those of the component that they leave.

    The kernel would give them a weight near zero, over which no label spreads.
    """
    lost = np.setdiff1d(components, components[known])
    rows = np.isin(components, lost)
    near, far = find_bridges(space, components, known)
    mean = np.maximum(sums, 1) / np.maximum(counts, 1) * QUANTUM
    weights = mean[components[near]].astype(np.float32)
    cause = None
    if len(lost) >= MANY_COMPONENTS:
        cause = likely_cause(space.rows_at(np.flatnonzero(rows)[:ROWS_LOOKED_AT]))
    return Bridges(near, far, weights, rows, len(lost), cause)


def likely_cause(rows: FloatArray) -> Sentence:
    """The likely reason for many components, from some of their rows."""
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


def every_component_has(components: IntArray, known: BoolArray, n_components: int) -> bool:
    """Whether every component holds a known row; arrays may lie on a GPU."""
    return bool((np.bincount(components[known], minlength=n_components) > 0).all())


def bridges_between(W: Any, points: FloatArray, components: IntArray, known: BoolArray) -> Bridges:
    """Bridges from the components of a graph that hold no known row."""
    sums = weight_sums(W, components, int(components.max()) + 1)
    return make_bridges(PointSpace(points), components, known, *sums)


def with_bridges(W: Any, bridges: Bridges) -> Any:
    """Affinities with bridges between rows that none joined before."""
    together = (W + bridges.both_ways().astype(W.dtype)).tocsr()
    together.sort_indices()
    small = W.indices.dtype
    parts = (together.data, together.indices.astype(small), together.indptr.astype(small))
    return frozen(sparse.csr_array(parts, shape=W.shape))


def without_bridges(W: Any, bridges: Bridges) -> Any:
    """Affinities as they were before the bridges."""
    row = np.repeat(np.arange(W.shape[0]), np.diff(W.indptr))
    number = row * W.shape[0] + W.indices
    ends = np.concatenate([bridges.near, bridges.far]), np.concatenate([bridges.far, bridges.near])
    kept = ~np.isin(number, ends[0] * W.shape[0] + ends[1])
    starts = np.concatenate([[0], np.cumsum(kept)])[W.indptr].astype(W.indptr.dtype)
    return frozen(sparse.csr_array((W.data[kept], W.indices[kept], starts), shape=W.shape))
