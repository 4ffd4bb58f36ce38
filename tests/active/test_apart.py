"""Batches are spread out."""

import numpy as np

from graphwell.active.apart import best_apart
from tests.active.situations import five_clusters, situation_of


def test_rows_of_a_batch_are_no_neighbours():
    graph, truth = five_clusters()
    situation = situation_of(graph)
    values = np.where(truth == 0, 10.0, 0.0) + np.random.default_rng(0).random(len(truth))
    rows = best_apart(situation, values, 6)
    assert rows[0] == values.argmax()
    assert graph.W[rows][:, rows].nnz == 0


def test_only_when_nothing_else_is_left_neighbours_follow():
    graph, _ = five_clusters()
    situation = situation_of(graph)
    rows = best_apart(situation, np.zeros(graph.n_vertices), graph.n_vertices)
    assert sorted(rows) == list(range(graph.n_vertices))


def test_of_equal_rows_the_one_of_highest_degree_comes_first():
    graph, _ = five_clusters()
    situation = situation_of(graph)
    assert best_apart(situation, np.zeros(graph.n_vertices), 1)[0] == situation.degrees.argmax()


def test_closed_rows_and_others_than_asked_for_are_left_out():
    graph, truth = five_clusters()
    situation = situation_of(graph, closed=range(0, 252, 2))
    rows = best_apart(situation, np.arange(252.0), 5, among=truth == 1)
    assert (rows % 2 == 1).all()
    assert (truth[rows] == 1).all()
