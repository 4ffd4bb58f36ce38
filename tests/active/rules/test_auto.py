"""The default goes from communities to communities and margin in turn."""

from graphwell.active.rules.auto import ANSWERS_PER_CLASS, auto
from graphwell.active.rules.communities import most_in_doubt
from graphwell.active.rules.margin import margin
from tests.active.situations import five_clusters, labelled, rows_of, situation_of


def test_it_is_communities_until_there_are_some_answers_per_class():
    graph, truth = five_clusters()
    few = labelled(truth, [*range(0, 240, 15), 241, 243, 245])
    assert (few >= 0).sum() == 5 * ANSWERS_PER_CLASS - 1
    situation = situation_of(graph, few)
    assert auto(situation, 4) == most_in_doubt(situation, 4)


def test_then_every_other_question_is_at_a_border_in_batches_of_any_size():
    graph, truth = five_clusters()
    situation = situation_of(graph, labelled(truth, [*range(0, 240, 15), 241, 243, 245, 247]))
    parts, borders = most_in_doubt(situation, 6), margin(situation, 6)
    found = auto(situation, 6)
    assert len(rows_of(found)) == 6
    assert found[0] == parts[0]
    assert found[1] in borders
    odd = situation_of(graph, labelled(truth, [*range(0, 240, 15), 241, 243, 245, 247, 249]))
    assert auto(odd, 1) == margin(odd, 1)
