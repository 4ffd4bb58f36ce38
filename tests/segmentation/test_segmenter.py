"""Segmenting pictures from Python."""

import warnings
from inspect import signature

import numpy as np
import pytest

import graphwell as gw
from graphwell.datasets.strokes import strokes
from graphwell.estimators.base import UnreachableWarning

ONE = {"n_jobs": 1}  # small pictures gain nothing from threads


def grey(noise=0.0, side=96):
    return gw.datasets.make_grey_image(side, side + 3, noise=noise, random_state=7)


def some(truth, per_class, seed=7):
    return gw.datasets.sample_labels(truth.ravel(), per_class, seed).reshape(truth.shape)


@pytest.mark.parametrize("seeds_of", [lambda t: some(t, 20), lambda t: some(t, 60), strokes])
def test_a_clean_picture_is_segmented_without_a_mistake(seeds_of):
    image, truth = gw.datasets.make_grey_image()
    assert (gw.segment(image, seeds_of(truth), **ONE) == truth).all()


@pytest.mark.parametrize(("noise", "most"), [(0.05, 12), (0.1, 130), (0.2, 450)])
def test_noise_costs_few_pixels(noise, most):
    image, truth = gw.datasets.make_grey_image(noise=noise, random_state=7)
    assert (gw.segment(image, some(truth, 20), **ONE) != truth).sum() <= most


def test_classes_are_the_users_numbers_and_their_names_do_not_matter():
    image, truth = grey(noise=0.1)
    names = np.array([40, 7, 99, 0, 12])
    seeds = some(truth, 20)
    renamed = gw.segment(image, np.where(seeds >= 0, names[seeds], -1), **ONE)
    assert (renamed != names[gw.segment(image, seeds, **ONE)]).sum() <= 2  # exact ties may fall either way


def test_units_and_types_of_the_picture_do_not_matter():
    image, truth = grey()
    seeds = some(truth, 20)
    for other in (np.round(255 * image).astype(np.uint8), 1000 * image, (60000 * image).astype(np.uint16)):
        assert (gw.segment(other, seeds, **ONE) == truth).all()
    color = np.stack([image, 1 - image, image**2], axis=2)
    assert (gw.segment(color, seeds, **ONE) == truth).all()
    spectrum = image[..., None] * np.linspace(1, 2, 30)
    assert (gw.segment(spectrum, seeds, **ONE) == truth).all()


def test_a_region_without_a_seed_is_reported_and_gets_no_class():
    image = np.zeros((40, 60))
    image[:, 20:40] = 0.5
    image[:, 40:] = 1.0
    seeds = np.full(image.shape, -1)
    seeds[5, 5], seeds[5, 25] = 0, 1
    with pytest.warns(UnreachableWarning, match="No seed reaches 800 of 2,400 pixels"):
        labels = gw.segment(image, seeds)
    assert (labels[:, :20] == 0).all()
    assert (labels[:, 20:40] == 1).all()
    assert (labels[:, 40:] == -1).all()
    found = gw.Segmenter(image).segment(seeds)
    assert (found.reachable == (labels >= 0)).all()
    assert (found.score[~found.reachable] == 0).all()


def test_a_speck_takes_the_class_around_it():
    image = np.zeros((40, 60))
    image[:, 30:] = 0.5
    image[20:23, 10:13] = 1.0
    seeds = np.full(image.shape, -1)
    seeds[5, 5], seeds[5, 50] = 0, 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = gw.segment(image, seeds)
    assert (labels == (np.arange(60) >= 30)).all()


def test_a_new_stroke_gives_what_a_fresh_run_gives():
    image, truth = grey()
    seeds = strokes(truth, length=5)
    hole = np.zeros(truth.shape, dtype=bool)
    hole[30:50, 48:75] = True  # inside the ring, which a stroke of its own must reach
    segmenter = gw.Segmenter(image, **ONE)
    before = segmenter.segment(np.where(hole, -1, seeds))
    assert (before.labels != truth).any()
    after = segmenter.segment(seeds)
    assert (after.labels == truth).all()
    assert after.result.n_sweeps < before.result.n_sweeps / 3
    assert "graph" in before.seconds
    assert "graph" not in after.seconds


def test_a_stroke_may_bring_a_new_class():
    image, truth = grey()
    seeds = strokes(truth, length=5)
    segmenter = gw.Segmenter(image, **ONE)
    segmenter.segment(np.where(seeds == 1, -1, seeds))
    assert (segmenter.segment(seeds).labels == truth).all()
    fewer = np.where(seeds == 4, -1, seeds)
    again, fresh = segmenter.segment(fewer), gw.Segmenter(image, **ONE).segment(fewer)
    assert again.result.n_sweeps == fresh.result.n_sweeps  # a class is gone: nothing to go on from
    assert (again.labels == fresh.labels).all()


def test_scores_are_low_along_borders():
    image, truth = grey(noise=0.1)
    found = gw.Segmenter(image, **ONE).segment(some(truth, 20))
    wrong = found.labels != truth
    assert found.score.min() >= 0
    assert found.score.max() <= 1 + 1e-6
    assert found.score[wrong].mean() < found.score[~wrong].mean() - 0.05


def test_threads_do_not_change_the_result():
    image, truth = grey(noise=0.15, side=150)
    seeds = some(truth, 20)
    one, two = (gw.Segmenter(image, n_jobs=n).segment(seeds) for n in (1, 2))
    assert (one.labels == two.labels).all()
    assert (one.score == two.score).all()


def test_the_graph_of_the_paper_is_available():
    image, truth = grey(side=64)
    labels = gw.segment(image, some(truth, 20), graph="features", n_neighbors=10)
    assert (labels == truth).mean() > 0.99


def test_patches_segment_textures_that_pixels_cannot():
    rows, columns = np.indices((40, 40))
    image = np.where(columns < 20, rows % 2, columns % 2).astype(float)
    truth = (columns >= 20).astype(int)
    seeds = np.full(truth.shape, -1)
    seeds[5:35, 8:11], seeds[5:35, 28:31] = 0, 1
    by_patches = gw.segment(image, seeds, patch=5)
    assert (by_patches[:, 2:-2] == truth[:, 2:-2]).mean() > 0.97


@pytest.mark.parametrize("shape", [(1, 2), (2, 1), (2, 2), (3, 3), (1, 50), (17, 2)])
def test_small_and_thin_pictures(shape):
    image = np.random.default_rng(0).random(shape)
    seeds = np.full(shape, -1)
    seeds.flat[0], seeds.flat[-1] = 0, 1
    labels = gw.Segmenter(image).segment(seeds).labels
    assert labels.shape == shape
    assert (labels.flat[0], labels.flat[-1]) == (0, 1)


def test_a_picture_of_one_colour():
    seeds = np.full((20, 30), -1)
    seeds[:, 0], seeds[:, -1] = 0, 1
    labels = gw.segment(np.full((20, 30), 0.3), seeds)
    assert (labels == (np.arange(30) >= 15)).mean() > 0.9


def test_bad_seeds_are_refused():
    with pytest.raises(ValueError, match="seeds must have the size of the image, 4 x 4, but have 3 x 4"):
        gw.segment(np.zeros((4, 4)), np.zeros((3, 4), int))


def test_segment_takes_exactly_the_options_of_the_segmenter():
    function, face = signature(gw.segment).parameters, signature(gw.Segmenter).parameters
    assert [name for name in function if name != "seeds"] == list(face)
    for name, parameter in face.items():
        assert (function[name].default, function[name].kind) == (parameter.default, parameter.kind)
        assert function[name].annotation == parameter.annotation
        assert f"    {name} : " in gw.segment.__doc__
        assert f"    {name} : " in gw.Segmenter.__doc__


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"graph": "tree"}, "graph must be one of pixels, features, got 'tree'"),
        ({"radius": 50}, "radius must lie between 1 and 16"),
        ({"color_scale": 0.0}, "color_scale must be positive"),
        ({"color_scale": float("nan")}, "color_scale must be positive"),
        ({"smoothing": -1.0}, "smoothing must lie between 0 and 100"),
        ({"position_weight": -1.0}, "position_weight must be positive"),
        ({"fidelity": 0.0}, "fidelity must be positive"),
        ({"device": "tpu"}, "device must be one of"),
    ],
)
def test_bad_options_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        gw.Segmenter(np.zeros((4, 4)), **options)
