"""Strategies by name."""

import numpy as np
import pytest

import graphwell as gw
from graphwell.active.registry import find_strategy, forget, strategies, strategy
from graphwell.active.suggestions import Question
from tests.active.situations import five_clusters, labelled, rows_of, situation_of

NAMES = {
    "auto", "communities", "cover", "dirichlet", "entropy", "margin", "model change", "random", "sigma",
    "smallest norm", "typiclust", "vopt",
}  # fmt: skip


def test_every_strategy_is_there_and_the_default_comes_first():
    assert set(strategies()) == NAMES
    assert next(iter(strategies())) == "auto"


@pytest.mark.parametrize("name", sorted(NAMES))
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


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_strategy_never_asks_for_more_than_it_is_told(name):
    graph, truth = five_clusters()
    situation = situation_of(graph, labelled(truth, [0, 60]))
    assert len(rows_of(find_strategy(name).choose(situation, 3))) <= 3


def test_a_strategy_is_added_by_a_decorator_and_can_be_used_at_once():
    @strategy("last", "the last row")
    def last(situation, n):
        return [Question(int(row), "last") for row in np.flatnonzero(situation.open)[::-1][:n]]

    try:
        assert list(gw.suggest(np.eye(5), n=2, strategy="last", metric="precomputed")) == [4, 3]
    finally:
        forget("last")
    with pytest.raises(ValueError, match=r"strategy must be one of auto, communities,.*got 'last'"):
        find_strategy("last")


@pytest.mark.parametrize("name", ["x", [], {}, None])
def test_a_strategy_that_there_is_none_of_is_told(name):
    with pytest.raises(ValueError, match="strategy must be one of"):
        find_strategy(name)
