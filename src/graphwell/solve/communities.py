"""Aggregation, and communities: groups of vertices with more links among themselves than by chance.

Louvain's method (Blondel et al., 2008) moves vertices one by one to the neighbouring community that raises
the modularity most, makes each community a vertex of a smaller graph, and begins again there. The first
round is nearly all of the work, and depends on the order of the vertices. On a large graph aggregation takes
its place: every vertex is joined to its heaviest neighbour, once for communities of every resolution.
"""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from graphwell._threads import ThreadPool
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.aggregation import heaviest_entries, merged_matrix
from graphwell.backends.base import Engine
from graphwell.graph.compiled import compiled, seen, unsigned
from graphwell.graph.weights import index_dtype

# Of a round, at most.
SWEEPS = 20
# Share of the vertices: a sweep that moves fewer ends its round. Not recorded.
ROUND_ENDS_AT = 0.002
# So many that whole communities can still be tried in every class. The experiment is not recorded.
MOST_AGGREGATES = 4_000
# For ten classes: some 5, 10 and 20 communities each. They grow with the square root of the classes.
RESOLUTIONS = (4.0, 8.0, 16.0)
# Seeds of the order in which Louvain's method looks at the vertices.
ORDERS = (0, 1)


@dataclass(frozen=True, eq=False)
class Aggregates:
    """A graph of aggregates: small groups of vertices of another one, which communities are made of."""

    members: IntArray  # aggregate of each vertex of the other graph
    W: Any  # sums of the weights between them, a `csr_array`; the diagonal holds twice those inside
    _levels: dict[tuple[float, int], tuple[IntArray, Any]] = field(default_factory=dict, repr=False)
    _few: dict[int, IntArray | None] = field(default_factory=dict, repr=False)

    def few(self, most: int) -> IntArray | None:
        """Group of each vertex: aggregates joined until there are at most so many; None if that cannot be."""
        if most not in self._few:
            members, level = joined_until(self.members, self.W, most)
            self._few[most] = members if level.shape[0] <= most else None
        return self._few[most]

    def level(self, resolution: float, seed: int = 0) -> tuple[IntArray, Any]:
        """Community of each aggregate, and the graph of the communities; found once, and kept."""
        if (resolution, seed) not in self._levels:
            found = louvain(self.W, resolution, np.random.default_rng(seed))
            found.flags.writeable = False
            self._levels[resolution, seed] = found, merged_matrix(self.W, found)
        return self._levels[resolution, seed]


def louvain(W: Any, resolution: float, rng: np.random.Generator) -> IntArray:
    """Community of each vertex of a graph by Louvain's method."""
    found, level = np.arange(W.shape[0]), W
    while True:
        n = level.shape[0]
        order, moved = rng.permutation(n).astype(np.uint32), np.arange(n, dtype=np.uint32)
        graph = (unsigned(level.indptr), unsigned(level.indices), seen(level.data), level @ np.ones(n))
        room = np.zeros((2, n)), np.empty(n, np.uint32), np.ones(n, np.bool_)
        _move(graph, resolution, order, moved, max(1, int(ROUND_ENDS_AT * n)), room)
        _, first, community = np.unique(moved, return_index=True, return_inverse=True)
        community = np.argsort(np.argsort(first))[community]  # numbered in the order in which they are met
        level, found = merged_matrix(level, community), community[found]
        if level.shape[0] == n:
            return found


def aggregates_of(engine: Engine) -> Aggregates:
    """The aggregates of a graph, found once for each engine."""
    if engine.aggregates is None:
        engine.aggregates = Aggregates(*joined_until(*joined_vertices(engine, MOST_AGGREGATES)))
    found: Aggregates | Future[Aggregates] = engine.aggregates
    return found.result() if isinstance(found, Future) else found


def joined_vertices(engine: Engine, most: int) -> tuple[IntArray, Any]:
    """Join vertices to their heaviest neighbours if there are too many; the groups, and sums between them.

    Nothing depends on an order in which vertices are looked at, so every backend finds the same groups.
    """
    members = engine.heaviest()
    members = joined(members) if len(members) > most else np.arange(len(members), dtype=members.dtype)
    return members, engine.condensed(members, int(members.max()) + 1)


def joined_until(members: IntArray, W: Any, most: int = MOST_AGGREGATES) -> tuple[IntArray, Any]:
    """Join groups to their heaviest neighbours until there are few enough, or no edges between them."""
    while W.shape[0] > most:
        group = joined(heaviest_entries(W.indptr, W.indices, W.data))
        if int(group.max()) + 1 == W.shape[0]:
            break
        W, members = merged_matrix(W, group), group[members]
    return members, W


def joined(partners: IntArray) -> IntArray:
    """Groups of vertices that are connected if each is joined to its partner; -1 stands for none.

    They are numbered in the order of their first vertices.
    """
    n, has = len(partners), np.flatnonzero(partners >= 0)
    links = sparse.coo_array((np.ones(len(has)), (has, partners[has])), shape=(n, n))
    return csgraph.connected_components(links, directed=False)[1].astype(index_dtype(n, 0))


def levels_for(labels: IntArray, aggregates: Aggregates, pool: ThreadPool) -> list[tuple[IntArray, Any]]:
    """Communities of all resolutions and orders, and their graphs; found once for each number of classes."""
    finer = np.sqrt(max(1, len(np.unique(labels[labels >= 0]))) / 10)
    wanted = [(resolution * finer, seed) for resolution in RESOLUTIONS for seed in ORDERS]
    return pool.results(lambda each: aggregates.level(*each), wanted)


@contextmanager
def communities_in_background(labels: IntArray, engine: Engine) -> Iterator[None]:
    """Find the communities on the host while the block inside computes elsewhere."""
    pool = ThreadPool(engine.n_threads)
    with ThreadPoolExecutor(1) as beside:
        if engine.aggregates is None:  # asked here: the other thread does not ask the engine
            some = joined_vertices(engine, MOST_AGGREGATES)
            engine.aggregates = beside.submit(lambda: Aggregates(*joined_until(*some)))
        found = beside.submit(copy_context().run, lambda: levels_for(labels, aggregates_of(engine), pool))
        yield
        found.result()


def modularity(W: Any, community: IntArray, resolution: float = 1.0) -> float:
    """Share of the weight inside communities, minus what chance would put there."""
    degrees = W @ np.ones(W.shape[0])
    total = float(degrees.sum())
    if total == 0:
        return 0.0
    rows = np.repeat(community, np.diff(W.indptr))
    inside = float(W.data[rows == community[W.indices]].sum())
    volumes = np.bincount(community, weights=degrees)
    return inside / total - resolution * float((volumes**2).sum()) / total**2


@compiled(nogil=True)
def _move(
    graph: tuple[IntArray, IntArray, FloatArray, FloatArray],
    resolution: float,
    order: IntArray,
    community: IntArray,
    least_moved: int,
    room: tuple[FloatArray, IntArray, BoolArray],
) -> None:
    """Move vertices one by one to the neighbouring community that raises the modularity most.

    A vertex is looked at again only after one of its neighbours moved. A tie is decided for the community
    that the vertex is in, then for the one met first. Ends when a sweep moves fewer than `least_moved`.
    """
    (indptr, indices, weights, volumes), (sums, met, awake) = graph, room
    community_volumes, links = sums[0], sums[1]
    n, total = len(order), 0.0
    for i in range(n):
        total += volumes[i]
        community_volumes[community[i]] += volumes[i]
    scale = resolution / total if total > 0 else 0.0
    all_awake = True
    for _ in range(SWEEPS):
        moved = 0
        for place in range(n):
            i = order[place]
            if not awake[i]:
                continue
            awake[i] = False
            own = community[i]
            n_met = 0
            for at in range(indptr[i], indptr[i + 1]):
                j = indices[at]
                if j == i:
                    continue
                c = community[j]
                met[n_met] = c
                n_met += links[c] == 0.0  # no branch: nobody can foresee who is met
                links[c] += weights[at]
            # What joining a community gains in modularity, equation (2) of Blondel et al., but for what is
            # the same for all of them: links to c - resolution * volume_i volume_c / total.
            factor = scale * volumes[i]
            best = own
            threshold = links[own] - factor * (community_volumes[own] - volumes[i]) + 1e-12 * volumes[i]
            for m in range(n_met):
                c = met[m]
                gain = links[c] - factor * community_volumes[c]
                if c != own and gain > threshold:
                    best, threshold = c, gain
                links[c] = 0.0
            if best != own:
                community_volumes[own] -= volumes[i]
                community_volumes[best] += volumes[i]
                community[i] = best
                moved += 1
                for at in range(indptr[i], indptr[i + 1]):
                    awake[indices[at]] |= community[indices[at]] != best
        if moved < least_moved and (all_awake or least_moved > 1):
            break
        all_awake = moved < least_moved
        if all_awake:
            for i in range(n):
                awake[i] = True
