"""What strategies see."""

import numpy as np

from tests.active.situations import five_clusters, labelled, situation_of


def test_shares_follow_the_labels_through_the_graph():
    graph, truth = five_clusters()
    situation = situation_of(graph, labelled(truth, [0, 60, 120, 180, 240]))
    assert (situation.shares.argmax(axis=1) == truth).mean() > 0.95
    np.testing.assert_allclose(situation.shares.sum(axis=1), 1.0)


def test_scores_of_a_classifier_come_first():
    graph, truth = five_clusters()
    scores = np.random.default_rng(0).random((len(truth), 2))
    situation = situation_of(graph, labelled(truth, [0, 60]), scores=scores)
    np.testing.assert_allclose(situation.shares, scores / scores.sum(axis=1, keepdims=True))


def test_open_and_asked_rows_are_counted():
    graph, truth = five_clusters()
    situation = situation_of(graph, labelled(truth, [0, 60]), closed=[5])
    assert situation.n_asked == 3
    assert situation.n_classes == 2
    assert not situation.open_units[situation.ground.members[5]]
    assert situation.sizes.sum() == len(truth)


def test_the_graph_in_small_has_few_units():
    graph, truth = five_clusters()
    assert situation_of(graph).small.W.shape[0] <= len(truth)
    assert situation_of(graph).parts(5).of_substance(5) >= 5
