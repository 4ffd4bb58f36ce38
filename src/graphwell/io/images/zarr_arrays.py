"""Pictures, volumes and classes in folders of Zarr, those of OME-Zarr by the names of their axes."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError
from graphwell.io.images.arrays import as_classes, as_picture, check_shapes, without_missing
from graphwell.io.images.axes import PLACES, arranged, check_places
from graphwell.io.images.base import ImageFormat, Placement, sound_spacing
from graphwell.io.zarr_store import opened_zarr, require_zarr
from graphwell.memory import check_fits

COPIES = 3


def read(path: Path, max_pixels: int) -> FloatArray:
    """Read the only array, the one called `image`, or the largest of an OME-Zarr image.

    Examples
    --------
    >>> import tempfile, zarr
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = zarr.save(f"{folder}/picture.zarr", np.zeros((4, 5)))
    ...     read(Path(folder) / "picture.zarr", 100).shape
    (4, 5)
    """
    values, names = _load(path, "image", max_pixels)
    return as_picture(path, without_missing(values if names is None else arranged(path, values, names)))


def read_numbers(path: Path, max_pixels: int) -> IntArray:
    """Read the only array, or the one called `seeds`: integers, -1 for unknown."""
    return as_classes(path, _load(path, "seeds", max_pixels)[0])


def read_placement(path: Path) -> Placement | None:
    """Read the distances between points that an OME-Zarr image tells."""
    with opened_zarr(path) as stored:
        described = _multiscales(stored)
        scale = None if described is None else _scale(described)
        if scale is None:
            return None
        names = _axes(described)
        spacing = sound_spacing(scale[names.index(place)] for place in PLACES if place in names)
    return None if spacing is None else Placement("", None, spacing)


def _load(path: Path, name: str, max_pixels: int) -> tuple[Any, list[str] | None]:
    """The array meant, and the names of its axes where they are told."""
    with opened_zarr(path) as stored:
        described = _multiscales(stored)
        array = stored[described["datasets"][0]["path"]] if described else _only(path, stored, name)
        names = None if described is None else _axes(described)
        if names is None:
            check_shapes(path, [array.shape], max_pixels)
        else:
            check_places(path, array.shape, names, max_pixels)
        check_fits(path, COPIES * math.prod(array.shape) * array.dtype.itemsize)
        return np.asarray(array[...]), names


def _only(path: Path, stored: Any, name: str) -> Any:
    """The array itself, or that of a group which is meant."""
    if hasattr(stored, "shape"):
        return stored
    arrays = dict(stored.arrays())
    if name not in arrays and len(arrays) != 1:
        problem = "{field} {} must hold one array, or one called {}; it holds {}."
        raise OptionError("image", problem, path, name, ", ".join(sorted(arrays))[:200] or "none")
    return arrays.get(name) or next(iter(arrays.values()))


def _multiscales(stored: Any) -> Any:
    """What OME-Zarr says of its first image, or None."""
    told = stored.attrs.get("ome", stored.attrs)
    found = told.get("multiscales")
    return found[0] if found and not hasattr(stored, "shape") else None


def _axes(described: Any) -> list[str]:
    return [str(axis["name"] if isinstance(axis, dict) else axis).lower() for axis in described["axes"]]


def _scale(described: Any) -> list[float] | None:
    for step in described["datasets"][0].get("coordinateTransformations", ()):
        if step.get("type") == "scale":
            return [float(side) for side in step["scale"]]
    return None


FORMAT = ImageFormat(
    name="Zarr",
    suffixes=(".zarr",),
    read=read,
    read_placement=read_placement,
    read_numbers=read_numbers,
    extra="zarr",
    require=require_zarr,
    is_folder=True,
    rank=11,
)
