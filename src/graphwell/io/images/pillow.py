"""Pictures that Pillow reads and writes, 8 or 16 bit. The only module that imports Pillow."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError
from graphwell.io.images.arrays import as_classes
from graphwell.io.images.base import ImageFormat, RefusedError, check_not_empty, check_pixels
from graphwell.memory import check_fits

OPAQUE = 255
MOST_LAYERS = 64
GREY = ("1", "L", "I", "F", "I;16", "I;16B", "I;16L", "I;16N")
"""Pillow's modes of one channel."""
DEEPEST = 65535
BIG = 43
"""Version of TIFF files that may be larger than 4 GB."""
SHALLOW = (
    "{} has 16 bits a colour, of which 8 are read; all of them need the extra images: "
    'pip install "graphwell[images]"'
)
BYTES_PER_PIXEL = 60
"""What decoding a picture takes: its bytes, its colours as numbers, and copies of both."""


def pillow_format(
    name: str,
    suffixes: tuple[str, ...],
    *,
    rank: int,
    exact: bool = True,
    previews: bool = False,
    slices: bool = False,
) -> ImageFormat:
    """Declare a format that Pillow knows.

    Parameters
    ----------
    name : str
        As Pillow calls it.
    suffixes : tuple of str
    rank : int
        Place in lists.
    exact : bool
        Whether colours come back as they were written.
    previews : bool
        Whether a file with one picture may hold further ones, smaller copies of it.
    slices : bool
        Whether a file of several grey pictures of one size is a volume.
    """
    return ImageFormat(
        name=name,
        suffixes=suffixes,
        read=partial(_read, name, previews, slices),
        read_colors=partial(_read_colors, name, previews),
        read_numbers=partial(_read_slices, name) if slices else None,
        write_colors=partial(_write_colors, name),
        exact=exact,
        rank=rank,
    )


def decoded(content: bytes, max_pixels: int) -> Any:
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


def _read(name: str, previews: bool, slices: bool, path: Path, max_pixels: int) -> FloatArray:
    """The picture from 0 to 1, turned as its EXIF data says.

    Where it is partly transparent, colours are multiplied by their opacity, which becomes a channel too: what
    cannot be seen does not count. Several slices are a volume, of shape (height, width, depth, 1).
    """
    with _opened(name, previews, path, max_pixels, slices=slices) as picture:
        return _volume(picture) if isinstance(picture, np.ndarray) else _pixels(picture)


def _read_colors(name: str, previews: bool, path: Path, max_pixels: int) -> Any:
    with _opened(name, previews, path, max_pixels, layers=True) as picture:
        return np.asarray(picture.convert("RGBA"))


def _read_slices(name: str, path: Path, max_pixels: int) -> IntArray:
    """Classes of a volume: the values of grey slices, 0 for unknown."""
    with _opened(name, False, path, max_pixels, slices=True) as picture:
        values = picture if isinstance(picture, np.ndarray) else np.array(picture)
    classes = as_classes(path, values)
    return np.where(classes == 0, -1, classes)


def _write_colors(name: str, pixels: Any, file: IO[bytes]) -> None:
    from PIL import Image

    Image.fromarray(pixels).save(file, format=name)


@contextmanager
def _opened(
    name: str, previews: bool, path: Path, max_pixels: int, *, layers: bool = False, slices: bool = False
) -> Iterator[Any]:
    """Open a picture whose size has been checked; whatever is wrong with the file becomes one sentence.

    With `layers`, the transparent pages of a file of several are laid over each other. With `slices`, such a
    file gives an array.
    """
    from PIL import Image, ImageOps

    check_not_empty(path)
    with decoding(path, name):
        Image.init()
        reader = Image.OPEN[name][0]  # Image.open would apply a limit of its own
        with path.open("rb") as file, reader(file, str(path)) as picture:
            check_pixels(path, picture.size, max_pixels)
            check_fits(path, BYTES_PER_PIXEL * picture.size[0] * picture.size[1])
            pages = 1 if previews else getattr(picture, "n_frames", 1)
            if layers and pages > 1:
                turned = _merged(path, picture, pages)
            elif slices and pages > 1:
                check_pixels(path, (*picture.size, pages), max_pixels)
                turned = _stacked(path, picture, pages)
            else:
                _check_single(path, pages)
                picture.load()
                turned = ImageOps.exif_transpose(picture)
    yield turned


@contextmanager
def decoding(path: Path, name: str) -> Iterator[None]:
    """Turn whatever is wrong with a file into one sentence, and keep remarks of its library to ourselves."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's own limit and remarks; ours come as sentences
            yield
    except (FileNotFoundError, PermissionError, IsADirectoryError, MemoryError, OptionError):
        raise
    except Exception as error:  # decoders raise a dozen kinds for bad bytes
        raise ValueError(
            f"{path} cannot be read as a {name} picture: it is damaged, truncated or something else."
        ) from error


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
    """Write one number a pixel as TIFF, with a table of colours if there is one.

    Parameters
    ----------
    numbers : array of shape (height, width)
        Of 8 or 16 bits, or real.
    palette : 8-bit array of shape (256, 3), optional
    tags : mapping
        By number: the kind of the value, and the value.
    file : open file
    """
    from PIL import Image
    from PIL.TiffImagePlugin import ImageFileDirectory_v2

    picture, directory = Image.fromarray(numbers), ImageFileDirectory_v2()
    if palette is not None:
        picture.putpalette(palette.tobytes())
    for number, (kind, value) in tags.items():
        directory.tagtype[number] = kind
        directory[number] = value
    picture.save(file, format="TIFF", tiffinfo=directory)


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


def _volume(slices: Any) -> FloatArray:
    """Slices from 0 to 1, or as real numbers, of one channel."""
    values = slices[..., None]
    if np.issubdtype(values.dtype, np.floating) or values.dtype == bool:
        return values.astype(np.float32)
    shallow = values.dtype == np.uint8
    return values.astype(np.float32) / (OPAQUE if shallow else max(DEEPEST, int(values.max())))


def _check_single(path: Path, frames: int) -> None:
    if frames > 1:
        problem = "{} holds {} pictures; save the one to segment in a file of its own."
        raise RefusedError("image", problem, path, frames)


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
        return np.asarray(picture.convert("L")).astype(np.float32) / 255
    if "transparency" in picture.info or mode in ("LA", "La", "PA", "RGBA", "RGBa"):
        return with_opacity(np.asarray(picture.convert("RGBA")).astype(np.float32) / OPAQUE)
    return np.asarray(picture.convert("RGB")).astype(np.float32) / 255


def with_opacity(values: Any) -> FloatArray:
    """Multiply colours from 0 to 1 by their opacity, the last channel, which stays where it is not even.

    Examples
    --------
    >>> with_opacity(np.array([[[1.0, 0.8, 0.6, 0.5]]])).tolist()
    [[[0.5, 0.4, 0.3, 0.5]]]
    """
    colors, opacity = values[..., :-1], values[..., -1:]
    return colors if (opacity == 1).all() else np.concatenate([colors * opacity, opacity], axis=-1)
