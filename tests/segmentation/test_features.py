"""What pixels are compared by."""

import numpy as np
import pytest

from graphwell.segmentation.features import halved, noise_left, picture_features, read_picture, smoothed


def test_noise_is_measured():
    rng = np.random.default_rng(0)
    image = 0.5 + np.where(np.arange(200) < 100, 0.3, -0.3) + rng.normal(0, 0.05, (200, 200))
    features = picture_features(image)
    assert features.noise == pytest.approx(0.05, rel=0.05)
    assert features.contrast == pytest.approx(0.3, rel=0.05)
    noise = rng.normal(size=(256, 256, 1))
    for width, halvings in [(0.0, 1), (0.7, 0), (1.5, 2)]:
        left = smoothed(noise, width, (1.0, 1.0))
        for _ in range(halvings):
            left = halved(left)
        assert left.std() == pytest.approx(noise_left(width, halvings, (1.0, 1.0)), rel=0.05)


def test_many_channels_become_few_and_keep_their_distances():
    rng = np.random.default_rng(0)
    image = rng.random((20, 20, 3)) @ rng.normal(size=(3, 50))
    features = picture_features(image)
    assert features.values.shape == (20, 20, 8)
    rows, few = (v.reshape(400, -1).astype(float) for v in (read_picture(image), features.values))
    before, after = (np.linalg.norm(v[0] - v, axis=1) for v in (rows, few))
    np.testing.assert_allclose(after, before, rtol=1e-3, atol=1e-4)


def test_patches_tell_textures_apart():
    rows, columns = np.indices((20, 20))
    stripes = np.where(columns < 10, rows % 2, columns % 2).astype(float)
    patches = picture_features(stripes, patch=3).values.reshape(20, 20, -1)
    within, across = np.abs(patches[6, 3] - patches[8, 5]).max(), np.abs(patches[6, 3] - patches[6, 15]).max()
    assert within < 1e-5 < 0.3 < across
    with pytest.raises(ValueError, match="patch must be an odd positive number of pixels, got 2"):
        picture_features(stripes, patch=2)


@pytest.mark.parametrize(
    ("image", "words"),
    [
        (np.zeros(5), "must have the shape"),
        (np.zeros((0, 4)), "must have the shape"),
        (np.zeros((1, 1)), "single pixel"),
        (np.array([["a", "b"]]), "must hold numbers"),
        (np.array([[1j, 2]]), "real numbers"),
        (np.array([[0.0, np.nan]]), "NaN or infinite"),
        (np.array([[0.0, -np.inf]]), "NaN or infinite"),
    ],
)
def test_bad_pictures_are_refused(image, words):
    with pytest.raises(ValueError, match=words):
        read_picture(image)


def test_noise_left_in_a_volume():
    noise = np.random.default_rng(0).standard_normal((80, 82, 84, 1))
    spacing = (1.0, 1.0, 2.0)
    left = halved(smoothed(noise, 1.5, spacing))[4:-4, 4:-4, 4:-4]
    assert left.std() == pytest.approx(noise_left(1.5, 1, spacing), rel=0.05)


def test_masked_points_are_not_measured():
    rng = np.random.default_rng(0)
    values = rng.normal(0.0, 0.1, (150, 200, 1))
    masked = np.arange(150)[:, None] + np.zeros(200) >= 70
    values[masked] = 7.0
    found = picture_features(values, masked=masked)
    scale = 1 / np.abs(values).max()
    assert found.noise == pytest.approx(0.1 * scale, rel=0.1)
    assert found.contrast == pytest.approx(0.1 * scale, rel=0.1)
