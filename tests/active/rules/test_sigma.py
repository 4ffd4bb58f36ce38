"""Sigma-optimality; its formula is tested in tests/active/test_smooth.py."""

from graphwell.active.rules.sigma import mean_variance_lowered, sigma
from graphwell.active.smooth import conditioned, covariance, small_graph
from tests.active.situations import five_clusters, rows_of, situation_of


def test_each_question_is_best_after_those_before():
    graph, truth = five_clusters()
    situation = situation_of(graph)
    small = small_graph(situation)
    C = covariance(small)
    rows = rows_of(sigma(situation, 4))
    for row in rows:
        unit = small.members[row]
        assert unit == mean_variance_lowered(C, small, None).argmax()
        C = conditioned(C, unit)
    assert len(set(truth[rows])) == 4
