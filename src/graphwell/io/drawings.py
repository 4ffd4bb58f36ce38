"""Marks in files: classes of pixels, drawn as strokes, polygons and masks.

Drawings are the JSON of graphwell's own page and of labelme. Points are (x, y) from the top left
corner of the picture: the middle of its first pixel is (0.5, 0.5). A pixel is marked if its middle is
covered; later shapes cover earlier ones.
"""

import json
import warnings
from base64 import b64decode
from collections.abc import Mapping
from colorsys import hsv_to_rgb
from dataclasses import dataclass, field
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.errors import OptionError, Sentence
from graphwell.memory import check_fits

LARGEST_CLASS = int(np.iinfo(np.int32).max)
BYTES_PER_BYTE = 10  # memory that a byte of JSON or of text takes once it is read
ERASED = -1
THINNEST = 1.0  # width of the thinnest stroke: it marks a pixel in each row or column that it crosses
FARTHEST = 1e7  # points farther away than this, in pixels, are none
GARBLED = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError)
"""Raised by reading a file in which a part is missing or of another kind."""
FORMAT_NAME, VERSION = "graphwell-strokes", 1
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


def palette_color(number: int) -> tuple[int, int, int]:
    """A colour for a class that came without one; any number of them, well apart."""
    if number < len(PALETTE):
        return PALETTE[number]
    red, green, blue = hsv_to_rgb((number + 1.2) * 0.618034 % 1.0, 0.55, 0.85)  # hues by the golden ratio
    return round(255 * red), round(255 * green), round(255 * blue)


def color_of(text: str) -> tuple[int, int, int]:
    """Red, green and blue of a colour like #ff7f0e, #fff or black."""
    from PIL import ImageColor

    red, green, blue = ImageColor.getrgb(text)[:3]
    return red, green, blue


# --------------------------------------------------------------------------------------------------- drawings


class Drawing:
    """Pixels that are marked shape by shape, with the names of their classes."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self.classes: IntArray = np.full(shape, ERASED)
        self.names: list[str] = []  # in the order in which they came up
        self.colors: dict[int, tuple[int, int, int]] = {}  # of classes that came with one

    def number_of(self, name: Any, color: str | None = None) -> int:
        """The number of a class, a new one for a new name."""
        name = str(name)
        if name not in self.names:
            self.names.append(name)
        number = self.names.index(name)
        if color is not None:
            self.colors[number] = color_of(color)
        return number

    def check_size(self, width: Any, height: Any) -> None:
        """Refuse a drawing that was made on a picture of another size."""
        rows, columns = self.classes.shape
        if (width, height) != (columns, rows):
            drawn_on = f"a picture of {width} x {height}"
            raise ValueError(f"it was drawn on {drawn_on}, but the image has {columns} x {rows}")

    def stroke(self, points: Any, number: int, width: float = THINNEST) -> None:
        """Mark what lies within half a width of a line through all points; one point makes a disk."""
        line = _as_points(points)
        half = min(max(float(width), THINNEST), FARTHEST) / 2
        for start, end in pairwise(line):
            along = end - start
            length = float(np.hypot(*along))
            if length > 0:  # the rectangle around this piece of the line
                side = np.array([-along[1], along[0]]) * (half / length)
                self._fill(np.array([start + side, end + side, end - side, start - side]), number)
        for point in line:
            self._disk(point, half, number)

    def polygon(self, points: Any, number: int) -> None:
        """Mark what lies inside a closed line; where it crosses itself, by the even-odd rule."""
        corners = _as_points(points)
        if not self._fill(corners, number):
            self._disk(corners.mean(axis=0), THINNEST / 2, number)  # too small to hold the middle of a pixel

    def _window(self, low: FloatArray, high: FloatArray) -> list[int]:
        """Left, top, right and bottom of the pixels between two points."""
        sides = self.classes.shape[::-1]
        return [*np.floor(low).clip(0, sides).astype(int), *np.ceil(high).clip(0, sides).astype(int)]

    def _fill(self, corners: FloatArray, number: int) -> bool:
        """Mark a polygon; say whether it covers the middle of any pixel, outside the picture too."""
        left, top, right, bottom = self._window(corners.min(axis=0), corners.max(axis=0))
        if right <= left or bottom <= top:
            return True
        height, width = bottom - top, right - left
        # Each side of the polygon flips all pixels to the right of it, row by row.
        x, y = (corners - (left, top)).T
        next_x, next_y = np.roll(x, -1), np.roll(y, -1)
        first = np.ceil(np.minimum(y, next_y) - 0.5).clip(0, height).astype(int)
        last = np.ceil(np.maximum(y, next_y) - 0.5).clip(0, height).astype(int)
        side = np.repeat(np.arange(len(x)), last - first)
        rows = np.arange(len(side)) - np.repeat(np.cumsum(last - first) - last, last - first)
        slope = (next_x[side] - x[side]) / (next_y[side] - y[side])
        crossing = x[side] + (rows + 0.5 - y[side]) * slope
        flips = np.zeros((height, width + 1), dtype=np.uint8)
        np.add.at(flips, (rows, np.ceil(crossing - 0.5).clip(0, width).astype(int)), 1)
        inside = np.cumsum(flips[:, :width], axis=1, dtype=np.uint8) % 2 == 1
        self.classes[top:bottom, left:right][inside] = number
        return bool(inside.any())

    def _disk(self, middle: FloatArray, half: float, number: int) -> None:
        left, top, right, bottom = self._window(middle - half, middle + half)
        x = np.arange(left, right) + 0.5 - middle[0]
        y = np.arange(top, bottom)[:, None] + 0.5 - middle[1]
        self.classes[top:bottom, left:right][x**2 + y**2 <= half**2] = number
        column, row = np.floor(middle)
        if 0 <= row < self.classes.shape[0] and 0 <= column < self.classes.shape[1]:
            self.classes[int(row), int(column)] = number


def _as_points(points: Any) -> FloatArray:
    found = np.asarray(points, dtype=np.float64)
    if found.ndim != 2 or found.shape[1] != 2 or not len(found) or not (np.abs(found) <= FARTHEST).all():
        raise ValueError(f"points must be a list of pairs of numbers, got {str(points)[:60]}")
    return found


def _draw_strokes(document: Any, drawing: Drawing) -> None:
    """Draw the strokes of graphwell's own page in their order; erasers clear what is below them.

    {"format": "graphwell-strokes", "version": 1, "size": [width, height],
     "classes": [{"name": "leaf", "color": "#2ca02c"}, ...],
     "strokes": [{"class": 0, "width": 5, "erase": false, "points": [[x, y], ...]}, ...]}
    """
    if document["version"] != VERSION:
        raise ValueError(f"its version is {document['version']!r}, and only version {VERSION} is known")
    drawing.check_size(*document["size"])
    numbers = [drawing.number_of(known["name"], known.get("color")) for known in document["classes"]]
    for stroke in document["strokes"]:
        number = ERASED
        if not stroke.get("erase"):
            place = stroke["class"]
            if not isinstance(place, int) or not 0 <= place < len(numbers):
                counted = f"classes count from 0 to {len(numbers) - 1}"
                raise ValueError(f"a stroke has the class {place!r}, but {counted}")
            number = numbers[place]
        drawing.stroke(stroke["points"], number, stroke.get("width", THINNEST))


def _draw_labelme(document: Any, drawing: Drawing) -> None:
    """Draw the shapes of labelme in their order: polygons and circles filled, lines one pixel wide."""
    drawing.check_size(document["imageWidth"], document["imageHeight"])
    for shape in document["shapes"]:
        kind = shape.get("shape_type") or "polygon"
        number, points = drawing.number_of(shape["label"]), shape["points"]
        if kind in ("polygon", "oriented_rectangle"):
            drawing.polygon(points, number)
        elif kind == "rectangle":
            (left, top), (right, bottom) = points
            drawing.polygon([(left, top), (right, top), (right, bottom), (left, bottom)], number)
        elif kind == "circle":
            middle, edge = np.asarray(points, dtype=np.float64)
            drawing.stroke([middle], number, 2 * float(np.hypot(*(edge - middle))))
        elif kind in ("line", "linestrip"):
            drawing.stroke(points, number)
        elif kind in ("point", "points"):
            for point in points:
                drawing.stroke([point], number)
        elif kind == "mask":
            left, top = (round(float(value)) for value in points[0])
            places = np.add(np.argwhere(_labelme_mask(shape["mask"], drawing.classes.size)), (top, left))
            inside = ((places >= 0) & (places < drawing.classes.shape)).all(axis=1)
            drawing.classes[tuple(places[inside].T)] = number
        else:
            known = "polygon, oriented_rectangle, rectangle, circle, line, linestrip, point, points, mask"
            raise ValueError(f"it holds a shape of the kind {kind!r}; known are {known}")


def _labelme_mask(text: str, most_pixels: int) -> BoolArray:
    """A mask that is a PNG picture in base64."""
    from PIL import Image

    try:
        with (
            warnings.catch_warnings(action="ignore"),
            Image.open(BytesIO(b64decode(text)), formats=("PNG",)) as picture,
        ):
            if picture.size[0] * picture.size[1] <= most_pixels:
                return np.asarray(picture.convert("L")) > 0
    except Exception as error:  # Pillow's decoders raise a dozen kinds for bad bytes
        raise ValueError("a mask is no PNG picture") from error
    raise ValueError("a mask is larger than the picture")


def read_drawing(path: Path, shape: tuple[int, int]) -> Marks:
    """Read the marked pixels of a picture."""
    check_fits(path, BYTES_PER_BYTE * path.stat().st_size)
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise OptionError("seeds", "{field} {} is no JSON file, or a damaged one.", path) from error
    held = set(document) if isinstance(document, dict) else set()
    if "format" not in held and not {"shapes", "imageHeight"} <= held:
        problem = "{field} {} is no drawing of a known kind; known are graphwell strokes and labelme."
        raise OptionError("seeds", problem, path)
    name, draw = ("graphwell strokes", _draw_strokes) if "format" in held else ("labelme", _draw_labelme)
    drawing = Drawing(shape)
    try:
        draw(document, drawing)
    except GARBLED as error:
        reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)[:200]
        problem = "{field} {} cannot be read as a {} drawing: {}."
        raise OptionError("seeds", problem, path, name, reason) from error
    marked = marked_classes(path, drawing.classes)
    colors = {number: drawing.colors.get(number, palette_color(number)) for number in marked}
    return Marks(drawing.classes, {number: drawing.names[number] for number in marked}, colors)
