"""Graphs of pictures, against their definition in plain loops."""

import numpy as np
import pytest

from graphwell.segmentation.pixels import WEAKEST_COLOR, feature_graph, offsets_within, pixel_graph, regions


def by_definition(values, radius, scale):
    height, width = values.shape[:2]
    W = np.zeros((height * width, height * width))
    for i in range(height * width):
        for j in range(height * width):
            (y, x), (v, u) = divmod(i, width), divmod(j, width)
            distance = (y - v) ** 2 + (x - u) ** 2
            if i != j and distance <= radius**2:
                color = np.exp(-((values[y, x] - values[v, u]) ** 2).sum() / scale**2)
                W[i, j] = max(color, WEAKEST_COLOR) * np.exp(-distance / radius**2)
    return W


@pytest.mark.parametrize("shape", [(5, 7, 1), (1, 6, 3), (6, 1, 2), (2, 2, 1), (4, 9, 3)])
@pytest.mark.parametrize("radius", [1, 1.5, 3])
def test_pixel_graph_is_its_definition(shape, radius):
    values = np.random.default_rng(0).random(shape)
    graph = pixel_graph(values, radius, 0.3)
    np.testing.assert_allclose(graph.W.toarray(), by_definition(values, radius, 0.3), rtol=1e-12)
    assert graph.W.has_sorted_indices
    assert (graph.W != graph.W.T).nnz == 0
    assert graph.W.indices.dtype == np.int32


def test_offsets_are_those_of_a_disc():
    assert len(offsets_within(3)) == 28
    assert (offsets_within(3) == -offsets_within(3)[::-1]).all()
    with pytest.raises(ValueError, match="radius must lie between 1 and 16 pixels"):
        offsets_within(0.5)


def test_regions_end_at_strong_contrast():
    values = np.zeros((4, 8, 1))
    values[:, 5:] = 1.0
    found = regions(pixel_graph(values, 3, 0.1)).reshape(4, 8)
    assert len(np.unique(found)) == 2
    assert (found[:, :5] == found[0, 0]).all()
    assert len(np.unique(regions(pixel_graph(values, 3, 10.0)))) == 1


def test_the_graph_of_features_is_the_papers():
    image = np.random.default_rng(0).random((6, 6, 1))
    graph = feature_graph(image, n_neighbors=3, position_weight=1.0, n_jobs=1)
    near = feature_graph(image, n_neighbors=3, position_weight=100.0, n_jobs=1)
    assert graph.n_vertices == 36
    assert graph.origin.n_neighbors == 3
    steps = np.abs(np.subtract(*near.W.nonzero()))
    assert set(steps.tolist()) <= {1, 2, 5, 6, 7, 12}  # with heavy places, only nearby pixels are neighbours
