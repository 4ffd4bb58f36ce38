"""Arrays whose axes have names, brought into our order: height, width, depth, channels."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graphwell.io.images.base import RefusedError, check_pixels

PLACES, CHANNELS = "yxz", "c"


def arranged(path: Path, values: Any, names: Sequence[str]) -> Any:
    """Bring axes into the order y, x, z, c; several of channels become one, and those of one point none.

    Parameters
    ----------
    path : Path
        For what is said of other axes.
    values : array
    names : sequence of str
        One for each axis.

    Returns
    -------
    array of shape (height, width[, channels]) or (height, width, depth, channels)

    Examples
    --------
    >>> arranged(Path("a"), np.zeros((1, 3, 4, 5)), "tcyx").shape
    (4, 5, 3)
    >>> arranged(Path("a"), np.zeros((6, 4, 5)), "zyx").shape
    (4, 5, 6, 1)
    >>> arranged(Path("a"), np.zeros((7, 4, 5)), "tyx")
    Traceback (most recent call last):
    graphwell.io.images.base.RefusedError: image a has the axes t, y, x; save one picture ...
    """
    sides = list(zip(names, values.shape, strict=True))
    kept = [(name, side) for name, side in sides if side > 1 or name in PLACES[:2]]
    order = [name for name, _ in kept]
    places = [place for place in PLACES if place in order]
    twice = any(order.count(place) > 1 for place in PLACES)
    if twice or places[:2] != ["y", "x"] or set(order) - {*PLACES, CHANNELS}:
        problem = "{field} {} has the axes {}; save one picture or volume of one moment by itself."
        raise RefusedError("image", problem, path, ", ".join(names))
    axes = [order.index(place) for place in places]
    channels = [axis for axis, name in enumerate(order) if name == CHANNELS]
    turned = values.reshape([side for _, side in kept]).transpose([*axes, *channels])
    if not channels and len(places) == 2:
        return turned
    return np.ascontiguousarray(turned).reshape(*turned.shape[: len(places)], -1)


def check_places(path: Path, shape: Sequence[int], names: Sequence[str], max_pixels: int) -> None:
    """Refuse more points than are allowed; channels are none."""
    sides = [side for name, side in zip(names, shape, strict=True) if name != CHANNELS]
    check_pixels(path, sides, max_pixels)
