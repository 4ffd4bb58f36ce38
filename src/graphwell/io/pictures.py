"""Pictures by Pillow and tifffile: PNG, JPEG and TIFF, 8 or 16 bit, grey, in colours, or a volume.

Pillow reads what it shows as it is meant. It would flatten 16 bits a colour, many channels, slices, named
axes and no-data values: then imagecodecs reads a PNG file, and tifffile a TIFF file. Only this module imports
these two. What is refused, and how axes are brought into order, holds for volumes of other formats too.
"""

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any
from xml.etree import ElementTree

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError, warn_user
from graphwell.io.drawings import LARGEST_CLASS, Colors
from graphwell.memory import check_fits

PILLOW = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".tif": "TIFF", ".tiff": "TIFF"}
ROOM_FOR_CHANNELS = 4096  # numbers that a file may declare for each of the pixels allowed
FARTHEST = 1e9  # points are never farther apart, whatever the unit
PLACES, CHANNELS = "yxz", "c"  # names of axes in our order: height, width, depth, channels
OPAQUE, DEEPEST = 255, 65535
BYTES_PER_PIXEL = 60  # of Pillow: its bytes, its colours as numbers, and copies of both
COPIES = 3  # of tifffile: as stored, arranged, and as the picture
BIG = 43  # version of TIFF files that may be larger than 4 GB
BITS, PHOTOMETRIC, DESCRIPTION, ORIENTATION, SAMPLES, EXTRA = 258, 262, 270, 274, 277, 338
NODATA = 42113
MOST_SAMPLES = {0: 2, 1: 2, 5: 4}  # of Pillow's grey pictures, and of cyan, magenta, yellow and black
TEXT, SHORT, DOUBLE = 2, 3, 12
GEOREFERENCE = {33550: DOUBLE, 33922: DOUBLE, 34264: DOUBLE, 34735: SHORT, 34736: DOUBLE, 34737: TEXT}
"""Tags that GeoTIFF places a picture with, and the kinds of their values."""
AXES = {"I": "z", "Q": "z", "S": CHANNELS}
"""Letters of tifffile for pages without a name, which are slices, and for the samples of a pixel."""
MICROMETRES = {"nm": 1e-3, "µm": 1.0, "um": 1.0, "mm": 1e3, "cm": 1e4, "m": 1e6}


@dataclass(frozen=True, eq=False)
class Placement:
    """Where the points of an image lie, as its file tells; labels are written with the same."""

    spacing: tuple[float, ...] | None = None  # between points along each axis but that of the channels
    suffixes: tuple[str, ...] = ()  # of the files that keep more than that
    kept: Any = field(repr=False, default=None)  # what is written into them


@contextmanager
def decoding(path: Path, name: str) -> Iterator[None]:
    """Turn whatever is wrong with a file into one sentence, and silence the warnings of its library."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's own limit, say; ours come as sentences
            yield
    except (FileNotFoundError, PermissionError, IsADirectoryError, MemoryError, OptionError):
        raise
    except Exception as error:  # decoders raise a dozen kinds for bad bytes
        raise ValueError(
            f"{path} cannot be read as a {name} picture: it is damaged, truncated or something else."
        ) from error


def check_pixels(path: Path, sides: Sequence[int], max_pixels: int) -> None:
    """Refuse a picture or volume by its declared sides."""
    points = math.prod(int(side) for side in sides)
    if points > max_pixels:
        problem = (
            "{} has {} = {:,} pixels, more than the {:,} allowed; "
            "make it smaller, or allow more with {field}."
        )
        raise OptionError("max_pixels", problem, path, " x ".join(map(str, sides)), points, max_pixels)


def check_shape(path: Path, shape: Sequence[int], max_pixels: int, names: Sequence[str] = ()) -> None:
    """Refuse an array by its declared shape; only axes with the name of channels, where named, hold any."""
    if names:
        check_pixels(path, [s for n, s in zip(names, shape, strict=True) if n != CHANNELS], max_pixels)
    elif len(shape) in (2, 3):
        check_pixels(path, (shape[1], shape[0]), max_pixels)
    if math.prod(shape) > max_pixels * ROOM_FOR_CHANNELS:
        problem = "{} declares an array of shape {}, which is too large."
        raise OptionError("max_pixels", problem, path, tuple(shape))


def sound_spacing(sides: Iterable[float]) -> tuple[float, ...] | None:
    """Distances between points that a file tells, or None where one of them cannot be."""
    found = tuple(float(side) for side in sides)
    return found if all(0 < side < FARTHEST for side in found) else None


def as_picture(path: Path, values: Any) -> FloatArray:
    """Refuse an array that is neither picture nor volume."""
    if values.ndim not in (2, 3, 4):
        shapes = "(height, width[, depth][, channels])"
        raise ValueError(f"{path} must have the shape {shapes}, not {values.shape}.")
    if values.dtype.kind not in "biuf":
        raise ValueError(f"{path} must hold real numbers, not {values.dtype}.")
    return np.asanyarray(values)


def as_classes(path: Path, values: Any) -> IntArray:
    """Refuse an array that holds no classes."""
    if not np.issubdtype(values.dtype, np.integer):
        problem = "{field} {} must hold integers with -1 for unknown, not {}."
        raise OptionError("seeds", problem, path, values.dtype)
    if values.size and (values.min() < -1 or values.max() > LARGEST_CLASS):
        problem = "{field} {} must hold classes from 0 to {}, and -1 for unknown."
        raise OptionError("seeds", problem, path, LARGEST_CLASS)
    return np.asarray(values.astype(np.int64))


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
    with _opened(path, max_pixels) as (picture, pages):
        if pages > 1:
            problem = "{} holds {} pictures; save the one to segment in a file of its own."
            raise OptionError("image", problem, path, pages)
        # Pillow gives 8 of the 16 bits a colour that some PNG files have, and says so here alone.
        is_deep = picture.format == "PNG" and picture.tile[0][3] in ("RGB;16B", "RGBA;16B", "LA;16B")
        if is_deep and find_spec("imagecodecs") is not None:
            import imagecodecs

            values = imagecodecs.png_decode(path.read_bytes()).astype(np.float32) / DEEPEST
            return values if values.shape[-1] == 3 else _with_opacity(values)
        shown = _upright(picture)
    if is_deep:
        warn_user(
            f"{path} has 16 bits a colour, of which 8 are read; all of them need the extra images: "
            'pip install "graphwell[images]"'
        )
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


def _upright(picture: Any) -> Any:
    from PIL import ImageOps

    picture.load()
    return ImageOps.exif_transpose(picture)


@contextmanager
def _opened(path: Path, max_pixels: int) -> Iterator[tuple[Any, int]]:
    """A picture whose size has been checked, not decoded yet, and how many pages its file has."""
    from PIL import Image

    name = PILLOW[path.suffix.lower()]
    with decoding(path, name):
        Image.init()
        reader = Image.OPEN[name][0]  # Image.open would apply a limit of its own
        with path.open("rb") as file, reader(file, str(path)) as picture:
            check_pixels(path, picture.size, max_pixels)
            check_fits(path, BYTES_PER_PIXEL * picture.size[0] * picture.size[1])
            # Further pictures in a JPEG file are smaller copies of the first.
            yield picture, 1 if name == "JPEG" else getattr(picture, "n_frames", 1)


def read_colors(path: Path, max_pixels: int) -> Any:
    """Read red, green, blue and opacity from 0 to 255."""
    with _opened(path, max_pixels) as (picture, pages):
        if pages > 1:
            problem = "{field} {} holds {} pages; save the marks as a picture of one."
            raise OptionError("seeds", problem, path, pages)
        return np.asarray(_upright(picture).convert("RGBA"))


def write_colors(pixels: Any, suffix: str, file: IO[bytes]) -> None:
    """Write 8-bit colours or 16-bit grey."""
    from PIL import Image

    Image.fromarray(pixels).save(file, format=PILLOW[suffix])


# ---------------------------------------------------------------------------------------------------- TIFF


def _tags(path: Path) -> tuple[dict[int, Any], bool]:
    """Tags of the first picture by number, and whether another one follows."""
    from PIL.TiffImagePlugin import ImageFileDirectory_v2

    with path.open("rb") as file:
        header = file.read(8)
        if BIG in header[2:4]:
            header += file.read(8)
        tags = ImageFileDirectory_v2(header)
        file.seek(tags.next)
        tags.load(file)
        return dict(tags), bool(tags.next)


def _several(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _has_named_axes(tags: dict[int, Any]) -> bool:
    """Whether the description of a microscope tells channels from slices."""
    text = str(tags.get(DESCRIPTION, ""))
    if text.startswith("ImageJ="):
        return "channels=" in text or "frames=" in text
    return "<OME" in text[:2000]


def read_tiff(path: Path, max_pixels: int) -> FloatArray:
    """A picture or a volume; pixels without a value are masked."""
    with decoding(path, "TIFF"):
        tags, pages_follow = _tags(path)
        nodata: list[float] = []  # the value of pixels that show nothing, as GDAL writes it
        with suppress(ValueError):
            nodata = [float(str(tags.get(NODATA, "")).strip("\0 "))]
        samples = int(tags.get(SAMPLES, 1))
        has_opacity = any(kind in (1, 2) for kind in _several(tags.get(EXTRA, ())))
        most = MOST_SAMPLES.get(tags.get(PHOTOMETRIC, 1), 3 + has_opacity)
        is_plain = samples == 1 or (set(_several(tags.get(BITS, 1))) == {8} and samples <= most)
    if is_plain and not (pages_follow or nodata or _has_named_axes(tags)):
        return read_picture(path, max_pixels)
    values = _first_series(path, max_pixels)
    orientation = tags.get(ORIENTATION, 1)  # as EXIF numbers the ways to hold a camera
    values = values[:, ::-1] if orientation in (2, 4, 5, 7) else values
    values = np.rot90(values, {3: 2, 4: 2, 5: 1, 6: -1, 7: -1, 8: 1}.get(orientation, 0))
    values = values[..., None] if values.ndim == 2 else values
    if has_opacity and values.shape[-1] in (2, 4) and values.dtype.kind == "u":
        return _with_opacity(values.astype(np.float32) / np.iinfo(values.dtype).max)
    found = as_picture(path, without_missing(values, nodata))
    return found[..., 0] if found.ndim == 3 and found.shape[-1] == 1 else found


def _first_series(path: Path, max_pixels: int) -> Any:
    """The first picture or volume of a file; further ones may be smaller copies of it."""
    tifffile = _require_tifffile()
    with decoding(path, "TIFF"), tifffile.TiffFile(path) as file:
        first, *others = file.series
        names = [AXES.get(letter, letter.lower()) for letter in first.axes]
        check_shape(path, first.shape, max_pixels, names)
        check_fits(path, COPIES * math.prod(first.shape) * first.dtype.itemsize)
        if any(math.prod(other.shape) >= math.prod(first.shape) for other in others):
            problem = "{} holds {} pictures; save the one to segment in a file of its own."
            raise OptionError("image", problem, path, len(file.series))
        return arranged(path, first.asarray(maxworkers=1), names)


def read_tiff_classes(path: Path, max_pixels: int) -> IntArray:
    """Classes of a volume: the values of grey slices, 0 for unknown."""
    values = _first_series(path, max_pixels)
    classes = as_classes(path, values[..., 0] if values.ndim == 4 else values)
    return np.where(classes == 0, -1, classes)


def read_tiff_placement(path: Path) -> Placement | None:
    """Where a picture lies on earth, or how far apart its points are."""
    with decoding(path, "TIFF"):
        tags, _ = _tags(path)
    fits = {  # garbled tags say nothing
        TEXT: lambda value: isinstance(value, str) and value.isascii(),
        SHORT: lambda value: all(isinstance(one, int) and 0 <= one < 1 << 16 for one in _several(value)),
        DOUBLE: lambda value: all(isinstance(one, int | float) for one in _several(value)),
    }
    place = {n: tags[n] for n, kind in GEOREFERENCE.items() if n in tags and fits[kind](tags[n])}
    if place:
        return Placement(None, (".tif", ".tiff"), place)
    if not _has_named_axes(tags):
        return None
    with decoding(path, "TIFF"), _require_tifffile().TiffFile(path) as file:
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
    spacing = sound_spacing(side * unit for side, unit in zip(sides, units, strict=True))
    return None if spacing is None else Placement(spacing)


def write_tiff(values: Any, colors: Colors, georeference: dict[int, Any], file: IO[bytes]) -> None:
    """Write classes as numbers with a table of their colours, or real numbers, where the picture lies."""
    from PIL import Image
    from PIL.TiffImagePlugin import ImageFileDirectory_v2

    tags = {number: (GEOREFERENCE[number], value) for number, value in georeference.items()}
    if values.dtype.kind == "f":
        picture = Image.fromarray(values.astype(np.float32))
    elif values.max(initial=0) >= np.iinfo(np.uint16).max:
        raise OptionError("output", "{field}: a TIFF file holds classes up to 65,534; use .npy.")
    else:
        kind = np.uint8 if values.max(initial=0) < np.iinfo(np.uint8).max else np.uint16
        none = int(np.iinfo(kind).max)
        tags[NODATA] = TEXT, str(none)
        picture = Image.fromarray(np.where(values < 0, none, values).astype(kind))
        if kind is np.uint8:
            palette = np.zeros((256, 3), dtype=np.uint8)
            for number, color in colors.items():
                palette[number % 256] = color
            picture.putpalette(palette.tobytes())
    directory = ImageFileDirectory_v2()
    for number, (kind_of_tag, value) in tags.items():
        directory.tagtype[number] = kind_of_tag
        directory[number] = value
    picture.save(file, format="TIFF", tiffinfo=directory)


def _require_tifffile() -> Any:
    try:
        import tifffile
    except ImportError as error:
        raise ImportError(
            "TIFF files with slices, 16 bits a colour, more than four channels or no-data values "
            'need tifffile, which is not installed: pip install "graphwell[images]"'
        ) from error
    return tifffile
