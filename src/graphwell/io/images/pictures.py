"""Pictures by Pillow and tifffile: PNG, JPEG and TIFF, 8 or 16 bit, grey, in colours, or a volume.

Pillow reads what it shows as it is meant. It would flatten 16 bits a colour, many channels, slices, named
axes and no-data values: then imagecodecs reads a PNG file, and tifffile a TIFF file. Only this module imports
these two.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any
from xml.etree import ElementTree

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError, warn_user
from graphwell.io.images.base import (
    CHANNELS,
    Colors,
    ImageFormat,
    Placement,
    RefusedError,
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

OPAQUE, DEEPEST = 255, 65535
MOST_LAYERS = 64
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


def pillow_format(name: str, suffixes: tuple[str, ...], rank: int) -> ImageFormat:
    """Declare a format by its name in Pillow."""
    return ImageFormat(
        name=name,
        suffixes=suffixes,
        read=partial(_read, name),
        read_colors=partial(_read_colors, name),
        write_colors=partial(_write_colors, name),
        exact=name != "JPEG",
        rank=rank,
    )


def _read(name: str, path: Path, max_pixels: int) -> FloatArray:
    """The picture from 0 to 1, turned as its EXIF data says.

    Where it is partly transparent, colours are multiplied by their opacity, which becomes a channel too: what
    cannot be seen does not count.
    """
    with _opened(name, path, max_pixels) as (picture, pages):
        if pages > 1:
            problem = "{} holds {} pictures; save the one to segment in a file of its own."
            raise RefusedError("image", problem, path, pages)
        # Pillow gives 8 of the 16 bits a colour that some PNG files have, and says so here alone.
        is_deep = (
            name == "PNG" and str(picture.tile[0][3]).endswith(";16B") and not picture.mode.startswith("I")
        )
        if is_deep and find_spec("imagecodecs") is not None:
            import imagecodecs

            values = imagecodecs.png_decode(path.read_bytes()).astype(np.float32) / DEEPEST
            return values if values.shape[-1] == 3 else with_opacity(values)
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
    shades = mode not in ("1", "L") and (
        "transparency" in shown.info or mode in ("LA", "La", "PA", "RGBA", "RGBa")
    )
    kind = "L" if mode in ("1", "L") else "RGBA" if shades else "RGB"
    values = np.asarray(shown.convert(kind)).astype(np.float32) / OPAQUE
    return with_opacity(values) if shades else values


def with_opacity(values: Any) -> FloatArray:
    """Multiply colours from 0 to 1 by their opacity, the last channel, which stays where it is not even."""
    colors, opacity = values[..., :-1], values[..., -1:]
    return colors if (opacity == 1).all() else np.concatenate([colors * opacity, opacity], axis=-1)


def _upright(picture: Any) -> Any:
    from PIL import ImageOps

    picture.load()
    return ImageOps.exif_transpose(picture)


@contextmanager
def _opened(name: str, path: Path, max_pixels: int) -> Iterator[tuple[Any, int]]:
    """A picture whose size has been checked, not decoded yet, and how many pages its file has."""
    from PIL import Image

    with decoding(path, name):
        Image.init()
        reader = Image.OPEN[name][0]  # Image.open would apply a limit of its own
        with path.open("rb") as file, reader(file, str(path)) as picture:
            check_pixels(path, picture.size, max_pixels)
            check_fits(path, BYTES_PER_PIXEL * picture.size[0] * picture.size[1])
            # Further pictures in a JPEG file are smaller copies of the first.
            yield picture, 1 if name == "JPEG" else getattr(picture, "n_frames", 1)


def _read_colors(name: str, path: Path, max_pixels: int) -> Any:
    """Colours and opacity; of layers, those over each other, without opaque ones: the picture below."""
    from PIL import Image

    with _opened(name, path, max_pixels) as (picture, pages):
        if pages == 1:
            return np.asarray(_upright(picture).convert("RGBA"))
        size = picture.size
        merged, found = Image.new("RGBA", size), False
        for page in range(min(pages, MOST_LAYERS + 1)):
            picture.seek(page)
            if picture.size != size:
                problem = (
                    "{field} {} holds layers of several sizes; make all of them as large as the picture."
                )
                raise RefusedError("seeds", problem, path)
            layer = picture.convert("RGBA")
            if layer.getextrema()[3][0] < OPAQUE:
                merged, found = Image.alpha_composite(merged, layer), True
        if not found or pages > MOST_LAYERS:
            problem = (
                "{field} {} holds {} pages; marks must be on one page, or on transparent layers, at most {}."
            )
            raise RefusedError("seeds", problem, path, pages, MOST_LAYERS)
        return np.asarray(merged)


def _write_colors(name: str, pixels: Any, file: IO[bytes]) -> None:
    from PIL import Image

    Image.fromarray(pixels).save(file, format=name)


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


def _nodata(tags: dict[int, Any]) -> list[float]:
    """The value of pixels that show nothing, as GDAL writes it, if there is one."""
    try:
        return [float(str(tags.get(NODATA, "")).strip("\0 "))]
    except ValueError:
        return []


def _georeference(tags: dict[int, Any]) -> dict[int, Any]:
    """Those tags that say where on earth the picture lies; garbled ones say nothing."""
    fits = {
        TEXT: lambda value: isinstance(value, str) and value.isascii(),
        SHORT: lambda value: all(isinstance(one, int) and 0 <= one < 1 << 16 for one in _several(value)),
        DOUBLE: lambda value: all(isinstance(one, int | float) for one in _several(value)),
    }
    return {n: tags[n] for n, kind in GEOREFERENCE.items() if n in tags and fits[kind](tags[n])}


def _has_named_axes(tags: dict[int, Any]) -> bool:
    """Whether the description of a microscope tells channels from slices."""
    text = str(tags.get(DESCRIPTION, ""))
    if text.startswith("ImageJ="):
        return "channels=" in text or "frames=" in text
    return "<OME" in text[:2000]


def _read_tiff(path: Path, max_pixels: int) -> FloatArray:
    """A picture or a volume; pixels without a value are masked."""
    with decoding(path, "TIFF"):
        tags, pages_follow = _tags(path)
        nodata, samples = _nodata(tags), int(tags.get(SAMPLES, 1))
        has_opacity = any(kind in (1, 2) for kind in _several(tags.get(EXTRA, ())))
        most = MOST_SAMPLES.get(tags.get(PHOTOMETRIC, 1), 3 + has_opacity)
        is_plain = samples == 1 or (set(_several(tags.get(BITS, 1))) == {8} and samples <= most)
    if is_plain and not (pages_follow or nodata or _has_named_axes(tags)):
        return _read("TIFF", path, max_pixels)
    values = _first_series(path, max_pixels)
    orientation = tags.get(ORIENTATION, 1)  # as EXIF numbers the ways to hold a camera
    values = values[:, ::-1] if orientation in (2, 4, 5, 7) else values
    values = np.rot90(values, {3: 2, 4: 2, 5: 1, 6: -1, 7: -1, 8: 1}.get(orientation, 0))
    values = values[..., None] if values.ndim == 2 else values
    if has_opacity and values.shape[-1] in (2, 4) and values.dtype.kind == "u":
        return with_opacity(values.astype(np.float32) / np.iinfo(values.dtype).max)
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
            raise RefusedError("image", problem, path, len(file.series))
        return arranged(path, first.asarray(maxworkers=1), names)


def _read_tiff_classes(path: Path, max_pixels: int) -> IntArray:
    """Classes of a volume: the values of grey slices, 0 for unknown."""
    values = _first_series(path, max_pixels)
    classes = as_classes(path, values[..., 0] if values.ndim == 4 else values)
    return np.where(classes == 0, -1, classes)


def _read_tiff_placement(path: Path) -> Placement | None:
    """Where a picture lies on earth, or how far apart its points are."""
    with decoding(path, "TIFF"):
        tags, _ = _tags(path)
    if georeference := _georeference(tags):
        return Placement("TIFF", georeference)
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
    return None if spacing is None else Placement("", None, spacing)


def _write_tiff(values: Any, colors: Colors, placement: Placement, file: IO[bytes]) -> None:
    """Write classes as numbers with a table of their colours, or real numbers, where the picture lies."""
    from PIL import Image
    from PIL.TiffImagePlugin import ImageFileDirectory_v2

    tags = {number: (GEOREFERENCE[number], value) for number, value in placement.kept.items()}
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


FORMAT = (
    pillow_format("PNG", (".png",), rank=1),
    pillow_format("JPEG", (".jpg", ".jpeg"), rank=2),
    replace(
        pillow_format("TIFF", (".tif", ".tiff"), rank=3),
        read=_read_tiff,
        read_placement=_read_tiff_placement,
        read_numbers=_read_tiff_classes,
        write_placed=_write_tiff,
    ),
)
