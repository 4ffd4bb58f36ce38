"""The grey picture."""

import numpy as np
import pytest
from scipy import ndimage

from graphwell import datasets


def test_the_grey_picture_has_five_classes_a_hole_and_junctions():
    image, truth = datasets.make_grey_image()
    assert image.shape == truth.shape == (191, 196)
    np.testing.assert_array_equal(image, truth / 4)
    regions = [ndimage.label(truth == c)[1] for c in range(5)]
    assert regions == [1, 1, 1, 2, 1]  # light lies outside the ring and in its hole
    filled = ndimage.binary_fill_holes(truth == 4)
    assert (truth[filled & (truth != 4)] == 3).all()
    assert (filled & (truth != 4)).sum() > 1000
    windows = np.stack([truth[:-1, :-1], truth[1:, :-1], truth[:-1, 1:], truth[1:, 1:]])
    corners = [len(set(window)) for window in windows.reshape(4, -1).T.tolist()]
    assert sum(count >= 3 for count in corners) >= 5


def test_every_class_of_a_small_picture_is_there():
    image, truth = datasets.make_grey_image(40, 56)
    assert image.shape == (40, 56)
    assert np.bincount(truth.ravel()).min() > 100


def test_the_noise_of_the_picture_is_its_own_and_stays_in_range():
    clean, truth = datasets.make_grey_image(noise=0.0)
    noisy, same = datasets.make_grey_image(noise=0.1, random_state=3)
    np.testing.assert_array_equal(truth, same)
    np.testing.assert_array_equal(noisy, datasets.make_grey_image(noise=0.1, random_state=3)[0])
    assert noisy.min() == 0.0
    assert noisy.max() == 1.0
    grey = truth == 2
    assert (noisy - clean)[grey].std() == pytest.approx(0.1, rel=0.05)
    assert abs((noisy - clean)[grey].mean()) < 0.01


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: datasets.make_grey_image(height=3),
            "height must be an integer of at least 16 pixels, got 3",
        ),
        (lambda: datasets.make_grey_image(width=50.5), "width must be an integer"),
        (lambda: datasets.make_grey_image(noise=-0.1), "noise must not be negative"),
        (lambda: datasets.make_grey_image(noise=float("nan")), "noise must not be negative"),
    ],
)
def test_bad_arguments_get_one_clear_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
