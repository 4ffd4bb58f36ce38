"""Aggregation and Louvain's method."""

import itertools

import numpy as np
import pytest
from scipy import linalg, sparse

from graphwell import Graph
from graphwell.backends import find_backend
from graphwell.solve import communities as communities_module
from graphwell.solve.communities import (
    Aggregates,
    aggregates_of,
    joined,
    joined_to_heaviest,
    joined_until,
    joined_vertices,
    merged_graph,
    modularity,
    move_vertices,
    numbered,
)
from tests.helpers import random_graph


def dense_modularity(W, community, resolution):
    degrees, total = W.sum(axis=1), W.sum()
    same = community[:, None] == community[None, :]
    return float(((W - resolution * np.outer(degrees, degrees) / total) * same).sum() / total)


def louvain(W, resolution=1.0, seed=0):
    """Communities, numbered in the order in which they are met."""
    return numbered_as_met(Aggregates(np.arange(W.shape[0]), W).merged(resolution, seed))


def numbered_as_met(groups):
    _, first, place = np.unique(groups, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place]


def aggregate(engine, most):
    return Aggregates(*joined_until(*joined_vertices(engine, most), most))


def engine_of(W):
    return find_backend("cpu").engine(Graph.from_affinity(W))


def random_affinity(n, density, seed):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1)
    return upper + upper.T


def blocks(sizes, inside=1.0, between=0.05, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    chance = np.where(truth[:, None] == truth[None, :], inside, between)
    upper = np.triu(rng.random((len(truth), len(truth))) < chance, 1).astype(float)
    return upper + upper.T, truth


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("resolution", [0.5, 1.0, 4.0])
def test_modularity_is_that_of_the_dense_matrix(seed, resolution):
    W = random_affinity(15, 0.4, seed)
    community = np.random.default_rng(seed).integers(4, size=15)
    found = modularity(sparse.csr_array(W), community, resolution)
    assert found == pytest.approx(dense_modularity(W, community, resolution))


@pytest.mark.parametrize("seed", range(8))
def test_aggregates_are_the_components_of_the_heaviest_edges(seed):
    W = random_affinity(40, 0.2, seed)
    heaviest = np.zeros_like(W)
    heaviest[np.arange(40), W.argmax(axis=1)] = W.max(axis=1)
    _, expected = sparse.csgraph.connected_components(heaviest, directed=False)
    np.testing.assert_array_equal(joined_to_heaviest(sparse.csr_array(W)), expected)


@pytest.mark.parametrize("n", [1, 2, 9, 400])
def test_partners_hang_together_as_in_the_graph_of_all_pairs(n):
    rng = np.random.default_rng(n)
    chain, ring = np.arange(n) - 1, (np.arange(n) + 1) % n
    for partners in (
        rng.integers(-1, n, size=n),
        chain,
        chain[::-1].copy(),
        ring,
        np.arange(n),
        np.full(n, -1),
    ):
        links, has = np.eye(n), partners >= 0
        links[has, partners[has]] = 1
        _, expected = sparse.csgraph.connected_components(links, connection="weak")
        np.testing.assert_array_equal(joined(partners), numbered_as_met(expected))


def test_of_equal_edges_the_first_counts_whatever_their_order_in_memory():
    W = sparse.csr_array(([1.0, 1, 1, 1], ([0, 1, 1, 2], [1, 2, 0, 1])), shape=(3, 3))
    backwards = sparse.csr_array(([1.0, 1, 1, 1], [1, 2, 0, 1], [0, 1, 3, 4]), shape=(3, 3))
    np.testing.assert_array_equal(joined_to_heaviest(W), joined_to_heaviest(backwards))


def test_aggregates_do_not_depend_on_the_numbering_of_the_vertices():
    W = random_affinity(300, 0.03, 1)
    order = np.random.default_rng(2).permutation(300)
    plain = aggregate(engine_of(W), most=60).members[order]
    permuted = aggregate(engine_of(W[np.ix_(order, order)]), most=60).members
    same = plain[:, None] == plain[None, :]
    np.testing.assert_array_equal(same, permuted[:, None] == permuted[None, :])


def test_threads_that_ask_at_the_same_time_find_the_same_aggregates(monkeypatch):
    engine, joined_until, found = engine_of(random_affinity(50, 0.2, 0)), communities_module.joined_until, []

    def overtaken(*arguments):
        monkeypatch.setattr(communities_module, "joined_until", joined_until)
        found.append(aggregates_of(engine))  # what another thread would do meanwhile
        return joined_until(*arguments)

    monkeypatch.setattr(communities_module, "joined_until", overtaken)
    found.append(aggregates_of(engine))
    found.append(aggregates_of.__wrapped__(engine))  # begun before, and overtaken by both
    for other in found[1:]:
        np.testing.assert_array_equal(other.members, found[0].members)
        np.testing.assert_array_equal(other.W.toarray(), found[0].W.toarray())


def test_few_vertices_are_their_own_aggregates_and_edgeless_ones_are_never_joined():
    W, _ = blocks([30, 20])
    np.testing.assert_array_equal(aggregates_of(engine_of(W)).members, np.arange(50))
    assert aggregate(engine_of(np.zeros((9, 9))), most=3).W.shape == (9, 9)


@pytest.mark.parametrize("seed", range(4))
def test_no_merger_of_two_communities_raises_the_modularity(seed):
    W = random_affinity(24, 0.25, seed)
    found = louvain(sparse.csr_array(W))
    best = dense_modularity(W, found, 1.0)
    for one, other in itertools.combinations(np.unique(found), 2):
        assert dense_modularity(W, np.where(found == other, one, found), 1.0) <= best + 1e-9


def test_the_best_of_all_partitions_of_a_tiny_graph_is_found():
    W = np.zeros((6, 6))
    for i, j in [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)]:
        W[i, j] = W[j, i] = 1.0
    every = (np.array(p) for p in itertools.product(range(3), repeat=6))
    best = max(dense_modularity(W, p, 1.0) for p in every)
    assert dense_modularity(W, louvain(sparse.csr_array(W)), 1.0) == pytest.approx(best)


def test_clear_blocks_are_found_and_numbered_in_order():
    W, truth = blocks([30, 20, 10])
    np.testing.assert_array_equal(louvain(sparse.csr_array(W)), truth)


def test_a_higher_resolution_gives_more_communities():
    W, _ = blocks([40, 40, 40], inside=0.4)
    counts = [louvain(sparse.csr_array(W), r).max() + 1 for r in (0.2, 1.0, 8.0)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


def test_isolated_vertices_stay_alone_and_parts_stay_apart():
    W = linalg.block_diag(np.ones((3, 3)) - np.eye(3), np.zeros((2, 2)), np.ones((4, 4)) - np.eye(4))
    assert louvain(sparse.csr_array(W)).tolist() == [0, 0, 0, 1, 2, 3, 3, 3, 3]


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_graph_without_edges(n):
    empty = sparse.csr_array((n, n))
    assert louvain(empty).tolist() == list(range(n))
    assert modularity(empty, np.arange(n)) == 0.0


@pytest.mark.parametrize("seed", range(3))
def test_merging_is_the_product_with_the_indicator(seed):
    W = random_affinity(12, 0.5, seed)
    community = np.random.default_rng(seed).permutation(np.arange(12) % 4)
    indicator = np.eye(4)[community]
    np.testing.assert_allclose(
        merged_graph(sparse.csr_array(W), community).toarray(), indicator.T @ W @ indicator
    )


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
