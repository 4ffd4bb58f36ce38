"""Pictures, volumes and classes as numbers: `.npy`, `.npz`, folders of Zarr, NIfTI.

The only module that imports nibabel.
"""

import math
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError
from graphwell.io.arrays import declared, load_npy, load_npz, opened_zarr
from graphwell.io.pictures import (
    PLACES,
    Placement,
    arranged,
    as_classes,
    as_picture,
    check_pixels,
    check_shape,
    decoding,
    sound_spacing,
    without_missing,
)
from graphwell.memory import check_fits

BYTES_PER_POINT = 24  # of NIfTI: numbers as they are stored, brought to their scale, and as the picture
COPIES = 3  # arrays of Zarr in memory: as stored, arranged, and as the picture


def read_array(path: Path, max_pixels: int) -> FloatArray:
    """Read the array of a `.npy` file; that of a `.npz` file which is alone, or called `image`."""
    return as_picture(path, _array(path, "image", max_pixels))


def read_array_classes(path: Path, max_pixels: int) -> IntArray:
    """Read classes in the same way, alone or called `seeds`."""
    return as_classes(path, _array(path, "seeds", max_pixels))


def _array(path: Path, name: str, max_pixels: int) -> Any:
    is_alone, shapes = path.suffix.lower() == ".npy", []
    with suppress(Exception), path.open("rb") as file:  # reading will say what is wrong with a damaged file
        if is_alone:
            shapes.append(declared(file)[0])
        else:
            with zipfile.ZipFile(file) as archive:
                for member in archive.namelist():
                    shapes.append(declared(archive.open(member))[0])
    for shape in shapes:
        check_shape(path, shape, max_pixels)
    if is_alone:
        return load_npy(path)
    arrays = load_npz(path)
    if name not in arrays and len(arrays) != 1:
        names = ", ".join(sorted(arrays)) or "none"
        raise ValueError(f"{path} must hold one array, or one called {name!r}; it holds {names}.")
    return arrays[name] if name in arrays else next(iter(arrays.values()))


# ---------------------------------------------------------------------------------------------------- Zarr


def read_zarr(path: Path, max_pixels: int) -> FloatArray:
    """Read the only array, the one called `image`, or the largest of an OME-Zarr image."""
    values, names = _zarr_array(path, "image", max_pixels)
    return as_picture(path, without_missing(arranged(path, values, names) if names else values))


def read_zarr_classes(path: Path, max_pixels: int) -> IntArray:
    """Read classes, from the only array or the one called `seeds`."""
    return as_classes(path, _zarr_array(path, "seeds", max_pixels)[0])


def _zarr_array(path: Path, name: str, max_pixels: int) -> tuple[Any, list[str]]:
    """The array meant, and the names of its axes where there are any."""
    with opened_zarr(path) as stored:
        described, names = _multiscales(stored), []
        if described is not None:
            array, names = stored[described["datasets"][0]["path"]], _axes(described)
        elif hasattr(stored, "shape"):
            array = stored
        else:
            arrays = dict(stored.arrays())
            if name not in arrays and len(arrays) != 1:
                problem = "{field} {} must hold one array, or one called {}; it holds {}."
                raise OptionError("image", problem, path, name, ", ".join(sorted(arrays))[:200] or "none")
            array = arrays.get(name) or next(iter(arrays.values()))
        check_shape(path, array.shape, max_pixels, names)
        check_fits(path, COPIES * math.prod(array.shape) * array.dtype.itemsize)
        return np.asarray(array[...]), names


def read_zarr_placement(path: Path) -> Placement | None:
    """The distances between points that an OME-Zarr image holds."""
    with opened_zarr(path) as stored:
        described = _multiscales(stored)
        steps = () if described is None else described["datasets"][0].get("coordinateTransformations", ())
        scale = next((step["scale"] for step in steps if step.get("type") == "scale"), None)
        if scale is None:
            return None
        names = _axes(described)
        spacing = sound_spacing(float(scale[names.index(place)]) for place in PLACES if place in names)
    return None if spacing is None else Placement(spacing)


def _multiscales(stored: Any) -> Any:
    """The first image that OME-Zarr describes, or None."""
    found = stored.attrs.get("ome", stored.attrs).get("multiscales")
    return found[0] if found and not hasattr(stored, "shape") else None


def _axes(described: Any) -> list[str]:
    return [str(axis["name"] if isinstance(axis, dict) else axis).lower() for axis in described["axes"]]


# --------------------------------------------------------------------------------------------------- NIfTI


def read_nifti(path: Path, max_pixels: int) -> FloatArray:
    """Read a volume, of shape (first, second, third axis of the file, channels); NaN is masked."""
    values = _nifti(path, max_pixels)
    return np.asanyarray(without_missing(values.astype(np.float32, copy=False)))


def read_nifti_classes(path: Path, max_pixels: int) -> IntArray:
    """Read classes of a volume: whole numbers, 0 for unknown."""
    values = _nifti(path, max_pixels)[..., 0]
    if values.dtype.kind == "f":
        if not (np.isfinite(values).all() and (values == np.round(values)).all()):
            problem = "{field} {} must hold whole numbers, the classes, and 0 for unknown."
            raise OptionError("seeds", problem, path)
        values = values.astype(np.int64)
    classes = as_classes(path, values)
    return np.where(classes == 0, -1, classes)


def _nifti(path: Path, max_pixels: int) -> Any:
    """Three axes of places and one of channels; absurd sizes are refused before memory is asked for."""
    nibabel = require_nibabel()
    with decoding(path, "NIfTI"):
        image = nibabel.load(path)
        shape = image.shape
        places = (*shape[:3], *(1,) * (3 - len(shape)))
        channels = [side for side in shape[3:] if side > 1]
        if len(channels) > 1 or min(places) < 1:
            problem = (
                "{field} {} has the shape {}; a volume has three axes, and at most one of channels more."
            )
            raise OptionError("image", problem, path, shape)
        check_pixels(path, places, max_pixels)
        check_fits(path, BYTES_PER_POINT * math.prod(shape))
        return np.asarray(image.dataobj).reshape(*places, *(channels or [1]))


def read_nifti_placement(path: Path) -> Placement:
    """How far apart points are, in millimetres, and where they lie in the body."""
    nibabel = require_nibabel()
    with decoding(path, "NIfTI"):
        image = nibabel.load(path)
        sides = [abs(float(side)) for side in image.header.get_zooms()[:3]]
    spacing = sound_spacing(sides) if len(sides) == 3 else None
    return Placement(spacing, (".nii", ".nii.gz"), image.affine)


def write_nifti(values: Any, affine: Any, file: IO[bytes]) -> None:
    """Write classes or real numbers where the volume lies; 0 for no class, or -1 where 0 is a class."""
    nibabel = require_nibabel()
    if values.dtype.kind in "iu":
        values = np.where(values < 0, -1 if (values == 0).any() else 0, values).astype(np.int32)
    image = nibabel.Nifti1Image(values, affine)
    image.header.set_xyzt_units("mm")
    file.write(image.to_bytes())


def require_nibabel() -> Any:
    """Return nibabel, or say how to install it."""
    try:
        import nibabel
    except ImportError as error:
        raise ImportError(
            'NIfTI files need nibabel, which is not installed: pip install "graphwell[nifti]"'
        ) from error
    return nibabel
