"""Pictures and classes as numbers: `.npy`, `.npz`, folders of Zarr, and lines of text."""

import math
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError
from graphwell.io.images.base import (
    LARGEST_CLASS,
    PLACES,
    ImageFormat,
    Placement,
    arranged,
    as_classes,
    as_picture,
    check_places,
    check_shapes,
    sound_spacing,
    without_missing,
)
from graphwell.io.npy import declared, load_npy, load_npz
from graphwell.io.zarr_store import opened_zarr, require_zarr
from graphwell.memory import check_fits

COPIES = 3
"""Arrays of Zarr in memory: as stored, arranged, and as the picture."""
MOST_BYTES = 200_000_000
"""Of a list of pixels as text."""


def _read(path: Path, max_pixels: int) -> FloatArray:
    return as_picture(path, _array(path, "image", max_pixels))


def _read_numbers(path: Path, max_pixels: int) -> IntArray:
    return as_classes(path, _array(path, "seeds", max_pixels))


def _write_numbers(values: Any, file: IO[bytes]) -> None:
    np.save(file, values)


def _array(path: Path, name: str, max_pixels: int) -> Any:
    """The array of a `.npy` file; that of a `.npz` file which is alone, or has the name."""
    check_shapes(path, _declared_shapes(path), max_pixels)
    if path.suffix.lower() == ".npy":
        return load_npy(path)
    arrays = load_npz(path)
    if name not in arrays and len(arrays) != 1:
        names = ", ".join(sorted(arrays)) or "none"
        raise ValueError(f"{path} must hold one array, or one called {name!r}; it holds {names}.")
    return arrays[name] if name in arrays else next(iter(arrays.values()))


def _declared_shapes(path: Path) -> list[tuple[int, ...]]:
    """Shapes of all arrays by their headers; none of a damaged file, as reading it will say so."""
    shapes = []
    with path.open("rb") as file:
        try:
            if path.suffix.lower() == ".npy":
                return [declared(file)[0]]
            with zipfile.ZipFile(file) as archive:
                for member in archive.namelist():
                    with archive.open(member) as opened:
                        shapes.append(declared(opened)[0])
        except Exception:  # zip, zlib and NumPy raise a dozen kinds for bad bytes
            return []
    return shapes


def _read_zarr(path: Path, max_pixels: int) -> FloatArray:
    """The only array, the one called `image`, or the largest of an OME-Zarr image."""
    values, names = _zarr_array(path, "image", max_pixels)
    return as_picture(path, without_missing(values if names is None else arranged(path, values, names)))


def _read_zarr_numbers(path: Path, max_pixels: int) -> IntArray:
    return as_classes(path, _zarr_array(path, "seeds", max_pixels)[0])


def _read_zarr_placement(path: Path) -> Placement | None:
    """The distances between points that an OME-Zarr image tells."""
    with opened_zarr(path) as stored:
        described = _multiscales(stored)
        steps = () if described is None else described["datasets"][0].get("coordinateTransformations", ())
        scale = next((step["scale"] for step in steps if step.get("type") == "scale"), None)
        if scale is None:
            return None
        names = _axes(described)
        spacing = sound_spacing(float(scale[names.index(place)]) for place in PLACES if place in names)
    return None if spacing is None else Placement("", None, spacing)


def _zarr_array(path: Path, name: str, max_pixels: int) -> tuple[Any, list[str] | None]:
    """The array meant, and the names of its axes where there are any."""
    with opened_zarr(path) as stored:
        described = _multiscales(stored)
        names = None if described is None else _axes(described)
        if described is not None:
            array = stored[described["datasets"][0]["path"]]
        elif hasattr(stored, "shape"):
            array = stored
        else:
            arrays = dict(stored.arrays())
            if name not in arrays and len(arrays) != 1:
                problem = "{field} {} must hold one array, or one called {}; it holds {}."
                raise OptionError("image", problem, path, name, ", ".join(sorted(arrays))[:200] or "none")
            array = arrays.get(name) or next(iter(arrays.values()))
        if names is None:
            check_shapes(path, [array.shape], max_pixels)
        else:
            check_places(path, array.shape, names, max_pixels)
        check_fits(path, COPIES * math.prod(array.shape) * array.dtype.itemsize)
        return np.asarray(array[...]), names


def _multiscales(stored: Any) -> Any:
    """The first image that OME-Zarr describes, or None."""
    found = stored.attrs.get("ome", stored.attrs).get("multiscales")
    return found[0] if found and not hasattr(stored, "shape") else None


def _axes(described: Any) -> list[str]:
    return [str(axis["name"] if isinstance(axis, dict) else axis).lower() for axis in described["axes"]]


def _read_lines(path: Path, shape: tuple[int, int], max_pixels: int) -> IntArray:
    """Seeds as lines ``row,col,class`` of text, counted from 0 at the top left; all other pixels are -1."""
    if path.stat().st_size > MOST_BYTES:
        problem = "{field} {} is too large for a list of pixels; save the seeds as .npy."
        raise OptionError("seeds", problem, path)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        problem = "{field} {} is no text; its lines must be row,col,class."
        raise OptionError("seeds", problem, path) from error
    classes = np.full(shape, -1)
    for number, line in enumerate(lines, start=1):
        content = line.split("#")[0].strip()
        if not content or (number == 1 and content.replace(" ", "").lower() == "row,col,class"):
            continue
        parts = content.replace(";", ",").replace("\t", ",").split(",")
        try:  # more digits than any place or class has would take int() long
            row, column, marked = (int(part) if len(part) < 20 else int("x") for part in parts)
        except ValueError as error:
            problem = "{field} {}, line {}: expected three integers row,col,class, got {!r}."
            raise OptionError("seeds", problem, path, number, content[:60]) from error
        if not (0 <= row < shape[0] and 0 <= column < shape[1]):
            problem = (
                "{field} {}, line {}: row {}, column {} lies outside the picture of {} rows and {} columns "
                "(both count from 0)."
            )
            raise OptionError("seeds", problem, path, number, row, column, *shape)
        if not 0 <= marked <= LARGEST_CLASS:
            problem = "{field} {}, line {}: the class must be 0 or more, got {}."
            raise OptionError("seeds", problem, path, number, marked)
        if classes[row, column] not in (-1, marked):
            problem = (
                "{field} {}, line {}: row {}, column {} has the class {} already; "
                "leave one of the two lines out."
            )
            raise OptionError("seeds", problem, path, number, row, column, classes[row, column])
        classes[row, column] = marked
    return classes


FORMAT = (
    ImageFormat(
        name=".npy",
        suffixes=(".npy",),
        read=_read,
        read_numbers=_read_numbers,
        write_numbers=_write_numbers,
        rank=4,
    ),
    ImageFormat(name=".npz", suffixes=(".npz",), read=_read, read_numbers=_read_numbers, rank=5),
    ImageFormat(name="text", suffixes=(".txt", ".csv"), read_classes=_read_lines, rank=6),
    ImageFormat(
        name="Zarr",
        suffixes=(".zarr",),
        read=_read_zarr,
        read_placement=_read_zarr_placement,
        read_numbers=_read_zarr_numbers,
        extra="zarr",
        require=require_zarr,
        is_folder=True,
        rank=11,
    ),
)
