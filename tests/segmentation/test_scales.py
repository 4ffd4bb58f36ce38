"""Blur and colour scale follow from noise and contrast."""

import numpy as np
import pytest

from graphwell.datasets import make_grey_image
from graphwell.segmentation.features import features_of, noise_left, picture_features
from graphwell.segmentation.scales import (
    border_blur,
    border_color_scale,
    is_noisy,
    start_blur,
    start_color_scale,
)


def features(noise):
    return picture_features(make_grey_image(64, 64, noise=noise, random_state=0)[0])


def test_a_clean_picture_is_not_blurred():
    clean = features(0.0)
    assert not is_noisy(clean)
    assert (start_blur(clean), border_blur(clean)) == (0.0, 0.0)


def test_more_noise_asks_for_more_blur_and_a_wider_scale():
    found = [features(noise) for noise in (0.05, 0.1, 0.2)]
    blurs = [border_blur(f) for f in found]
    scales = [border_color_scale(f, 0.0) for f in found]
    assert blurs == sorted(blurs)
    assert scales == sorted(scales)
    assert is_noisy(found[-1])


def test_halving_averages_noise_away():
    noisy = features(0.2)
    scales = [start_color_scale(noisy, halvings) for halvings in range(3)]
    assert scales == sorted(scales, reverse=True)
    assert np.all(np.array(scales) > 0)


def test_a_volume_is_blurred_less():
    rng = np.random.default_rng(0)
    halves = 0.5 * (np.arange(40) >= 20)
    picture = features_of(rng.normal(halves, 0.15, (40, 40))[..., None])
    volume = features_of(rng.normal(halves, 0.15, (40, 40, 40))[..., None])
    assert border_blur(volume) < border_blur(picture)
    left = (noise_left(start_blur(one), 0, one.spacing) for one in (picture, volume))
    assert next(left) == pytest.approx(next(left), rel=0.1)
