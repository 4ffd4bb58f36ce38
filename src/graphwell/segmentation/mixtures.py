"""Which colours a class has: a mixture of Gaussians fitted to its marked pixels."""

from dataclasses import dataclass

import numpy as np

from graphwell._types import FloatArray, IntArray

MOST_GAUSSIANS, MOST_ROWS = 5, 10_000
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


def fit_mixture(rows: FloatArray, spread: float) -> Mixture:
    """Fit a mixture by expectation and maximisation.

    Parameters
    ----------
    rows : array of shape (n, n_channels)
        Of many, every second, third, ... is looked at.
    spread : float
        Least standard deviation in every direction.

    Examples
    --------
    >>> rows = np.repeat([[0.0], [1.0]], 20, axis=0)
    >>> mixture = fit_mixture(rows, 0.1)
    >>> np.unique(mixture.means.round(3)).tolist()
    [0.0, 1.0]
    """
    rows = rows[:: -(-len(rows) // MOST_ROWS)]
    rows = rows.astype(np.float64)
    n_gaussians = max(1, min(MOST_GAUSSIANS, len(rows) // (ROWS_PER_UNKNOWN * rows.shape[1])))
    shares = np.eye(n_gaussians)[_groups(rows, n_gaussians)]
    for _ in range(FITTING_ROUNDS):
        mixture = _maximised(rows, shares, spread)
        logs = _log_parts(rows, mixture)
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
    return mixture


def _groups(rows: FloatArray, n_groups: int) -> IntArray:
    """Number of the group of each row: the widest is cut in two across its longest axis, again and again.

    Nothing is left to chance, so that marks which differ little give groups which differ little.
    """
    numbers = np.zeros(len(rows), dtype=np.intp)
    for new in range(1, n_groups):
        widths, axes = zip(*(_longest_axis(rows[numbers == g]) for g in range(new)), strict=True)
        widest = int(np.argmax(widths))
        members = np.flatnonzero(numbers == widest)
        along = rows[members] @ axes[widest]
        beyond = members[along > along.mean()]
        if len(beyond) in (0, len(members)):  # copies of one row, up to rounding
            break
        numbers[beyond] = new
    return _moved_to_means(rows, numbers)


def _longest_axis(rows: FloatArray) -> tuple[float, FloatArray]:
    """Sum of squares along the axis along which rows differ most, and that axis."""
    away = rows - rows.mean(axis=0)
    squares, axes = np.linalg.eigh(away.T @ away)
    return float(squares[-1]), axes[:, -1]


def _moved_to_means(rows: FloatArray, numbers: IntArray) -> IntArray:
    """Some rounds of k-means."""
    for _ in range(GROUPING_ROUNDS):
        centers = np.array([rows[numbers == g].mean(axis=0) for g in np.unique(numbers)])
        numbers = _squares(rows, centers).argmin(axis=1)
    return numbers


def _squares(rows: FloatArray, centers: FloatArray) -> FloatArray:
    """Squared distances of rows to centres, less what they owe to the row alone."""
    return np.asarray((centers**2).sum(axis=1) - 2 * rows @ centers.T)


def _maximised(rows: FloatArray, shares: FloatArray, spread: float) -> Mixture:
    """The likeliest Gaussians, where each has some share of each row; those without any are left out."""
    sizes = shares.sum(axis=0)
    shares, sizes = shares[:, sizes > 1e-6], sizes[sizes > 1e-6]
    means = shares.T @ rows / sizes[:, None]
    covariances = np.empty((len(sizes), rows.shape[1], rows.shape[1]))
    for covariance, mean, share, size in zip(covariances, means, shares.T, sizes, strict=True):
        away = rows - mean
        covariance[:] = (share[:, None] * away).T @ away / size
    covariances += spread**2 * np.eye(rows.shape[1])
    roots = np.linalg.inv(np.linalg.cholesky(covariances))
    logs = np.log(sizes / len(rows)) + np.log(np.einsum("gaa->ga", roots)).sum(axis=1)
    return Mixture(logs, means, roots)


def _log_parts(rows: FloatArray, mixture: Mixture) -> FloatArray:
    """What each Gaussian adds to the density of each row, as logarithms."""
    logs = np.empty((len(rows), len(mixture.logs)))
    for g, (mean, root) in enumerate(zip(mixture.means, mixture.roots, strict=True)):
        along = (rows - mean) @ root.T
        logs[:, g] = mixture.logs[g] - np.einsum("na,na->n", along, along) / 2
    return logs
