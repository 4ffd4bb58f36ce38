"""Parts of a graph and what it is made of: edges and components by SciPy, bridges by plain loops."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph

from graphwell.graph import components as module
from graphwell.graph.components import PAIRS, PointSpace, find_bridges, likely_cause, number_components
from graphwell.graph.knn import FeatureMap
from graphwell.graph.weights import symmetric_affinity


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


@pytest.mark.parametrize("seed", range(2))
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


def test_columns_whose_projection_does_not_fit_into_memory_are_refused_before_it_is_taken():
    X = sparse.csr_array((60, 2**40))
    with pytest.raises(ValueError, match=r"1,099,511,627,776 columns, and to project them takes about"):
        FeatureMap.fit(X, "euclidean")


def by_scipy(indices, weights):
    n, k = indices.shape
    starts = np.arange(0, n * k + 1, k)
    chosen = sparse.csr_array((weights.astype(np.float32).ravel(), indices.ravel(), starts), shape=(n, n))
    found = chosen.maximum(chosen.T.tocsr()).tocsr()
    found.sort_indices()
    return found


def chosen_at_random(n, k, rng, hub=False):
    """Each row chooses `k` others; all choose the first if it is a hub."""
    indices = np.stack([rng.permutation(np.delete(np.arange(n), i))[:k] for i in range(n)]).astype(np.int32)
    if hub:
        for i in range(1, n):
            if 0 not in indices[i]:
                indices[i, 0] = 0
    return indices


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize(("n", "k", "hub"), [(2, 1, False), (30, 5, False), (300, 7, True), (40, 39, False)])
def test_either_choice_joins(n, k, hub, n_threads):
    rng = np.random.default_rng(n)
    indices, weights = chosen_at_random(n, k, rng, hub), rng.random((n, k))
    found, expected = symmetric_affinity(indices, weights, n_threads), by_scipy(indices, weights)
    np.testing.assert_array_equal(found.indptr, expected.indptr)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.data, expected.data)
    assert found.indices.dtype == found.indptr.dtype == np.int32


@pytest.mark.parametrize("edges", [0, 3, 40, 400])
def test_parts_are_numbered_as_they_are_met(edges):
    rng = np.random.default_rng(edges)
    W = sparse.coo_array((np.ones(edges), rng.integers(100, size=(2, edges))), shape=(100, 100)).tocsr()
    W = (W + W.T).tocsr()
    numbers = np.full(100, -1, dtype=np.int32)
    count = number_components(W.indptr, W.indices, numbers, np.empty_like(numbers))
    expected_count, expected = csgraph.connected_components(W, directed=False)
    assert count == expected_count
    np.testing.assert_array_equal(numbers, expected)
