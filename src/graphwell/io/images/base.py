"""What a file that adds a picture format declares, and the limits that every reader keeps."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError, Sentence
from graphwell.io.formats import FileFormat

MAX_PIXELS = 100_000_000
FARTHEST = 1e9
"""Points are never farther apart than this, whatever the unit."""
Colors = Mapping[int, tuple[int, int, int]]


@dataclass(frozen=True, eq=False)
class Marks:
    """Known classes of some pixels.

    Attributes
    ----------
    classes : array of shape (height, width)
        Integers, -1 where unknown; the colours of a picture are numbered from 0.
    names : dict
        Name of each class.
    colors : dict
        Red, green and blue of each class, from 0 to 255.
    notes : tuple of Sentence
        What the user should know.
    """

    classes: IntArray = field(repr=False)
    names: dict[int, str]
    colors: dict[int, tuple[int, int, int]]
    notes: tuple[Sentence, ...] = ()


@dataclass(frozen=True, eq=False)
class Placement:
    """Where the points of an image lie, as its file tells; labels are written with the same.

    Attributes
    ----------
    format : str
        Name of the format that told it; only files of that format keep it.
    kept : object
        What the writer of that format needs.
    spacing : tuple of float, optional
        Distance between points along each axis but that of the channels.
    """

    format: str
    kept: Any = field(repr=False)
    spacing: tuple[float, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class ImageFormat(FileFormat):
    """A format of pictures: a file of this folder declares one as ``FORMAT``.

    What a format cannot do is None.

    Attributes
    ----------
    read : callable, optional
        Takes a path and the most pixels allowed, returns the picture, of shape (height, width[, channels]);
        or a volume, of shape (height, width, depth, channels). Points without a value are masked.
    read_placement : callable, optional
        Takes a path, returns where the points lie, a `Placement`, or None.
    read_colors : callable, optional
        The same as red, green, blue and opacity from 0 to 255: seeds whose colours are the classes.
    read_classes : callable, optional
        Takes a path, the size of the picture and the most pixels allowed, returns classes, -1 for unknown.
    read_numbers : callable, optional
        Takes a path and the most pixels allowed, returns classes of a picture or volume of any size.
    read_marks : callable, optional
        Takes a path, the size of the picture and the name of its file, returns `Marks`.
    write_colors : callable, optional
        Takes 8-bit colours or 16-bit grey, and an open file.
    write_numbers : callable, optional
        Takes any array and an open file.
    write_placed : callable, optional
        Takes classes (integers, -1 for none) or real numbers, the colours of the classes, a `Placement` of
        the same format, and an open file.
    exact : bool
        Whether colours come back as they were written; labels need that.
    """

    read: Callable[[Path, int], FloatArray] | None = None
    read_placement: Callable[[Path], Placement | None] | None = None
    read_colors: Callable[[Path, int], Any] | None = None
    read_classes: Callable[[Path, tuple[int, int], int], IntArray] | None = None
    read_numbers: Callable[[Path, int], IntArray] | None = None
    read_marks: Callable[[Path, tuple[int, int], str | None], Marks] | None = None
    write_colors: Callable[[Any, IO[bytes]], None] | None = None
    write_numbers: Callable[[Any, IO[bytes]], None] | None = None
    write_placed: Callable[[Any, Colors, Placement, IO[bytes]], None] | None = None
    exact: bool = True

    @property
    def holds_pictures(self) -> bool:
        """Whether pictures can be read from it."""
        return self.read is not None

    @property
    def holds_seeds(self) -> bool:
        """Whether marks can be read from it."""
        return any((self.read_colors, self.read_classes, self.read_numbers, self.read_marks))

    @property
    def keeps_labels(self) -> bool:
        """Whether labels can be written and come back as they were."""
        return self.write_numbers is not None or (self.write_colors is not None and self.exact)

    @property
    def shows_pictures(self) -> bool:
        """Whether a picture to look at can be written."""
        return self.write_colors is not None


def sound_spacing(sides: Iterable[float]) -> tuple[float, ...] | None:
    """Distances between points that a file tells, or None where one of them cannot be.

    Examples
    --------
    >>> sound_spacing([0.5, 2]), sound_spacing([0.5, 0]), sound_spacing([float("nan")])
    ((0.5, 2.0), None, None)
    """
    found = tuple(float(side) for side in sides)
    return found if all(0 < side < FARTHEST for side in found) else None


class RefusedError(OptionError):
    """A sound file that is not taken, for a reason worth telling."""


def check_pixels(path: Path, sides: Sequence[int], max_pixels: int) -> None:
    """Refuse a picture or volume by its declared sides.

    Examples
    --------
    >>> check_pixels(Path("a.png"), (30, 40), max_pixels=1000)
    Traceback (most recent call last):
    graphwell.io.images.base.RefusedError: a.png has 30 x 40 = 1,200 pixels, more than the 1,000 allowed; ...
    """
    points = math.prod(int(side) for side in sides)
    if points > max_pixels:
        problem = (
            "{} has {} = {:,} pixels, more than the {:,} allowed; "
            "make it smaller, or allow more with {field}."
        )
        raise RefusedError("max_pixels", problem, path, " x ".join(map(str, sides)), points, max_pixels)


def check_not_empty(path: Path) -> None:
    """Refuse a file without any byte."""
    if path.is_file() and path.stat().st_size == 0:
        raise ValueError(f"{path} is empty.")
