"""A picture of five grey levels with a hole and junctions, after the one segmented in the paper."""

import numpy as np

from graphwell._random import Seed, stream
from graphwell._types import FloatArray, IntArray
from graphwell.errors import in_short

GREY_LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
BLACK, DARK, MEDIUM, LIGHT, WHITE = range(5)

SMALLEST_SIDE = 16


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
    truth = _regions(int(height), int(width))
    image = np.array(GREY_LEVELS)[truth]
    if noise > 0:
        image = image + stream(random_state, "grey image").normal(scale=noise, size=image.shape)
    return np.clip(image, 0.0, 1.0), truth


def _regions(height: int, width: int) -> IntArray:
    """Class of each pixel, drawn from back to front in the unit square."""
    rows, columns = np.mgrid[0:height, 0:width]
    x, y = (columns + 0.5) / width, (rows + 0.5) / height
    turn = np.arctan2(y - 0.55, x - 0.4) % (2 * np.pi)
    sector = np.select([turn < 0.6 * np.pi, turn < 1.3 * np.pi], [DARK, MEDIUM], LIGHT)
    truth = np.where(_inside(x, y, (0.5, 0.5), 0.44), sector, BLACK)
    ring = _inside(x, y, (0.63, 0.42), 0.21) & ~_inside(x, y, (0.63, 0.42), 0.12)
    return np.where(ring, WHITE, truth)


def _inside(x: FloatArray, y: FloatArray, center: tuple[float, float], radius: float) -> FloatArray:
    return (x - center[0]) ** 2 + (y - center[1]) ** 2 < radius**2
