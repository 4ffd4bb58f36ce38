"""A picture of any number of dimensions as a padded grid, where a neighbour is a fixed step away."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from graphwell._thread_pool import ThreadPool
from graphwell._types import FloatArray, IntArray
from graphwell.segmentation.pixels import offsets_within

WEAKEST_COLOR = 1e-4
"""Smallest weight of a colour difference: a speck unlike all around it still hears its neighbours."""


class Grid:
    """The points of a picture with a margin around it that no link leaves.

    Parameters
    ----------
    shape : tuple of int
        Of the picture, without its channels.
    radius : float
        Reach of the links.
        In units of the smallest spacing; the next points along each axis are linked in any case.
    pool : ThreadPool
    spacing : tuple of float, optional
        Distance between points along each axis; 1 by default.
    pieces : array of shape `shape`, optional
        Number of the piece of each point, -1 where there is no point; all points are one piece by default.

    Attributes
    ----------
    steps : array of shape (n_steps,)
        To the neighbours that come later in the flat order; those before mirror them.
    nearness : array of shape (n_steps,)
        ``exp(-distance² / radius²)`` of each step; the distance counts as the radius at most.
    pieces : array of shape (size,)
        Number of the piece of each point, from 1; 0 in the margin and where there is no point.
    begin, end : int
        No point outside this range of the flat order belongs to the picture.

    Examples
    --------
    >>> grid = Grid((2, 3), 1, ThreadPool(1))
    >>> grid.padded, grid.steps.tolist()
    ((4, 5), [1, 5])
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        radius: float,
        pool: ThreadPool,
        spacing: tuple[float, ...] | None = None,
        pieces: IntArray | None = None,
    ) -> None:
        self.shape, self.pool = tuple(shape), pool
        spacing = (1.0,) * len(shape) if spacing is None else spacing
        offsets = offsets_within(radius, spacing)
        offsets = offsets[len(offsets) // 2 :]
        self.margins = tuple(np.abs(offsets).max(axis=0).tolist())
        self.padded = tuple(side + 2 * margin for side, margin in zip(shape, self.margins, strict=True))
        self.size = int(np.prod(self.padded))
        strides = np.cumprod((1, *self.padded[:0:-1]))[::-1]
        self.steps = (offsets @ strides).astype(np.int64)
        distances = np.minimum(((offsets * spacing) ** 2).sum(axis=1), radius**2)
        self.nearness = np.exp(-distances / radius**2).astype(np.float32)
        self.begin, self.end = int(self.steps.max()), self.size - int(self.steps.max())
        self._inner = tuple(
            slice(margin, margin + side) for side, margin in zip(shape, self.margins, strict=True)
        )
        self.pieces = self.inside if pieces is None else self.pad((pieces + 1).astype(np.float32))

    def pad(self, values: Any, fill: Any = 0) -> Any:
        """A plane of the picture as a flat plane of the grid."""
        plane = np.full(self.padded, fill, dtype=values.dtype)
        plane[self._inner] = values
        return plane.ravel()

    def pads(self, planes: Any) -> Any:
        """Several planes at once, along the first axis."""
        return np.stack([self.pad(plane) for plane in planes])

    def crop(self, plane: Any) -> Any:
        """A flat plane of the grid, or several, as planes of the picture; no copy."""
        return plane.reshape(*plane.shape[:-1], *self.padded)[(..., *self._inner)]

    @cached_property
    def inside(self) -> FloatArray:
        """1 in the picture, 0 in the margin."""
        return self.pad(np.ones(self.shape, dtype=np.float32))

    def places(self, coordinates: tuple[IntArray, ...]) -> IntArray:
        """Flat places of points of the picture."""
        inner = tuple(
            np.asarray(axis) + margin for axis, margin in zip(coordinates, self.margins, strict=True)
        )
        return np.asarray(np.ravel_multi_index(inner, self.padded))

    def share(self, kernel: Callable[..., Any], chunk: int, *arguments: Any) -> None:
        """Have the threads do a kernel on the whole range of points."""
        n_parts = self.n_parts(chunk)
        fixed = (self.begin, self.end)
        self.pool.share(n_parts, lambda first, last: kernel(first, last, *fixed, *arguments))

    def n_parts(self, chunk: int) -> int:
        """Into how many parts of so many points the grid is cut."""
        return max(0, -(-(self.end - self.begin) // chunk))
