"""A greedy cover."""

import numpy as np

from graphwell.active.rules.cover import cover, neighbourhoods
from graphwell.active.smooth import small_graph
from tests.active.situations import five_clusters, labelled, rows_of, situation_of
from tests.helpers import chain


def test_neighbourhoods_are_walks_of_four_steps():
    W = chain(1.0, 2.0).W.toarray()
    walk = (np.eye(3) + W / W.sum(axis=1, keepdims=True)) / 2
    reach = walk @ walk @ walk @ walk
    np.testing.assert_allclose(neighbourhoods(W), reach / reach.max(axis=1, keepdims=True))


def test_each_question_gains_most_of_what_is_left():
    """Greedy in plain loops."""
    graph, truth = five_clusters()
    situation = situation_of(graph, labelled(truth, [0]))
    small = small_graph(situation)
    near = neighbourhoods(small.W)
    covered = near[small.members[0]].copy()
    found = rows_of(cover(situation, 3))
    for row in found:
        gains = [np.sum(small.sizes * np.maximum(near[u] - covered, 0)) for u in range(len(near))]
        unit = small.members[row]
        assert gains[unit] >= max(g for u, g in enumerate(gains) if small.open[u]) - 1e-9
        covered = np.maximum(covered, near[unit])
    assert len(set(truth[found])) == 3
