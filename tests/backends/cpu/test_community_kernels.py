"""Vertices that change their community, against the plain rule."""

import numpy as np
import pytest
from scipy import sparse

from graphwell.solve.communities import move_vertices, numbered
from tests.helpers import random_graph


def plain_moves(W, community, resolution, order, most_sweeps, least_moved):
    """Every vertex that is awake compares all communities next to it, in the order in which they are met."""
    volumes, awake, moves, all_awake = W.sum(axis=1), np.ones(len(W), dtype=bool), 0, True
    inside = np.bincount(community, weights=volumes, minlength=len(W))
    for _ in range(most_sweeps):
        moved = 0
        for i in order:
            if not awake[i]:
                continue
            awake[i] = False
            near = [j for j in np.flatnonzero(W[i]) if j != i]
            force = resolution / (volumes.sum() or 1.0) * volumes[i]
            own = community[i]
            links = {c: W[i, [j for j in near if community[j] == c]].sum() for c in community[near]}
            best = own
            highest = links.get(own, 0.0) - force * (inside[own] - volumes[i]) + 1e-12 * volumes[i]
            for c, weight in links.items():
                if c != own and weight - force * inside[c] > highest:
                    best, highest = c, weight - force * inside[c]
            if best != own:
                inside[own] -= volumes[i]
                inside[best] += volumes[i]
                community[i] = best
                moved += 1
                awake[[j for j in near if community[j] != best]] = True
        moves += moved
        if moved < least_moved and (all_awake or least_moved > 1):
            break
        all_awake = moved < least_moved
        awake |= all_awake
    return moves


@pytest.mark.parametrize("least_moved", [1, 3])
@pytest.mark.parametrize("resolution", [0.5, 2.0, 9.0])
def test_moves_are_those_of_the_plain_rule(resolution, least_moved):
    rng = np.random.default_rng(int(10 * resolution))
    W = random_graph(rng, 40, 0.15).W.toarray().astype(float)
    W[3] = W[:, 3] = 0.0  # alone
    W[5, 5] = W[6, 6] = 2.0  # with weight inside, as a community has
    found, order = np.arange(40), rng.permutation(40)
    expected = found.copy()
    moves = move_vertices(sparse.csr_array(W), found, resolution, order, 20, least_moved)
    assert moves == plain_moves(W, expected, resolution, order, 20, least_moved) > 0
    np.testing.assert_array_equal(found, expected)
    assert found[3] == 3


def test_a_single_vertex_and_a_graph_without_edges_stay_as_they_are():
    for W in (sparse.csr_array((1, 1)), sparse.csr_array([[4.0]]), sparse.csr_array((5, 5))):
        community = np.arange(W.shape[0])
        assert move_vertices(W, community, 1.0, community.copy(), 20, 1) == 0
        np.testing.assert_array_equal(community, np.arange(W.shape[0]))


def test_all_neighbours_may_be_in_communities_of_their_own():
    W = sparse.csr_array(1 - np.eye(6))
    community = np.arange(6)
    assert move_vertices(W, community, 100.0, np.arange(6), 20, 1) == 0
    assert move_vertices(W, community, 0.1, np.arange(6), 20, 1) == 5
    assert numbered(community) == 1
