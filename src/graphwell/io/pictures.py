"""Pictures by Pillow and tifffile: PNG, JPEG and TIFF, 8 or 16 bit, grey, in colours, or a volume.

Pillow reads what it shows as it is meant. It would flatten 16 bits a colour, many channels, slices, named
axes and no-data values of a TIFF file: then tifffile reads it. What is refused, and how axes are brought into
order, holds for volumes of other formats too.
"""

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell._types import FloatArray
from graphwell.errors import OptionError, warn_user
from graphwell.io.drawings import Colors
from graphwell.io.files import decoding, optional
from graphwell.memory import check_fits

PILLOW = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".tif": "TIFF", ".tiff": "TIFF"}
FARTHEST = 1e9  # points are never farther apart, whatever the unit
PLACES, CHANNELS = "yxz", "c"  # names of axes in our order: height, width, depth, channels
OPAQUE, DEEPEST = 255, 65535
BYTES_PER_PIXEL = 60  # of Pillow: its bytes, its colours as numbers, and copies of both
COPIES = 3  # of tifffile: as stored, arranged, and as the picture
BIG = 43  # version of TIFF files that may be larger than 4 GB
BITS, PHOTOMETRIC, DESCRIPTION, ORIENTATION, SAMPLES, EXTRA = 258, 262, 270, 274, 277, 338
NODATA = 42113
MOST_SAMPLES = {0: 2, 1: 2, 5: 4}  # of Pillow's grey pictures, and of cyan, magenta, yellow and black
GEOREFERENCE = (33550, 33922, 34264, 34735, 34736, 34737)
"""Tags that GeoTIFF places a picture with."""
AXES = {"I": "z", "Q": "z", "S": CHANNELS}
"""Letters of tifffile for pages without a name, which are slices, and for the samples of a pixel."""
MICROMETRES = {"nm": 1e-3, "µm": 1.0, "um": 1.0, "mm": 1e3, "cm": 1e4, "m": 1e6}


@dataclass(frozen=True, eq=False)
class Placement:
    """Where the points of an image lie, as its file tells; labels are written with the same."""

    spacing: tuple[float, ...] | None = None  # between points along each axis but that of the channels
    suffixes: tuple[str, ...] = ()  # of the files that keep more than that
    kept: Any = field(repr=False, default=None)  # what is written into them


def check_pixels(path: Path, sides: Sequence[int], max_pixels: int) -> None:
    """Refuse a picture or volume by its declared sides."""
    points = math.prod(int(side) for side in sides)
    if points > max_pixels:
        problem = (
            "{} has {} = {:,} pixels, more than the {:,} allowed; "
            "make it smaller, or allow more with {field}."
        )
        raise OptionError("max_pixels", problem, path, " x ".join(map(str, sides)), points, max_pixels)


def sound_spacing(sides: Iterable[float]) -> tuple[float, ...] | None:
    """Distances between points that a file tells, or None where one of them cannot be."""
    found = tuple(float(side) for side in sides)
    return found if all(0 < side < FARTHEST for side in found) else None


def without_missing(values: Any, missing: Iterable[float] = (), *, has_channels: bool = True) -> Any:
    """Mask NaN, and points that have one of the `missing` values in every channel."""
    masked = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, dtype=bool)
    for fill in missing:
        none = values == fill
        masked |= none.all(axis=-1, keepdims=True) if has_channels else none
    return np.ma.array(values, mask=masked) if masked.any() else values


def arranged(path: Path, values: Any, names: Sequence[str]) -> Any:
    """Bring named axes into the order y, x, z, c; several of channels become one, those of one point none."""
    sides = list(zip(names, values.shape, strict=True))
    kept = [(name, side) for name, side in sides if side > 1 or name in PLACES[:2]]
    order = [name for name, _ in kept]
    places = [place for place in PLACES if place in order]
    twice = any(order.count(place) > 1 for place in PLACES)
    if twice or places[:2] != ["y", "x"] or set(order) - {*PLACES, CHANNELS}:
        problem = "{field} {} has the axes {}; save one picture or volume of one moment by itself."
        raise OptionError("image", problem, path, ", ".join(names))
    axes = [order.index(place) for place in places]
    channels = [axis for axis, name in enumerate(order) if name == CHANNELS]
    turned = values.reshape([side for _, side in kept]).transpose([*axes, *channels])
    if not channels and len(places) == 2:
        return turned
    return np.ascontiguousarray(turned).reshape(*turned.shape[: len(places)], -1)


# -------------------------------------------------------------------------------------------------- Pillow


def read_picture(path: Path, max_pixels: int) -> FloatArray:
    """Read a picture from 0 to 1, turned as its EXIF data says.

    Where it is partly transparent, colours are multiplied by their opacity, which becomes a channel too: what
    cannot be seen does not count.
    """
    shown, is_deep = _loaded(path, max_pixels, "image")
    if is_deep:
        warn_user(f"{path} has 16 bits a colour, of which 8 are read; save it as TIFF to have all of them.")
    mode = shown.mode
    if mode.startswith("I"):  # Pillow reads some 16-bit files as 32-bit integers
        values = np.asarray(shown)
        fits = mode != "I" or (values.min() >= 0 and values.max() <= DEEPEST)
        return values.astype(np.float32) / (DEEPEST if fits else 1)
    if mode == "F":
        return np.asarray(shown)
    has_opacity = mode not in ("1", "L") and shown.has_transparency_data
    kind = "L" if mode in ("1", "L") else "RGBA" if has_opacity else "RGB"
    values = np.asarray(shown.convert(kind)).astype(np.float32) / OPAQUE
    return _with_opacity(values) if has_opacity else values


def _with_opacity(values: Any) -> FloatArray:
    """Multiply colours from 0 to 1 by their opacity, the last channel, which stays where it is not even."""
    colors, opacity = values[..., :-1], values[..., -1:]
    return colors if (opacity == 1).all() else np.concatenate([colors * opacity, opacity], axis=-1)


def _loaded(path: Path, max_pixels: int, field: str) -> tuple[Any, bool]:
    """A picture whose size was checked before it was decoded, and whether it lost 8 of 16 bits a colour."""
    from PIL import Image, ImageOps

    name = PILLOW[path.suffix.lower()]
    with decoding(path, f"a {name} picture"):
        Image.init()
        reader = Image.OPEN[name][0]  # Image.open would apply a limit of its own
        with path.open("rb") as file, reader(file, str(path)) as picture:
            check_pixels(path, picture.size, max_pixels)
            check_fits(path, BYTES_PER_PIXEL * picture.size[0] * picture.size[1])
            pages = getattr(picture, "n_frames", 1)
            if pages > 1 and name != "JPEG":  # where further pictures are smaller copies of the first
                problem = "{field} {} holds {} pictures; save the one you want in a file of its own."
                raise OptionError(field, problem, path, pages)
            is_deep = name == "PNG" and picture.tile[0][3] in ("RGB;16B", "RGBA;16B", "LA;16B")
            picture.load()
            return ImageOps.exif_transpose(picture), is_deep


def read_colors(path: Path, max_pixels: int) -> Any:
    """Read red, green, blue and opacity of marks from 0 to 255."""
    return np.asarray(_loaded(path, max_pixels, "seeds")[0].convert("RGBA"))


# ---------------------------------------------------------------------------------------------------- TIFF


def _tags(path: Path) -> tuple[dict[int, Any], bool]:
    """Tags of the first picture by number, and whether another one follows."""
    from PIL.TiffImagePlugin import ImageFileDirectory_v2

    with path.open("rb") as file, decoding(path, "a TIFF picture"):
        header = file.read(8)
        if BIG in header[2:4]:
            header += file.read(8)
        tags = ImageFileDirectory_v2(header)
        file.seek(tags.next)
        tags.load(file)
        return dict(tags), bool(tags.next)


def _has_named_axes(tags: dict[int, Any]) -> bool:
    """Whether the description of a microscope tells channels from slices."""
    text = str(tags.get(DESCRIPTION, ""))
    if text.startswith("ImageJ="):
        return "channels=" in text or "frames=" in text
    return "<OME" in text[:2000]


def read_tiff(path: Path, max_pixels: int) -> FloatArray:
    """A picture or a volume; pixels without a value are masked."""
    tags, pages_follow = _tags(path)
    nodata: list[float] = []  # the value of pixels that show nothing, as GDAL writes it
    with suppress(ValueError):
        nodata = [float(str(tags.get(NODATA, "")).strip("\0 "))]
    with decoding(path, "a TIFF picture"):
        samples, bits, extra = int(tags.get(SAMPLES, 1)), tags.get(BITS, 1), tags.get(EXTRA, ())
        has_opacity = bool({1, 2} & set(np.atleast_1d(extra).tolist()))
        most = MOST_SAMPLES.get(tags.get(PHOTOMETRIC, 1), 3 + has_opacity)
        is_plain = samples == 1 or (samples <= most and bool((np.atleast_1d(bits) == 8).all()))
    if is_plain and not (pages_follow or nodata or _has_named_axes(tags)):
        return read_picture(path, max_pixels)
    values = first_series(path, max_pixels)
    orientation = tags.get(ORIENTATION, 1)  # as EXIF numbers the ways to hold a camera
    values = values[:, ::-1] if orientation in (2, 4, 5, 7) else values
    values = np.rot90(values, {3: 2, 4: 2, 5: 1, 6: -1, 7: -1, 8: 1}.get(orientation, 0))
    values = values[..., None] if values.ndim == 2 else values
    if has_opacity and values.shape[-1] in (2, 4) and values.dtype.kind == "u":
        return _with_opacity(values.astype(np.float32) / np.iinfo(values.dtype).max)
    found = np.asanyarray(without_missing(values, nodata))
    return found[..., 0] if found.ndim == 3 and found.shape[-1] == 1 else found


def first_series(path: Path, max_pixels: int) -> Any:
    """The first picture or volume of a file; further ones may be smaller copies of it."""
    tifffile = _tifffile()
    with decoding(path, "a TIFF picture"), tifffile.TiffFile(path) as file:
        first, *others = file.series
        names = [AXES.get(letter, letter.lower()) for letter in first.axes]
        sides = [side for name, side in zip(names, first.shape, strict=True) if name != CHANNELS]
        check_pixels(path, sides, max_pixels)
        check_fits(path, COPIES * math.prod(first.shape) * first.dtype.itemsize)
        if any(math.prod(other.shape) >= math.prod(first.shape) for other in others):
            problem = "{field} {} holds {} pictures; save the one you want in a file of its own."
            raise OptionError("image", problem, path, len(file.series))
        return arranged(path, first.asarray(maxworkers=1), names)


def read_tiff_placement(path: Path) -> Placement | None:
    """Where a picture lies on earth, or how far apart its points are."""
    tags = _tags(path)[0]
    lies_on_earth = not tags.keys().isdisjoint(GEOREFERENCE)
    if not (lies_on_earth or _has_named_axes(tags)):
        return None
    tifffile = _tifffile()
    with decoding(path, "a TIFF picture"), tifffile.TiffFile(path) as file:
        if lies_on_earth:
            found = [file.pages[0].tags.get(number) for number in GEOREFERENCE]
            kept = [(tag.code, tag.dtype, tag.count, tag.value, True) for tag in found if tag is not None]
            return Placement(None, (".tif", ".tiff"), kept)
        ome = tifffile.xml2dict(file.ome_metadata or "<OME/>")
    with suppress(KeyError, ValueError, TypeError):
        images = ome["OME"]["Image"]
        pixels = (images[0] if isinstance(images, list) else images)["Pixels"]
        names = "YXZ" if int(pixels.get("SizeZ", 1)) > 1 else "YX"
        units = [MICROMETRES[pixels.get(f"PhysicalSize{name}Unit", "µm")] for name in names]
        sides = [float(pixels[f"PhysicalSize{name}"]) for name in names]
        spacing = sound_spacing(side * unit for side, unit in zip(sides, units, strict=True))
        return None if spacing is None else Placement(spacing)
    return None


def write_tiff(values: Any, colors: Colors, georeference: Sequence[Any], file: IO[bytes]) -> None:
    """Write classes as numbers with a table of their colours, or real numbers, where the picture lies."""
    tags, more = list(georeference), {}
    if values.dtype.kind == "f":
        values = values.astype(np.float32)
    elif values.max(initial=0) >= np.iinfo(np.uint16).max:
        raise OptionError("output", "{field}: a TIFF file holds classes up to 65,534; use .npy.")
    else:
        kind = np.uint8 if values.max(initial=0) < np.iinfo(np.uint8).max else np.uint16
        none = int(np.iinfo(kind).max)
        tags.append((NODATA, "s", 0, str(none), True))
        values = np.where(values < 0, none, values).astype(kind)
        if kind is np.uint8:
            palette = np.zeros((3, 256), dtype=np.uint16)
            for number, color in colors.items():
                palette[:, number % 256] = np.multiply(color, 257)
            more = {"photometric": "palette", "colormap": palette}
    _tifffile().imwrite(file, values, extratags=tags, metadata=None, software=False, **more)


def _tifffile() -> Any:
    what = "TIFF files with slices, 16 bits a colour, more than four channels, no-data values or a place"
    return optional("tifffile", what, "images")
