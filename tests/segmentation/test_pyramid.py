"""Scores from coarse copies of a picture."""

import numpy as np
from scipy.sparse.linalg import spsolve

from graphwell.backends import find_backend
from graphwell.datasets import make_grey_image
from graphwell.segmentation.features import picture_features
from graphwell.segmentation.pixels import pixel_graph
from graphwell.segmentation.pyramid import Level, build_levels, doubled, halved_seeds, pyramid_scores


def levels_of(image, scale=0.2):
    features = picture_features(image)
    graph = pixel_graph(features.values, 3, scale)
    backend = find_backend("cpu")
    finest = Level(image.shape, graph, backend.engine(graph), 0)
    return build_levels(features, finest, 3, None, backend)


def harmonic(graph, seeds, n_classes):
    """Laplace learning by a direct solver."""
    known = seeds.ravel() >= 0
    labels = np.eye(n_classes)[seeds.ravel()[known]]
    L = graph.L.tocsc()
    free = spsolve(L[~known][:, ~known], -(L[~known][:, known] @ labels))
    scores = np.zeros((graph.n_vertices, n_classes))
    scores[known], scores[~known] = labels, free
    return scores.reshape(*seeds.shape, n_classes)


def test_the_refined_scores_are_near_the_exact_ones():
    image, truth = make_grey_image(100, 90)
    seeds = np.full(truth.shape, -1)
    seeds[::6, ::5] = truth[::6, ::5]
    levels = levels_of(image)
    assert [level.shape for level in levels] == [(50, 45), (100, 90)]
    scores = pyramid_scores(levels, seeds, 5)
    exact = harmonic(levels[-1].graph, seeds, 5)
    assert np.abs(scores[-1] - exact).max() < 0.02


def test_a_noisy_picture_is_never_asked_pixel_by_pixel():
    levels = levels_of(make_grey_image(64, 64, noise=0.2, random_state=0)[0])
    assert [level.shape for level in levels] == [(32, 32)]


def test_scores_from_earlier_ones_are_near_those_from_nothing():
    image, truth = make_grey_image(100, 90)
    seeds = np.full(truth.shape, -1)
    seeds[::6, ::5] = truth[::6, ::5]
    fewer = seeds.copy()
    fewer[40:60, 30:50] = -1
    levels = levels_of(image)
    before = pyramid_scores(levels, fewer, 5)
    warm = pyramid_scores(levels, seeds, 5, before)
    fresh = pyramid_scores(levels, seeds, 5)
    assert (warm[-1].argmax(axis=2) == fresh[-1].argmax(axis=2)).mean() > 0.995


def test_halved_seeds_take_the_majority():
    seeds = np.array([[2, -1, 0, 1, -1], [2, 0, 1, 1, 4], [-1, -1, 3, -1, -1]])
    assert halved_seeds(seeds, 5).tolist() == [[2, 1, 4], [-1, 3, -1]]


def test_doubled_scores_fit_odd_sizes():
    scores = np.arange(4.0).reshape(2, 2, 1)
    assert doubled(scores, (3, 3))[..., 0].tolist() == [[0, 0, 1], [0, 0, 1], [2, 2, 3]]
