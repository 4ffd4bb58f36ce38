"""TIFF pictures: plain ones by Pillow, all others by tifffile; where they lie on earth is kept."""

from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell._types import FloatArray
from graphwell.errors import OptionError, warn_user
from graphwell.io.images import deep_tiff
from graphwell.io.images.base import Colors, Placement
from graphwell.io.images.pillow import SHALLOW, pillow_format, write_raster
from graphwell.io.images.tiff_tags import GEOREFERENCE, NODATA, TEXT, read_tags

PILLOW = pillow_format("TIFF", (".tif", ".tiff"), rank=3, slices=True)


def read(path: Path, max_pixels: int) -> FloatArray:
    """Read a picture or a volume; pixels without a value are masked."""
    assert PILLOW.read is not None
    tags = read_tags(path)
    if tags.is_deep_color and not deep_tiff.is_installed():
        warn_user(SHALLOW.format(path))
    elif not tags.is_plain:
        return deep_tiff.read(path, tags, max_pixels)
    return PILLOW.read(path, max_pixels)


def read_placement(path: Path) -> Placement | None:
    """Read where a picture lies on earth, or how far apart its points are."""
    tags = read_tags(path)
    if tags.georeference:
        return Placement("TIFF", tags.georeference)
    spacing = deep_tiff.spacing_of(path) if tags.has_named_axes else None
    return None if spacing is None else Placement("", None, spacing)


def write_placed(values: Any, colors: Colors, placement: Placement, file: IO[bytes]) -> None:
    """Write classes as numbers with a table of their colours, or real numbers, where the picture lies."""
    if values.dtype.kind == "f":
        write_raster(values.astype(np.float32), None, _written(placement, None), file)
        return
    kind = np.uint8 if values.max(initial=0) < np.iinfo(np.uint8).max else np.uint16
    if values.max(initial=0) >= np.iinfo(np.uint16).max:
        raise OptionError("output", "{field}: a TIFF file holds classes up to 65,534; use .npy.")
    none = int(np.iinfo(kind).max)
    numbers = np.where(values < 0, none, values).astype(kind)
    palette = np.zeros((256, 3), dtype=np.uint8)
    for number, color in colors.items():
        palette[number % 256] = color
    write_raster(numbers, palette if kind is np.uint8 else None, _written(placement, none), file)


def _written(placement: Placement, nodata: int | None) -> dict[int, tuple[int, Any]]:
    """Tags to write: the kind and the value of each."""
    tags = {number: (GEOREFERENCE[number], value) for number, value in placement.kept.items()}
    return tags if nodata is None else {**tags, NODATA: (TEXT, str(nodata))}


FORMAT = replace(PILLOW, read=read, read_placement=read_placement, write_placed=write_placed)
