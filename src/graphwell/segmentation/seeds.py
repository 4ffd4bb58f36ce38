"""Seeds that came as an array: checked, and their classes numbered."""

from typing import Any

import numpy as np

from graphwell._types import BoolArray, IntArray


def seed_classes(
    seeds: Any, shape: tuple[int, ...], masked: BoolArray | None = None
) -> tuple[IntArray, IntArray]:
    """Classes among seeds in an array, and the seeds as numbers of classes, -1 where unknown or masked.

    Examples
    --------
    >>> seed_classes([[7, -1, 3]], (1, 3))
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
    known = seeds >= 0 if masked is None else (seeds >= 0) & ~masked
    if not known.any():
        raise ValueError("seeds hold no class at all; mark some pixels of each class.")
    classes, numbers = np.unique(seeds[known], return_inverse=True)
    if len(classes) == 1:
        raise ValueError(f"seeds hold one class only, {classes[0]}; mark some pixels of another class too.")
    codes = np.full(seeds.shape, -1)
    codes[known] = numbers
    return classes, codes


def _size(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) if len(shape) == 2 else f"the shape {tuple(shape)}"
