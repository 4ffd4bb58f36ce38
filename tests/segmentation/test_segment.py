"""Segmenting pictures and volumes."""

import warnings

import numpy as np
import pytest

import graphwell as gw
from graphwell import UnreachableWarning, datasets
from graphwell.datasets.strokes import strokes
from graphwell.memory import limited_to
from graphwell.segmentation.segmenter import Preview
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


@pytest.mark.parametrize("shape", [(1, 2), (2, 1), (2, 2), (3, 3), (1, 50), (17, 2)])
def test_small_and_thin_pictures(shape):
    image = np.random.default_rng(0).random(shape)
    seeds = np.full(shape, -1)
    seeds.flat[0], seeds.flat[-1] = 0, 1
    labels = gw.Segmenter(image).segment(seeds).labels
    assert labels.shape == shape
    assert (labels.flat[0], labels.flat[-1]) == (0, 1)


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


def test_a_single_class_is_everywhere_and_another_stroke_tells_them_apart():
    image, truth = gw.datasets.make_grey_image(40, 40)
    seeds = np.full((40, 40), -1)
    seeds[3, 3] = 7
    segmenter = gw.Segmenter(image)
    with pytest.warns(UserWarning, match="Only the class 7 is marked, so every pixel has it; mark some"):
        assert (gw.segment(image, seeds) == 7).all()
    masked = np.ma.masked_where(truth == 0, image)
    found = gw.Segmenter(masked, channel_axis=None).segment(np.where(truth == 0, -1, seeds.max()))
    assert np.array_equal(found.labels, np.where(truth == 0, -1, 7))
    assert found.unreached == 0
    found = segmenter.segment(seeds)
    assert (found.labels == 7).all()
    assert (found.score == 1).all()
    assert found.result.status is gw.Status.ONE_CLASS
    assert found.classes.tolist() == [7]
    both = np.where(np.arange(40) % 4 == 0, truth, -1)
    assert np.array_equal(segmenter.segment(both).labels, gw.Segmenter(image).segment(both).labels)


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


def test_units_types_and_places_of_channels_do_not_matter():
    image, truth = grey(side=60)
    seeds = some(truth, 20)
    whole = np.round(255 * image).astype(np.uint8)
    for other in (whole, 1000 * image, (60000 * image).astype(np.uint16), whole.astype(int), 1e-200 * image):
        assert (gw.segment(other, seeds, **ONE) == truth).all()
    for far in (
        1e9 + image,
        whole.astype(int) + 10**12,
        image - 1e7,
    ):  # single precision holds no such numbers
        assert (gw.segment(far, seeds, **ONE) == truth).all()
    color = np.stack([image, 1 - image, image**2], axis=2)
    assert (gw.segment(color, seeds, **ONE) == truth).all()
    assert (gw.segment(np.moveaxis(color, -1, 0), seeds, channel_axis=0, **ONE) == truth).all()
    assert (gw.segment(image, seeds, channel_axis=None, **ONE) == truth).all()
    spectrum = image[..., None] * np.linspace(1, 2, 30)
    assert (gw.segment(spectrum, seeds, **ONE) == truth).all()


def test_a_picture_that_is_enlarged_gives_the_labels_of_before_enlarged():
    image, truth = grey(side=60)
    seeds, square = some(truth, 20), np.ones((2, 2), dtype=int)
    small, large = (
        gw.segment(one, of_it, **ONE)
        for one, of_it in ((image, seeds), (np.kron(image, square), np.kron(seeds, square)))
    )
    assert (large == np.kron(small, square)).mean() > 0.99


def test_a_noisy_picture_is_segmented_well_in_small():
    image, truth = datasets.make_grey_image(200, 210, noise=0.15, random_state=0)
    seeds = datasets.sample_labels(truth.ravel(), 40, 0).reshape(truth.shape)
    preview = Preview(image, most_pixels=11_000, n_jobs=1)
    found = np.repeat(np.repeat(preview.segment(seeds), 2, axis=0), 2, axis=1)
    assert preview.segment(seeds).shape == (100, 105)
    assert (found == truth).mean() > 0.95


def made(image=(4, 4), **options):
    """A segmenter of a black picture of this shape, or of this picture."""
    return gw.Segmenter(np.zeros(image) if isinstance(image, tuple) else np.ma.asarray(image), **options)


def spaced(spacing):
    return made((4, 5, 6), channel_axis=None, spacing=spacing)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: made(radius=50), "radius must lie between 1 and 16"),
        (lambda: made(radius="3"), "radius must lie between 1 and 16"),
        (lambda: made(color_scale=0.0), "color_scale must be positive"),
        (lambda: made(color_scale=float("nan")), "color_scale must be positive"),
        (lambda: made(color_scale=[1.0]), "color_scale must be positive"),
        (lambda: made(smoothing=-1.0), "smoothing must lie between 0 and 100"),
        (lambda: made(smoothing="1"), "smoothing must lie between 0 and 100"),
        (lambda: made(device=["cpu"]), "device must be one of"),
        (lambda: made(n_jobs="2"), "n_jobs must be None or an integer"),
        (lambda: gw.Segmenter("photo.png"), r"image is the path .photo.png.; give np.asarray"),
        (lambda: made((5,)), "must have the shape"),
        (lambda: made((0, 4)), "must have the shape"),
        (lambda: made((2,) * 5), "must have the shape"),
        (lambda: made((1, 1)), "single pixel"),
        (lambda: made([["a", "b"]]), "must hold numbers"),
        (lambda: made([[1j, 2]]), "real numbers"),
        (lambda: made([[0.0, np.nan]]), "NaN or infinite"),
        (lambda: made([[0.0, -np.inf]]), "NaN or infinite"),
        (lambda: made(np.ma.masked_all((3, 4))), "image is masked everywhere"),
        (lambda: made().segment(np.zeros((3, 4), int)), "size of the image, 4 x 4, but have 3 x 4"),
        (lambda: made().segment(np.zeros((4, 4, 1), int)), r"but have the shape \(4, 4, 1\)"),
        (lambda: made().segment(np.zeros((4, 4))), "integers with -1 for unknown, got float64"),
        (lambda: made().segment(np.full((4, 4), -1)), "seeds hold no class at all"),
        (lambda: made().segment(np.full((4, 4), -3)), "classes from 0 up, or -1 for unknown; got -3"),
        *((lambda s=s: spaced(s), "3 positive numbers, one for each axis") for s in ((1, 1), 2.0, "abc")),
        *((lambda s=s: spaced((1, 1, s)), "3 positive numbers, one for") for s in (0, np.nan, -1)),
        (lambda: made((4, 5, 6, 2), channel_axis=None), "must be an axis of the image of shape"),
        (lambda: made((4, 5, 6), channel_axis=3), "channel_axis must be an axis of the image of shape"),
        (lambda: made((4, 5, 6), channel_axis="last"), "must be an axis of the image of shape"),
    ],
)
def test_bad_input_gets_one_clear_sentence(call, words):
    with pytest.raises(ValueError, match=words):
        call()
