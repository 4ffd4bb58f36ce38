"""Poisson learning against the pseudo-inverse."""

import numpy as np

from graphwell.estimators.baselines import PoissonLearning
from tests.estimators.baselines.cases import connected_case


def test_poisson_learning_matches_the_pseudo_inverse():
    graph, y = connected_case(5)
    sources = np.where((y >= 0)[:, None], np.eye(3)[y] - 1 / 3, 0.0)
    u = np.linalg.pinv(graph.L.toarray()) @ sources
    u -= (graph.degrees @ u) / graph.degrees.sum()
    found = PoissonLearning().fit(graph, y).transduction_
    np.testing.assert_array_equal(found[6:], u.argmax(axis=1)[6:])
