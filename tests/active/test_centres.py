"""The most central rows, against the leading eigenvector of a dense matrix."""

import numpy as np
import pytest

from graphwell.active import centres
from graphwell.active.centres import central_rows, leading
from graphwell.active.parts import Parts
from graphwell.graph import Graph
from graphwell.solve.communities import joined_units
from tests.active.situations import situation_of
from tests.helpers import clusters, random_graph


@pytest.mark.parametrize("seed", range(5))
def test_central_is_where_the_leading_eigenvector_is_large(seed):
    graph = random_graph(np.random.default_rng(seed), 30, 0.5).sharpened(2.0)
    W = graph.W.toarray()
    _, vectors = np.linalg.eigh(W)
    values = leading(graph.W, np.ones(30))
    assert np.abs(vectors[:, -1]).argmax() == values.argmax()


def test_the_middle_of_a_star_is_central():
    W = np.zeros((6, 6))
    W[0, 1:] = W[1:, 0] = 1
    situation = situation_of(Graph.from_affinity(W))
    whole = Parts(np.zeros(6, dtype=int), np.array([6.0]), situation.ground)
    assert central_rows(situation, whole, [0]).tolist() == [0]
    closed = situation_of(Graph.from_affinity(W), closed=[0])
    assert central_rows(closed, whole, [0])[0] > 0
    none = situation_of(Graph.from_affinity(W), closed=range(6))
    assert central_rows(none, whole, [0]).tolist() == [-1]


def test_of_a_large_graph_units_are_taken_apart(monkeypatch):
    """Units of several rows lead to the same centre as the rows themselves, or one nearly as central."""
    monkeypatch.setattr(centres, "ROWS_LOOKED_AT", 20)
    graph, truth = clusters([150, 100])
    fine = situation_of(graph)
    from dataclasses import replace

    coarse = replace(fine, ground=joined_units(fine.engine, most=60))
    assert coarse.ground.W.shape[0] <= 60
    for situation in (fine, coarse):
        parts = Parts(
            np.array([np.bincount(truth[situation.ground.members == u]).argmax()
                      for u in range(situation.ground.W.shape[0])]),
            np.array([150.0, 100.0]), situation.ground,
        )  # fmt: skip
        rows = central_rows(situation, parts, [0, 1])
        assert truth[rows].tolist() == [0, 1]
        for part, row in enumerate(rows):
            inside = np.flatnonzero(truth == part)
            values = leading(graph.sharpened(2.0).W[inside][:, inside], np.ones(len(inside)))
            assert values[inside == row][0] >= np.quantile(values, 0.9)
