"""Which rows to label next."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError

import graphwell as gw
from graphwell.active import Question, Suggestions
from tests.active.queries import five_clusters, labelled, query_of
from tests.helpers import blobs, clusters, few


def test_from_no_labels_every_cluster_is_asked_for_once():
    graph, truth = five_clusters()
    found = gw.suggest(graph, n=5)
    assert sorted(truth[found]) == [0, 1, 2, 3, 4]
    assert found.reasons[0] == "largest group without a label, 60 rows"
    assert found.strategy == "auto"


def test_ten_questions_find_the_ten_digits_in_any_order():
    X, truth = load_digits(return_X_y=True)
    moved = np.random.default_rng(0).permutation(len(X))
    found = gw.suggest(X, n=10, n_jobs=1)
    assert sorted(truth[found]) == list(range(10))
    assert moved[gw.suggest(X[moved], n=10, n_jobs=1)].tolist() == list(found)


def test_a_data_frame_may_hold_words_and_gaps():
    X, truth = blobs(classes=3)
    frame = pd.DataFrame(X).add_prefix("x").assign(word=np.array(["a", "b", "c"])[truth])
    frame.loc[3, "x0"] = np.nan
    assert sorted(truth[gw.suggest(frame, n=3)]) == [0, 1, 2]


def test_labelled_and_excluded_rows_never_come_back():
    graph, truth = clusters([40, 40, 10])
    y = labelled(truth, range(0, 90, 3))
    barred = range(1, 90, 3)
    found = gw.suggest(graph, y, n=30, exclude=barred)
    assert sorted(found) == list(range(2, 90, 3))


def test_a_fitted_classifier_gives_its_labels_and_scores():
    X, truth = blobs()
    y = few(truth)
    clf = gw.DiffuseInterfaceClassifier(models=None, random_state=0).fit(X, y)
    found = gw.suggest(clf, n=4)
    assert (y[found] < 0).all()
    assert list(found) == list(gw.suggest(clf.graph_, y, n=4))


def test_the_scores_of_a_fitted_classifier_decide_about_borders():
    graph, truth = clusters([60, 60, 60], spread=2.5)
    clf = gw.DiffuseInterfaceClassifier(models=None, random_state=0).fit(
        graph, labelled(truth, range(0, 180, 9))
    )
    assert gw.suggest(clf, n=1, strategy="margin")[0] in clf.doubtful(3)  # three rows are equally so


def test_any_labels_and_names_in_reasons():
    X, truth = blobs()
    y = np.array(["ant", "bee", "cat"], dtype=object)[few(truth)]
    y[few(truth) < 0] = None
    found = gw.suggest(X, y, n=2, strategy="margin")
    assert all(reason.startswith("border between ") for reason in found.reasons)
    assert set(" ".join(found.reasons).split()) & {"ant", "bee", "cat"}


@pytest.mark.parametrize(
    ("problem", "options"),
    [
        ("n is 181, but 180 rows are left to ask for", {"n": 181}),
        ("n must be a number of rows, 1 or more; got 0", {"n": 0}),
        ("n must be a number of rows, 1 or more; got 2.5", {"n": 2.5}),
        ("y has 3 labels but X has 180 rows", {"y": [0, 1, 2]}),
        ("exclude names row 180", {"exclude": [180]}),
    ],
)
def test_bad_input_gets_one_sentence(problem, options):
    with pytest.raises(ValueError, match=problem):
        gw.suggest(blobs()[0], **options)


@pytest.mark.parametrize("y", [None, 180 * [-1], 180 * [None], np.full(180, np.nan)])
def test_no_label_at_all_is_no_error(y):
    assert list(gw.suggest(blobs()[0], y, n=3)) == list(gw.suggest(blobs()[0], n=3))


@pytest.mark.parametrize("metric", [np.eye(3), 3, ["euclidean"], "manhattan"])
def test_a_metric_that_there_is_none_of_is_refused_on_one_line(metric):
    with pytest.raises(ValueError, match=r"^metric must be one of euclidean, cosine, precomputed; got .*\.$"):
        gw.suggest(np.eye(4), n=1, metric=metric)


def test_a_classifier_without_a_fit_and_rows_without_features_are_refused():
    with pytest.raises(NotFittedError):
        gw.suggest(gw.DiffuseInterfaceClassifier(models=None))
    with pytest.raises(ValueError, match=r"0 feature"):
        gw.suggest(np.empty((5, 0)))


def test_a_graph_a_matrix_and_a_fitted_classifier_are_taken_as_they_are():
    X, truth = blobs()
    graph = gw.Graph.from_features(X)
    clf = gw.DiffuseInterfaceClassifier(models=None, random_state=0).fit(graph, few(truth))
    found = gw.suggest(graph, few(truth), n=4)
    assert list(gw.suggest(graph.W, few(truth), n=4, metric="precomputed")) == list(found)
    assert list(gw.suggest(clf, few(truth), n=4)) == list(found)
    assert gw.active.Session(graph).prepared.shown is graph
    query = query_of(graph)
    np.testing.assert_allclose(query.degrees, graph.degrees[query.rows])


def test_suggestions_are_used_as_row_numbers():
    found = Suggestions((Question(7, "a"), Question(2, "b"), Question(5, "c")), "random")
    X = np.arange(20).reshape(10, 2)
    np.testing.assert_array_equal(np.asarray(found), [7, 2, 5])
    np.testing.assert_array_equal(X[found], X[[7, 2, 5]])
    assert [row for row in found] == [7, 2, 5]  # noqa: C416
    assert (len(found), found[0], found[-1], 2 in found) == (3, 7, 5, True)
    assert np.asarray(found, dtype=np.int32).dtype == np.int32
    assert (found[:2].reasons, found[:2].rows.dtype, str(found[:1])) == (("a", "b"), np.int64, "row 7: a")
    assert np.arange(3)[Suggestions((), "random")].shape == (0,)


@pytest.mark.slow
def test_a_dask_array_is_asked_about(client):
    from dask import array as da

    X, truth = blobs(classes=3)
    found = gw.suggest(da.from_array(X, chunks=(60, -1)), n=3)
    assert sorted(truth[found]) == [0, 1, 2]
    clf = gw.DiffuseInterfaceClassifier(models=None, random_state=0).fit(
        da.from_array(X, chunks=(60, -1)), few(truth)
    )
    assert (few(truth)[gw.suggest(clf, n=4)] < 0).all()
    assert (few(truth)[gw.suggest(clf, n=4, strategy="margin")] < 0).all()
