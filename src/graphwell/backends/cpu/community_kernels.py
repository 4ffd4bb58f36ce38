"""The compiled loops of `graphwell.solve.communities`: moving, joining and numbering."""

from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.graph.compiled import compiled, seen, unsigned


def move_vertices(
    W: Any, community: IntArray, resolution: float, order: IntArray, most_sweeps: int, least_moved: int
) -> int:
    """Move vertices one by one to the neighbouring community that raises the modularity most.

    `community` is changed in place. A vertex is looked at again only after one of its neighbours moved. A tie
    is decided for the community that the vertex is in, then for the one met first. Ends when a sweep moves
    fewer than `least_moved` vertices, or after `most_sweeps`; if that is 1, only after all were looked at
    once more, as the volumes of communities have changed. Returns the number of moves.
    """
    n, found = len(order), community.astype(np.uint32)
    room = np.zeros(n), np.zeros(n), np.empty(n, np.uint32), np.ones(n, np.bool_)
    edges = (unsigned(W.indptr), unsigned(W.indices), seen(W.data), W @ np.ones(n))
    turns = (resolution, order.astype(np.uint32), found, most_sweeps, least_moved)
    moves = int(_move(*edges, *turns, *room))
    community[:] = found
    return moves


@compiled(nogil=True)
def _move(
    indptr: IntArray,
    indices: IntArray,
    weights: FloatArray,
    volumes: FloatArray,
    resolution: float,
    order: IntArray,
    community: IntArray,
    most_sweeps: int,
    least_moved: int,
    community_volumes: FloatArray,
    links: FloatArray,
    met: IntArray,
    awake: BoolArray,
) -> int:
    n, total = len(order), 0.0
    for i in range(n):
        total += volumes[i]
        community_volumes[community[i]] += volumes[i]
    scale = resolution / total if total > 0 else 0.0
    all_awake = True
    moves = 0
    for _ in range(most_sweeps):
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
        moves += moved
        if moved < least_moved and (all_awake or least_moved > 1):
            break
        all_awake = moved < least_moved
        if all_awake:
            for i in range(n):
                awake[i] = True
    return moves


def numbered(community: IntArray) -> int:
    """Renumber the communities in place from 0 in the order in which they are met; return their number."""
    return int(_number(community, np.full(len(community), -1)))


@compiled(nogil=True)
def _number(community: IntArray, names: IntArray) -> int:
    count = 0
    for i in range(len(community)):
        c = community[i]
        if names[c] < 0:
            names[c] = count
            count += 1
        community[i] = names[c]
    return count


@compiled(nogil=True)
def follow_partners(partners: IntArray, group: IntArray) -> None:
    """Write the group of each vertex that hangs together with its partner; -1 stands for none.

    From every vertex the way goes from partner to partner until one has a group. A way that comes back to
    itself is a new group, so they are numbered in the order of their first vertices. `group` is all -1.
    """
    count = 0
    for first in range(len(partners)):
        i = first
        while group[i] < 0:
            group[i] = count
            i = partners[i] if partners[i] >= 0 else i
        met = group[i]
        if met == count:
            count += 1
            continue
        i = first
        while group[i] != met:
            group[i] = met
            i = partners[i]
