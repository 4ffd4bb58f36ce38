"""Known classes of a few points: read from an array, and brought to smaller sizes of a picture."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwell._types import BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class Seeds:
    """Known points of a picture of some shape, on the host: few, however large the picture is.

    Attributes
    ----------
    shape : tuple of int
    places : array of shape (n,)
        Flat places, rising.
    codes : array of shape (n,)
        Numbers of their classes.

    Examples
    --------
    >>> Seeds.of(np.array([[-1, 1], [0, -1]]))
    Seeds(shape=(2, 2), places=array([1, 2]), codes=array([1, 0]))
    """

    shape: tuple[int, ...]
    places: IntArray
    codes: IntArray

    @classmethod
    def of(cls, codes: IntArray) -> "Seeds":
        """Those of a plane of numbers, -1 where unknown."""
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
        """Some of them."""
        return Seeds(self.shape, self.places[which], self.codes[which])

    def halved(self) -> "Seeds":
        """Of the squares of two by two points, or cubes: the class that most name, the first of equals.

        Examples
        --------
        >>> Seeds.of(np.array([[1, -1, -1], [1, 0, -1]])).halved().plane()
        array([[ 1, -1]])
        """
        shape = tuple(-(-side // 2) for side in self.shape)
        squares = np.ravel_multi_index(tuple(axis // 2 for axis in self.coordinates), shape)
        n_classes = int(self.codes.max(initial=-1)) + 1
        cells, votes = np.unique(squares * n_classes + self.codes, return_counts=True)
        order = np.lexsort((-cells, votes, cells // max(n_classes, 1)))
        cells = cells[order]
        last = np.append(cells[1:] // n_classes != cells[:-1] // n_classes, True)[: len(cells)]
        return Seeds(shape, cells[last] // n_classes, cells[last] % n_classes)


def seed_classes(
    seeds: Any, shape: tuple[int, ...], masked: BoolArray | None = None
) -> tuple[IntArray, Seeds]:
    """Classes among seeds in an array, and the seeds as numbers of classes; masked ones are left out.

    Examples
    --------
    >>> classes, found = seed_classes([[7, -1, 3]], (1, 3))
    >>> classes, found.plane()
    (array([3, 7]), array([[ 1, -1,  0]]))
    """
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
