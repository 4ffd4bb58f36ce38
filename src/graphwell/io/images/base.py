"""Pictures in files: what a format declares, which one a name asks for, and what is refused unread."""

import gzip
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from colorsys import hsv_to_rgb
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.errors import OptionError, Sentence
from graphwell.io.files import check_input
from graphwell.io.formats import FileFormat, Formats

MAX_PIXELS = 100_000_000
ROOM_FOR_CHANNELS = 4096  # numbers that a file may declare for each of the pixels allowed
LARGEST_CLASS = int(np.iinfo(np.int32).max)
FARTHEST = 1e9  # points are never farther apart, whatever the unit
PLACES, CHANNELS = "yxz", "c"  # names of axes in our order: height, width, depth, channels
Colors = Mapping[int, tuple[int, int, int]]
PALETTE = (  # matplotlib's ten
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

    # (path, max_pixels) -> a picture of shape (height, width[, channels]), or a volume of shape (height,
    # width, depth, channels); points without a value are masked
    read: Callable[[Path, int], FloatArray] | None = None
    read_placement: Callable[[Path], Placement | None] | None = None
    # (path, max_pixels) -> red, green, blue and opacity from 0 to 255; of seeds, the classes
    read_colors: Callable[[Path, int], Any] | None = None
    # (path, max_pixels) -> classes of a picture or volume, -1 for unknown
    read_numbers: Callable[[Path, int], IntArray] | None = None
    # (path, size of the picture, name of its file) -> marks
    read_marks: Callable[[Path, tuple[int, int], str | None], Marks] | None = None
    # (8-bit colours or 16-bit grey, open file)
    write_colors: Callable[[Any, IO[bytes]], None] | None = None
    # (any array, open file)
    write_numbers: Callable[[Any, IO[bytes]], None] | None = None
    # (classes, -1 for none, or real numbers; colours of the classes; placement of this format; open file)
    write_placed: Callable[[Any, Colors, Placement, IO[bytes]], None] | None = None
    exact: bool = True  # whether colours come back as they were written; labels need that


FORMATS: Formats[ImageFormat] = Formats("graphwell.io.images")
"""Every format of pictures; a file of this folder adds one by declaring ``FORMAT = ImageFormat(...)``."""


def will_do(declared: ImageFormat, field: str) -> bool:
    """Whether files of a format can be what the option of this name asks for."""
    if field == "image":
        return declared.read is not None
    if field == "seeds":
        return any((declared.read_colors, declared.read_numbers, declared.read_marks))
    draws = declared.write_colors is not None
    return (
        draws
        if field in ("overlay", "sheet")
        else declared.write_numbers is not None or (draws and declared.exact)
    )


def format_for(path: Path, field: str) -> ImageFormat:
    """The format that the file of an option asks for."""
    return FORMATS.of(path, field, lambda declared: will_do(declared, field))


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


def writes_numbers(path: Path, placement: Placement | None = None) -> bool:
    """Whether the name asks for a file of numbers rather than a picture."""
    declared = format_for(path, "output")
    return declared.write_numbers is not None or (placement is not None and placement.format == declared.name)


def write_values(
    values: Any,
    draw: Callable[[Any], Any],
    colors: Colors,
    placement: Placement | None,
    path: Path,
    file: IO[bytes],
) -> None:
    """Write classes or real numbers into an open file, in the format that `path` names.

    Numbers lie where the image lies, if the format can say so; a format of colours has what `draw` makes.
    """
    declared = format_for(path, "output")
    zipped = gzip.GzipFile(fileobj=file, mode="wb", mtime=0) if path.suffix.lower() == ".gz" else None
    with zipped or nullcontext(file) as opened:
        if declared.write_placed and placement is not None and placement.format == declared.name:
            declared.write_placed(values, colors, placement, opened)  # type: ignore[arg-type]
        elif declared.write_numbers is not None:
            declared.write_numbers(values, opened)  # type: ignore[arg-type]
        else:
            write_image(draw(values), path, file)


class RefusedError(OptionError):
    """A sound file that is not taken, for a reason worth telling."""


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
        raise RefusedError("max_pixels", problem, path, " x ".join(map(str, sides)), points, max_pixels)


def check_shape(path: Path, shape: Sequence[int], max_pixels: int, names: Sequence[str] = ()) -> None:
    """Refuse an array by its declared shape; only axes with the name of channels, where named, hold any."""
    if names:
        check_pixels(path, [s for n, s in zip(names, shape, strict=True) if n != CHANNELS], max_pixels)
    elif len(shape) in (2, 3):
        check_pixels(path, (shape[1], shape[0]), max_pixels)
    if math.prod(shape) > max_pixels * ROOM_FOR_CHANNELS:
        problem = "{} declares an array of shape {}, which is too large."
        raise RefusedError("max_pixels", problem, path, tuple(shape))


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


def numbered(path: Path, classes: IntArray, shape: tuple[int, ...]) -> Marks:
    """Marks of this shape that came as numbers of classes."""
    check_size(path, classes.shape, shape)
    found = marked_classes(path, classes)
    return Marks(classes, {c: str(c) for c in found}, {c: palette_color(i) for i, c in enumerate(found)})


def marked_classes(path: Path, classes: IntArray) -> list[int]:
    """The classes that any pixel has; none is refused."""
    found: list[int] = np.unique(classes[classes >= 0]).tolist()
    if not found:
        raise OptionError("seeds", "{field} {} marks no pixel at all; mark some pixels of each class.", path)
    return found


def check_size(path: Path, found: tuple[int, ...], shape: tuple[int, ...]) -> None:
    """Refuse marks of another size than the image."""
    if tuple(found) == tuple(shape):
        return
    if len(shape) == 3:
        problem = "{field} {} must have the shape of the image, {}, but has {}."
        raise OptionError("seeds", problem, path, tuple(shape), tuple(found))
    size = " x ".join(map(str, found)) if len(found) == 2 else f"the shape {tuple(found)}"
    problem = "{field} {} must have the size of the image, {} x {} (rows x columns), but has {}."
    raise OptionError("seeds", problem, path, *shape, size)


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
