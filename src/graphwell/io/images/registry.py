"""Reading and writing pictures in the format that the name of a file asks for."""

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


def _keeps_labels(declared: ImageFormat) -> bool:
    return declared.write_numbers is not None or (declared.write_colors is not None and declared.exact)


FIT_FOR: dict[str, Callable[[ImageFormat], bool]] = {
    "image": lambda declared: declared.read is not None,
    "seeds": lambda declared: any(
        (declared.read_colors, declared.read_classes, declared.read_numbers, declared.read_marks)
    ),
    "output": _keeps_labels,
    "scores": _keeps_labels,
    "seeds_out": _keeps_labels,
    "overlay": lambda declared: declared.write_colors is not None,
    "sheet": lambda declared: declared.write_colors is not None,
}
"""By the name of an option: which formats will do for its file."""


def format_for(path: Path, field: str) -> ImageFormat:
    """The format that the file of an option asks for."""
    return FORMATS.of(path, field, FIT_FOR[field])


def read_image(path: Path, max_pixels: int = MAX_PIXELS, *, volumes: bool = False) -> FloatArray:
    """Read a picture of shape (height, width[, channels]); a larger one is refused before it is decoded.

    Where `volumes` are allowed, it may also have the shape (height, width, depth, channels).
    """
    declared = format_for(path, "image")
    check_input(path, "image", folder=declared.is_folder)
    assert declared.read is not None
    found = declared.read(path, max_pixels)
    if found.ndim == 4 and not volumes:
        problem = "{field} {} holds {} pictures; save the one you want in a file of its own."
        raise OptionError("image", problem, path, found.shape[2])
    return found


def read_placement(path: Path) -> Placement | None:
    """Where the points of an image lie; None where its file does not tell."""
    read = format_for(path, "image").read_placement
    return None if read is None else read(path)


def write_image(pixels: Any, path: Path, file: IO[bytes]) -> None:
    """Write 8-bit colours or 16-bit grey into an open file, in the format that `path` names."""
    write = format_for(path, "overlay").write_colors
    assert write is not None
    write(pixels, file)


def writes_numbers(path: Path) -> bool:
    """Whether the name asks for a file of numbers rather than a picture."""
    return format_for(path, "output").write_numbers is not None


def write_numbers(values: Any, path: Path, file: IO[bytes]) -> None:
    """Write an array into an open file of numbers."""
    write = format_for(path, "output").write_numbers
    assert write is not None
    with _compressed(path, file) as opened:
        write(values, opened)


def keeps_placement(path: Path, placement: Placement | None) -> bool:
    """Whether a file of this name can say where the points of an image lie."""
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
