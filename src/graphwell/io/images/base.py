"""Shared by every picture format: its declaration, limits, colours of classes, and the order of axes."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from colorsys import hsv_to_rgb
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError, Sentence
from graphwell.io.formats import FileFormat

MAX_PIXELS = 100_000_000
ROOM_FOR_CHANNELS = 4096
"""Numbers that a file may declare for each of the pixels allowed."""
LARGEST_CLASS = int(np.iinfo(np.int32).max)
FARTHEST = 1e9
"""Points are never farther apart than this, whatever the unit."""
PLACES, CHANNELS = "yxz", "c"
"""Names of axes, in our order: height, width, depth, channels."""
Colors = Mapping[int, tuple[int, int, int]]
PALETTE = (
    (31, 119, 180), (255, 127, 14), (44, 160, 44), (214, 39, 40), (148, 103, 189),
    (140, 86, 75), (227, 119, 194), (127, 127, 127), (188, 189, 34), (23, 190, 207),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Marks:
    """Known classes of some pixels."""

    classes: IntArray = field(repr=False)  # -1 where unknown; the colours of a picture are numbered from 0
    names: dict[int, str]
    colors: dict[int, tuple[int, int, int]]  # red, green and blue, from 0 to 255
    notes: tuple[Sentence, ...] = ()


@dataclass(frozen=True, eq=False)
class Placement:
    """Where the points of an image lie, as its file tells; labels are written with the same."""

    format: str  # name of the format that it is from; only files of that format keep it
    kept: Any = field(repr=False)  # what the writer of that format needs
    spacing: tuple[float, ...] | None = None  # between points along each axis but that of the channels


@dataclass(frozen=True, kw_only=True)
class ImageFormat(FileFormat):
    """A format of pictures: a file of this folder declares one, or a tuple of them, as ``FORMAT``.

    A function that a format does not have is None. `max_pixels` is checked before memory is asked for.
    """

    read: Callable[[Path, int], FloatArray] | None = None
    """(path, max_pixels) -> a picture of shape (height, width[, channels]), or a volume of shape (height,
    width, depth, channels). Points without a value are masked."""
    read_placement: Callable[[Path], Placement | None] | None = None
    read_colors: Callable[[Path, int], Any] | None = None
    """(path, max_pixels) -> red, green, blue and opacity from 0 to 255; of seeds, the classes."""
    read_classes: Callable[[Path, tuple[int, int], int], IntArray] | None = None
    """(path, size of the picture, max_pixels) -> classes, -1 for unknown."""
    read_numbers: Callable[[Path, int], IntArray] | None = None
    """(path, max_pixels) -> classes of a picture or volume of any size."""
    read_marks: Callable[[Path, tuple[int, int], str | None], Marks] | None = None
    """(path, size of the picture, name of its file) -> marks."""
    write_colors: Callable[[Any, IO[bytes]], None] | None = None
    """(8-bit colours or 16-bit grey, open file)"""
    write_numbers: Callable[[Any, IO[bytes]], None] | None = None
    """(any array, open file)"""
    write_placed: Callable[[Any, Colors, Placement, IO[bytes]], None] | None = None
    """(classes, -1 for none, or real numbers; colours of the classes; placement of this format; open file)"""
    exact: bool = True
    """Whether colours come back as they were written; labels need that."""


class RefusedError(OptionError):
    """A sound file that is not taken, for a reason worth telling."""


def check_pixels(path: Path, sides: Sequence[int], max_pixels: int) -> None:
    """Refuse a picture or volume by its declared sides."""
    points = math.prod(int(side) for side in sides)
    if points > max_pixels:
        problem = (
            "{} has {} = {:,} pixels, more than the {:,} allowed; "
            "make it smaller, or allow more with {field}."
        )
        raise RefusedError("max_pixels", problem, path, " x ".join(map(str, sides)), points, max_pixels)


def check_shapes(path: Path, shapes: Sequence[tuple[int, ...]], max_pixels: int) -> None:
    """Refuse arrays by their declared shapes."""
    for shape in shapes:
        if len(shape) in (2, 3):
            check_pixels(path, (shape[1], shape[0]), max_pixels)
        if math.prod(shape) > max_pixels * ROOM_FOR_CHANNELS:
            problem = "{} declares an array of shape {}, which is too large."
            raise RefusedError("max_pixels", problem, path, shape)


def check_places(path: Path, shape: Sequence[int], names: Sequence[str], max_pixels: int) -> None:
    """Refuse an array by the declared sides of those axes that are no channels."""
    sides = [side for name, side in zip(names, shape, strict=True) if name != CHANNELS]
    check_pixels(path, sides, max_pixels)


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
        raise RefusedError("image", problem, path, ", ".join(names))
    axes = [order.index(place) for place in places]
    channels = [axis for axis, name in enumerate(order) if name == CHANNELS]
    turned = values.reshape([side for _, side in kept]).transpose([*axes, *channels])
    if not channels and len(places) == 2:
        return turned
    return np.ascontiguousarray(turned).reshape(*turned.shape[: len(places)], -1)


def packed(rgb: IntArray) -> IntArray:
    """Red, green and blue as one number."""
    red, green, blue = (np.asarray(rgb)[..., c].astype(np.int32) for c in range(3))
    return red << 16 | green << 8 | blue


def unpacked(colors: IntArray) -> IntArray:
    """Red, green and blue of packed colours, along a last axis."""
    return np.stack([colors >> 16, colors >> 8 & 255, colors & 255], axis=-1)


def palette_color(number: int) -> tuple[int, int, int]:
    """A colour for a class that came without one; any number of them, well apart."""
    if number < len(PALETTE):
        return PALETTE[number]
    red, green, blue = hsv_to_rgb((number + 1.2) * 0.618034 % 1.0, 0.55, 0.85)  # hues by the golden ratio
    return round(255 * red), round(255 * green), round(255 * blue)


def color_of(text: str) -> tuple[int, int, int]:
    """Red, green and blue of a colour like #ff7f0e or #fff."""
    digits = text.removeprefix("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    if not text.startswith("#") or len(digits) != 6:
        raise ValueError(f"a colour must look like #rrggbb, got {text!r}")
    red, green, blue = bytes.fromhex(digits)
    return red, green, blue
