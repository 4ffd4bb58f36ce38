"""Typical rows of clusters."""

import numpy as np

from graphwell.active.rules.typiclust import clusters_of, typiclust
from graphwell.active.smooth import small_graph
from tests.active.situations import five_clusters, labelled, rows_of, situation_of


def test_clusters_of_the_graph_are_found():
    graph, truth = five_clusters()
    small = small_graph(situation_of(graph))
    found = clusters_of(small.W, small.sizes, 5, 0)
    by_unit = np.array([np.bincount(truth[small.members == u]).argmax() for u in range(len(small.W))])
    assert len(set(zip(found.tolist(), by_unit.tolist(), strict=True))) == 5


def test_clusters_without_a_label_come_first_and_the_largest_of_them():
    graph, truth = five_clusters()
    questions = typiclust(situation_of(graph, labelled(truth, [0, 60, 120])), 2)
    assert truth[rows_of(questions)].tolist()[1] == 4
    assert truth[rows_of(questions)].tolist()[0] == 3


def test_copies_make_fewer_clusters_than_asked_for():
    W = np.kron(np.eye(2), np.ones((3, 3)))
    assert len(set(clusters_of(W, np.ones(6), 5, 0))) <= 5
