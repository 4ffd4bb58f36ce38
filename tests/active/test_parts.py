"""Parts of a wanted number."""

import numpy as np
import pytest
from scipy import linalg, sparse

from graphwell.active.parts import joined_further, parts_at, parts_of
from graphwell.active.survey import survey
from graphwell.graph import Graph
from graphwell.solve.communities import Groundwork
from tests.helpers import clusters


def ground_of(graph):
    return survey(graph).ground


@pytest.mark.parametrize("wanted", [2, 5, 12])
def test_there_are_as_many_parts_of_substance_as_wanted(wanted):
    graph, _ = clusters([80, 80, 80, 80, 80])
    parts = parts_of(ground_of(graph), wanted)
    assert parts.of_substance(wanted) >= wanted
    assert parts.sizes.sum() == graph.n_vertices
    np.testing.assert_array_equal(np.bincount(parts.of_rows), parts.sizes)


def test_as_many_clusters_as_wanted_are_the_parts():
    graph, truth = clusters([50, 40, 30])
    parts = parts_of(ground_of(graph), 3)
    assert {tuple(np.unique(truth[parts.of_rows == p])) for p in range(3)} == {(0,), (1,), (2,)}


def test_crumbs_do_not_count():
    W = linalg.block_diag(1 - np.eye(20), 1 - np.eye(20), np.zeros((15, 15)))
    parts = parts_of(ground_of(Graph.from_affinity(W)), 2)
    assert sorted(parts.sizes)[-2:] == [20, 20]
    assert parts.of_substance(2) == 2


def test_more_than_there_can_be_gives_what_there_is():
    parts = parts_of(ground_of(Graph.from_affinity([[0, 1], [1, 0]])), 50)
    assert parts.sizes.sum() == 2


def test_weights_between_parts_are_sums():
    graph, _ = clusters([20, 20])
    ground = ground_of(graph)
    parts = parts_at(ground, 1.0)
    member = np.eye(len(parts.sizes))[parts.of_units]
    np.testing.assert_allclose(parts.W.toarray(), member.T @ ground.W.toarray() @ member, rtol=1e-6)


def test_joining_ends_with_few_units_even_where_no_edges_are_left():
    W = sparse.csr_array((30, 30))
    small = joined_further(Groundwork(np.arange(30), W), most=10)
    assert small.W.shape == (10, 10)
    assert np.bincount(small.members).sum() == 30
