"""Data made from a seed: moons and the grey picture of the paper, drawn labels, digits as a table."""

import numpy as np

from graphwell._random import Seed, stream
from graphwell._types import FloatArray, IntArray
from graphwell.errors import in_short

GREY_LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
BLACK, DARK, MEDIUM, LIGHT, WHITE = range(5)
SMALLEST_SIDE = 16


def make_three_moons(
    n_per_class: int = 500, dim: int = 100, noise_variance: float = 0.02, random_state: Seed = None
) -> tuple[FloatArray, IntArray]:
    """Three half circles in the plane, embedded in many dimensions with noise in each of them.

    Two half circles of radius 1 around (0, 0) and (3, 0) open downward, one of radius 1.5 around
    (1.5, 0.4) opens upward between them (section 4.1 of the paper).

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


def make_grey_image(
    height: int = 191, width: int = 196, noise: float = 0.0, random_state: Seed = None
) -> tuple[FloatArray, IntArray]:
    """Draw a picture of five grey levels: black, dark, medium, light and white.

    On a black ground lies a disc cut into three sectors, dark, medium and light, which meet in one point.
    A white ring lies across the border of two of them, and through its hole the light one is seen. So one
    class consists of two regions, one region has a hole, and in several points three classes meet. The
    picture of the paper, whose size and number of classes these are, is not public.

    Parameters
    ----------
    height, width : int
        Size in pixels, at least 16 each.
    noise : float
        Standard deviation of Gaussian noise; the noisy picture is clipped to [0, 1].
    random_state : int, Generator or RandomState, optional
        Seed of the noise.

    Returns
    -------
    image : array of shape (height, width)
        Grey values from 0 to 1.
    truth : array of shape (height, width)
        Class of each pixel, from 0 (black) to 4 (white).

    Examples
    --------
    >>> image, truth = make_grey_image()
    >>> image.shape, np.unique(image), np.unique(truth)
    ((191, 196), array([0.  , 0.25, 0.5 , 0.75, 1.  ]), array([0, 1, 2, 3, 4]))
    """
    for name, side in (("height", height), ("width", width)):
        if isinstance(side, bool) or not isinstance(side, int | np.integer) or side < SMALLEST_SIDE:
            raise ValueError(
                f"{name} must be an integer of at least {SMALLEST_SIDE} pixels, got {in_short(side)}."
            )
    if not (np.isfinite(noise) and noise >= 0):
        raise ValueError(f"noise must not be negative, got {in_short(noise)}.")
    # Regions are drawn from back to front in the unit square.
    rows, columns = np.mgrid[0 : int(height), 0 : int(width)]
    x, y = (columns + 0.5) / int(width), (rows + 0.5) / int(height)
    turn = np.arctan2(y - 0.55, x - 0.4) % (2 * np.pi)
    sector = np.select([turn < 0.6 * np.pi, turn < 1.3 * np.pi], [DARK, MEDIUM], LIGHT)
    truth = np.where(_inside(x, y, (0.5, 0.5), 0.44), sector, BLACK)
    ring = _inside(x, y, (0.63, 0.42), 0.21) & ~_inside(x, y, (0.63, 0.42), 0.12)
    truth = np.where(ring, WHITE, truth)
    image = np.array(GREY_LEVELS)[truth]
    if noise > 0:
        image = image + stream(random_state, "grey image").normal(scale=noise, size=image.shape)
    return np.clip(image, 0.0, 1.0), truth


def _inside(x: FloatArray, y: FloatArray, center: tuple[float, float], radius: float) -> FloatArray:
    return (x - center[0]) ** 2 + (y - center[1]) ** 2 < radius**2


def sample_labels(y: IntArray, per_class: int, random_state: Seed = None) -> IntArray:
    """Keep `per_class` labels of each class, chosen at random; the others become -1.

    Examples
    --------
    >>> sample_labels(np.array([0, 0, 1, 1]), per_class=1, random_state=0)
    array([-1,  0, -1,  1])
    """
    if isinstance(random_state, int | np.integer):
        random_state = np.random.default_rng(int(random_state))
    elif not isinstance(random_state, np.random.Generator):
        random_state = stream(random_state, "labels")
    known = np.full(len(y), -1)
    for c in np.unique(y):
        members = np.flatnonzero(y == c)
        if per_class > len(members):
            raise ValueError(
                f"per_class={per_class} labels were asked for, class {c} has {len(members)} points."
            )
        known[random_state.choice(members, per_class, replace=False)] = c
    return known


def digits_table(per_class: int = 5, random_state: Seed = None) -> str:
    """scikit-learn's handwritten digits as CSV: an id, 64 pixels, a label for a few rows, and the truth.

    Examples
    --------
    >>> lines = digits_table(random_state=0).splitlines()
    >>> len(lines), lines[0][:22], lines[0][-21:]
    (1798, 'id,pixel_0_0,pixel_0_1', 'pixel_7_7,label,truth')
    """
    from sklearn.datasets import load_digits

    X, truth = load_digits(return_X_y=True)
    labels = sample_labels(truth, per_class, random_state)
    pixels = [f"pixel_{row}_{column}" for row in range(8) for column in range(8)]
    lines = [",".join(["id", *pixels, "label", "truth"])]
    for i, (row, label) in enumerate(zip(X.astype(int).tolist(), labels.tolist(), strict=True)):
        lines.append(",".join([f"d{i:04d}", *map(str, row), "" if label < 0 else str(label), str(truth[i])]))
    return "\n".join(lines) + "\n"
