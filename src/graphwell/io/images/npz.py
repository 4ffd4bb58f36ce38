"""A picture or classes in a `.npz` file that holds one array, or several by name."""

import zipfile
from pathlib import Path
from typing import Any

from graphwell._types import FloatArray, IntArray
from graphwell.io.images.arrays import as_classes, as_picture, check_shapes, declared_shape
from graphwell.io.images.base import ImageFormat, check_not_empty
from graphwell.io.npy import load_npz


def read(path: Path, max_pixels: int) -> FloatArray:
    """Read the only array, or the one called `image`."""
    return as_picture(path, _load(path, "image", max_pixels))


def read_numbers(path: Path, max_pixels: int) -> IntArray:
    """Read the only array, or the one called `seeds`: integers, -1 for unknown."""
    return as_classes(path, _load(path, "seeds", max_pixels))


def _load(path: Path, name: str, max_pixels: int) -> Any:
    check_not_empty(path)
    check_shapes(path, _shapes(path), max_pixels)
    arrays = load_npz(path)
    if name not in arrays and len(arrays) != 1:
        names = ", ".join(sorted(arrays)) or "none"
        raise ValueError(f"{path} must hold one array, or one called {name!r}; it holds {names}.")
    return arrays[name] if name in arrays else next(iter(arrays.values()))


def _shapes(path: Path) -> list[tuple[int, ...]]:
    shapes = []
    with path.open("rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                for member in archive.namelist():
                    with archive.open(member) as opened:
                        shapes.append(declared_shape(opened))
        except Exception:  # not an array file at all: reading it will say so
            return []
    return shapes


FORMAT = ImageFormat(name=".npz", suffixes=(".npz",), read=read, read_numbers=read_numbers, rank=5)
