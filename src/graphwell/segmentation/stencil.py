"""The graph of a picture: a padded grid where a neighbour is a fixed step away, and the weights of its links.

Half of the links are kept, in 16 bits, and no index at all.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from graphwell._checks import number_between
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.backends.conjugate_gradients import System, iterate
from graphwell.backends.cpu.pixels import Pixels
from graphwell.backends.cpu.stencil import UNIT

# A part of a picture, along each axis.
Window: TypeAlias = tuple[slice, ...]
# Relative residual at which scores are exact enough.
TOLERANCE = 1e-4
# Smallest weight of a colour difference: a speck unlike all around it still depends on its neighbours.
WEAKEST_COLOR = 1e-4


class PixelGrid:
    """The points of a picture with a margin around it that no link leaves.

    `radius` is the reach of the links in units of the smallest spacing; the next points along each axis are
    linked in any case. `pieces` numbers the parts between masked points, -1 where there is no point. All
    arrays lie where the engine is.
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        radius: float,
        engine: Pixels,
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
        self.steps = engine.asarray(steps)  # to the neighbours that come later; those before mirror them
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

    def part(self, window: Window) -> "PixelGrid":
        """The grid of a part of the picture."""
        shape = tuple(slices.stop - slices.start for slices in window)
        return PixelGrid(shape, self.radius, self.engine, self.spacing)

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


def window_around(chosen: BoolArray, engine: Pixels, margin: int = 0) -> Window:
    """The smallest window around all chosen points and a margin; one corner if there are none."""
    window = []
    for axis, side in enumerate(chosen.shape):
        others = tuple(other for other in range(chosen.ndim) if other != axis)
        found = np.flatnonzero(engine.to_host(chosen.any(axis=others)))
        first, last = (int(found[0]), int(found[-1])) if len(found) else (0, 0)
        window.append(slice(max(0, first - margin), min(last + 1 + margin, side)))
    return tuple(window)


def offsets_within(radius: float, spacing: tuple[float, ...]) -> IntArray:
    """Steps to all points within a radius and to the next along each axis, in the order of places."""
    number_between("radius", radius, 1, 16, ends=True, unit=" pixels")
    reach = [max(1, int(radius / apart)) for apart in spacing]
    lines = [np.arange(-most, most + 1) for most in reach]
    steps = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, len(spacing))
    near = ((steps * spacing) ** 2).sum(axis=1) <= radius**2
    next_ones = np.abs(steps).sum(axis=1) == 1  # slices of a volume are linked however far apart
    return np.asarray(steps[(near | next_ones) & steps.any(axis=1)])


@dataclass(frozen=True, eq=False)
class Stencil:
    """The graph of a picture: points within a radius are linked by how alike they are."""

    grid: PixelGrid
    weights: IntArray  # of all links that point forward, in 16 bits
    degrees: FloatArray  # of shape (grid.size,): sum of the weights of each point

    @classmethod
    def of(cls, grid: PixelGrid, planes: FloatArray, color_scale: float) -> "Stencil":
        """The weights ``exp(-|c_i - c_j|² / h²) exp(-distance² / R²)``, where h is the colour scale."""
        engine = grid.engine
        weights = engine.link(grid, planes, float(color_scale) ** -2, WEAKEST_COLOR)
        return cls(grid, weights, engine.product(grid, weights, grid.inside[None])[0])

    def part(self, window: Window) -> "Stencil":
        """The same in a part of the picture; what lies around it stays linked to it."""
        return Stencil(
            self.grid.part(window), self.grid.cut(self.weights, window), self.grid.cut(self.degrees, window)
        )

    def product(self, planes: FloatArray) -> FloatArray:
        """The weights times each plane of shape (n_planes, grid.size)."""
        return self.grid.engine.product(self.grid, self.weights, planes)

    def regions(self) -> IntArray:
        """Number of the region of each point, below `grid.size`: no link of like colours joins regions."""
        grid = self.grid
        weakest = np.round(WEAKEST_COLOR * grid.nearness / UNIT).astype(np.uint16)
        return grid.crop(grid.engine.joined(grid, self.weights, weakest))

    def diffuse(
        self,
        known: BoolArray,
        scores: FloatArray,
        most_iterations: int,
        residual: FloatArray | None = None,
        toward: FloatArray | None = None,
    ) -> FloatArray:
        """Make scores harmonic where nothing is known, in place: conjugate gradients, Jacobi preconditioner.

        `scores` are given where `known`, and hold a guess elsewhere. `residual` is what may be left of each
        class, as an earlier call returned it: squared residuals, each over the degree of its point.
        `toward` is the unary term: how strongly each class draws each point.
        """
        grid = self.grid
        sums = self.degrees if toward is None else self.degrees + toward.sum(axis=0)
        free = ((grid.inside > 0) & ~known & (sums > 0)).astype(np.float32)
        inverse = free / np.maximum(sums, np.finfo(np.float32).tiny)
        r = self.product(scores) - sums * scores
        if toward is not None:
            r += toward
        r *= free
        system = _Laplacian(self, sums, free, inverse)
        return iterate(
            system, scores, r, TOLERANCE, most_iterations, rest=0.0 if residual is None else residual
        )[0]


class _Laplacian(System):
    """The Laplacian of the free points, preconditioned by its diagonal; a plane is a column."""

    # All planes go on until the last is done, and their quotients are left to the kernels: a GPU would be
    # waited for otherwise.

    def __init__(self, stencil: Stencil, sums: FloatArray, free: FloatArray, inverse: FloatArray) -> None:
        self.grid, self.verbs, self.inverse = stencil.grid, stencil.grid.engine, inverse
        self.matrix = stencil.weights, sums, free

    def preconditioned(self, r: FloatArray) -> FloatArray:
        return self.inverse * r

    def dots(self, a: FloatArray, b: FloatArray) -> FloatArray:
        return np.multiply(a, b, dtype=np.float64).sum(axis=1)

    def apply(self, p: FloatArray, image: FloatArray) -> FloatArray:
        return self.verbs.apply(self.grid, *self.matrix, p, image)

    def advance(self, x: Any, r: Any, p: Any, image: Any, step: Any) -> FloatArray:
        return self.verbs.advance(self.grid, self.inverse, x, r, p, image, step)

    def turn(self, p: Any, r: Any, ratio: Any) -> None:
        self.verbs.turn(self.grid, self.inverse, r, p, ratio)

    def quotient(self, above: Any, below: Any, going: BoolArray) -> Any:
        return above, below

    def to_host(self, sums: Any) -> FloatArray:
        return np.asarray(self.verbs.to_host(sums))
