"""Mixtures of two colours: at the edges of strokes, and where compression smears them.

Compression keeps brightness sharp and smears hues over blocks of pixels. So after it, a mixture may hold
another share of a colour's hue than of its brightness.
"""

from functools import reduce

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray

ROUNDING = 3.0
"""By how much a mixture may differ from what it should be, each channel from 0 to 255."""
SMEARED_HUE, RINGING = 24.0, 48.0
"""The same for hue and for brightness after compression."""
ALIKE = 60.0
"""Colours of one paint after compression lie within this distance of its commonest."""
BRIGHTNESS = np.array([0.299, 0.587, 0.114], dtype=np.float32)
HUES = np.array([[-0.169, -0.331, 0.5], [0.5, -0.419, -0.081]], dtype=np.float32).T


def is_mixture(seen: FloatArray, start: FloatArray, end: FloatArray, *, exact: bool) -> BoolArray:
    """Whether each colour is mixed of two others.

    Parameters
    ----------
    seen : array of shape (n, 3)
    start, end : arrays of shape (n, 3) or (3,)
    exact : bool
        False after compression.

    Examples
    --------
    >>> red, black = np.array([255.0, 0, 0]), np.zeros(3)
    >>> is_mixture(np.array([[128.0, 0, 0], [128, 40, 0]]), black, red, exact=True)
    array([ True, False])
    """
    if exact:
        return _misfit(seen, start, end) <= ROUNDING
    ends = start @ BRIGHTNESS, end @ BRIGHTNESS
    bright = seen @ BRIGHTNESS
    between = (bright >= np.minimum(*ends) - RINGING) & (bright <= np.maximum(*ends) + RINGING)
    return np.asarray(between & (_misfit(seen @ HUES, start @ HUES, end @ HUES) <= SMEARED_HUE))


def share(seen: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """How far each colour lies on the way from a start to an end, from 0 to 1.

    Examples
    --------
    >>> share(np.array([[64.0, 0, 0]]), np.zeros(3), np.array([256.0, 0, 0]))
    array([0.25])
    """
    line = end - start
    length = np.maximum(np.einsum("...c,...c->...", line, line), 1e-9)
    return np.asarray(np.clip(np.einsum("...c,...c->...", seen - start, line) / length, 0, 1))


def gathered(points: FloatArray, counts: FloatArray) -> tuple[IntArray, FloatArray]:
    """Each colour joined to the commonest one near it: number of its group, and colour of each group.

    Examples
    --------
    >>> gathered(np.array([[0.0, 0, 0], [250, 0, 0], [255, 9, 0]]), np.array([5, 1, 7]))[0]
    array([1, 0, 0])
    """
    leader = np.full(len(points), -1)
    names: list[FloatArray] = []
    for first in np.argsort(-counts, kind="stable"):
        if leader[first] < 0:
            near = (leader < 0) & (np.linalg.norm(points - points[first], axis=1) < ALIKE)
            leader[near] = len(names)
            names.append(points[first])
    return leader, np.array(names)


def closest(points: IntArray) -> float:
    """Distance of the two colours that are nearest to each other.

    Examples
    --------
    >>> closest(np.array([[0, 0, 0], [3, 4, 0], [90, 0, 0]]))
    5.0
    """
    gaps = np.linalg.norm((points[:, None] - points[None]).astype(float), axis=2)
    return float(gaps[np.triu_indices(len(points), 1)].min(initial=np.inf))


def _misfit(seen: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """By how much each colour misses the line from a start to an end."""
    off = np.abs(seen - (start + share(seen, start, end)[..., None] * (end - start)))
    return reduce(np.maximum, np.moveaxis(off, -1, 0))
