"""Connected components by SciPy, bridges between them by plain loops."""

import numpy as np
import pytest

from graphwell.graph import components as module
from graphwell.graph.components import PAIRS, PointSpace, find_bridges


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
