"""Which pixels are linked."""

import numpy as np
import pytest

from graphwell.segmentation.pixels import feature_graph, offsets_within


def test_offsets_are_those_of_a_disc():
    assert len(offsets_within(3)) == 28
    assert (offsets_within(3) == -offsets_within(3)[::-1]).all()
    with pytest.raises(ValueError, match="radius must lie between 1 and 16 pixels"):
        offsets_within(0.5)


def test_the_graph_of_features_is_the_papers():
    image = np.random.default_rng(0).random((6, 6, 1))
    graph = feature_graph(image, n_neighbors=3, position_weight=1.0, n_jobs=1)
    near = feature_graph(image, n_neighbors=3, position_weight=100.0, n_jobs=1)
    assert graph.n_vertices == 36
    assert graph.origin.n_neighbors == 3
    steps = np.abs(np.subtract(*near.W.nonzero()))
    assert set(steps.tolist()) <= {1, 2, 5, 6, 7, 12}  # with heavy places, only nearby pixels are neighbours
