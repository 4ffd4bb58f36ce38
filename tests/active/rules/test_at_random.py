"""Rows at random."""

import numpy as np

from graphwell.active.rules.at_random import at_random
from tests.active.situations import five_clusters, labelled, rows_of, situation_of


def test_every_open_row_has_its_chance_and_later_batches_differ():
    graph, truth = five_clusters()
    situation = situation_of(graph, closed=range(200))
    assert sorted(rows_of(at_random(situation, 52))) == list(range(200, 252))
    later = situation_of(graph, labelled(truth, [0]))
    assert rows_of(at_random(later, 5)) != rows_of(at_random(situation_of(graph), 5))


def test_clusters_are_met_by_their_size():
    graph, truth = five_clusters()
    counts = np.bincount(truth[rows_of(at_random(situation_of(graph), 126))])
    assert counts[4] < 15 < counts[:4].min()
