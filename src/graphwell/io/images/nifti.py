"""Volumes of medicine, `.nii` and `.nii.gz`: spacing and place are kept.

The only module that imports nibabel.
"""

import math
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError
from graphwell.io.images.base import (
    Colors,
    ImageFormat,
    Placement,
    RefusedError,
    as_classes,
    check_pixels,
    sound_spacing,
    without_missing,
)
from graphwell.io.images.pillow import decoding
from graphwell.memory import check_fits

NAME = "NIfTI"
BYTES_PER_POINT = 24
"""Numbers as they are stored, brought to their scale, and as the picture."""


def _read(path: Path, max_pixels: int) -> FloatArray:
    """A volume, of shape (first, second, third axis of the file, channels); NaN is masked."""
    values = _numbers(path, max_pixels)
    return np.asanyarray(without_missing(values.astype(np.float32, copy=False)))


def _read_numbers(path: Path, max_pixels: int) -> IntArray:
    """Read classes of a volume: whole numbers, 0 for unknown."""
    values = _numbers(path, max_pixels)[..., 0]
    if values.dtype.kind == "f":
        if not (np.isfinite(values).all() and (values == np.round(values)).all()):
            problem = "{field} {} must hold whole numbers, the classes, and 0 for unknown."
            raise OptionError("seeds", problem, path)
        values = values.astype(np.int64)
    classes = as_classes(path, values)
    return np.where(classes == 0, -1, classes)


def _read_placement(path: Path) -> Placement:
    """Read how far apart points are, in millimetres, and where they lie in the body."""
    nibabel = _require_nibabel()
    with decoding(path, NAME):
        image = nibabel.load(path)
        sides = [abs(float(side)) for side in image.header.get_zooms()[:3]]
    return Placement(NAME, image.affine, sound_spacing(sides) if len(sides) == 3 else None)


def _write_placed(values: Any, colors: Colors, placement: Placement, file: IO[bytes]) -> None:
    """Write classes or real numbers where the volume lies; 0 for no class, or -1 where 0 is a class."""
    nibabel = _require_nibabel()
    if values.dtype.kind in "iu":
        values = np.where(values < 0, -1 if (values == 0).any() else 0, values).astype(np.int32)
    image = nibabel.Nifti1Image(values, placement.kept)
    image.header.set_xyzt_units("mm")
    file.write(image.to_bytes())


def _write_numbers(values: Any, file: IO[bytes]) -> None:
    """Write a volume that lies nowhere in particular."""
    _write_placed(values, {}, Placement(NAME, np.eye(4)), file)


def _numbers(path: Path, max_pixels: int) -> Any:
    """Numbers of a file with one channel or more, once it is known that they fit."""
    nibabel = _require_nibabel()
    with decoding(path, NAME):
        image = nibabel.load(path)
        shape = _shape(path, image.shape, max_pixels)
        return np.asarray(image.dataobj).reshape(shape)


def _shape(path: Path, shape: tuple[int, ...], max_pixels: int) -> tuple[int, ...]:
    """Three axes of places and one of channels; absurd sizes are refused before memory is asked for."""
    places = (*shape[:3], *(1,) * (3 - len(shape)))
    channels = [side for side in shape[3:] if side > 1]
    if len(channels) > 1 or min(places) < 1:
        problem = "{field} {} has the shape {}; a volume has three axes, and at most one of channels more."
        raise RefusedError("image", problem, path, shape)
    check_pixels(path, places, max_pixels)
    check_fits(path, BYTES_PER_POINT * math.prod(shape))
    return (*places, *(channels or [1]))


def _require_nibabel() -> Any:
    """Return nibabel, or say how to install it."""
    try:
        import nibabel
    except ImportError as error:
        raise ImportError(
            'NIfTI files need nibabel, which is not installed: pip install "graphwell[nifti]"'
        ) from error
    return nibabel


FORMAT = ImageFormat(
    name=NAME,
    suffixes=(".nii", ".nii.gz"),
    read=_read,
    read_placement=_read_placement,
    read_numbers=_read_numbers,
    write_numbers=_write_numbers,
    write_placed=_write_placed,
    extra="nifti",
    require=_require_nibabel,
    rank=10,
)
