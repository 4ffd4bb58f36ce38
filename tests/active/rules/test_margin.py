"""The smallest margin."""

import numpy as np

from graphwell.active.rules.margin import border, margin, margins_of
from tests.active.situations import five_clusters, labelled, rows_of, situation_of


def test_margins_by_hand():
    np.testing.assert_allclose(margins_of(np.array([[0.1, 0.7, 0.2], [0.5, 0.5, 0.0]])), [0.5, 0.0])


def test_the_nearest_classes_come_first_and_are_named():
    graph, truth = five_clusters()
    scores = np.full((len(truth), 3), [0.8, 0.1, 0.1])
    scores[77] = [0.1, 0.45, 0.45]
    situation = situation_of(graph, labelled(truth, [0, 60, 120]), scores=scores)
    questions = margin(situation, 3)
    assert rows_of(questions)[0] == 77
    assert questions[0].reason == border(situation, 77) == "border between 1 and 2"
    assert graph.W[rows_of(questions)][:, rows_of(questions)].nnz == 0
