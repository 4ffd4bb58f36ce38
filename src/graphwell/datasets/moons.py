"""Half circles in many dimensions: the synthetic data of the paper."""

import numpy as np

from graphwell._random import Seed, stream
from graphwell._types import FloatArray, IntArray


def make_three_moons(
    n_per_class: int = 500, dim: int = 100, noise_variance: float = 0.02, random_state: Seed = None
) -> tuple[FloatArray, IntArray]:
    """Three half circles in the plane, embedded in many dimensions with noise in each of them.

    Two half circles of radius 1 around (0, 0) and (3, 0) open downward, one of radius 1.5 around
    (1.5, 0.4) opens upward between them.

    Parameters
    ----------
    n_per_class : int
        Number of points of each half circle.
    dim : int
        Number of dimensions, at least 2.
    noise_variance : float
        Variance of the Gaussian noise in each dimension.
    random_state : int, Generator or RandomState, optional
        Seed.

    Returns
    -------
    X : array of shape (3 * n_per_class, dim)
    y : array of shape (3 * n_per_class,)

    Examples
    --------
    >>> X, y = make_three_moons(random_state=0)
    >>> X.shape, np.bincount(y)
    ((1500, 100), array([500, 500, 500]))
    """
    arcs = [((0.0, 0.0), 1.0, 1.0), ((3.0, 0.0), 1.0, 1.0), ((1.5, 0.4), 1.5, -1.0)]
    return _moons(arcs, n_per_class, dim, noise_variance, stream(random_state, "three moons"))


def make_two_moons(
    n_per_class: int = 1000, dim: int = 100, noise_variance: float = 0.02, random_state: Seed = None
) -> tuple[FloatArray, IntArray]:
    """Two half circles of radius 1 around (0, 0) and (1, 0.5), embedded with noise.

    Parameters and return values are those of `make_three_moons`.

    Examples
    --------
    >>> X, y = make_two_moons(random_state=0)
    >>> X.shape, np.bincount(y)
    ((2000, 100), array([1000, 1000]))
    """
    arcs = [((0.0, 0.0), 1.0, 1.0), ((1.0, 0.5), 1.0, -1.0)]
    return _moons(arcs, n_per_class, dim, noise_variance, stream(random_state, "two moons"))


def _moons(
    arcs: list[tuple[tuple[float, float], float, float]],
    n_per_class: int,
    dim: int,
    noise_variance: float,
    rng: np.random.Generator,
) -> tuple[FloatArray, IntArray]:
    if dim < 2:
        raise ValueError(f"dim must be at least 2, got {dim}.")
    if n_per_class < 1:
        raise ValueError(f"n_per_class must be positive, got {n_per_class}.")
    if noise_variance < 0:
        raise ValueError(f"noise_variance must not be negative, got {noise_variance}.")
    X = np.zeros((len(arcs) * n_per_class, dim))
    y = np.repeat(np.arange(len(arcs)), n_per_class)
    for c, (center, radius, upward) in enumerate(arcs):
        angle = rng.random(n_per_class) * np.pi
        X[y == c, 0] = center[0] + radius * np.cos(angle)
        X[y == c, 1] = center[1] + upward * radius * np.sin(angle)
    X += rng.normal(scale=np.sqrt(noise_variance), size=X.shape)
    return X, y
