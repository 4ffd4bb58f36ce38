"""The highest entropy."""

import numpy as np

from graphwell.active.rules.entropy import entropies_of, entropy
from tests.active.situations import five_clusters, labelled, rows_of, situation_of


def test_entropies_by_hand_and_without_nan():
    found = entropies_of(np.array([[0.25] * 4, [1.0, 0, 0, 0]]))
    np.testing.assert_allclose(found, [np.log(4), 0], atol=1e-12)


def test_the_least_decided_row_comes_first():
    graph, truth = five_clusters()
    scores = np.full((len(truth), 2), [0.9, 0.1])
    scores[77] = [0.5, 0.5]
    situation = situation_of(graph, labelled(truth, [0, 60]), scores=scores)
    assert rows_of(entropy(situation, 2))[0] == 77
