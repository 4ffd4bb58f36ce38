"""TIFF pictures that Pillow would flatten: 16 bits a colour, many channels, named axes, no-data values.

The only module that imports tifffile.
"""

import math
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from graphwell._types import FloatArray
from graphwell.io.images.arrays import as_picture, without_missing
from graphwell.io.images.axes import arranged, check_places
from graphwell.io.images.base import RefusedError, sound_spacing
from graphwell.io.images.pillow import decoding, with_opacity
from graphwell.io.images.tiff_tags import TiffTags
from graphwell.memory import check_fits

NAMES = {"I": "z", "Q": "z", "S": "c"}
"""Letters of tifffile for pages without a name, which are slices, and for the samples of a pixel."""
COPIES = 3
MICROMETRES = {"nm": 1e-3, "µm": 1.0, "um": 1.0, "mm": 1e3, "cm": 1e4, "m": 1e6}


def read(path: Path, tags: TiffTags, max_pixels: int) -> FloatArray:
    """Read the first picture of a file, or a volume; points without a value are masked."""
    values, names, orientation = _first(path, max_pixels)
    values = turned(arranged(path, values, names), orientation)
    values = values[..., None] if values.ndim == 2 else values
    if tags.has_opacity and values.shape[-1] in (2, 4) and values.dtype.kind == "u":
        shares = values.astype(np.float32) / np.iinfo(values.dtype).max
        return with_opacity(shares)
    found = as_picture(path, without_missing(values, [] if tags.nodata is None else [tags.nodata]))
    return found[..., 0] if found.ndim == 3 and found.shape[-1] == 1 else found


def spacing_of(path: Path) -> tuple[float, ...] | None:
    """Distances between points along height, width and depth that an OME description tells, if any."""
    tifffile = require_tifffile()
    with decoding(path, "TIFF"), tifffile.TiffFile(path) as file:
        root = ElementTree.fromstring(file.ome_metadata or "<none/>")
    pixels = next((found for found in root.iter() if found.tag.endswith("}Pixels")), None)
    if pixels is None:
        return None
    try:
        names = ("Y", "X", "Z") if int(pixels.get("SizeZ", "1")) > 1 else ("Y", "X")
        return sound_spacing(_micrometres(pixels, name) for name in names)
    except (KeyError, ValueError):
        return None


def _micrometres(pixels: Any, axis: str) -> float:
    return (
        float(pixels.attrib[f"PhysicalSize{axis}"]) * MICROMETRES[pixels.get(f"PhysicalSize{axis}Unit", "µm")]
    )


def _first(path: Path, max_pixels: int) -> tuple[Any, list[str], int]:
    """Numbers of the first picture, the names of its axes, and how it was held."""
    tifffile = require_tifffile()
    with decoding(path, "TIFF"), tifffile.TiffFile(path) as file:
        first, *others = file.series
        names = [NAMES.get(letter, letter.lower()) for letter in first.axes]
        check_places(path, first.shape, names, max_pixels)
        check_fits(path, COPIES * math.prod(first.shape) * first.dtype.itemsize)
        if any(math.prod(other.shape) >= math.prod(first.shape) for other in others):
            problem = "{} holds {} pictures; save the one to segment in a file of its own."
            raise RefusedError("image", problem, path, len(file.series))
        orientation = int(getattr(file.pages[0].tags.get("Orientation"), "value", 1))
        return first.asarray(maxworkers=1), names, orientation


def turned(values: Any, orientation: int) -> Any:
    """A picture upright, as EXIF numbers the ways to hold a camera.

    Examples
    --------
    >>> turned(np.array([[1, 2, 3]]), 6).tolist(), turned(np.array([[1, 2, 3]]), 2).tolist()
    ([[1], [2], [3]], [[3, 2, 1]])
    """
    if orientation in (2, 4, 5, 7):
        values = values[:, ::-1]
    quarters = {3: 2, 4: 2, 5: 1, 6: -1, 7: -1, 8: 1}.get(orientation, 0)
    return np.rot90(values, quarters)


def is_installed() -> bool:
    """Whether tifffile is there."""
    return find_spec("tifffile") is not None


def require_tifffile() -> Any:
    """Return tifffile, or say how to install it."""
    try:
        import tifffile
    except ImportError as error:
        raise ImportError(
            "TIFF files with 16 bits a colour, more than four channels, no-data values or an OME description "
            'need tifffile, which is not installed: pip install "graphwell[images]"'
        ) from error
    return tifffile
