"""Rows that a page shows: labelled ones, some others, and the same ones for arrays of any kind."""

from types import SimpleNamespace

import dask
import dask.array as da
import numpy as np

from graphwell.jobs import page_on_cluster
from graphwell.jobs.page_on_cluster import rows_shown


def shown(monkeypatch, array=np.asarray, most=(10, 4), every=False):
    monkeypatch.setattr(page_on_cluster, "ROWS_SHOWN", most[0])
    monkeypatch.setattr(page_on_cluster, "LABELLED_ROWS_SHOWN", most[1])
    n = 60
    given = np.where(np.arange(n) % 20 == 0, np.arange(n) // 20, -1)
    scores = np.column_stack([np.linspace(0, 1, n), np.linspace(1, 0, n)])
    answers = {"label_distributions_": array(scores), "bridged_": array(np.arange(n) % 7 == 0)}
    fitted = SimpleNamespace(**answers, graph_="graph")
    X = np.arange(n, dtype=float)[:, None]
    return rows_shown(array(X), given, np.arange(n) % 3, np.arange(n) != 20, fitted, every=every)


def test_labelled_rows_are_among_them_and_every_value_is_that_of_its_row(monkeypatch):
    details = shown(monkeypatch)
    rows = details.points[:, 0].astype(int)
    assert len(rows) == 3 + 10
    assert {0, 20, 40} <= set(rows)
    assert (np.diff(rows) > 0).all()
    assert details.given[details.given >= 0].tolist() == [0, 1, 2]
    np.testing.assert_array_equal(details.assigned, rows % 3)
    np.testing.assert_array_equal(details.bridged, rows % 7 == 0)
    assert np.isnan(details.score[rows == 20]).all()
    assert details.score[rows == 0] == 1.0
    assert details.kept.all()
    assert details.result is None


def test_blocks_have_no_say(monkeypatch):
    here = shown(monkeypatch)
    with dask.config.set(scheduler="synchronous"):
        there = shown(monkeypatch, lambda values: da.from_array(values, chunks=7))
    np.testing.assert_array_equal(there.points, here.points)
    np.testing.assert_array_equal(there.score, here.score)


def test_of_many_labelled_rows_some_are_shown(monkeypatch):
    details = shown(monkeypatch, most=(5, 2))
    assert (details.given >= 0).sum() == 2
    assert len(details.given) == 7


def test_where_one_process_holds_all_rows_all_are_shown_with_their_graph(monkeypatch):
    assert shown(monkeypatch).graph is None
    details = shown(monkeypatch, every=True)
    assert (len(details.given), details.graph) == (60, "graph")
