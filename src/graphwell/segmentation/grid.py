"""A picture of any number of dimensions as a padded grid, where a neighbour is a fixed step away."""

from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from graphwell._checks import number_between
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.pixels import PixelEngine

Window: TypeAlias = tuple[slice, ...]
"""A part of a picture, along each axis."""
WEAKEST_COLOR = 1e-4
"""Smallest weight of a colour difference: a speck unlike all around it still hears its neighbours."""


class Grid:
    """The points of a picture with a margin around it that no link leaves.

    Parameters
    ----------
    shape : tuple of int
        Of the picture, without its channels.
    radius : float
        Reach of the links, in units of the smallest spacing; the next points along each axis are linked in
        any case.
    engine : PixelEngine
    spacing : tuple of float, optional
        Distance between points along each axis; 1 by default.
    pieces : array of shape `shape`, optional
        Number of the piece of each point, -1 where there is no point; all points are one piece by default.

    Attributes
    ----------
    steps : array of shape (n_steps,)
        To the neighbours that come later in the flat order; those before mirror them. Like all arrays here,
        it lies where the engine is.
    nearness : array of shape (n_steps,)
        ``exp(-distance² / radius²)`` of each step; the distance counts as the radius at most.
    pieces : array of shape (size,)
        Number of the piece of each point, from 1; 0 in the margin and where there is no point.
    begin, end : int
        No point outside this range of the flat order belongs to the picture.

    Examples
    --------
    >>> from graphwell.backends.registry import find_pixels
    >>> grid = Grid((2, 3), 1, find_pixels("cpu"))
    >>> grid.padded, grid.steps.tolist()
    ((4, 5), [1, 5])
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        radius: float,
        engine: PixelEngine,
        spacing: tuple[float, ...] | None = None,
        pieces: IntArray | None = None,
    ) -> None:
        spacing = (1.0,) * len(shape) if spacing is None else spacing
        self.shape, self.engine, self.radius, self.spacing = tuple(shape), engine, radius, spacing
        offsets = offsets_within(radius, spacing)
        offsets = offsets[len(offsets) // 2 :]
        self.margins = tuple(np.abs(offsets).max(axis=0).tolist())
        self.padded = tuple(side + 2 * margin for side, margin in zip(shape, self.margins, strict=True))
        self.size = int(np.prod(self.padded))
        self._strides = [int(stride) for stride in np.cumprod((1, *self.padded[:0:-1]))[::-1]]
        steps = (offsets @ self._strides).astype(np.int64)
        distances = np.minimum(((offsets * spacing) ** 2).sum(axis=1), radius**2)
        self.steps = engine.asarray(steps)
        self.nearness = engine.asarray(np.exp(-distances / radius**2).astype(np.float32))
        self.begin, self.end = int(steps.max()), self.size - int(steps.max())
        self._inner = tuple(
            slice(margin, margin + side) for side, margin in zip(shape, self.margins, strict=True)
        )
        self.pieces = (
            self.inside if pieces is None else self.pad(engine.asarray((pieces + 1).astype(np.float32)))
        )

    def pad(self, values: Any, fill: Any = 0) -> Any:
        """A plane of the picture as a flat plane of the grid."""
        return self.pads(values[None], fill)[0]

    def pads(self, planes: Any, fill: Any = 0) -> Any:
        """Several planes at once, along the first axis."""
        padded = self.engine.xp.full((len(planes), *self.padded), fill, dtype=planes.dtype)
        padded[(slice(None), *self._inner)] = planes
        return padded.reshape(len(planes), self.size)

    def crop(self, plane: Any) -> Any:
        """A flat plane of the grid, or several, as planes of the picture; no copy."""
        return plane.reshape(*plane.shape[:-1], *self.padded)[(..., *self._inner)]

    def part(self, window: Window) -> "Grid":
        """The grid of a part of the picture."""
        shape = tuple(slices.stop - slices.start for slices in window)
        return Grid(shape, self.radius, self.engine, self.spacing)

    def cut(self, planes: Any, window: Window) -> Any:
        """Flat planes of `part`: unlike those that are padded, they hold what lies around the part."""
        within: Any = (
            ...,
            *(
                slice(slices.start, slices.stop + 2 * margin)
                for slices, margin in zip(window, self.margins, strict=True)
            ),
        )
        found = self.engine.xp.ascontiguousarray(planes.reshape(*planes.shape[:-1], *self.padded)[within])
        return found.reshape(*planes.shape[:-1], -1)

    @cached_property
    def inside(self) -> FloatArray:
        """1 in the picture, 0 in the margin."""
        return self.pad(self.engine.xp.ones(self.shape, dtype=np.float32))

    def places(self, coordinates: tuple[IntArray, ...]) -> Any:
        """Flat places of points of the picture."""
        return sum(
            (axis + margin) * stride
            for axis, margin, stride in zip(coordinates, self.margins, self._strides, strict=True)
        )


def window_around(chosen: BoolArray, engine: PixelEngine, margin: int = 0) -> Window:
    """The smallest part of a picture that holds all chosen points and a margin; one corner if there are none.

    Examples
    --------
    >>> from graphwell.backends.registry import find_pixels
    >>> chosen = np.zeros((5, 9), dtype=bool)
    >>> chosen[1, 4:6] = True
    >>> window_around(chosen, find_pixels("cpu"), margin=2)
    (slice(0, 4, None), slice(2, 8, None))
    """
    window = []
    for axis, side in enumerate(chosen.shape):
        others = tuple(other for other in range(chosen.ndim) if other != axis)
        found = np.flatnonzero(engine.to_host(chosen.any(axis=others)))
        first, last = (int(found[0]), int(found[-1])) if len(found) else (0, 0)
        window.append(slice(max(0, first - margin), min(last + 1 + margin, side)))
    return tuple(window)


def offsets_within(radius: float, spacing: tuple[float, ...]) -> IntArray:
    """Steps to all points within a radius and to the next ones along each axis, in the order of their places.

    `spacing` is the distance between points along each axis.

    Examples
    --------
    >>> offsets_within(1, (1.0, 1.0)).tolist()
    [[-1, 0], [0, -1], [0, 1], [1, 0]]
    >>> len(offsets_within(1, (1.0, 1.0, 1.0))), len(offsets_within(2, (1.0, 5.0)))
    (6, 6)
    """
    number_between("radius", radius, 1, 16, ends=True, unit=" pixels")
    reach = [max(1, int(radius / apart)) for apart in spacing]
    lines = [np.arange(-most, most + 1) for most in reach]
    steps = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, len(spacing))
    near = ((steps * spacing) ** 2).sum(axis=1) <= radius**2
    next_ones = np.abs(steps).sum(axis=1) == 1  # however far apart, slices hear each other
    return np.asarray(steps[(near | next_ones) & steps.any(axis=1)])
