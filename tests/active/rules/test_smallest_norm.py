"""Damped, Poisson-reweighted Laplace learning against plain loops."""

import numpy as np

from graphwell.active.rules.smallest_norm import DYING, damped_scores, poisson_factors, smallest_norm
from tests.active.situations import five_clusters, labelled, rows_of, situation_of
from tests.helpers import chain


def test_scores_are_damped_means_of_their_neighbours():
    W = chain(1.0, 2.0, 0.5, 1.0).W.toarray()
    counts = np.zeros((5, 2))
    counts[0, 0] = counts[4, 1] = 1
    scores = damped_scores(W, counts)
    g = poisson_factors(W, counts.any(axis=1))
    for i in (1, 2, 3):
        edges = g[i] * W[i] * g
        expected = edges @ scores / (edges.sum() * (1 + DYING))
        np.testing.assert_allclose(scores[i], expected, rtol=1e-6)
    np.testing.assert_allclose(scores[[0, 4]], counts[[0, 4]])


def test_poisson_factors_are_positive_and_largest_at_labels():
    W = chain(1.0, 1.0, 1.0, 1.0).W.toarray()
    g = poisson_factors(W, np.array([True, False, False, False, False]))
    assert (g > 0).all()
    assert (np.diff(g) < 0).all()


def test_clusters_far_from_labels_come_first():
    graph, truth = five_clusters()
    rows = rows_of(smallest_norm(situation_of(graph, labelled(truth, [0, 60])), 3))
    assert set(truth[rows]) == {2, 3, 4}
