"""Data made from a seed."""

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

from graphwell import datasets
from graphwell.datasets.strokes import STROKE, strokes, write_example


def test_moons_lie_on_their_half_circles():
    X, y = datasets.make_three_moons(noise_variance=0.0, random_state=0)
    assert X.shape == (1500, 100)
    assert (X[:, 2:] == 0).all()
    for c, (center, radius, upward) in enumerate([((0, 0), 1, 1), ((3, 0), 1, 1), ((1.5, 0.4), 1.5, -1)]):
        away = X[y == c, :2] - center
        np.testing.assert_allclose(np.linalg.norm(away, axis=1), radius)
        assert (upward * away[:, 1] >= 0).all()
        assert len(away) == 500
    X, y = datasets.make_two_moons(noise_variance=0.0, random_state=0)
    assert X.shape == (2000, 100)
    np.testing.assert_allclose(np.linalg.norm(X[y == 1, :2] - (1, 0.5), axis=1), 1)
    assert (X[y == 0, 1] >= 0).all()
    assert (X[y == 1, 1] <= 0.5).all()


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
    assert np.bincount(datasets.make_grey_image(40, 56)[1].ravel()).min() > 100


def test_the_noise_of_the_picture_is_its_own_and_stays_in_range():
    clean, truth = datasets.make_grey_image(noise=0.0)
    noisy, same = datasets.make_grey_image(noise=0.1, random_state=3)
    np.testing.assert_array_equal(truth, same)
    np.testing.assert_array_equal(noisy, datasets.make_grey_image(noise=0.1, random_state=3)[0])
    assert (noisy.min(), noisy.max()) == (0.0, 1.0)
    grey = truth == 2
    assert (noisy - clean)[grey].std() == pytest.approx(0.1, rel=0.05)
    assert abs((noisy - clean)[grey].mean()) < 0.01


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: datasets.make_three_moons(dim=1), "dim must be at least 2"),
        (lambda: datasets.make_three_moons(n_per_class=0), "n_per_class must be positive"),
        (lambda: datasets.make_two_moons(noise_variance=-1), "noise_variance must not be negative"),
        (
            lambda: datasets.make_grey_image(height=3),
            "height must be an integer of at least 16 pixels",
        ),
        (lambda: datasets.make_grey_image(width=50.5), "width must be an integer"),
        (lambda: datasets.make_grey_image(noise=-0.1), "noise must not be negative"),
        (lambda: datasets.make_grey_image(noise=float("nan")), "noise must not be negative"),
        (lambda: datasets.sample_labels(np.array([0, 1]), 2), "class 0 has 1 points"),
    ],
)
def test_bad_arguments_get_one_clear_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def test_the_example_is_three_files_with_one_stroke_in_each_region(tmp_path):
    marked = write_example(tmp_path)
    image, seeds = (np.asarray(Image.open(tmp_path / name)) for name in ("image.png", "seeds.png"))
    truth = np.load(tmp_path / "truth.npy")
    assert len(list(tmp_path.iterdir())) == 3
    assert image.shape == truth.shape == (191, 196)
    regions = sum(ndimage.label(truth == c)[1] for c in range(5))
    assert (seeds[..., 3] == 255).sum() == marked == regions * STROKE
    assert ndimage.label(strokes(truth) >= 0)[1] == regions
    np.testing.assert_array_equal(strokes(truth)[seeds[..., 3] == 255], truth[seeds[..., 3] == 255])
