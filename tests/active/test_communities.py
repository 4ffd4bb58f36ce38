"""Parts of active learning by hand: communities, central rows, the estimated accuracy, every backend."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import linalg, sparse

import graphwell as gw
from graphwell.active import communities, strategies
from graphwell.active.accuracy import PRIOR_ANSWERS, Checked, estimated_accuracy
from graphwell.active.communities import Communities, central_rows, coarsened, leading_vector
from graphwell.active.suggest import PreparedGraph, known_labels
from graphwell.solve.communities import Aggregates, joined_until, joined_vertices
from tests.active.queries import labelled, query_of
from tests.helpers import clusters


@pytest.mark.parametrize("wanted", [2, 5, 12])
def test_there_are_as_many_communities_of_substance_as_wanted(wanted):
    graph, _ = clusters([80, 80, 80, 80, 80])
    found = query_of(graph).communities(wanted)
    assert found.of_substance(wanted) >= wanted
    assert found.sizes.sum() == graph.n_vertices
    np.testing.assert_array_equal(np.bincount(found.of_rows), found.sizes)
    member = np.eye(len(found.sizes))[found.of_aggregates]
    np.testing.assert_allclose(found.W.toarray(), member.T @ found.aggregates.W.toarray() @ member, rtol=1e-6)


def test_crumbs_do_not_count_and_more_than_there_can_be_gives_what_there_is():
    W = linalg.block_diag(1 - np.eye(20), 1 - np.eye(20), np.zeros((15, 15)))
    found = query_of(gw.Graph.from_affinity(W)).communities(2)
    assert sorted(found.sizes)[-2:] == [20, 20]
    assert found.of_substance(2) == 2
    assert query_of(gw.Graph.from_affinity([[0, 1], [1, 0]])).communities(50).sizes.sum() == 2


def test_coarsening_ends_with_few_aggregates_even_where_no_edges_are_left():
    small = coarsened(Aggregates(np.arange(30), sparse.csr_array((30, 30))), most=10)
    assert small.W.shape == (10, 10)
    assert np.bincount(small.members).sum() == 30
    pairs = coarsened(Aggregates(np.arange(6), sparse.csr_array(np.kron(np.eye(2), 1 - np.eye(3)))), most=2)
    assert pairs.members.tolist() == [0, 0, 0, 1, 1, 1]


def test_the_middle_of_a_star_is_central():
    W = np.zeros((6, 6))
    W[0, 1:] = W[1:, 0] = 1
    query = query_of(gw.Graph.from_affinity(W))
    whole = Communities(np.zeros(6, dtype=int), np.array([6.0]), query.aggregates)
    assert central_rows(query, whole, [0]).tolist() == [0]
    assert central_rows(replace(query, open=np.arange(6) > 0), whole, [0])[0] > 0
    assert central_rows(replace(query, open=np.zeros(6, dtype=bool)), whole, [0]).tolist() == [-1]


def test_of_a_large_graph_rows_of_the_best_aggregates_are_compared(monkeypatch):
    """Aggregates of several rows lead to the same centre as the rows themselves, or one nearly as central."""
    monkeypatch.setattr(communities, "ROWS_COMPARED", 20)
    graph, truth = clusters([150, 100])
    fine = query_of(graph)
    coarse = replace(fine, aggregates=Aggregates(*joined_until(*joined_vertices(fine.engine, 60), 60)))
    assert coarse.aggregates.W.shape[0] <= 60
    for query in (fine, coarse):
        members = query.aggregates.members
        of = np.array([np.bincount(truth[members == a]).argmax() for a in range(members.max() + 1)])
        rows = central_rows(query, Communities(of, np.array([150.0, 100.0]), query.aggregates), [0, 1])
        assert truth[rows].tolist() == [0, 1]
        for community, row in enumerate(rows):
            inside = np.flatnonzero(truth == community)
            values = leading_vector(graph.sharpened(2.0).W[inside][:, inside], np.ones(len(inside)))
            assert values[inside == row][0] >= np.quantile(values, 0.9)


def test_answers_at_doubtful_rows_do_not_make_sure_rows_wrong():
    """Most of the doubtful rows are wrong: that says nothing about the sure ones."""
    checked = [Checked(0.45, i % 4 == 0) for i in range(40)]
    scores = np.where(np.arange(1000) < 50, 0.45, 0.97)
    low = (0.45 * PRIOR_ANSWERS + 10) / (PRIOR_ANSWERS + 40)
    assert estimated_accuracy(checked, scores).share == pytest.approx(0.05 * low + 0.95 * 0.97)


def test_wrong_answers_at_sure_rows_lower_the_estimate():
    sure = np.full(1000, 0.97)
    right = estimated_accuracy([Checked(0.97, True)] * 20, sure)
    wrong = estimated_accuracy([Checked(0.97, bool(i % 2)) for i in range(20)], sure)
    assert wrong.share < 0.6 < 0.95 < right.share
    assert right.interval[1] - right.interval[0] < 0.1
    assert "About" in str(right)
    early = "Too early to say how many labels are correct: 0 of 10"
    assert str(estimated_accuracy([], sure)).startswith(early)


def test_answers_to_earlier_fits_count_less():
    """A right answer two fits ago counts a quarter."""
    found = estimated_accuracy([Checked(0.6, True, age=2), Checked(0.6, False)], np.full(10, 0.6))
    assert found.share == pytest.approx((0.6 * PRIOR_ANSWERS + 0.25) / (PRIOR_ANSWERS + 1.25))


def test_every_backend_suggests_the_same_rows(backend):
    graph, truth = clusters([40, 40, 30])
    place = PreparedGraph(backend, backend.place(graph))
    known = known_labels(labelled(truth, [0]), len(truth))
    for name in ("auto", "typiclust"):
        asked = place.ask(strategies()[name], known, 5, 0, np.array([], dtype=np.int64))
        assert list(asked) == list(gw.suggest(graph, labelled(truth, [0]), n=5, strategy=name))
