"""The descent through all sizes of a picture."""

import numpy as np
import pytest
from scipy import ndimage

from graphwell.datasets import make_grey_image
from graphwell.segmentation.band import grown, near_borders
from graphwell.segmentation.refinement import NEAR_A_CHANGE, _Refiner, largest_plane, refine_borders
from graphwell.segmentation.seeds import Seeds
from tests.segmentation.test_canvas import canvas_of


def labelled(canvas, seeds, classes, before=None):
    start_before, descent_before = before or (None, None)
    by_size = canvas.seeds_by_size(Seeds.of(seeds))
    start = canvas.start(by_size, classes, canvas.strength(by_size), start_before, lambda share: None)
    return start, refine_borders(canvas, by_size, start, descent_before, lambda share: None)


def test_borders_found_on_a_smaller_copy_are_refined_at_full_size():
    image, truth = make_grey_image(240, 250)
    seeds = np.full(truth.shape, -1)
    seeds[::9, ::10] = truth[::9, ::10]
    canvas = canvas_of(image, working_pixels=5000)
    assert canvas.working == 2
    _, found = labelled(canvas, seeds, np.arange(5))
    assert sorted(found.states) == [0, 1, 2]
    assert (found.states[0].labels == truth).mean() > 0.998
    result = found.result(canvas.engine)
    assert result.labels.shape == (truth.size,)
    assert len(result.energies) == len(result.epsilons) == len(result.label_changes) == 27
    assert result.n_sweeps == 135


def test_marks_are_never_overruled_and_scores_are_shares():
    rng = np.random.default_rng(0)
    seeds = rng.integers(-60, 3, (90, 80)).clip(-1)
    canvas = canvas_of(rng.random((90, 80)), working_pixels=2000)
    _, found = labelled(canvas, seeds, np.arange(3))
    final = found.states[0]
    assert (final.labels[seeds >= 0] == seeds[seeds >= 0]).all()
    assert 0 <= final.score.min() <= final.score.max() <= 1 + 1e-6


@pytest.mark.parametrize("working_pixels", [10**6, 5000])
def test_a_further_stroke_moves_only_what_is_near_a_change(working_pixels):
    image, truth = make_grey_image(160, 150)
    seeds = np.full(truth.shape, -1)
    seeds[::9, ::10] = truth[::9, ::10]
    canvas, classes = canvas_of(image, working_pixels), np.arange(5)
    before = labelled(canvas, seeds, classes)
    again = labelled(canvas, seeds, classes, before)[1]
    assert (again.states[0].labels == before[1].states[0].labels).mean() > 0.999
    more = seeds.copy()
    more[80:84, 70:74] = (truth[82, 72] + 1) % 5
    after = labelled(canvas, more, classes, before)[1]
    assert (after.states[0].labels[80:84, 70:74] == more[80:84, 70:74]).all()
    changed = np.argwhere(after.states[0].labels != before[1].states[0].labels)
    assert 0 < len(changed) < truth.size / 10
    assert after.n_sweeps < before[1].n_sweeps


@pytest.mark.parametrize("size", [0, 1])
def test_points_near_a_change_are_found_in_its_surroundings_alone(size):
    image, truth = make_grey_image(160, 150)
    canvas = canvas_of(image, 5000)
    refiner = _Refiner(canvas, size, Seeds.of(np.full(canvas.grid(size).shape, -1)), np.zeros(0), print)
    labels = truth[:: 2**size, :: 2**size]
    rng = np.random.default_rng(0)
    for changed in (np.zeros_like(labels, dtype=bool), rng.random(labels.shape) < 2e-4):
        wanted = near_borders(labels, refiner.width, ndimage) & grown(changed, NEAR_A_CHANGE, ndimage)
        np.testing.assert_array_equal(refiner._near_changes(labels, changed), wanted)
    assert wanted.any()


def test_a_ball_in_a_volume():
    places = np.stack(np.meshgrid(*[np.arange(s) for s in (24, 22, 20)], indexing="ij"), axis=-1)
    truth = (((places - (12, 11, 10)) ** 2).sum(axis=-1) < 49).astype(int)
    volume = truth + np.random.default_rng(0).normal(0, 0.02, truth.shape)
    seeds = np.full(truth.shape, -1)
    seeds[12, 9:13, 10], seeds[2, 2:20, 3] = 1, 0
    for working_pixels in (10**6, 4000):
        canvas = canvas_of(volume, working_pixels, radius=1.5)
        _, found = labelled(canvas, seeds, np.arange(2))
        assert (found.states[0].labels == truth).mean() > 0.99


def test_the_largest_plane_is_the_first_of_equals():
    belief = np.random.default_rng(0).integers(0, 3, (7, 40, 30)) / 2
    np.testing.assert_array_equal(largest_plane(belief), belief.argmax(axis=0))
    np.testing.assert_array_equal(largest_plane(belief[:1]), 0)
