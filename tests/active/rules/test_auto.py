"""The default goes from communities to the margin."""

from graphwell.active.rules import auto as module
from graphwell.active.rules.auto import auto
from graphwell.active.rules.communities import most_in_doubt
from graphwell.active.rules.margin import margin
from tests.active.situations import five_clusters, labelled, situation_of


def test_it_is_communities_until_there_are_many_labels(monkeypatch):
    graph, truth = five_clusters()
    situation = situation_of(graph, labelled(truth, range(0, 252, 10)))
    assert auto(situation, 4) == most_in_doubt(situation, 4)
    monkeypatch.setattr(module, "MOST_PARTS", 20)
    assert auto(situation, 4) == margin(situation, 4)
