"""Mixtures of two colours."""

import numpy as np
import pytest

from graphwell.io.images.blends import closest, gathered, is_mixture, share

RED, WHITE = np.array([255.0, 0, 0]), np.full(3, 255.0)


@pytest.mark.parametrize("exact", [True, False])
def test_every_share_of_two_colours_is_a_mixture(exact):
    shares = np.linspace(0, 1, 9)[:, None]
    mixed = np.round(WHITE * (1 - shares) + RED * shares)
    assert is_mixture(mixed, WHITE, RED, exact=exact).all()
    np.testing.assert_allclose(share(mixed, WHITE, RED), shares[:, 0], atol=0.01)


def test_after_compression_hue_and_brightness_mix_apart():
    """As bright as red, but with half of its hue: compression makes it, antialiasing does not."""
    smeared = np.array([[166.0, 38, 38]])
    assert is_mixture(smeared, WHITE, RED, exact=False)
    assert not is_mixture(smeared, WHITE, RED, exact=True)
    assert not is_mixture(np.array([[0.0, 0, 255]]), WHITE, RED, exact=False)


def test_two_equal_colours_mix_to_themselves():
    assert is_mixture(np.array([[255.0, 0, 0]]), RED, RED, exact=True)
    assert not is_mixture(np.array([[0.0, 0, 0]]), RED, RED, exact=True)


def test_like_colours_are_gathered_around_the_commonest():
    points = np.array([[0.0, 0, 0], [40, 0, 0], [80, 0, 0], [255, 0, 0]])
    groups, names = gathered(points, np.array([1, 9, 1, 1]))
    assert groups.tolist() == [0, 0, 0, 1]
    assert names.tolist() == [[40, 0, 0], [255, 0, 0]]


def test_one_colour_is_near_to_none():
    assert closest(np.array([[1, 2, 3]])) == np.inf
