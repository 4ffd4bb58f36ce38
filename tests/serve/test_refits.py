from threading import Event

import numpy as np
import pytest

import graphwell as gw
from graphwell.progress import CancelledError
from graphwell.serve.answers import CANNOT_TELL, NOTHING, SKIPPED
from graphwell.serve.refits import Said, next_questions, no_fit, refit, seen, tell
from tests.helpers import blobs


@pytest.fixture(scope="module")
def rows():
    return blobs(classes=3)


def said(number, n, codes, weights=None):
    all_codes, all_weights = np.full(n, NOTHING), np.ones(n)
    for row, code in codes.items():
        all_codes[row] = code
    for row, weight in (weights or {}).items():
        all_weights[row] = weight
    return Said(number, all_codes, all_weights, ("a", "b", "c"))


def test_a_session_is_told_what_changed(rows):
    X, truth = rows
    session, n = gw.active.Session(X, n_neighbors=8, n_jobs=1), len(X)
    firsts = [int(np.flatnonzero(truth == c)[0]) for c in range(3)]
    some = said(1, n, {firsts[0]: 0, firsts[1]: 1, 5: SKIPPED, 6: CANNOT_TELL}, {firsts[1]: 0.5})
    assert tell(session, no_fit(n).said, some)
    assert session.answers == {firsts[0]: 0, firsts[1]: 1}
    assert refit(session, some, Event()).found.classes.tolist() == [0, 1]
    other = said(2, n, {firsts[0]: 2, 6: 1})
    assert tell(session, some, other)
    assert session.answers == {firsts[0]: 2, 6: 1}
    assert not tell(session, other, said(3, n, {firsts[0]: 2, 6: 1, 9: SKIPPED}))
    nothing = said(4, n, {})
    assert tell(session, other, nothing)
    fit = refit(session, nothing, Event())
    assert fit.found is None
    assert fit.accuracy is None
    assert (seen(session) == NOTHING).all()


def test_a_stale_fit_is_given_up_and_leaves_the_last_one(rows):
    X, truth = rows
    session, n = gw.active.Session(X, n_neighbors=8, n_jobs=1), len(X)
    first = said(1, n, {row: int(truth[row]) for row in range(0, n, 9)})
    tell(session, no_fit(n).said, first)
    before = refit(session, first, Event()).found.labels
    stale = Event()
    stale.set()
    more = said(2, n, {row: (int(truth[row]) + 1) % 3 for row in range(0, n, 9)})
    tell(session, first, more)
    with pytest.raises(CancelledError):
        refit(session, more, stale)
    assert np.array_equal(session.classifier.transduction_, before)
    assert np.array_equal(seen(session), (truth + 1) % 3)  # a glance knows the answers already


def test_the_fit_is_that_of_the_classifier_with_the_same_weights(rows):
    X, truth = rows
    n = len(X)
    session = gw.active.Session(X, n_neighbors=8, n_jobs=1)
    codes = {int(row): int(truth[row]) for row in range(0, n, 9)}
    weak = dict.fromkeys(list(codes)[::2], 0.3)
    everything = said(1, n, codes, weak)
    tell(session, no_fit(n).said, everything)
    fit = refit(session, everything, Event())
    y, weights = np.full(n, -1), np.ones(n)
    y[list(codes)], weights[list(weak)] = list(codes.values()), 0.3
    alone = gw.DiffuseInterfaceClassifier(random_state=0, n_jobs=1).fit(
        session.prepared.shown, y, sample_weight=weights
    )
    assert np.array_equal(alone.transduction_, fit.found.labels)
    assert np.array_equal(alone.label_distributions_, fit.found.scores)


def test_questions_leave_out_skipped_rows_until_nothing_else_is_left(rows):
    X, _ = rows
    session, n = gw.active.Session(X, n_neighbors=8, n_jobs=1), len(X)
    first = next_questions(session, said(0, n, {}))
    later = next_questions(session, said(1, n, {question.row: SKIPPED for question in first}))
    assert not {q.row for q in first} & {q.row for q in later}
    last = next_questions(session, said(2, n, {**dict.fromkeys(range(n), CANNOT_TELL), 4: SKIPPED}))
    assert [question.row for question in last] == [4]
