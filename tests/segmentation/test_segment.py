"""Segmenting pictures in one call."""

import warnings
from inspect import signature

import numpy as np
import pytest

import graphwell as gw
from graphwell import UnreachableWarning
from graphwell.datasets.strokes import strokes
from tests.segmentation.pictures import ONE, balls, grey, some


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


def test_a_single_class_is_everywhere_with_a_warning():
    with pytest.warns(UserWarning, match="Only the class 3 is marked, so every pixel has it; mark some"):
        labels = gw.segment(np.zeros((4, 5)), np.where(np.eye(4, 5) > 0, 3, -1))
    assert (labels == 3).all()


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
    assert [name for name in function if name != "seeds"] == list(face)
    for name, parameter in face.items():
        assert (function[name].default, function[name].kind) == (parameter.default, parameter.kind)
        if name != "channel_axis":  # of a DataArray it has a name
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
    with pytest.raises(gw.errors.OptionError, match="channel_axis must be an axis of the image"):
        gw.segment(color, seeds, channel_axis=3)


@pytest.mark.parametrize(
    ("shape", "spacing", "most"), [((32, 32, 32), None, 0.01), ((36, 36, 15), (1, 1, 2.5), 0.01)]
)
def test_volumes(shape, spacing, most):
    volume, truth = balls(shape, spacing or (1, 1, 1))
    seeds = some(truth, 10)
    labels = gw.segment(volume, seeds, spacing=spacing, **ONE)
    assert labels.shape == shape
    assert (labels != truth).mean() < most
    moved = np.stack([volume, 1 - volume])
    assert (gw.segment(moved, seeds, channel_axis=0, spacing=spacing, **ONE) != truth).mean() < most


def test_the_spacing_of_flat_points_helps():
    volume, truth = balls((36, 36, 12), (1, 1, 4))
    seeds = some(truth, 10)
    with_it, without = (gw.segment(volume, seeds, spacing=s, **ONE) for s in ((2, 2, 8), None))
    assert (with_it != truth).sum() < 0.8 * (without != truth).sum()
    assert (gw.segment(volume, seeds, spacing=(1, 1, 4), **ONE) == with_it).all()


def test_one_slice_is_a_picture():
    image, truth = grey(noise=0.1, side=40)
    seeds = some(truth, 10)
    wanted = gw.segment(image, seeds, **ONE)
    for axis in range(3):
        found = gw.segment(np.expand_dims(image, axis), np.expand_dims(seeds, axis), **ONE)
        assert (found == np.expand_dims(wanted, axis)).all()


def test_volumes_and_seeds_of_other_sizes_are_refused():
    volume = np.zeros((4, 5, 6))
    with pytest.raises(ValueError, match=r"the shape \(4, 5, 6\), but have the shape \(4, 5, 5\)"):
        gw.segment(volume, np.zeros((4, 5, 5), int))
    with pytest.raises(ValueError, match="seeds must have the size of the image, 4 x 5, but have 5 x 4"):
        gw.segment(volume, np.zeros((5, 4), int))


def test_masked_points_are_no_points():
    image, truth = grey(noise=0.1)
    seeds = some(truth, 30)
    masked = np.zeros(truth.shape, dtype=bool)
    masked[:20], masked[60:70, 10:30] = True, True
    holes = np.where(masked, np.nan, image)
    with pytest.raises(ValueError, match="image holds NaN"):
        gw.segment(holes, seeds)
    labels = gw.segment(np.ma.masked_invalid(holes), seeds, **ONE)  # warnings are errors
    assert (labels[masked] == -1).all()
    assert (labels[~masked] == truth[~masked]).mean() > 0.98
    found = gw.Segmenter(np.ma.masked_invalid(holes), **ONE).segment(seeds)
    assert (found.score[masked] == 0).all()
    assert found.unreached == 0


@pytest.mark.parametrize("noise", [0.0, 0.1])
@pytest.mark.parametrize("width", [1, 2, 9])
def test_nothing_passes_through_a_mask(width, noise):
    image = np.random.default_rng(0).normal(0.5, noise, (60, 400))
    wall = slice(200, 200 + width)
    image[:, wall] = np.nan
    seeds = np.full(image.shape, -1)
    seeds[30, 2], seeds[:, 199 + width + 1], seeds[30, 390] = 0, 1, 2
    labels = gw.segment(np.ma.masked_invalid(image), seeds, **ONE)
    assert (labels[:, :200] == 0).all()
    assert (labels[:, wall] == -1).all()
    assert (labels[:, 200 + width :] > 0).all()


def test_a_piece_without_seed_gets_no_class():
    image = np.ma.array(np.zeros((20, 30)))
    image[:, 20] = np.ma.masked
    image[:3, 25], image[3, 25:], image[0, 26:] = (np.ma.masked,) * 3
    seeds = np.full(image.shape, -1)
    seeds[5, 3], seeds[5, 12], seeds[5, 20] = 0, 1, 2  # the last is masked
    with pytest.warns(UnreachableWarning, match="No seed reaches 168 of 600 pixels"):
        labels = gw.segment(image, seeds, **ONE)
    assert set(np.unique(labels[:, :20])) == {0, 1}
    assert (labels[:, 20:] == -1).all()
