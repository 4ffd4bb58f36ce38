"""The largest change of the model; its formula is tested in tests/active/test_smooth.py."""

from graphwell.active.rules.model_change import change, model_change
from graphwell.active.smooth import covariance, mean_shares, small_graph
from tests.active.situations import five_clusters, labelled, rows_of, situation_of


def test_the_first_question_changes_most():
    graph, truth = five_clusters()
    situation = situation_of(graph, labelled(truth, [0, 60, 120]))
    small = small_graph(situation)
    values = change(covariance(small), small, mean_shares(small, situation.shares))
    values[~small.open] = -1
    assert small.members[rows_of(model_change(situation, 2))[0]] == values.argmax()
