"""What each strategy asks for."""

from dataclasses import replace

import numpy as np
import pytest

import graphwell as gw
from graphwell.active import Question, strategies
from graphwell.active.strategies import STRATEGIES
from tests.active.queries import five_clusters, labelled, query_of


def test_a_function_is_a_strategy():
    X, _ = gw.datasets.make_three_moons(20, random_state=0)

    def leftmost(query, n):
        rows = np.flatnonzero(query.open)
        order = rows[np.argsort(X[query.rows[rows], 0])]
        return [Question(int(row), "leftmost") for row in order[:n]]

    found = gw.suggest(X, n=2, strategy=leftmost)
    assert list(found) == np.argsort(X[:, 0])[:2].tolist()
    assert (found.strategy, found.reasons[0]) == ("leftmost", "leftmost")


@pytest.mark.parametrize("name", ["x", [], {}, None])
def test_a_strategy_that_there_is_none_of_is_told(name):
    with pytest.raises(ValueError, match="strategy must be one of"):
        gw.suggest(np.eye(5), strategy=name, metric="precomputed")


@pytest.mark.parametrize("name", strategies())
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
    assert len(STRATEGIES[name](query_of(graph, y), n - 1)) <= n - 1


def test_margin_asks_where_the_nearest_classes_are_nearest_and_names_them():
    graph, truth = five_clusters()
    scores = np.full((len(truth), 3), [0.8, 0.1, 0.1])
    scores[77] = [0.1, 0.45, 0.45]
    query = replace(query_of(graph, labelled(truth, [0, 60, 120])), scores=lambda: scores)
    assert query.open[77]
    questions = STRATEGIES["margin"](query, 3)
    assert questions[0] == Question(77, "border between 1 and 2")
    rows = query.rows[[question.row for question in questions]]
    assert graph.W[rows][:, rows].nnz == 0


def test_margin_asks_for_communities_until_two_classes_are_known():
    graph, truth = five_clusters()
    for y in (None, labelled(truth, [0])):
        found = gw.suggest(graph, y, n=3, strategy="margin")
        assert list(found) == list(gw.suggest(graph, y, n=3, strategy="communities"))


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
    first = truth[query.rows] == 0
    values = np.where(first, 10.0, 0.0) + np.random.default_rng(0).random(len(truth))
    rows = query.batch(values, 6)
    assert rows[0] == values.argmax()
    of_users = query.rows[rows]
    assert graph.W[of_users][:, of_users].nnz == 0
    even = np.zeros(graph.n_vertices)
    assert sorted(query.batch(even, graph.n_vertices)) == list(range(graph.n_vertices))
    assert query.batch(even, 1)[0] == query.degrees.argmax()
    some = query_of(graph, exclude=range(0, 252, 2)).batch(np.arange(252.0), 5, among=first)
    assert (query.rows[some] % 2 == 1).all()
    assert first[some].all()


@pytest.mark.parametrize("kind", ["rows", "rows with copies", "graph", "fitted"])
def test_questions_do_not_depend_on_the_order_of_the_rows(kind):
    """Of equal rows any may be asked; where some of them have a label, which one may decide a tie."""
    X, truth = gw.datasets.make_three_moons(60, dim=5, random_state=0)
    if kind == "rows with copies":
        X[1::10], truth[1::10] = X[::10], truth[::10]
    y = labelled(truth, [0, 70, 130, 10, 80, 140])
    graph = gw.Graph.from_features(X)
    options = [(None, "auto")]
    if kind != "rows with copies":
        options += [(y, "margin"), (y, "communities"), (y, "random")]

    def asked(moved, y, strategy):
        known = None if y is None else y[moved]
        shown = graph.W[moved][:, moved] if kind == "graph" else X[moved]
        metric = "precomputed" if kind == "graph" else "euclidean"
        if kind == "fitted" and known is not None:
            shown = gw.DiffuseInterfaceClassifier(models=None, random_state=0).fit(shown, known)
        found = gw.suggest(shown, known, n=8, strategy=strategy, metric=metric)
        return X[moved[found.rows]].tolist(), found.reasons

    for seed in range(2):
        moved = np.random.default_rng(seed).permutation(len(X))
        for y, strategy in options:
            assert asked(moved, y, strategy) == asked(np.arange(len(X)), y, strategy)
