"""The graph of the paper."""

import numpy as np

from graphwell.segmentation.feature_graph import feature_graph


def test_the_graph_of_features_is_the_papers():
    image = np.random.default_rng(0).random((6, 6, 1))
    graph = feature_graph(image, n_neighbors=3, position_weight=1.0, n_jobs=1)
    near = feature_graph(image, n_neighbors=3, position_weight=100.0, n_jobs=1)
    assert graph.n_vertices == 36
    assert graph.origin.n_neighbors == 3
    steps = np.abs(np.subtract(*near.W.nonzero()))
    assert set(steps.tolist()) <= {1, 2, 5, 6, 7, 12}  # with heavy places, only nearby pixels are neighbours
