"""Coarse answers from a small copy."""

import numpy as np
import pytest

from graphwell import datasets
from graphwell.segmentation.preview import Preview, reduced, reduced_seeds


@pytest.mark.parametrize("shape", [(7, 5), (8, 6, 3), (1, 9), (9, 1)])
@pytest.mark.parametrize("factor", [1, 2, 3])
def test_a_reduced_picture_holds_the_means_of_its_squares(shape, factor):
    image = np.random.default_rng(0).normal(size=shape)
    found = reduced(image, factor)
    for r in range(found.shape[0]):
        for c in range(found.shape[1]):
            square = image[factor * r : factor * (r + 1), factor * c : factor * (c + 1)]
            assert np.allclose(found[r, c], square.mean(axis=(0, 1)))


def test_every_marked_square_has_a_seed_of_its_own():
    seeds = np.full((10, 11), -1)
    seeds[9, 10], seeds[0, 3] = 4, 2
    found = reduced_seeds(seeds, 4)
    assert found.shape == (3, 3)
    assert found[2, 2] == 4
    assert found[0, 0] == 2
    assert (found >= 0).sum() == 2


def test_a_noisy_picture_is_segmented_well_in_small():
    image, truth = datasets.make_grey_image(200, 210, noise=0.15, random_state=0)
    seeds = datasets.sample_labels(truth.ravel(), 40, 0).reshape(truth.shape)
    preview = Preview(image, most_pixels=11_000, n_jobs=1)
    found = np.repeat(np.repeat(preview.segment(seeds), 2, axis=0), 2, axis=1)
    assert preview.factor == 2
    assert (found == truth).mean() > 0.95
