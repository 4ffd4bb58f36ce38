"""The registry, and what each strategy asks for."""

from dataclasses import replace

import numpy as np
import pytest

import graphwell as gw
from graphwell.active import Question, forget, strategies, strategy
from tests.active.queries import five_clusters, labelled, query_of

NAMES = ["auto", "communities", "margin", "random"]


def test_a_strategy_is_added_by_a_decorator_and_can_be_used_at_once():
    assert list(strategies()) == NAMES

    @strategy("last", "the last row")
    def last(query, n):
        return [Question(int(row), "last") for row in np.flatnonzero(query.open)[::-1][:n]]

    try:
        assert list(gw.suggest(np.eye(5), n=2, strategy="last", metric="precomputed")) == [4, 3]
    finally:
        forget("last")
    with pytest.raises(ValueError, match=r"strategy must be one of auto, communities,.*got 'last'"):
        gw.suggest(np.eye(5), strategy="last", metric="precomputed")


@pytest.mark.parametrize("name", ["x", [], {}, None])
def test_a_strategy_that_there_is_none_of_is_told(name):
    with pytest.raises(ValueError, match="strategy must be one of"):
        gw.suggest(np.eye(5), strategy=name, metric="precomputed")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("graph", ["clusters", "isolated vertices", "copies", "two rows left"])
def test_every_strategy_asks_open_rows_each_once(name, graph):
    if graph == "clusters":
        graph, truth = five_clusters()
        y, n = labelled(truth, [0, 60, 120, 180]), 8
    elif graph == "isolated vertices":
        W = np.zeros((30, 30))
        W[:10, :10] = 1
        graph, y, n = gw.Graph.from_affinity(W - np.diag(np.diag(W))), np.array([0, 1] + 28 * [-1]), 5
    elif graph == "copies":
        X = np.repeat([[0.0, 0.0], [1.0, 0.0], [0.0, 5.0]], 10, axis=0)
        graph, y, n = gw.Graph.from_features(X), np.array([0, 1] + 28 * [-1]), 5
    else:
        graph, y, n = gw.Graph.from_affinity(np.ones((4, 4))), np.array([0, 1, -1, -1]), 2
    found = gw.suggest(graph, y, n=n, strategy=name)
    assert len(set(found)) == len(found) == n
    assert (y[found] < 0).all()
    assert len(strategies()[name].choose(query_of(graph, y), n - 1)) <= n - 1


def test_margin_asks_where_the_nearest_classes_are_nearest_and_names_them():
    graph, truth = five_clusters()
    scores = np.full((len(truth), 3), [0.8, 0.1, 0.1])
    scores[77] = [0.1, 0.45, 0.45]
    query = replace(query_of(graph, labelled(truth, [0, 60, 120])), scores=lambda: scores)
    questions = strategies()["margin"].choose(query, 3)
    assert questions[0] == Question(77, "border between 1 and 2")
    rows = [question.row for question in questions]
    assert graph.W[rows][:, rows].nnz == 0


def test_communities_ask_for_small_clusters_without_a_label_before_more_of_the_large_ones():
    graph, truth = five_clusters()
    y = labelled(truth, [0, 60, 120, 180])
    assert 4 in truth[gw.suggest(graph, y, n=2, strategy="communities")]
    y[2] = 1  # a second class in the first cluster
    reasons = " | ".join(gw.suggest(graph, y, n=6, strategy="communities").reasons)
    assert "group without a label, 12 rows" in reasons
    assert "group between 1 and 0" in reasons


def test_communities_follow_the_formula_of_doubt():
    """Four cliques, the second tied to the first: labels spread and leak, as in plain loops."""
    sizes, tie, leak = [10, 8, 6, 5], 40.0, 0.002
    member = np.repeat(range(4), sizes)
    W = 9.0 * (member[:, None] == member) - 9.0 * np.eye(29)
    W[9, 10] = W[10, 9] = np.sqrt(tie)
    between = np.zeros((4, 4))
    between[0, 1] = between[1, 0] = tie  # communities are those of the squared weights
    volumes = np.array([np.sum(W[member == c] ** 2) for c in range(4)])
    share = np.zeros(4)  # of the one class, labelled in the first clique
    for _ in range(1000):
        pull = volumes * (np.arange(4) == 0)
        share = (between @ share + pull) / (between.sum(axis=1) + pull + leak * volumes)
    doubt = np.array(sizes) * (1 - share)
    y = np.where(np.arange(29) == 0, 0, -1)
    found = gw.suggest(gw.Graph.from_affinity(W), y, n=3, strategy="communities")
    assert member[found].tolist() == np.argsort(-doubt)[:3].tolist()
    assert found.reasons[0] == "group without a label, 6 rows"


def test_auto_then_asks_every_other_question_at_a_border_in_batches_of_any_size():
    graph, truth = five_clusters()
    y = labelled(truth, [*range(0, 240, 15), 241, 243, 245, 247])
    found = gw.suggest(graph, y, n=6)
    assert found.questions[0] == gw.suggest(graph, y, n=6, strategy="communities").questions[0]
    assert found.questions[1] in gw.suggest(graph, y, n=6, strategy="margin").questions
    y[249] = truth[249]
    assert list(gw.suggest(graph, y, n=1)) == list(gw.suggest(graph, y, n=1, strategy="margin"))


def test_rows_of_a_batch_are_no_neighbours_until_nothing_else_is_left():
    graph, truth = five_clusters()
    query = query_of(graph)
    values = np.where(truth == 0, 10.0, 0.0) + np.random.default_rng(0).random(len(truth))
    rows = query.batch(values, 6)
    assert rows[0] == values.argmax()
    assert graph.W[rows][:, rows].nnz == 0
    even = np.zeros(graph.n_vertices)
    assert sorted(query.batch(even, graph.n_vertices)) == list(range(graph.n_vertices))
    assert query.batch(even, 1)[0] == query.degrees.argmax()
    some = query_of(graph, exclude=range(0, 252, 2)).batch(np.arange(252.0), 5, among=truth == 1)
    assert (some % 2 == 1).all()
    assert (truth[some] == 1).all()
