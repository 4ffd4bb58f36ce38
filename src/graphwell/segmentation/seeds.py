"""Points of an image and its seeds: which axes are places, what is masked, which classes are known."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import ndimage

from graphwell._types import BoolArray, IntArray
from graphwell.errors import OptionError


def channels_last(image: Any, channel_axis: int | None) -> Any:
    """The image with its channels along the last axis, one channel where it has no such axis."""
    if isinstance(image, str | Path):
        raise ValueError(f"image is the path {str(image)!r}; give np.asarray(PIL.Image.open(path)).")
    image = image if isinstance(image, np.ma.MaskedArray) else np.asarray(image)
    if image.ndim not in (2, 3, 4):
        raise ValueError(
            f"image must have the shape (height, width[, depth][, channels]), got {image.shape}."
        )
    if image.ndim == 2 or (image.ndim == 3 and channel_axis is None):
        return image[..., None]
    if isinstance(channel_axis, int | np.integer) and -image.ndim <= channel_axis < image.ndim:
        return np.moveaxis(image, channel_axis, -1)
    problem = "{field} must be an axis of the image of shape {}, got {!r}."
    raise OptionError("channel_axis", problem, image.shape, channel_axis)


def without_single_points(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The sides of a volume that hold more than one point, at least two; those of a picture as they are."""
    if len(shape) == 2:
        return shape
    longer = tuple(side for side in shape if side > 1)
    return longer + (1,) * (2 - len(longer))


def relative_spacing(spacing: Any, shape: tuple[int, ...]) -> tuple[float, ...]:
    """Distances between points along each axis of `without_single_points`, the smallest of them 1."""
    if spacing is None:
        return (1.0,) * len(without_single_points(shape))
    try:
        given = [float(one) for one in spacing]
    except (TypeError, ValueError):
        given = []
    if len(given) != len(shape) or not all(math.isfinite(one) and one > 0 for one in given):
        problem = "{field} must be {} positive numbers, one for each axis of the points, got {!r}."
        raise OptionError("spacing", problem, len(shape), spacing)
    if len(shape) > 2:
        given = [one for one, side in zip(given, shape, strict=True) if side > 1] or [1.0]
    smallest = min(given)
    return tuple(one / smallest for one in given) + (1.0,) * (2 - len(given))


def without_mask(image: Any) -> tuple[Any, BoolArray | None]:
    """An image of shape (*shape, channels) as a plain array, and which of its points are masked, if any.

    Masked points take the values of the nearest others, so that a blur beside them changes little.
    """
    if not isinstance(image, np.ma.MaskedArray):
        return image, None
    masked: BoolArray = np.asarray(np.ma.getmaskarray(image).any(axis=-1))
    values = np.asarray(np.ma.getdata(image))
    if not masked.any():
        return values, None
    if masked.all():
        raise ValueError("image is masked everywhere; there is nothing to segment.")
    nearest = ndimage.distance_transform_edt(masked, return_distances=False, return_indices=True)
    return values[tuple(nearest)], masked


def pieces_between(masked: BoolArray) -> IntArray:
    """Number of the piece of each point, -1 where it is masked: points of a piece touch, corners too."""
    numbers, _ = ndimage.label(~masked, structure=np.ones((3,) * masked.ndim, dtype=bool))
    return np.asarray(numbers, dtype=np.int64) - 1


@dataclass(frozen=True, eq=False)
class Seeds:
    """Known points of a picture of some shape, on the host: few, however large the picture is."""

    shape: tuple[int, ...]
    places: IntArray  # flat, rising
    codes: IntArray  # numbers of their classes

    @classmethod
    def of(cls, codes: IntArray) -> "Seeds":
        """Seeds of a plane of numbers, -1 where unknown."""
        places = np.flatnonzero(codes.ravel() >= 0)
        return cls(codes.shape, places, codes.ravel()[places])

    def plane(self) -> IntArray:
        """All points, -1 where unknown."""
        codes = np.full(self.shape, -1)
        codes.ravel()[self.places] = self.codes
        return codes

    @property
    def coordinates(self) -> tuple[IntArray, ...]:
        """Places along each axis."""
        return np.unravel_index(self.places, self.shape)

    def some(self, which: BoolArray) -> "Seeds":
        """Those at which a mask is True."""
        return Seeds(self.shape, self.places[which], self.codes[which])

    def halved(self) -> "Seeds":
        """Seeds of squares of two by two points, or cubes: the commonest class, the first of equals."""
        shape = tuple(-(-side // 2) for side in self.shape)
        squares = np.ravel_multi_index(tuple(axis // 2 for axis in self.coordinates), shape)
        n_classes = int(self.codes.max(initial=-1)) + 1
        cells, votes = np.unique(squares * n_classes + self.codes, return_counts=True)
        # By square, then by votes, then the first class last: the last of each square is the one that is
        # kept.
        order = np.lexsort((-cells, votes, cells // max(n_classes, 1)))
        cells = cells[order]
        last = np.append(cells[1:] // n_classes != cells[:-1] // n_classes, True)[: len(cells)]
        return Seeds(shape, cells[last] // n_classes, cells[last] % n_classes)


def seed_classes(
    seeds: Any, shape: tuple[int, ...], masked: BoolArray | None = None
) -> tuple[IntArray, Seeds]:
    """Classes among seeds in an array, and the seeds as numbers of classes; masked ones are left out."""
    seeds = np.asarray(seeds)
    if seeds.shape != tuple(shape):
        raise ValueError(
            f"seeds must have the size of the image, {_size(shape)}, but have {_size(seeds.shape)}."
        )
    if not np.issubdtype(seeds.dtype, np.integer):
        raise ValueError(f"seeds must be integers with -1 for unknown, got {seeds.dtype}.")
    if seeds.min() < -1:
        raise ValueError(f"seeds must be classes from 0 up, or -1 for unknown; got {seeds.min()}.")
    found = Seeds.of(seeds)
    if masked is not None:
        found = found.some(~masked.ravel()[found.places])
    if len(found.places) == 0:
        raise ValueError("seeds hold no class at all; mark some pixels of each class.")
    classes, numbers = np.unique(found.codes, return_inverse=True)
    return classes, Seeds(found.shape, found.places, numbers.ravel())


def _size(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) if len(shape) == 2 else f"the shape {tuple(shape)}"
