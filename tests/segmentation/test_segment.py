"""Segmenting pictures in one call."""

import warnings
from inspect import signature

import numpy as np
import pytest

import graphwell as gw
from graphwell import UnreachableWarning
from graphwell.datasets.strokes import strokes
from tests.segmentation.pictures import ONE, grey, some


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


def test_segment_takes_exactly_the_options_of_the_segmenter():
    function, face = signature(gw.segment).parameters, signature(gw.Segmenter).parameters
    assert [name for name in function if name not in ("seeds", "channel_axis")] == list(face)
    for name, parameter in face.items():
        assert (function[name].default, function[name].kind) == (parameter.default, parameter.kind)
        assert function[name].annotation == parameter.annotation
        assert f"    {name} : " in gw.segment.__doc__
        assert f"    {name} : " in gw.Segmenter.__doc__


def test_channels_may_lie_along_any_axis():
    image, truth = grey(0.0, 40)
    seeds = some(truth, 20)
    color = np.stack([image, 1 - image, image], axis=0)
    wanted = gw.segment(np.moveaxis(color, 0, -1), seeds, **ONE)
    assert (gw.segment(color, seeds, channel_axis=0, **ONE) == wanted).all()
    assert (gw.segment(image, seeds, channel_axis=None, **ONE) == truth).all()
    for wrong, words in ((3, "must be an axis of the image"), (None, "volumes are not segmented")):
        with pytest.raises(gw.errors.OptionError, match=words):
            gw.segment(color, seeds, channel_axis=wrong)
