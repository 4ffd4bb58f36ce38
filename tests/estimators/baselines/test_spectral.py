"""Clusters without labels."""

from graphwell import Graph
from graphwell.estimators.baselines import spectral_clustering
from graphwell.metrics import matched_error
from tests.helpers import blobs


def test_spectral_clustering_finds_clusters_without_labels():
    X, truth = blobs()
    errors = [matched_error(spectral_clustering(Graph.from_features(X), 3, seed), truth) for seed in range(5)]
    assert min(errors) < 0.02
