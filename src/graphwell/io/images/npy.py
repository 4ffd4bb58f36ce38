"""Pictures, classes and uncertainty as the numbers of a `.npy` file."""

from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.io.images.arrays import as_classes, as_picture, check_shapes, declared_shape
from graphwell.io.images.base import ImageFormat, check_not_empty
from graphwell.io.npy import load_npy


def read(path: Path, max_pixels: int) -> FloatArray:
    """Read a picture with any number of channels."""
    return as_picture(path, _load(path, max_pixels))


def read_numbers(path: Path, max_pixels: int) -> IntArray:
    """Read integers, -1 for unknown."""
    return as_classes(path, _load(path, max_pixels))


def write_numbers(values: Any, file: IO[bytes]) -> None:
    """Write an array as it is."""
    np.save(file, values)


def _load(path: Path, max_pixels: int) -> Any:
    check_not_empty(path)
    check_shapes(path, _shapes(path), max_pixels)
    return load_npy(path)


def _shapes(path: Path) -> list[tuple[int, ...]]:
    with path.open("rb") as file:
        try:
            return [declared_shape(file)]
        except Exception:  # not an array file at all: reading it will say so
            return []


FORMAT = ImageFormat(
    name=".npy",
    suffixes=(".npy",),
    read=read,
    read_numbers=read_numbers,
    write_numbers=write_numbers,
    rank=4,
)
