"""PNG, JPEG and plain TIFF by Pillow, 8 or 16 bit. The only module that imports Pillow and imagecodecs."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError, warn_user
from graphwell.io.images.base import ImageFormat, RefusedError, as_classes, check_pixels
from graphwell.memory import check_fits

OPAQUE, DEEPEST = 255, 65535
MOST_LAYERS = 64
GREY = ("1", "L", "I", "F", "I;16", "I;16B", "I;16L", "I;16N")
"""Pillow's modes of one channel."""
BIG = 43
"""Version of TIFF files that may be larger than 4 GB."""
SHALLOW = (
    "{} has 16 bits a colour, of which 8 are read; all of them need the extra images: "
    'pip install "graphwell[images]"'
)
BYTES_PER_PIXEL, DEEP_BYTES_PER_PIXEL = 60, 40
"""Memory of decoding a picture: its bytes, its colours as numbers, and copies of both."""
BIT_DEPTH, KIND, DEEP = 24, 25, 16
"""Places in the first bytes of a PNG file; bits of a deep colour."""
OPACITY = {2: False, 4: True, 6: True}
"""Kinds of PNG with more than one channel: whether the last is opacity."""


def pillow_format(name: str, suffixes: tuple[str, ...], rank: int) -> ImageFormat:
    """Declare a format by its name in Pillow. Several grey pictures in a TIFF file are a volume."""
    return ImageFormat(
        name=name,
        suffixes=suffixes,
        read=partial(_read, name),
        read_colors=partial(_read_colors, name),
        read_numbers=partial(_read_slices, name) if name == "TIFF" else None,
        write_colors=partial(_write_colors, name),
        exact=name != "JPEG",
        rank=rank,
    )


def _read(name: str, path: Path, max_pixels: int) -> FloatArray:
    """The picture from 0 to 1, turned as its EXIF data says.

    Where it is partly transparent, colours are multiplied by their opacity, which becomes a channel too: what
    cannot be seen does not count. Several slices are a volume, of shape (height, width, depth, 1).
    """
    with _opened(name, path, max_pixels, "slices" if name == "TIFF" else "pictures") as picture:
        if not isinstance(picture, np.ndarray):
            return _pixels(picture)
    values = picture[..., None]
    if np.issubdtype(values.dtype, np.floating) or values.dtype == bool:
        return values.astype(np.float32)
    shallow = values.dtype == np.uint8
    return values.astype(np.float32) / (OPAQUE if shallow else max(DEEPEST, int(values.max())))


def _read_colors(name: str, path: Path, max_pixels: int) -> Any:
    with _opened(name, path, max_pixels, "layers") as picture:
        return np.asarray(picture.convert("RGBA"))


def _read_slices(name: str, path: Path, max_pixels: int) -> IntArray:
    """Classes of a volume: the values of grey slices, 0 for unknown."""
    with _opened(name, path, max_pixels, "slices") as picture:
        values = picture if isinstance(picture, np.ndarray) else np.array(picture)
    classes = as_classes(path, values)
    return np.where(classes == 0, -1, classes)


def _write_colors(name: str, pixels: Any, file: IO[bytes]) -> None:
    from PIL import Image

    Image.fromarray(pixels).save(file, format=name)


@contextmanager
def _opened(name: str, path: Path, max_pixels: int, pages_are: str) -> Iterator[Any]:
    """Open a picture whose size has been checked; whatever is wrong with the file becomes one sentence.

    Several pages may be the "layers" of a painting, which are laid over each other, or the "slices" of a
    volume, which are stacked as an array. Further pictures in a JPEG file are smaller copies of the first.
    """
    from PIL import Image, ImageOps

    with decoding(path, name):
        Image.init()
        reader = Image.OPEN[name][0]  # Image.open would apply a limit of its own
        with path.open("rb") as file, reader(file, str(path)) as picture:
            check_pixels(path, picture.size, max_pixels)
            check_fits(path, BYTES_PER_PIXEL * picture.size[0] * picture.size[1])
            pages = 1 if name == "JPEG" else getattr(picture, "n_frames", 1)
            if pages == 1:
                picture.load()
                turned = ImageOps.exif_transpose(picture)
            elif pages_are == "layers":
                turned = _merged(path, picture, pages)
            elif pages_are == "slices":
                check_pixels(path, (*picture.size, pages), max_pixels)
                turned = _stacked(path, picture, pages)
            else:
                problem = "{} holds {} pictures; save the one to segment in a file of its own."
                raise RefusedError("image", problem, path, pages)
    yield turned


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


def _merged(path: Path, picture: Any, pages: int) -> Any:
    """The layers of a painting over each other, without the opaque ones, which are the picture below."""
    from PIL import Image

    size = picture.size
    merged, found = Image.new("RGBA", size), False
    for page in range(min(pages, MOST_LAYERS + 1)):
        picture.seek(page)
        if picture.size != size:
            problem = "{field} {} holds layers of several sizes; make all of them as large as the picture."
            raise RefusedError("seeds", problem, path)
        layer = picture.convert("RGBA")
        if layer.getextrema()[3][0] < OPAQUE:
            merged, found = Image.alpha_composite(merged, layer), True
    if not found or pages > MOST_LAYERS:
        problem = (
            "{field} {} holds {} pages; marks must be on one page, or on transparent layers, at most {}."
        )
        raise RefusedError("seeds", problem, path, pages, MOST_LAYERS)
    return merged


def _stacked(path: Path, picture: Any, pages: int) -> Any:
    """Grey slices of one size as an array of shape (height, width, depth)."""
    size, slices = picture.size, []
    for page in range(pages):
        picture.seek(page)
        if picture.size != size or picture.mode not in GREY:
            problem = (
                "{} holds {} pictures that are no volume; make all of them grey and of one size, or save the "
                "one you want in a file of its own."
            )
            raise RefusedError("image", problem, path, pages)
        slices.append(np.array(picture))
    return np.stack(slices, axis=-1)


def _pixels(picture: Any) -> FloatArray:
    """Values of a picture from 0 to 1, or as they are where the file holds real numbers."""
    mode = picture.mode
    if mode.startswith("I;16"):
        return np.asarray(picture).astype(np.float32) / DEEPEST
    if mode == "I":  # Pillow reads some 16-bit files as 32-bit integers
        values = np.asarray(picture)
        return values.astype(np.float32) / (DEEPEST if values.min() >= 0 and values.max() <= DEEPEST else 1)
    if mode == "F":
        return np.asarray(picture)
    if mode in ("1", "L"):
        return np.asarray(picture.convert("L")).astype(np.float32) / OPAQUE
    if "transparency" in picture.info or mode in ("LA", "La", "PA", "RGBA", "RGBa"):
        return with_opacity(np.asarray(picture.convert("RGBA")).astype(np.float32) / OPAQUE)
    return np.asarray(picture.convert("RGB")).astype(np.float32) / OPAQUE


def with_opacity(values: Any) -> FloatArray:
    """Multiply colours from 0 to 1 by their opacity, the last channel, which stays where it is not even."""
    colors, opacity = values[..., :-1], values[..., -1:]
    return colors if (opacity == 1).all() else np.concatenate([colors * opacity, opacity], axis=-1)


def _read_png(path: Path, max_pixels: int) -> FloatArray:
    """Read a picture from 0 to 1, with all the bits that it has: those of 16 bits a colour by imagecodecs."""
    with path.open("rb") as file:
        head = file.read(KIND + 1)
    if len(head) <= KIND or head[BIT_DEPTH] != DEEP or head[KIND] not in OPACITY:
        return _read("PNG", path, max_pixels)
    if find_spec("imagecodecs") is None:
        warn_user(SHALLOW.format(path))
        return _read("PNG", path, max_pixels)
    import imagecodecs

    width, height = int.from_bytes(head[16:20]), int.from_bytes(head[20:24])
    check_pixels(path, (width, height), max_pixels)
    check_fits(path, DEEP_BYTES_PER_PIXEL * width * height)
    with decoding(path, "PNG"):
        values = imagecodecs.png_decode(path.read_bytes()).astype(np.float32) / DEEPEST
    return with_opacity(values) if OPACITY[head[KIND]] else values


def decoded_mask(content: bytes, max_pixels: int) -> Any:
    """A small PNG picture inside another file, as grey values; None where it is not small."""
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(BytesIO(content), formats=("PNG",)) as picture:
                fits = picture.size[0] * picture.size[1] <= max_pixels
                return np.asarray(picture.convert("L")) if fits else None
    except Exception as error:  # Pillow's decoders raise a dozen kinds for bad bytes
        raise ValueError("a mask is no PNG picture") from error


def read_directory(path: Path) -> tuple[dict[int, Any], bool]:
    """Tags of the first picture of a TIFF file by number, and whether another one follows."""
    from PIL.TiffImagePlugin import ImageFileDirectory_v2

    with path.open("rb") as file:
        header = file.read(8)
        if BIG in header[2:4]:
            header += file.read(8)
        tags = ImageFileDirectory_v2(header)
        file.seek(tags.next)
        tags.load(file)
        return dict(tags), bool(tags.next)


def write_raster(numbers: Any, palette: Any, tags: Mapping[int, tuple[int, Any]], file: IO[bytes]) -> None:
    """Write one number a pixel as TIFF, with a table of colours if there is one, and tags (kind, value)."""
    from PIL import Image
    from PIL.TiffImagePlugin import ImageFileDirectory_v2

    picture, directory = Image.fromarray(numbers), ImageFileDirectory_v2()
    if palette is not None:
        picture.putpalette(palette.tobytes())
    for number, (kind, value) in tags.items():
        directory.tagtype[number] = kind
        directory[number] = value
    picture.save(file, format="TIFF", tiffinfo=directory)


FORMAT = (
    replace(pillow_format("PNG", (".png",), rank=1), read=_read_png),
    pillow_format("JPEG", (".jpg", ".jpeg"), rank=2),
)
