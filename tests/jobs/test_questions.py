"""Rows to label next, in the numbers of a table."""

import numpy as np

import graphwell as gw
from graphwell.jobs.questions import ROWS_TO_LABEL, next_rows
from tests.helpers import blobs, few


def test_rows_that_were_left_out_shift_the_numbers():
    X, truth = blobs()
    kept = np.ones(len(X) + 5, dtype=bool)
    kept[:5] = False
    given = np.concatenate([np.full(5, -1), few(truth)])
    clf = gw.DiffuseInterfaceClassifier(random_state=0).fit(X, few(truth))
    rows = next_rows(clf, "abc", given, kept, ids=np.array([f"r{i}" for i in range(len(kept))]))
    assert len(rows) == ROWS_TO_LABEL
    assert all(given[row.row - 1] < 0 and row.row > 5 for row in rows)
    assert [row.id for row in rows] == [f"r{row.row - 1}" for row in rows]
    plain = gw.suggest(clf, n=ROWS_TO_LABEL)
    assert [row.row - 6 for row in rows] == list(plain)


def test_reasons_call_the_classes_by_their_names():
    X, truth = blobs(n=12)
    X = X + np.random.default_rng(0).normal(scale=4, size=X.shape)
    clf = gw.DiffuseInterfaceClassifier(random_state=0, tune=False).fit(X, few(truth))
    names = ["ant", "bee", "cat"]
    reasons = " ".join(row.reason for row in next_rows(clf, names, few(truth), np.ones(len(X), dtype=bool)))
    assert "between" in reasons
    assert any(name in reasons for name in names)
    assert not any(f" {code} and" in reasons for code in range(3))


def test_a_table_with_every_label_needs_none():
    X, truth = blobs()
    clf = gw.DiffuseInterfaceClassifier(random_state=0).fit(X, truth)
    assert next_rows(clf, "abc", truth, np.ones(len(X), dtype=bool)) == ()
