"""Fits behind the label page, and the curve of their accuracy."""

import json
import math
from threading import Event

import numpy as np
import pytest

import graphwell as gw
from graphwell.active.accuracy import AccuracyEstimate, Checked
from graphwell.progress import CancelledError
from graphwell.serve.answers import CANNOT_TELL, NOTHING, SKIPPED
from graphwell.serve.fits import AccuracyCurve, Snapshot, next_questions, no_fit, pass_on, preview, refit
from tests.helpers import blobs


@pytest.fixture(scope="module")
def rows():
    return blobs(classes=3)


def snapshot(number, n, codes, weights=None):
    all_codes, all_weights = np.full(n, NOTHING), np.ones(n)
    for row, code in codes.items():
        all_codes[row] = code
    for row, weight in (weights or {}).items():
        all_weights[row] = weight
    return Snapshot(number, all_codes, all_weights, ("a", "b", "c"))


def test_a_session_is_told_what_changed(rows):
    X, truth = rows
    session, n = gw.active.Session(X, n_neighbors=8, n_jobs=1), len(X)
    firsts = [int(np.flatnonzero(truth == c)[0]) for c in range(3)]
    some = snapshot(1, n, {firsts[0]: 0, firsts[1]: 1, 5: SKIPPED, 6: CANNOT_TELL}, {firsts[1]: 0.5})
    assert pass_on(session, no_fit(n).snapshot, some)
    assert session.answers == {firsts[0]: 0, firsts[1]: 1}
    assert refit(session, some, Event()).found.classes.tolist() == [0, 1]
    other = snapshot(2, n, {firsts[0]: 2, 6: 1})
    assert pass_on(session, some, other)
    assert session.answers == {firsts[0]: 2, 6: 1}
    assert not pass_on(session, other, snapshot(3, n, {firsts[0]: 2, 6: 1, 9: SKIPPED}))
    nothing = snapshot(4, n, {})
    assert pass_on(session, other, nothing)
    fit = refit(session, nothing, Event())
    assert fit.found is None
    assert fit.accuracy is None
    assert (preview(session) == NOTHING).all()


def test_a_stale_fit_is_given_up_and_leaves_the_last_one(rows):
    X, truth = rows
    session, n = gw.active.Session(X, n_neighbors=8, n_jobs=1), len(X)
    first = snapshot(1, n, {row: int(truth[row]) for row in range(0, n, 9)})
    pass_on(session, no_fit(n).snapshot, first)
    before = refit(session, first, Event()).found.labels
    stale = Event()
    stale.set()
    more = snapshot(2, n, {row: (int(truth[row]) + 1) % 3 for row in range(0, n, 9)})
    pass_on(session, first, more)
    with pytest.raises(CancelledError):
        refit(session, more, stale)
    assert np.array_equal(session.classifier.transduction_, before)
    assert np.array_equal(preview(session), (truth + 1) % 3)  # a preview knows the answers already


def test_the_fit_is_that_of_the_classifier_with_the_same_weights(rows):
    X, truth = rows
    n = len(X)
    session = gw.active.Session(X, n_neighbors=8, n_jobs=1)
    codes = {int(row): int(truth[row]) for row in range(0, n, 9)}
    weak = dict.fromkeys(list(codes)[::2], 0.3)
    everything = snapshot(1, n, codes, weak)
    pass_on(session, no_fit(n).snapshot, everything)
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
    first = next_questions(session, snapshot(0, n, {}))
    later = next_questions(session, snapshot(1, n, {question.row: SKIPPED for question in first}))
    assert not {q.row for q in first} & {q.row for q in later}
    last = next_questions(session, snapshot(2, n, {**dict.fromkeys(range(n), CANNOT_TELL), 4: SKIPPED}))
    assert [question.row for question in last] == [4]


def estimate(share):
    return AccuracyEstimate(share, (share - 0.1, share + 0.1), 1)


def test_notes_give_the_curve_and_the_checks_back():
    curve = AccuracyCurve()
    notes = [
        curve.add(3, estimate(0.4), {}),
        curve.add(4, estimate(0.5), {7: Checked(0.6, True, 1)}),
        curve.add(5, estimate(0.6), {8: Checked(0.7, False, 1), 9: Checked(0.8, True, 1)}),
    ]
    again = AccuracyCurve(json.loads(json.dumps(notes)))
    assert again.points == curve.points
    assert [point["labels"] for point in again.points] == [3, 4, 5]
    assert again.checked == {7: Checked(0.6, True, 1), 8: Checked(0.7, False, 0), 9: Checked(0.8, True, 0)}


def test_a_fit_to_fewer_labels_forgets_what_came_after():
    curve = AccuracyCurve()
    for labels, share in ((3, 0.4), (4, 0.5), (5, 0.6), (4, 0.7)):
        curve.add(labels, estimate(share), {})
    assert [(point["labels"], point["share"]) for point in curve.points] == [(3, 0.4), (4, 0.7)]
    assert curve.add(4, estimate(0.7), {}) is None
    assert curve.add(4, estimate(0.7), {1: Checked(0.5, True, 1)}) is not None


NOTE = {"labels": 3, "share": 0.5, "low": 0.2, "high": 0.8, "checked": [[7, 0.6, True]]}


@pytest.mark.parametrize("odd", [None, True, "0.5", [], {}, math.nan, math.inf])
@pytest.mark.parametrize("name", ["labels", "share", "low", "high"])
def test_a_note_without_a_number_is_not_taken(name, odd):
    with pytest.raises(ValueError, match="is no number"):
        AccuracyCurve([{**NOTE, name: odd}])


@pytest.mark.parametrize("name", NOTE)
def test_a_note_that_lacks_a_field_is_not_taken(name):
    with pytest.raises(KeyError, match=name):
        AccuracyCurve([{key: value for key, value in NOTE.items() if key != name}])


@pytest.mark.parametrize("checked", [5, None, [5], [[7, 0.6]], [["7", 0.6, True]], [[7, None, True]]])
def test_checks_of_another_shape_are_not_taken(checked):
    with pytest.raises((TypeError, ValueError)):
        AccuracyCurve([{**NOTE, "checked": checked}])
