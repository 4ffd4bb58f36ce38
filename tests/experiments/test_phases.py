"""Phases of a grey picture."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from graphwell.datasets.made import GREY_LEVELS, make_grey_image
from graphwell.experiments.phases import laplacian_of_cosines, segment_by_phases, towards_wells


def test_a_picture_without_noise_is_perfect_and_noise_is_smoothed_away():
    picture, truth = make_grey_image(96, 98)
    assert (segment_by_phases(picture, GREY_LEVELS) == truth).all()
    noisy, truth = make_grey_image(96, 98, noise=0.1, random_state=0)
    nearest = np.abs(noisy[..., None] - np.array(GREY_LEVELS)).argmin(axis=-1)
    found = segment_by_phases(noisy, GREY_LEVELS)
    assert (found != truth).mean() < 0.8 * (nearest != truth).mean()


def test_the_well_is_followed_exactly():
    start = np.array([0.1, 0.45, 0.6, 1.9, -0.3])

    def slope(_, u):
        side = 2 * (u - np.floor(u)) - 1
        return side * (1 - side**2) / 2

    expected = solve_ivp(slope, (0, 0.7), start, rtol=1e-10, atol=1e-12).y[:, -1]
    np.testing.assert_allclose(towards_wells(start, 0.7), expected, atol=1e-7)


def test_the_eigenvalues_are_those_of_the_grid():
    chain = np.diag([1.0, 2, 2, 1]) - np.eye(4, k=1) - np.eye(4, k=-1)
    chain2 = np.diag([1.0, 2, 1]) - np.eye(3, k=1) - np.eye(3, k=-1)
    grid = np.kron(chain, np.eye(3)) + np.kron(np.eye(4), chain2)
    expected = np.linalg.eigvalsh(grid)
    np.testing.assert_allclose(np.sort(laplacian_of_cosines(4, 3).ravel()), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("image", "levels", "said"),
    [
        (np.zeros(4), [0, 1], "image must be a picture"),
        (np.full((2, 2), np.nan), [0, 1], "image must be a picture"),
        (np.zeros((2, 2)), [1, 0], "levels must be two grey levels or more, rising"),
        (np.zeros((2, 2)), [0], "levels must be two grey levels or more, rising"),
    ],
)
def test_what_makes_no_sense_is_refused(image, levels, said):
    with pytest.raises(ValueError, match=said):
        segment_by_phases(image, levels)
