"""Graphs made ready, wherever they lie."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import graphwell as gw
from graphwell.active.survey import survey
from tests.helpers import blobs, few


def test_a_graph_a_matrix_and_a_fitted_classifier_are_taken_as_they_are():
    X, truth = blobs()
    graph = gw.Graph.from_features(X)
    clf = gw.DiffuseInterfaceClassifier(random_state=0).fit(graph, few(truth))
    for given, options in ((graph, {}), (graph.W, {"metric": "precomputed"}), (clf, {})):
        place = survey(given, **options)
        assert (place.graph.W != graph.W).nnz == 0
        np.testing.assert_allclose(place.degrees, graph.degrees)
    assert survey(graph).shown is graph


def test_a_classifier_without_a_fit_and_rows_without_features_are_refused():
    with pytest.raises(NotFittedError):
        survey(gw.DiffuseInterfaceClassifier())
    with pytest.raises(ValueError, match=r"0 feature"):
        survey(np.empty((5, 0)))


def test_units_are_found_once():
    place = survey(gw.Graph.from_features(blobs()[0]))
    assert place.ground is place.ground
    assert place.engine is place.engine


@pytest.mark.parametrize("metric", [np.eye(3), 3, ["euclidean"], "manhattan"])
def test_a_metric_that_there_is_none_of_is_refused_on_one_line(metric):
    with pytest.raises(ValueError, match=r"^metric must be one of euclidean, cosine, precomputed; got .*\.$"):
        survey(np.eye(4), metric=metric)
