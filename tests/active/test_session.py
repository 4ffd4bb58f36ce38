"""Questions and answers in turn, and how good the labels are estimated to be."""

import warnings

import numpy as np
import pytest

import graphwell as gw
from graphwell.errors import BridgedWarning
from tests.active.queries import five_clusters
from tests.helpers import blobs, clusters, few


def test_answers_are_taken_one_by_one_and_in_batches():
    graph, truth = five_clusters()
    session = gw.active.Session(graph)
    first = session.suggest(3)
    session.answer(first[0], truth[first[0]])
    session.answer(first[1:].rows, truth[first[1:]])
    assert session.answers == {row: truth[row] for row in first}
    assert not set(first) & set(session.suggest(10))
    assert [session.labels[row] for row in first] == truth[first].tolist()


def test_cannot_tell_is_never_asked_again_and_an_answer_can_be_corrected():
    graph, truth = clusters([20, 20, 12])
    session = gw.active.Session(graph, few(truth))
    row = session.suggest(1)[0]
    session.answer(row, None)
    assert row not in session.suggest(graph.n_vertices - 7)
    session.answer(row, 4)
    session.answer(row, int(truth[row]))
    assert session.answers[row] == truth[row]
    session.cannot_tell([row, 0])
    assert row not in session.answers
    assert 0 not in session.answers


def test_a_refit_says_what_changed():
    X, truth = blobs(classes=3)
    session = gw.active.Session(X, few(truth), n_neighbors=8)
    assert session.label_changes is None
    before = session.fit().transduction_.copy()
    assert session.label_changes is None
    session.answer(3, 2)
    after = session.fit().transduction_
    assert session.label_changes == (before != after).sum() >= 1
    session.fit()
    assert session.label_changes == 0


def test_the_accuracy_is_judged_by_answers_after_a_fit():
    graph, truth = five_clusters()
    session = gw.active.Session(graph)
    with pytest.raises(ValueError, match="call fit"):
        session.accuracy()
    asked = session.suggest(5)
    session.answer(asked, truth[asked])
    session.fit()
    assert session.accuracy().n_checked == 0
    more = session.suggest(20)
    session.answer(more, truth[more])
    found = session.accuracy()
    assert found.n_checked == 20
    right = (session.classifier.transduction_ == truth).mean()
    assert found.interval[0] <= right <= found.interval[1]


def test_bad_answers_are_refused():
    session = gw.active.Session(blobs()[0])
    for rows, problem in (
        (999, "rows names row 999, but the rows are numbered from 0 to 179"),
        (-1, "rows names row -1"),
        (1.5, r"rows must hold row numbers; got 1\.5"),
        ("x", "rows must hold row numbers"),
    ):
        with pytest.raises(ValueError, match=problem):
            session.answer(rows, "a")
    with pytest.raises(ValueError, match="labels holds 1 labels for 2 rows"):
        session.answer([1, 2], ["a"])
    with pytest.raises(ValueError, match="strategy must be one of"):
        gw.active.Session(blobs()[0], strategy="guess")


@pytest.mark.filterwarnings("ignore:.*without any label")
def test_with_one_class_nothing_can_be_said():
    X, _ = blobs()
    session = gw.active.Session(X, np.where(np.arange(len(X)) < 3, 0, -1))
    session.fit()
    assert session.accuracy().interval == (0.0, 1.0)


def test_a_weak_label_can_be_overruled_and_judges_nothing():
    X, truth = blobs(classes=3)
    session = gw.active.Session(X, few(truth), n_neighbors=8)
    session.fit()
    inside = np.flatnonzero(truth == 0)[2:4]
    session.answer(inside, [2, 2], weight=0.01)
    assert session.fit().transduction_[inside].tolist() == [0, 0]
    assert session.accuracy().n_checked == 0
    session.answer(inside, [2, 2])
    assert session.fit().transduction_[inside].tolist() == [2, 2]


@pytest.mark.parametrize("weight", [0, -1, 1.5, float("nan")])
def test_weights_lie_between_nothing_and_one(weight):
    session = gw.active.Session(five_clusters()[0])
    with pytest.raises(ValueError, match="weight must be above 0"):
        session.answer(0, 1, weight=weight)


@pytest.mark.parametrize("parts", [1, 2])
def test_a_refit_gives_exactly_what_a_fresh_fit_gives(parts):
    X, truth = gw.datasets.make_three_moons(100, random_state=1)
    X = np.vstack([X + 1e3 * part for part in range(parts)])
    truth = np.tile(truth, parts)
    session = gw.active.Session(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BridgedWarning)
        for _ in range(8):
            row = session.suggest(1)[0]
            session.answer(row, truth[row])
            kept = session.fit()
        session.take_back(row)
        kept = session.fit()
        fresh = gw.DiffuseInterfaceClassifier(models=None, random_state=0).fit(
            session.prepared.shown, session.labels
        )
    np.testing.assert_array_equal(kept.transduction_, fresh.transduction_)
    np.testing.assert_array_equal(kept.label_distributions_, fresh.label_distributions_)


def test_a_preview_is_nearly_a_fit_and_leaves_no_trace():
    X, truth = gw.datasets.make_three_moons(200, random_state=3)
    session = gw.active.Session(X)
    first = [int(np.flatnonzero(truth == c)[50]) for c in range(3)]
    session.answer(first, truth[first])
    seen = session.preview()
    assert session.is_fitted is False
    fitted = session.fit().transduction_
    assert (seen == fitted).mean() > 0.9
    alone = gw.active.Session(X)
    alone.answer(first, truth[first])
    np.testing.assert_array_equal(alone.fit().transduction_, fitted)
    session.take_back(first[1:])
    assert set(session.preview()) == {truth[first[0]]}
    session.take_back(first[0])
    assert set(session.preview()) == {None}


@pytest.mark.slow
@pytest.mark.parametrize("data", ["digits", "optdigits"])
def test_the_interval_holds_the_truth_as_often_as_it_claims(data, request):
    """Questions chosen for being doubtful, after each of six batches with three seeds: 90 % are claimed."""
    if data == "digits":
        from sklearn.datasets import load_digits

        X, truth = load_digits(return_X_y=True)
    else:
        with np.load(request.getfixturevalue("shared_data") / "uci" / "optdigits.npz") as file:
            X, truth = file["X"].astype(float), file["y"]
    graph = gw.Graph.from_features(X)
    held = []
    for seed in range(3):
        session = gw.active.Session(graph, random_state=seed)
        for _ in range(6):
            asked = session.suggest(10).rows
            session.answer(asked, truth[asked])
            right = np.delete(session.fit().transduction_ == truth, list(session.answers)).mean()
            low, high = session.accuracy().interval
            held.append(low <= right <= high)
    assert np.mean(held) >= 0.85
