"""Mixtures of Gaussians."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from graphwell.backends.registry import find_pixels
from graphwell.segmentation.mixtures import MOST_GAUSSIANS, fit_mixture


def fitted(rows, spread=0.01):
    return fit_mixture(np.asarray(rows, dtype=float), spread)


def likelihoods(mixture, values, threads=1):
    return find_pixels("cpu", threads).log_likelihoods(values, mixture.logs, mixture.means, mixture.roots)


def test_two_clouds_are_found():
    rng = np.random.default_rng(1)
    rows = np.concatenate([rng.normal(0, 0.05, (300, 2)), rng.normal((1, 0.5), 0.1, (100, 2))])
    mixture = fitted(rows)
    values = np.array([[0.0, 1.0, 0.5], [0.0, 0.5, 2.0]], dtype=np.float32)
    near, other, far = likelihoods(mixture, values)
    truth = multivariate_normal((0, 0), 0.05**2).logpdf((0, 0)) + np.log(0.75 * 2 * np.pi)
    assert near == pytest.approx(truth, abs=0.5)
    assert near > other > far


def test_the_density_is_that_of_scipy():
    mixture = fitted(np.random.default_rng(2).random((200, 3)))
    values = np.random.default_rng(3).random((3, 5000)).astype(np.float32)
    shares = np.exp(mixture.logs) / np.prod(np.einsum("gaa->ga", mixture.roots), axis=1)
    density = np.zeros(5000)
    for share, mean, root in zip(shares, mixture.means, mixture.roots, strict=True):
        density += share * multivariate_normal(mean, np.linalg.inv(root.T @ root)).pdf(values.T)
    expected = np.log(density) + 1.5 * np.log(2 * np.pi)  # the constant is left out
    for threads in (1, 3):
        np.testing.assert_allclose(likelihoods(mixture, values, threads), expected, atol=1e-3)


@pytest.mark.parametrize("rows", [[[0.3]], [[0.3]] * 50, [[0.1, 0.2]], np.zeros((5000, 8))])
def test_single_rows_and_copies_have_a_mixture(rows):
    mixture = fitted(rows, 0.1)
    assert 1 <= len(mixture.logs) <= MOST_GAUSSIANS
    found = likelihoods(mixture, np.asarray(rows, dtype=np.float32)[:1].T.copy())
    assert np.isfinite(found).all()


def test_some_marks_more_or_less_change_little():
    rng = np.random.default_rng(4)
    rows = np.concatenate([rng.normal(mean, 0.05, (400, 3)) for mean in (0, 0.3, 0.5, 1)])
    values = rng.random((3, 500)).astype(np.float32)
    whole, less = (likelihoods(fitted(marks, 0.04), values) for marks in (rows, rows[7:]))
    assert np.median(np.abs(whole - less)) < 0.5
