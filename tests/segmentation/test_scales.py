"""Blur and colour scales that follow from noise and contrast."""

import numpy as np
import pytest

from graphwell.segmentation.features import picture_features
from graphwell.segmentation.scales import (
    border_blur,
    border_color_scale,
    is_noisy,
    start_blur,
    start_color_scale,
)


def picture(noise):
    rng = np.random.default_rng(0)
    clean = np.where(np.arange(80) < 40, 0.2, 0.8) * np.ones((80, 1))
    return picture_features(clean + rng.normal(0, noise, (80, 80)))


def test_a_clean_picture_is_not_blurred():
    clean = picture(0.0)
    assert not is_noisy(clean)
    assert start_blur(clean) == border_blur(clean) == 0.0
    assert start_color_scale(clean, 0) == pytest.approx(0.1 * clean.contrast)
    assert border_color_scale(clean, 0.0) == pytest.approx(0.2 * clean.contrast)


def test_more_noise_needs_more_blur():
    some, much = picture(0.06), picture(0.15)
    assert is_noisy(some)
    assert 0 < start_blur(some) < start_blur(much)
    assert 0.5 <= border_blur(some) <= border_blur(much)
    assert start_color_scale(much, 3) < start_color_scale(much, 1)


def test_a_picture_of_one_colour_has_a_scale_too():
    plain = picture_features(np.ones((5, 5)))
    assert start_color_scale(plain, 0) == border_color_scale(plain, 0.0) == 1.0
