"""Segmenting pictures from Python."""

import numpy as np
import pytest

import graphwell as gw
from graphwell.datasets.strokes import strokes
from graphwell.memory import limited_to
from tests.segmentation.pictures import ONE, balls, grey, some


def test_a_new_stroke_gives_what_a_fresh_run_gives():
    away = np.hypot(*(np.indices((100, 120)) - np.array([50, 60])[:, None, None]))
    image, truth = np.where((away < 35) & (away > 20), 1.0, 0.0), (away < 35).astype(int)
    seeds = np.full(truth.shape, -1)
    seeds[5, 10:20], seeds[90, 10:20], seeds[22, 55:65], seeds[50, 50:60] = 0, 0, 1, 1
    hole = away <= 20  # of the colour of the ground: a stroke of its own must reach it
    segmenter = gw.Segmenter(image, **ONE)
    before = segmenter.segment(np.where(hole, -1, seeds))
    assert (before.labels == np.where(hole, 0, truth)).all()
    after = segmenter.segment(seeds)
    assert (after.labels == truth).all()
    seeds[95, 60:80] = 0  # says nothing new of colours: only what is near moves
    further = segmenter.segment(seeds)
    assert (further.labels == truth).all()
    assert further.result.n_sweeps < before.result.n_sweeps / 2
    assert "graph" in before.seconds
    assert "graph" not in further.seconds


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


def test_a_stroke_that_changes_how_far_colours_are_trusted_begins_anew():
    image, _ = gw.datasets.make_grey_image(90, 90, noise=0.2, random_state=0)
    seeds = np.full((90, 90), -1)
    seeds[4:8, 5:75], seeds[28:32, 40:50] = 0, 1
    segmenter = gw.Segmenter(image)
    first = segmenter.segment(seeds)
    seeds[78:82, 10:85] = 2
    further = segmenter.segment(seeds)
    assert (first.labels != further.labels).any()
    np.testing.assert_array_equal(further.labels, gw.Segmenter(image).segment(seeds).labels)


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


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"radius": 50}, "radius must lie between 1 and 16"),
        ({"color_scale": 0.0}, "color_scale must be positive"),
        ({"color_scale": float("nan")}, "color_scale must be positive"),
        ({"smoothing": -1.0}, "smoothing must lie between 0 and 100"),
        ({"device": "tpu"}, "device must be one of"),
        ({"device": ["cpu"]}, "device must be one of"),
        ({"radius": "3"}, "radius must lie between 1 and 16"),
        ({"smoothing": "1"}, "smoothing must lie between 0 and 100"),
        ({"color_scale": [1.0]}, "color_scale must be positive"),
        ({"patch": "3"}, "patch must be an odd positive number"),
        ({"n_jobs": "2"}, "n_jobs must be None or an integer"),
    ],
)
def test_bad_options_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        gw.Segmenter(np.zeros((4, 4)), **options)


def test_threads_do_not_change_the_result_of_a_volume():
    volume, truth = balls((24, 40, 20), (1, 1, 2))
    masked = np.ma.masked_where(np.indices(truth.shape)[0] == 22, volume)
    seeds = some(truth, 10)
    one, two, three = (
        gw.Segmenter(masked, channel_axis=None, spacing=(1, 1, 2), n_jobs=n).segment(seeds) for n in (1, 2, 3)
    )
    for other in (two, three):
        assert (one.labels == other.labels).all()
        assert (one.score == other.score).all()


def test_a_new_stroke_in_a_volume():
    volume, truth = balls((30, 30, 30), noise=0.05)
    seeds = some(truth, 20)
    segmenter = gw.Segmenter(volume, channel_axis=None, **ONE)
    before = segmenter.segment(np.where(np.indices(truth.shape)[0] % 2, seeds, -1))
    after = segmenter.segment(seeds)
    assert (after.labels == truth).mean() > 0.98
    assert after.result.n_sweeps < before.result.n_sweeps / 2


def test_a_single_class_is_everywhere_and_another_stroke_tells_them_apart():
    image, truth = gw.datasets.make_grey_image(40, 40)
    seeds = np.full((40, 40), -1)
    seeds[3, 3] = 7
    segmenter = gw.Segmenter(image)
    found = segmenter.segment(seeds)
    assert (found.labels == 7).all()
    assert (found.score == 1).all()
    assert found.result.status is gw.Status.ONE_CLASS
    assert found.classes.tolist() == [7]
    both = np.where(np.arange(40) % 4 == 0, truth, -1)
    assert np.array_equal(segmenter.segment(both).labels, gw.Segmenter(image).segment(both).labels)


def test_a_single_class_leaves_masked_points_alone():
    image = np.ma.masked_less(np.linspace(0, 1, 60).reshape(6, 10), 0.2)
    seeds = np.full((6, 10), -1)
    seeds[4, 4] = 2
    found = gw.Segmenter(image, channel_axis=None).segment(seeds)
    assert np.array_equal(found.labels, np.where(image.mask, -1, 2))
    assert found.unreached == 0


def test_a_volume_of_a_single_class():
    seeds = np.full((3, 4, 5), -1)
    seeds[1, 1, 1] = 0
    assert (gw.Segmenter(np.zeros((3, 4, 5)), channel_axis=None).segment(seeds).labels == 0).all()


def test_after_forget_a_call_finds_what_a_new_segmenter_finds():
    image, truth = gw.datasets.make_grey_image(40, 44, noise=0.3, random_state=0)
    few = np.where(np.random.default_rng(0).random(truth.shape) < 0.01, truth, -1)
    more = np.where(np.random.default_rng(1).random(truth.shape) < 0.05, truth, few)
    segmenter = gw.Segmenter(image)
    segmenter.segment(few)
    segmenter.forget()
    np.testing.assert_array_equal(segmenter.segment(more).score, gw.Segmenter(image).segment(more).score)


def test_every_stage_tells_how_far_it_is():
    image, truth = grey()
    told = []
    found = gw.Segmenter(image, progress=lambda *args: told.append(args), **ONE).segment(some(truth, 20))
    for stage in ("graph", "start", "descent"):
        shares = [share for name, share in told if name == stage]
        assert all(isinstance(share, float) for share in shares)
        assert shares[-1] == 1
    assert set(found.seconds) == {"graph", "start", "descent"}


def test_little_memory_means_a_smaller_copy_and_borders_at_full_size():
    image, truth = grey(side=260)
    seeds = some(truth, 40)
    with limited_to(30 * 10**6):
        found = gw.Segmenter(image, **ONE).segment(seeds)
    whole = gw.Segmenter(image, **ONE).segment(seeds)
    assert len(found.result.epsilons) > len(whole.result.epsilons)  # a descent at two sizes
    assert (found.labels == truth).mean() > 0.999


def test_uncertainty_and_where_to_mark_next():
    image, truth = grey(noise=0.2)
    seeds = some(truth, 3)
    found = gw.Segmenter(np.ma.masked_where(np.arange(99) < 5 + 0 * truth, image), **ONE).segment(seeds)
    shown = ~found.masked & found.reachable
    np.testing.assert_array_equal(found.uncertainty[found.masked], 0)
    np.testing.assert_allclose(found.uncertainty[shown], 1 - found.score[shown], atol=1e-6)
    first, *_ = squares = found.mark_next(seeds, n=3)
    assert len(squares) <= 3
    half = first.side // 2
    inside = np.s_[first.row - half : first.row + half, first.column - half : first.column + half]
    assert found.uncertainty[inside].mean() > found.uncertainty[shown].mean()
    assert (seeds[inside] < 0).all()
    volume = gw.Segmenter(np.zeros((3, 4, 5)), channel_axis=None).segment(np.zeros((3, 4, 5), int))
    assert volume.mark_next(np.zeros((3, 4, 5), int)) == ()
