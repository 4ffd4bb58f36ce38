"""Which colours a class has: a mixture of Gaussians fitted to its marked pixels."""

from dataclasses import dataclass

import numpy as np

from graphwell._types import FloatArray

MOST_GAUSSIANS, MOST_ROWS = 5, 2000
ROWS_PER_UNKNOWN = 4
"""Marked pixels that each channel of each Gaussian asks for."""
GROUPING_ROUNDS, FITTING_ROUNDS = 5, 10


@dataclass(frozen=True, eq=False)
class Mixture:
    """Some Gaussians.

    Attributes
    ----------
    logs : array of shape (n,)
        Logarithm of the share of each, times its height.
    means : array of shape (n, n_channels)
    roots : array of shape (n, n_channels, n_channels)
        Lower triangles whose squares are the inverse covariances.
    """

    logs: FloatArray
    means: FloatArray
    roots: FloatArray


def fit_mixture(rows: FloatArray, spread: float, rng: np.random.Generator) -> Mixture:
    """Fit a mixture by expectation and maximisation.

    Parameters
    ----------
    rows : array of shape (n, n_channels)
        Of many, some are drawn.
    spread : float
        Least standard deviation in every direction.
    rng : Generator

    Examples
    --------
    >>> rows = np.repeat([[0.0], [1.0]], 20, axis=0)
    >>> mixture = fit_mixture(rows, 0.1, np.random.default_rng(0))
    >>> np.unique(mixture.means.round(3)).tolist()
    [0.0, 1.0]
    """
    if len(rows) > MOST_ROWS:
        rows = rows[rng.choice(len(rows), MOST_ROWS, replace=False)]
    rows = rows.astype(np.float64)
    n_gaussians = max(1, min(MOST_GAUSSIANS, len(rows) // (ROWS_PER_UNKNOWN * rows.shape[1])))
    shares = np.eye(n_gaussians)[_groups(rows, n_gaussians, rng)]
    for _ in range(FITTING_ROUNDS):
        mixture = _maximised(rows, shares, spread)
        logs = _log_parts(rows, mixture)
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
    return mixture


def _groups(rows: FloatArray, n_groups: int, rng: np.random.Generator) -> FloatArray:
    """Number of the group of each row, by k-means from centres that lie far apart."""
    centers = rows[rng.integers(len(rows), size=1)]
    while len(centers) < n_groups:
        nearest = _squares(rows, centers).min(axis=1)
        if nearest.sum() == 0:
            break
        centers = np.vstack([centers, rows[rng.choice(len(rows), p=nearest / nearest.sum())]])
    for _ in range(GROUPING_ROUNDS):
        numbers = _squares(rows, centers).argmin(axis=1)
        for g in np.unique(numbers):
            centers[g] = rows[numbers == g].mean(axis=0)
    return numbers


def _squares(rows: FloatArray, centers: FloatArray) -> FloatArray:
    return np.asarray(((rows[:, None] - centers) ** 2).sum(axis=2))


def _maximised(rows: FloatArray, shares: FloatArray, spread: float) -> Mixture:
    """The likeliest Gaussians, where each has some share of each row; those without any are left out."""
    sizes = shares.sum(axis=0)
    shares, sizes = shares[:, sizes > 1e-6], sizes[sizes > 1e-6]
    means = shares.T @ rows / sizes[:, None]
    away = rows[:, None] - means
    covariances = np.einsum("ng,nga,ngb->gab", shares, away, away) / sizes[:, None, None]
    covariances += spread**2 * np.eye(rows.shape[1])
    roots = np.linalg.inv(np.linalg.cholesky(covariances))
    logs = np.log(sizes / len(rows)) + np.log(np.einsum("gaa->ga", roots)).sum(axis=1)
    return Mixture(logs, means, roots)


def _log_parts(rows: FloatArray, mixture: Mixture) -> FloatArray:
    """What each Gaussian adds to the density of each row, as logarithms."""
    along = np.einsum("gab,ngb->nga", mixture.roots, rows[:, None] - mixture.means)
    return np.asarray(mixture.logs - (along**2).sum(axis=2) / 2)
