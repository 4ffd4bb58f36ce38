"""Which reader and which writer the name of a picture asks for."""

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from graphwell._types import FloatArray
from graphwell.errors import OptionError
from graphwell.io.files import check_input
from graphwell.io.formats import Formats
from graphwell.io.images.base import MAX_PIXELS, Colors, ImageFormat, Placement

FORMATS: Formats[ImageFormat] = Formats("graphwell.io.images")
"""Every format of pictures; a file of this folder adds one by declaring ``FORMAT = ImageFormat(...)``."""

FIT_FOR: dict[str, Callable[[ImageFormat], bool]] = {
    "image": lambda declared: declared.holds_pictures,
    "seeds": lambda declared: declared.holds_seeds,
    "output": lambda declared: declared.keeps_labels,
    "scores": lambda declared: declared.keeps_labels,
    "seeds_out": lambda declared: declared.keeps_labels,
    "overlay": lambda declared: declared.shows_pictures,
    "sheet": lambda declared: declared.shows_pictures,
}
"""By the name of an option: which formats will do for its file."""


def format_for(path: Path, field: str) -> ImageFormat:
    """Return the format that the file of an option asks for.

    Examples
    --------
    >>> format_for(Path("Leaf.PNG"), "image").name
    'PNG'
    >>> format_for(Path("labels.jpg"), "output")
    Traceback (most recent call last):
    graphwell.errors.OptionError: output labels.jpg: the name must end in .png, .tif, .tiff, .npy...
    """
    return FORMATS.of(path, field, FIT_FOR[field])


def read_image(path: Path, max_pixels: int = MAX_PIXELS, *, volumes: bool = False) -> FloatArray:
    """Read a picture as an array of shape (height, width) or (height, width, channels).

    Where `volumes` are allowed, it may also have the shape (height, width, depth, channels). The size is
    checked before anything is decoded.

    Parameters
    ----------
    path : Path
    max_pixels : int
        Larger pictures are refused.
    volumes : bool
    """
    declared = format_for(path, "image")
    check_input(path, "image", folder=declared.is_folder)
    assert declared.read is not None
    found = declared.read(path, max_pixels)
    if found.ndim == 4 and not volumes:
        problem = "{field} {} holds {} pictures; save the one you want in a file of its own."
        raise OptionError("image", problem, path, found.shape[2])
    return found


def write_image(pixels: Any, path: Path, file: IO[bytes]) -> None:
    """Write 8-bit colours or 16-bit grey into an open file, in the format that `path` names."""
    write = format_for(path, "overlay").write_colors
    assert write is not None
    write(pixels, file)


def writes_numbers(path: Path) -> bool:
    """Whether the name asks for a file of numbers rather than a picture.

    Examples
    --------
    >>> writes_numbers(Path("labels.npy")), writes_numbers(Path("labels.png"))
    (True, False)
    """
    return format_for(path, "output").write_numbers is not None


def write_numbers(values: Any, path: Path, file: IO[bytes]) -> None:
    """Write an array into an open file of numbers."""
    write = format_for(path, "output").write_numbers
    assert write is not None
    with _compressed(path, file) as opened:
        write(values, opened)


def read_placement(path: Path) -> Placement | None:
    """Read where the points of an image lie; None where its file does not tell."""
    read = format_for(path, "image").read_placement
    return None if read is None else read(path)


def keeps_placement(path: Path, placement: Placement | None) -> bool:
    """Whether a file of this name can say where the points of an image lie.

    Examples
    --------
    >>> keeps_placement(Path("labels.tif"), Placement("TIFF", {}))
    True
    >>> keeps_placement(Path("labels.png"), Placement("TIFF", {})), keeps_placement(Path("labels.tif"), None)
    (False, False)
    """
    declared = format_for(path, "output")
    return placement is not None and placement.format == declared.name


def write_placed(values: Any, colors: Colors, placement: Placement, path: Path, file: IO[bytes]) -> None:
    """Write classes or real numbers into an open file that says where they lie."""
    write = format_for(path, "output").write_placed
    assert write is not None
    with _compressed(path, file) as opened:
        write(values, colors, placement, opened)


@contextmanager
def _compressed(path: Path, file: IO[bytes]) -> Iterator[IO[bytes]]:
    """The file itself, or one that compresses what is written, as the name asks."""
    if path.suffix.lower() != ".gz":
        yield file
        return
    with gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed:
        yield cast(IO[bytes], packed)
