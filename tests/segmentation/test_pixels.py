"""Graphs of pictures, against their definition in plain loops."""

import numpy as np
import pytest

from graphwell.segmentation.features import halved, noise_left, picture_features, read_picture, smoothed
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


def test_noise_is_measured():
    rng = np.random.default_rng(0)
    image = 0.5 + np.where(np.arange(200) < 100, 0.3, -0.3) + rng.normal(0, 0.05, (200, 200))
    features = picture_features(image)
    assert features.noise == pytest.approx(0.05, rel=0.05)
    assert features.contrast == pytest.approx(0.3, rel=0.05)
    noise = rng.normal(size=(256, 256, 1))
    for width, halvings in [(0.0, 1), (0.7, 0), (1.5, 2)]:
        left = smoothed(noise, width)
        for _ in range(halvings):
            left = halved(left)
        assert left.std() == pytest.approx(noise_left(width, halvings), rel=0.05)


def test_many_channels_become_few_and_keep_their_distances():
    rng = np.random.default_rng(0)
    image = rng.random((20, 20, 3)) @ rng.normal(size=(3, 50))
    features = picture_features(image)
    assert features.values.shape == (20, 20, 8)
    rows, few = (v.reshape(400, -1).astype(float) for v in (read_picture(image), features.values))
    before, after = (np.linalg.norm(v[0] - v, axis=1) for v in (rows, few))
    np.testing.assert_allclose(after, before, rtol=1e-3, atol=1e-4)


def test_patches_tell_textures_apart():
    rows, columns = np.indices((20, 20))
    stripes = np.where(columns < 10, rows % 2, columns % 2).astype(float)
    patches = picture_features(stripes, patch=3).values.reshape(20, 20, -1)
    within, across = np.abs(patches[6, 3] - patches[8, 5]).max(), np.abs(patches[6, 3] - patches[6, 15]).max()
    assert within < 1e-5 < 0.3 < across
    with pytest.raises(ValueError, match="patch must be an odd positive number of pixels, got 2"):
        picture_features(stripes, patch=2)


@pytest.mark.parametrize(
    ("image", "words"),
    [
        (np.zeros(5), "must have the shape"),
        (np.zeros((0, 4)), "must have the shape"),
        (np.zeros((1, 1)), "single pixel"),
        (np.array([["a", "b"]]), "must hold numbers"),
        (np.array([[1j, 2]]), "real numbers"),
        (np.array([[0.0, np.nan]]), "NaN or infinite"),
        (np.array([[0.0, -np.inf]]), "NaN or infinite"),
    ],
)
def test_bad_pictures_are_refused(image, words):
    with pytest.raises(ValueError, match=words):
        read_picture(image)
