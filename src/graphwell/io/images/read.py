"""Picture files: PNG, JPEG and TIFF, 8 or 16 bit, and arrays with any number of channels."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import FloatArray
from graphwell.io.npy import load_npy, load_npz

MAX_PIXELS = 100_000_000
PICTURES = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".tif": "TIFF", ".tiff": "TIFF"}
ARRAYS = (".npy", ".npz")
IMAGE_ARRAY = "image"
"""Name of the picture in a `.npz` file that holds several arrays."""
OPAQUE = 255
ROOM_FOR_CHANNELS = 4096


def read_image(path: Path, max_pixels: int = MAX_PIXELS) -> FloatArray:
    """Read a picture as an array of shape (height, width) or (height, width, channels).

    The size is checked before anything is decoded. Pictures are turned as their EXIF data says. Where a
    picture is partly transparent, its colours are multiplied by their opacity, which becomes a channel too:
    what cannot be seen does not count.

    Parameters
    ----------
    path : Path
    max_pixels : int
        Larger pictures are refused.
    """
    kind = kind_of(path, "IMAGE")
    if kind in ARRAYS:
        values = read_array(path, IMAGE_ARRAY, max_pixels)
        if values.ndim not in (2, 3):
            raise ValueError(f"{path} must have the shape (height, width[, channels]), not {values.shape}.")
        if values.dtype.kind not in "biuf":
            raise ValueError(f"{path} must hold real numbers, not {values.dtype}.")
        return values
    with opened(path, max_pixels) as picture:
        return _pixels(picture)


def kind_of(path: Path, role: str, more: tuple[str, ...] = ()) -> str:
    """Ending of a file name, if it is one that can be read.

    Examples
    --------
    >>> kind_of(Path("Leaf.PNG"), "IMAGE")
    '.png'
    >>> kind_of(Path("leaf.gif"), "IMAGE")
    Traceback (most recent call last):
    ValueError: IMAGE leaf.gif: the name must end in .png, .jpg, .jpeg, .tif, .tiff, .npy, .npz.
    """
    kind = path.suffix.lower()
    known = (*PICTURES, *ARRAYS, *more)
    if kind not in known:
        raise ValueError(f"{role} {path}: the name must end in {', '.join(known)}.")
    return kind


@contextmanager
def opened(path: Path, max_pixels: int) -> Iterator[Any]:
    """Open a picture whose size has been checked; whatever is wrong with the file becomes one sentence."""
    from PIL import Image, ImageOps

    form = PICTURES[path.suffix.lower()]
    check_not_empty(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's own limit and remarks; ours come as sentences
            Image.init()
            reader = Image.OPEN[form][0]  # Image.open would apply a limit of its own
            with path.open("rb") as file, reader(file, str(path)) as picture:
                check_pixels(path, *picture.size, max_pixels)
                _check_single(path, form, getattr(picture, "n_frames", 1))
                picture.load()
                turned = ImageOps.exif_transpose(picture)
    except (FileNotFoundError, PermissionError, IsADirectoryError, MemoryError, RefusedError):
        raise
    except Exception as error:  # Pillow's decoders raise a dozen kinds for bad bytes
        raise ValueError(
            f"{path} cannot be read as a {form} picture: it is damaged, truncated or something else."
        ) from error
    yield turned


class RefusedError(ValueError):
    """A sound file that is not taken, for a reason worth telling."""


def check_pixels(path: Path, width: int, height: int, max_pixels: int) -> None:
    """Refuse a picture by its declared size.

    Examples
    --------
    >>> check_pixels(Path("a.png"), 30, 40, max_pixels=1000)
    Traceback (most recent call last):
    graphwell.io.images.read.RefusedError: a.png has 30 x 40 = 1,200 pixels, more than the 1,000 allowed; ...
    """
    if width * height > max_pixels:
        raise RefusedError(
            f"{path} has {width} x {height} = {width * height:,} pixels, more than the {max_pixels:,} "
            "allowed; make it smaller, or allow more with --max-pixels."
        )


def _check_single(path: Path, form: str, frames: int) -> None:
    if form != "JPEG" and frames > 1:  # a photograph may carry its preview
        raise RefusedError(f"{path} holds {frames} pictures; save the one to segment in a file of its own.")


def _pixels(picture: Any) -> FloatArray:
    """Values of a picture from 0 to 1, or as they are where the file holds real numbers."""
    mode = picture.mode
    if mode.startswith("I;16"):
        return np.asarray(picture).astype(np.float32) / 65535
    if mode == "I":  # Pillow reads some 16-bit files as 32-bit integers
        values = np.asarray(picture)
        return values.astype(np.float32) / (65535 if values.min() >= 0 and values.max() <= 65535 else 1)
    if mode == "F":
        return np.asarray(picture)
    if mode in ("1", "L"):
        return np.asarray(picture.convert("L")).astype(np.float32) / 255
    if "transparency" in picture.info or mode in ("LA", "La", "PA", "RGBA", "RGBa"):
        return _with_opacity(np.asarray(picture.convert("RGBA")))
    return np.asarray(picture.convert("RGB")).astype(np.float32) / 255


def _with_opacity(values: Any) -> FloatArray:
    colors, opacity = values[..., :3].astype(np.float32) / 255, values[..., 3:]
    if (opacity == OPAQUE).all():
        return colors
    share = opacity.astype(np.float32) / OPAQUE
    return np.concatenate([colors * share, share], axis=2)


def read_array(path: Path, name: str, max_pixels: int) -> Any:
    """The array of a `.npy` file, or the only one or the one of this name in a `.npz` file."""
    check_not_empty(path)
    _check_header(path, max_pixels)
    if path.suffix.lower() == ".npy":
        return load_npy(path)
    arrays = load_npz(path)
    if name not in arrays and len(arrays) != 1:
        names = ", ".join(sorted(arrays)) or "none"
        raise ValueError(f"{path} must hold one array, or one called {name!r}; it holds {names}.")
    return arrays[name] if name in arrays else next(iter(arrays.values()))


def check_not_empty(path: Path) -> None:
    """Refuse a file without any byte."""
    if path.is_file() and path.stat().st_size == 0:
        raise ValueError(f"{path} is empty.")


def _check_header(path: Path, max_pixels: int) -> None:
    """Refuse an array of absurd declared size before its memory is asked for; other faults come later."""
    import zipfile

    try:
        if path.suffix.lower() == ".npy":
            with path.open("rb") as file:
                shapes = [_declared_shape(file)]
        else:
            with zipfile.ZipFile(path) as archive:
                shapes = []
                for name in archive.namelist():
                    with archive.open(name) as file:
                        shapes.append(_declared_shape(file))
    except OSError:
        raise
    except Exception:  # not an array file at all: reading it will say so
        return
    for shape in shapes:
        if len(shape) in (2, 3):
            check_pixels(path, shape[1], shape[0], max_pixels)
        if int(np.prod(shape, dtype=object)) > max_pixels * ROOM_FOR_CHANNELS:
            raise RefusedError(f"{path} declares an array of shape {shape}, which is too large.")


def _declared_shape(file: Any) -> tuple[int, ...]:
    version = np.lib.format.read_magic(file)
    reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    return tuple(reader(file)[0])
