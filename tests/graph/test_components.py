"""Bridges between connected components: against plain loops, on hand-made and on awkward rows."""

import numpy as np
import pytest

from graphwell import Graph
from graphwell.graph import components as module
from graphwell.graph.components import PAIRS, PointSpace, find_bridges, likely_cause


def by_loops(points, components, known):
    """Bridges in plain loops: every waiting part looks for its rows nearest to the outside."""
    groups, found = list(components), []
    while True:
        reached = {groups[i] for i in range(len(groups)) if known[i]}
        waiting = sorted(set(groups) - reached)
        if not waiting:
            return sorted(found)
        pairs = []
        for group in waiting:
            of_group = []
            for i in np.flatnonzero(np.array(groups) == group):
                others = [j for j in range(len(groups)) if groups[j] != group]
                apart = [float(np.sqrt(((points[i] - points[j]) ** 2).sum())) for j in others]
                nearest = min(range(len(others)), key=lambda j: (apart[j], others[j]))
                of_group.append((apart[nearest], int(i), others[nearest]))
            pairs += [(i, j) for _, i, j in sorted(of_group)[:PAIRS]]
        found += pairs
        for i, j in pairs:
            old, new = groups[i], groups[j]
            groups = [new if group == old else group for group in groups]


@pytest.mark.parametrize("dimension", [1, 2, 12])
@pytest.mark.parametrize("seed", range(4))
def test_bridges_are_those_of_plain_loops(seed, dimension):
    rng = np.random.default_rng(seed)
    components = rng.permutation(np.repeat(np.arange(7), 6))
    points = rng.normal(size=(42, dimension)) + 20 * rng.normal(size=(7, dimension))[components]
    known = np.isin(components, [3]) & (np.cumsum(components == 3) == 1)
    near, far = find_bridges(PointSpace(points), components, known)
    assert sorted(zip(near.tolist(), far.tolist(), strict=True)) == by_loops(points, components, known)


def test_copies_and_ties_take_the_first_row():
    points = np.array([[0.0], [0.0], [2.0], [2.0], [2.0], [4.0], [4.0]])
    components = np.array([0, 0, 1, 1, 1, 2, 2])
    near, far = find_bridges(PointSpace(points), components, np.arange(7) == 5)
    assert sorted(zip(near.tolist(), far.tolist(), strict=True)) == by_loops(
        points, components, np.arange(7) == 5
    )


def test_a_part_of_many_rows_is_sampled_and_then_looked_at_closely(monkeypatch):
    rng = np.random.default_rng(0)
    points = np.vstack([rng.random((400, 2)), rng.random((300, 2)) + np.array([3.0, 0.0])])
    components = np.repeat([0, 1], [400, 300])
    known = np.arange(700) == 0
    exact = find_bridges(PointSpace(points), components, known)
    monkeypatch.setattr(module, "MOST_REPRESENTATIVES", 20)
    near, far = find_bridges(PointSpace(points), components, known)
    apart, shortest_apart = (
        np.linalg.norm(points[here] - points[there], axis=1) for here, there in ((near, far), exact)
    )
    assert apart.min() < 1.01 * shortest_apart.min()
    assert apart.max() < 1.1 * shortest_apart.max()


@pytest.mark.parametrize("seed", range(4))
def test_many_parts_share_the_distances_that_there_are(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    components = np.repeat(np.arange(200), 20)
    points = rng.normal(size=(4000, 3)) + 50 * rng.normal(size=(200, 3))[components]
    asked = []

    class Counted(PointSpace):
        def nearest(self, rows, of, groups, *, inside):
            asked.append(0 if inside else len(rows))
            return super().nearest(rows, of, groups, inside=inside)

    exact = find_bridges(PointSpace(points), components, np.arange(4000) == 0)
    monkeypatch.setattr(module, "MOST_DISTANCES", 2 * 4000 * 400)
    near, far = find_bridges(Counted(points), components, np.arange(4000) == 0)
    lengths, shortest_lengths = (
        np.linalg.norm(points[here] - points[there], axis=1).mean() for here, there in ((near, far), exact)
    )
    assert lengths < 1.1 * shortest_lengths
    assert asked[0] == 398  # two rows of each part that waits
    assert sum(asked) < 3 * asked[0]


def parts():
    """Four clusters in a row, so far apart that each is a part of its own."""
    rng = np.random.default_rng(2)
    return np.vstack([rng.normal(size=(15, 2)) + np.array([60.0 * i, 0]) for i in range(4)])


def test_a_bridged_graph_is_symmetric_joined_and_can_be_taken_apart():
    graph = Graph.from_features(parts(), n_neighbors=5, scale_neighbor=5)
    assert graph.n_components == 4
    bridged = graph.bridged(np.arange(60) == 0)
    assert bridged.n_components == 1
    assert bridged.bridges.n_parts == 3
    np.testing.assert_array_equal(bridged.bridges.rows, np.arange(60) >= 15)
    assert (bridged.W != bridged.W.T).nnz == 0
    assert bridged.unbridged.fingerprint == graph.fingerprint
    again = bridged.bridged(np.arange(60) % 15 == 0)
    assert again.fingerprint == graph.fingerprint
    assert again.bridges is None
    own = graph.W[15:30].data.mean()
    assert bridged.bridges.weights[bridged.bridges.near < 30] == pytest.approx(own, abs=1e-5)


def test_a_graph_of_affinities_stays_as_it_is():
    graph = Graph.from_affinity(np.kron(np.eye(2), 1 - np.eye(3)))
    assert graph.bridged(np.arange(6) == 0) is graph


def test_the_likely_cause_of_many_parts():
    rng = np.random.default_rng(0)
    plain = rng.normal(size=(100, 3))
    assert "few neighbours" in str(likely_cause(plain))
    assert "exact copies" in str(likely_cause(np.repeat(plain[:20], 5, axis=0)))
    assert "spread far wider" in str(likely_cause(plain * [1.0, 1000.0, 1.0]))
    plain[3, 1] = 1e4
    assert "far from all others" in str(likely_cause(plain))
    assert "few neighbours" in str(likely_cause(np.column_stack([plain[:, 0], np.zeros(100)])))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_far_from_the_origin_and_blocks_of_any_size(monkeypatch, dtype):
    rng = np.random.default_rng(1)
    points = (rng.normal(size=(50, 3)) + 1e4).astype(dtype)
    groups = np.arange(50) % 5
    whole = PointSpace(points).nearest(points, groups, groups, inside=False)
    monkeypatch.setattr(module, "DISTANCES_AT_ONCE", 70)
    np.testing.assert_array_equal(PointSpace(points).nearest(points, groups, groups, inside=False), whole)
    distance = np.linalg.norm(points[:, None].astype(float) - points[None], axis=2)
    distance[groups[:, None] == groups] = np.inf
    np.testing.assert_array_equal(whole[0], distance.argmin(axis=1))
    np.testing.assert_allclose(whole[1], distance.min(axis=1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_inside_a_group_only_its_own_points_count(dtype):
    rng = np.random.default_rng(2)
    points = rng.normal(size=(600, 4)).astype(dtype)
    points[100:110] = points[100]
    groups, of = rng.integers(5, size=600), rng.integers(5, size=40)
    rows = points[rng.integers(600, size=40)]
    found, apart = PointSpace(points).nearest(rows, of, groups, inside=True)
    distance = np.linalg.norm(rows[:, None].astype(float) - points[None], axis=2)
    distance[groups != of[:, None]] = np.inf
    np.testing.assert_array_equal(found, distance.argmin(axis=1))
    np.testing.assert_allclose(apart, distance.min(axis=1), atol=1e-12)
