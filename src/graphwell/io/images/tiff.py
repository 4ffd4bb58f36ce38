"""TIFF pictures and volumes: plain ones by Pillow, all others by tifffile; where they lie on earth is kept.

Pillow would flatten 16 bits a colour, many channels, named axes and no-data values. The only module that
imports tifffile.
"""

import math
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell._types import FloatArray
from graphwell.errors import OptionError, warn_user
from graphwell.io.images.base import (
    Colors,
    Placement,
    RefusedError,
    arranged,
    as_picture,
    check_places,
    sound_spacing,
    without_missing,
)
from graphwell.io.images.pillow import (
    SHALLOW,
    decoding,
    pillow_format,
    read_directory,
    with_opacity,
    write_raster,
)
from graphwell.memory import check_fits

PILLOW = pillow_format("TIFF", (".tif", ".tiff"), rank=3)
BITS, PHOTOMETRIC, DESCRIPTION, SAMPLES, EXTRA = 258, 262, 270, 277, 338
GREY, COLORS, SEPARATED = (0, 1), 2, 5
"""Kinds of pictures; those of SEPARATED hold cyan, magenta, yellow and black."""
NODATA = 42113
TEXT, SHORT, DOUBLE = 2, 3, 12
GEOREFERENCE = {33550: DOUBLE, 33922: DOUBLE, 34264: DOUBLE, 34735: SHORT, 34736: DOUBLE, 34737: TEXT}
"""Tags that GeoTIFF places a picture with, and the kinds of their values."""
AXES = {"I": "z", "Q": "z", "S": "c"}
"""Letters of tifffile for pages without a name, which are slices, and for the samples of a pixel."""
COPIES = 3
MICROMETRES = {"nm": 1e-3, "µm": 1.0, "um": 1.0, "mm": 1e3, "cm": 1e4, "m": 1e6}


@dataclass(frozen=True)
class TiffTags:
    """The tags of a picture by number, and whether another picture follows."""

    by_number: dict[int, Any]
    pages_follow: bool

    @property
    def samples(self) -> int:
        """Numbers that a pixel has."""
        return int(self.by_number.get(SAMPLES, 1))

    @property
    def has_opacity(self) -> bool:
        """Whether the last number of a pixel says how opaque it is."""
        return any(kind in (1, 2) for kind in _as_tuple(self.by_number.get(EXTRA, ())))

    @property
    def nodata(self) -> float | None:
        """Value of pixels that show nothing, as GDAL writes it; None where there is none."""
        text = str(self.by_number.get(NODATA, "")).strip("\0 ")
        try:
            return float(text)
        except ValueError:
            return None

    @property
    def georeference(self) -> dict[int, Any]:
        """Those tags that say where on earth the picture lies; garbled ones say nothing."""
        return {
            number: self.by_number[number]
            for number, kind in GEOREFERENCE.items()
            if number in self.by_number and _can_be_written(kind, self.by_number[number])
        }

    @property
    def is_plain(self) -> bool:
        """Whether Pillow reads the picture as it is: no depth, channel or order of axes is lost."""
        if self.nodata is not None or self.has_named_axes or (self.georeference and self.pages_follow):
            return False
        if self.samples == 1:
            return True
        most = {GREY[0]: 2, GREY[1]: 2, SEPARATED: 4}.get(self._kind, 3 + self.has_opacity)
        return set(self._bits) == {8} and self.samples <= most

    @property
    def is_deep_color(self) -> bool:
        """Whether it is a colour picture of 16 bits, which Pillow reads with 8."""
        alone = self.nodata is None and not self.has_named_axes and not self.pages_follow
        colors = self._kind == COLORS and self.samples == 3 + self.has_opacity
        return alone and colors and set(self._bits) == {16}

    @property
    def has_named_axes(self) -> bool:
        """Whether the description of a microscope tells channels from slices."""
        text = str(self.by_number.get(DESCRIPTION, ""))
        if text.startswith("ImageJ="):
            return "channels=" in text or "frames=" in text
        return "<OME" in text[:2000]

    @property
    def _kind(self) -> int:
        return int(self.by_number.get(PHOTOMETRIC, GREY[1]))

    @property
    def _bits(self) -> tuple[int, ...]:
        return _as_tuple(self.by_number.get(BITS, (1,)))


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _can_be_written(kind: int, value: Any) -> bool:
    """Whether a value is of the kind that its tag should have."""
    if kind == TEXT:
        return isinstance(value, str) and value.isascii()
    if kind == SHORT:
        return all(isinstance(one, int) and 0 <= one < 1 << 16 for one in _as_tuple(value))
    return all(isinstance(one, int | float) for one in _as_tuple(value))


def _read_tags(path: Path) -> TiffTags:
    with decoding(path, "TIFF"):
        return TiffTags(*read_directory(path))


def _read(path: Path, max_pixels: int) -> FloatArray:
    """Read a picture or a volume; pixels without a value are masked."""
    assert PILLOW.read is not None
    tags = _read_tags(path)
    if tags.is_deep_color and find_spec("tifffile") is None:
        warn_user(SHALLOW.format(path))
    elif not tags.is_plain:
        return _read_by_tifffile(path, tags, max_pixels)
    return PILLOW.read(path, max_pixels)


def _read_by_tifffile(path: Path, tags: TiffTags, max_pixels: int) -> FloatArray:
    """The first picture of a file, or a volume."""
    tifffile = _require_tifffile()
    with decoding(path, "TIFF"), tifffile.TiffFile(path) as file:
        first, *others = file.series
        names = [AXES.get(letter, letter.lower()) for letter in first.axes]
        check_places(path, first.shape, names, max_pixels)
        check_fits(path, COPIES * math.prod(first.shape) * first.dtype.itemsize)
        if any(math.prod(other.shape) >= math.prod(first.shape) for other in others):
            problem = "{} holds {} pictures; save the one to segment in a file of its own."
            raise RefusedError("image", problem, path, len(file.series))
        orientation = int(getattr(file.pages[0].tags.get("Orientation"), "value", 1))
        values = first.asarray(maxworkers=1)
    values = _upright(arranged(path, values, names), orientation)
    values = values[..., None] if values.ndim == 2 else values
    if tags.has_opacity and values.shape[-1] in (2, 4) and values.dtype.kind == "u":
        return with_opacity(values.astype(np.float32) / np.iinfo(values.dtype).max)
    found = as_picture(path, without_missing(values, [] if tags.nodata is None else [tags.nodata]))
    return found[..., 0] if found.ndim == 3 and found.shape[-1] == 1 else found


def _upright(values: Any, orientation: int) -> Any:
    """A picture turned as EXIF numbers the ways to hold a camera."""
    if orientation in (2, 4, 5, 7):
        values = values[:, ::-1]
    quarters = {3: 2, 4: 2, 5: 1, 6: -1, 7: -1, 8: 1}.get(orientation, 0)
    return np.rot90(values, quarters)


def _read_placement(path: Path) -> Placement | None:
    """Where a picture lies on earth, or how far apart its points are."""
    tags = _read_tags(path)
    if tags.georeference:
        return Placement("TIFF", tags.georeference)
    spacing = _ome_spacing(path) if tags.has_named_axes else None
    return None if spacing is None else Placement("", None, spacing)


def _ome_spacing(path: Path) -> tuple[float, ...] | None:
    """Distances between points along height, width and depth that an OME description tells, if any."""
    from xml.etree import ElementTree

    tifffile = _require_tifffile()
    with decoding(path, "TIFF"), tifffile.TiffFile(path) as file:
        root = ElementTree.fromstring(file.ome_metadata or "<none/>")
    pixels = next((found for found in root.iter() if found.tag.endswith("}Pixels")), None)
    if pixels is None:
        return None
    try:
        names = "YXZ" if int(pixels.get("SizeZ", "1")) > 1 else "YX"
        units = [MICROMETRES[pixels.get(f"PhysicalSize{name}Unit", "µm")] for name in names]
        sides = [float(pixels.attrib[f"PhysicalSize{name}"]) for name in names]
    except (KeyError, ValueError):
        return None
    return sound_spacing(side * unit for side, unit in zip(sides, units, strict=True))


def _write_placed(values: Any, colors: Colors, placement: Placement, file: IO[bytes]) -> None:
    """Write classes as numbers with a table of their colours, or real numbers, where the picture lies."""
    tags = {number: (GEOREFERENCE[number], value) for number, value in placement.kept.items()}
    if values.dtype.kind == "f":
        write_raster(values.astype(np.float32), None, tags, file)
        return
    kind = np.uint8 if values.max(initial=0) < np.iinfo(np.uint8).max else np.uint16
    if values.max(initial=0) >= np.iinfo(np.uint16).max:
        raise OptionError("output", "{field}: a TIFF file holds classes up to 65,534; use .npy.")
    none = int(np.iinfo(kind).max)
    numbers = np.where(values < 0, none, values).astype(kind)
    palette = np.zeros((256, 3), dtype=np.uint8)
    for number, color in colors.items():
        palette[number % 256] = color
    tags[NODATA] = TEXT, str(none)
    write_raster(numbers, palette if kind is np.uint8 else None, tags, file)


def _require_tifffile() -> Any:
    try:
        import tifffile
    except ImportError as error:
        raise ImportError(
            "TIFF files with 16 bits a colour, more than four channels, no-data values or an OME description "
            'need tifffile, which is not installed: pip install "graphwell[images]"'
        ) from error
    return tifffile


FORMAT = replace(PILLOW, read=_read, read_placement=_read_placement, write_placed=_write_placed)
