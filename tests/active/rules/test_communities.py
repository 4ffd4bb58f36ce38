"""Parts with the most rows in doubt."""

import numpy as np
import pytest

from graphwell.active.rules.communities import LEAK, PartDoubt, most_in_doubt
from graphwell.graph import Graph
from tests.active.situations import five_clusters, labelled, rows_of, situation_of


def doubt_of(between, sizes, sources):
    volumes = between.sum(axis=1) + 5.0
    n = len(sizes)
    return PartDoubt(
        np.arange(n), np.array(sizes, float), volumes, between, np.array(sources, float), np.ones(n)
    )


def test_two_parts_by_hand():
    """The second part is tied to the first by weight 1, and to nothing by the leak."""
    doubt = doubt_of(np.array([[0.0, 1.0], [1.0, 0.0]]), [10, 4], [[1], [0]])
    leak = LEAK * 6.0
    first = (6.0 + doubt.shares[1, 0]) / (6.0 + 1.0 + leak)
    assert doubt.shares[0, 0] == pytest.approx(first)
    assert doubt.shares[1, 0] == pytest.approx(doubt.shares[0, 0] / (1.0 + leak))
    assert doubt.rows[1] == pytest.approx(4 * (1 - doubt.shares[1, 0]))


def test_without_labels_doubt_is_size():
    doubt = doubt_of(np.zeros((3, 3)), [5, 9, 7], np.zeros((3, 0)))
    assert doubt.rows.tolist() == [5, 9, 7]
    asked = doubt.after_asking(1)
    assert asked.rows[1] == 0
    assert asked.rows[[0, 2]].tolist() == [5, 7]


def test_a_part_whose_labels_disagree_is_in_doubt():
    between = np.zeros((2, 2))
    doubt = doubt_of(between, [10, 10], [[1, 1], [2, 0]])
    assert doubt.rows[0] == pytest.approx(5, abs=0.1)
    assert doubt.rows[1] < 0.1


def test_reasons_say_what_is_in_doubt():
    graph, truth = five_clusters()
    y = labelled(truth, [0, 60, 120, 180])
    y[2] = 1  # a second class in the first cluster
    questions = most_in_doubt(situation_of(graph, y), 6)
    reasons = " | ".join(question.reason for question in questions)
    assert "group without a label, 12 rows" in reasons
    assert "group between 1 and 0" in reasons


def test_labels_that_disagree_in_one_part_are_named():
    graph, truth = five_clusters()
    y = labelled(truth, [0, 60])
    y[1] = 1
    doubt = PartDoubt.of(situation_of(graph, y), situation_of(graph).parts(5))
    first = int(doubt.sources.all(axis=1).argmax())
    assert doubt.reason(first, situation_of(graph, y)) == "labels 0 and 1 in one group, 60 rows"


def test_small_separate_clusters_come_before_more_of_the_large_ones():
    graph, truth = five_clusters()
    rows = rows_of(most_in_doubt(situation_of(graph, labelled(truth, [0, 60, 120, 180])), 2))
    assert 4 in truth[rows]


def test_many_isolated_vertices_do_not_take_all_memory():
    W = np.zeros((3000, 3000))
    W[:50, :50] = 1
    rows = rows_of(most_in_doubt(situation_of(Graph.from_affinity(W)), 3))
    assert rows[0] < 50
