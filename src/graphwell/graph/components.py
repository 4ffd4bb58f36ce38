"""Connected components, and the bridges that join those without a known row to others.

Every such component is linked to what lies nearest outside it, by its few shortest distances. Components that
have met are taken together, and so on, until a known row can be reached from everywhere: a minimum spanning
forest that grows from the components with a known row, in the rounds of Boruvka.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from graphwell._threads import one_blas_thread
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.graph.checks import frozen
from graphwell.graph.compiled import compiled
from graphwell.graph.scan import distances_to
from graphwell.progress import heartbeat

# Distances between two moments at which a fit can be cancelled.
DISTANCES_AT_ONCE = 1_000_000
# So many neighbours of a row are looked at before it is compared with all others: of a small component one
# of them lies outside.
NEIGHBORS_FIRST = 64


@dataclass(frozen=True)
class PointSpace:
    """Rows that can be compared, in the memory of this machine; groups are numbered from 0.

    Those of a cluster have the same two verbs (`backends.dask.search`).
    """

    points: FloatArray
    search: Any = None  # of the points

    def rows_at(self, places: IntArray) -> FloatArray:
        """Return some of the points."""
        return self.points[places]

    def nearest(
        self, rows: FloatArray, of: IntArray, groups: IntArray, *, inside: bool
    ) -> tuple[IntArray, FloatArray]:
        """Return the place and the distance of the nearest point inside, or outside, the group of each row.

        -1 and infinity where there is none.
        """
        # A point amid the others: differences from it lose little to rounding.
        middle = self.points[:: max(1, len(self.points) // 1000)].mean(axis=0, dtype=np.float64)
        found, centred = np.full(len(rows), -1), rows - middle
        with one_blas_thread():  # once: to set it takes 6 ms, and there may be thousands of groups
            if inside:  # a row is compared with its own group alone
                by_group, askers = np.argsort(groups, kind="stable"), np.argsort(of, kind="stable")
                wanted, first = np.unique(of[askers], return_index=True)
                starts, ends = (np.searchsorted(groups[by_group], wanted, side) for side in ("left", "right"))
                for here, start, end in zip(np.split(askers, first[1:]), starts, ends, strict=True):
                    found[here] = self._nearest_of(centred[here], by_group[start:end], middle)
            else:
                if self.search is not None:
                    near, apart = self.search.query(rows, min(NEIGHBORS_FIRST, len(self.points)))
                    apart[groups[near] == of[:, None]] = np.inf
                    lowest = apart.min(axis=1)
                    # The first of several at the same distance.
                    first = np.where(apart == lowest[:, None], near, len(self.points)).min(axis=1)
                    found = np.where(np.isfinite(lowest), first, -1)
                left = np.flatnonzero(found < 0)
                everyone = np.arange(len(self.points))
                found[left] = self._nearest_of(centred[left], everyone, middle, of[left], groups)
        apart = distances_to(rows, self.points, np.maximum(found, 0)[:, None], 1)[:, 0]
        return found, np.where(found < 0, np.inf, apart)

    def _nearest_of(
        self,
        rows: FloatArray,
        places: IntArray,
        middle: FloatArray,
        barred: IntArray | None = None,
        groups: IntArray | None = None,
    ) -> IntArray:
        """The nearest of the points at these places, without those of the group that is barred to a row."""
        found, lowest = np.full(len(rows), -1), np.full(len(rows), np.inf)
        few = max(1, DISTANCES_AT_ONCE // max(1, len(rows)))
        for start in range(0, len(places), few):
            heartbeat()
            some = places[start : start + few]
            points = self.points[some] - middle
            # Squared distances, less the squared length of the row.
            values = (points * points).sum(axis=1) - 2 * (rows @ points.T)
            if barred is not None and groups is not None:
                values[barred[:, None] == groups[some]] = np.inf
            best = values.argmin(axis=1)
            value = np.take_along_axis(values, best[:, None], axis=1)[:, 0]
            closer = value < lowest
            found[closer], lowest[closer] = some[best[closer]], value[closer]
        return found


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


@dataclass(frozen=True, eq=False)
class Bridges:
    """The edges that join connected components without a known row to others."""

    near: IntArray = field(repr=False)  # a row of such a component
    far: IntArray = field(repr=False)  # the row outside it
    weights: FloatArray = field(repr=False)
    rows: BoolArray = field(repr=False)  # of shape (n,): whether each row lay in such a component
    n_parts: int  # the components without a known row

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
    # At most so many rows of each, evenly spread over its rows.
    near = np.flatnonzero(np.isin(groups, waiting))
    near = near[np.argsort(groups[near], kind="stable")]
    number, size = _numbered(groups[near])
    wanted = np.minimum(size, most)
    near = np.sort(near[number * wanted // size != (number - 1) * wanted // size])
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


def shortest(groups: IntArray, apart: FloatArray) -> IntArray:
    """Places of the `PAIRS` smallest values of each group, the first of equals."""
    order = np.lexsort((apart, groups))
    return order[_numbered(groups[order])[0] < PAIRS]


def _numbered(groups: IntArray) -> tuple[IntArray, IntArray]:
    """Number of each place within its group, and the size of that, of groups that follow each other."""
    firsts = np.flatnonzero(np.diff(groups, prepend=-1))
    sizes = np.diff(np.append(firsts, len(groups)))
    return np.arange(len(groups)) - np.repeat(firsts, sizes), np.repeat(sizes, sizes)


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
    return Bridges(near, far, weights, rows, len(lost))


def every_component_has(components: IntArray, known: BoolArray, n_components: int) -> bool:
    """Whether every component holds a known row; arrays may lie on a GPU."""
    return bool((np.bincount(components[known], minlength=n_components) > 0).all())


def bridges_between(W: Any, search: Any, components: IntArray, known: BoolArray) -> Bridges:
    """Bridges from the components of a graph that hold no known row."""
    sums = weight_sums(W, components, int(components.max()) + 1)
    return make_bridges(PointSpace(search.points, search), components, known, *sums)


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
