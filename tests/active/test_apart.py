"""Batches are spread out."""

import numpy as np

from graphwell.active.apart import beside, best_apart, in_turn
from graphwell.active.suggestions import Question
from tests.active.situations import five_clusters, rows_of, situation_of


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


def test_lists_are_taken_in_turn_and_neighbours_come_last():
    graph, _ = five_clusters()
    situation = situation_of(graph)
    near = int(np.flatnonzero(beside(situation, 0))[1])
    lists = [
        [Question(0, "a"), Question(100, "a")],
        [Question(near, "b"), Question(200, "b"), Question(0, "b")],
    ]
    assert rows_of(in_turn(situation, lists, 3)) == [0, 100, 200]
    assert rows_of(in_turn(situation, lists, 9)) == [0, 100, 200, near]
