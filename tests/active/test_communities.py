"""Parts of active learning by hand: central rows, the estimated accuracy, every backend."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import graphwell as gw
from graphwell.active import communities, prepared
from graphwell.active.accuracy import Checked, estimated_accuracy
from graphwell.active.communities import Communities, central_rows, coarsened, leading_vector
from graphwell.solve.communities import Aggregates, joined_until, joined_vertices
from tests.active.queries import labelled, query_of
from tests.helpers import clusters


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
    truth, W = truth[fine.rows], graph.sharpened(2.0).W[fine.rows][:, fine.rows]
    coarse = replace(fine, aggregates=Aggregates(*joined_until(*joined_vertices(fine.engine, 60), 60)))
    assert coarse.aggregates.W.shape[0] <= 60
    for query in (fine, coarse):
        members = query.aggregates.members
        of = np.array([np.bincount(truth[members == a]).argmax() for a in range(members.max() + 1)])
        rows = central_rows(query, Communities(of, np.array([150.0, 100.0]), query.aggregates), [0, 1])
        assert truth[rows].tolist() == [0, 1]
        for community, row in enumerate(rows):
            inside = np.flatnonzero(truth == community)
            values = leading_vector(W[inside][:, inside], np.ones(len(inside)))
            assert values[inside == row][0] >= np.quantile(values, 0.9)


def test_answers_at_doubtful_rows_do_not_make_sure_rows_wrong():
    """Of the most doubtful tenth half are wrong: were it half of all rows, the estimate would be that."""
    doubtful = estimated_accuracy([Checked(0.1 * i / 40, bool(i % 2)) for i in range(40)])
    anywhere = estimated_accuracy([Checked(i / 40, bool(i % 2)) for i in range(40)])
    assert 0.4 < anywhere.share < 0.65
    assert doubtful.share > anywhere.share + 0.15
    assert doubtful.interval[1] > 0.9


def test_wrong_answers_lower_the_estimate_and_more_answers_narrow_the_interval():
    right, wrong, more = (
        estimated_accuracy([Checked((i + 0.5) / n, bool(i % 2) or all_right) for i in range(n)])
        for n, all_right in ((20, True), (20, False), (80, False))
    )
    assert wrong.share < 0.7 < 0.9 < right.share
    assert right.interval[1] == 1
    assert np.diff(more.interval) < np.diff(wrong.interval)
    assert "About" in str(right)
    early = "Too early to say how many labels are correct: 0 of 10"
    assert str(estimated_accuracy([])).startswith(early)


def test_answers_to_earlier_fits_count_less():
    early, late = (
        estimated_accuracy([Checked(0.5, (i < 40) == first_right, age=1 + (i < 40)) for i in range(80)])
        for first_right in (True, False)
    )
    assert early.share < late.share


def test_rows_that_no_label_reaches_count_as_wrong():
    checked = [Checked(0.5, True)] * 20
    assert estimated_accuracy(checked, 0.5).share == pytest.approx(estimated_accuracy(checked).share / 2)


def test_every_backend_suggests_the_same_rows(backend, monkeypatch):
    graph, truth = clusters([40, 40, 30])
    y = labelled(truth, [0])
    expected = {name: list(gw.suggest(graph, y, n=5, strategy=name)) for name in ("auto", "communities")}
    monkeypatch.setattr(prepared, "find_backend", lambda *_, **__: backend)
    for name, rows in expected.items():
        assert list(gw.suggest(graph, y, n=5, strategy=name)) == rows
