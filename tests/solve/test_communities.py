"""Aggregation and Louvain's method."""

import itertools
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from graphwell import Graph
from graphwell._threads import ThreadPool
from graphwell.backends import find_backend
from graphwell.solve.communities import (
    Aggregates,
    aggregates_of,
    communities_in_background,
    joined,
    joined_until,
    joined_vertices,
    levels_for,
    louvain,
    merged_graph,
    modularity,
    move_vertices,
)
from tests.helpers import clusters, first_labels, random_graph


def dense_modularity(W, community, resolution):
    degrees, total = W.sum(axis=1), W.sum()
    same = community[:, None] == community[None, :]
    return float(((W - resolution * np.outer(degrees, degrees) / total) * same).sum() / total)


def communities(W, resolution=1.0, seed=0):
    """Communities, numbered in the order in which they are met."""
    return as_met(louvain(sparse.csr_array(W), resolution, np.random.default_rng(seed)))


def as_met(groups):
    _, first, place = np.unique(groups, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place]


def aggregate(engine, most):
    return Aggregates(*joined_until(*joined_vertices(engine, most), most))


def engine_of(W):
    return find_backend("cpu").engine(Graph.from_affinity(W))


def random_affinity(n, density, seed):
    return random_graph(np.random.default_rng(seed), n, density).W.toarray().astype(float)


@pytest.mark.parametrize("seed", range(3))
def test_modularity_and_merging_are_those_of_dense_matrices(seed):
    W = random_affinity(15, 0.4, seed)
    community = np.random.default_rng(seed).permutation(np.arange(15) % 4)
    for resolution in (0.5, 4.0):
        found = modularity(sparse.csr_array(W), community, resolution)
        assert found == pytest.approx(dense_modularity(W, community, resolution))
    members = np.eye(4)[community]
    np.testing.assert_allclose(
        merged_graph(sparse.csr_array(W), community).toarray(), members.T @ W @ members
    )


@pytest.mark.parametrize("n", [1, 2, 9, 400])
def test_partners_hang_together_as_in_the_graph_of_all_pairs(n):
    rng = np.random.default_rng(n)
    chain, ring = np.arange(n) - 1, (np.arange(n) + 1) % n
    for partners in (rng.integers(-1, n, size=n), chain, chain[::-1].copy(), ring, np.full(n, -1)):
        links, has = np.eye(n), partners >= 0
        links[has, partners[has]] = 1
        _, expected = sparse.csgraph.connected_components(links, connection="weak")
        np.testing.assert_array_equal(joined(partners), as_met(expected))


def test_aggregates_do_not_depend_on_the_numbering_of_the_vertices():
    W = random_affinity(300, 0.03, 1)
    order = np.random.default_rng(2).permutation(300)
    plain = aggregate(engine_of(W), most=60).members[order]
    permuted = aggregate(engine_of(W[np.ix_(order, order)]), most=60).members
    same = plain[:, None] == plain[None, :]
    np.testing.assert_array_equal(same, permuted[:, None] == permuted[None, :])


def test_the_best_of_all_partitions_of_a_tiny_graph_is_found():
    W = np.zeros((6, 6))
    for i, j in [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)]:
        W[i, j] = W[j, i] = 1.0
    every = (np.array(p) for p in itertools.product(range(3), repeat=6))
    best = max(dense_modularity(W, p, 1.0) for p in every)
    assert dense_modularity(W, communities(W), 1.0) == pytest.approx(best)


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


@pytest.fixture
def elsewhere():
    """An engine that seems to compute on another device, and labels."""
    graph, truth = clusters([60, 60, 60])
    engine = find_backend("cpu").engine(graph)
    engine.xp = SimpleNamespace()
    return engine, first_labels(truth, 2)


def test_communities_are_found_on_the_host_while_another_device_computes(elsewhere, monkeypatch):
    engine, labels = elsewhere
    began, let_go, level, asked = threading.Event(), threading.Event(), Aggregates.level, []

    def waits(aggregates, *which):
        began.set()
        assert let_go.wait(10)
        return level(aggregates, *which)

    heaviest = engine.heaviest
    engine.heaviest = lambda: asked.append(threading.current_thread()) or heaviest()
    monkeypatch.setattr(Aggregates, "level", waits)
    for _ in range(2):  # the second time nothing is left to do
        with communities_in_background(labels, engine):
            assert began.wait(10)
            let_go.set()
    assert asked == [threading.main_thread()]
    monkeypatch.setattr("graphwell.solve.communities.louvain", None)  # nothing is left to find
    levels = levels_for(labels, aggregates_of(engine), ThreadPool(1))
    assert [len(community) for community, _ in levels] == 6 * [180]


def test_an_error_beside_the_start_is_raised(elsewhere, monkeypatch):
    def fails(aggregates, *which):
        raise ArithmeticError("beside")

    monkeypatch.setattr(Aggregates, "level", fails)
    with (
        pytest.raises(ArithmeticError, match="beside"),
        communities_in_background(elsewhere[1], elsewhere[0]),
    ):
        pass
    with communities_in_background(elsewhere[1], engine_of(np.eye(3))):
        pass  # on the host nothing is done beside
