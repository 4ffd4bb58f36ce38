"""Marks drawn as strokes, polygons and masks, in the JSON of graphwell's own page, labelme, COCO and napari.

A reader of a program's JSON draws on a `Drawing`. Any error it raises means that the file is garbled.
"""

import json
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from graphwell._types import BoolArray
from graphwell.errors import OptionError
from graphwell.io.images.base import ImageFormat, Marks, color_of, palette_color
from graphwell.io.images.pillow import decoded_mask
from graphwell.io.images.raster import ERASED, THINNEST, Raster

MOST_BYTES = 500_000_000
GARBLED = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError)
"""Raised by reading a file in which a part is missing or of another kind."""
FORMAT_NAME, VERSION = "graphwell-strokes", 1
COLUMNS = ("class", "label", "name")
"""Of a table of napari: where the class of each shape stands."""
ELLIPSE_CORNERS = 128


@dataclass(eq=False)
class Drawing:
    """Marked pixels, with the names of their classes."""

    raster: Raster
    picture: str | None = None  # name of the file of the picture: a drawing may hold the shapes of several
    names: list[str] = field(default_factory=list)  # in the order in which they came up
    colors: dict[int, tuple[int, int, int]] = field(default_factory=dict)  # of classes that came with one

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
        rows, columns = self.raster.classes.shape
        if (width, height) != (columns, rows):
            drawn_on = f"a picture of {width} x {height}"
            raise ValueError(f"it was drawn on {drawn_on}, but the image has {columns} x {rows}")


def draw_strokes(document: Any, drawing: Drawing) -> None:
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
        drawing.raster.stroke(stroke["points"], number, stroke.get("width", THINNEST))


LABELME = (
    "polygon",
    "oriented_rectangle",
    "rectangle",
    "circle",
    "line",
    "linestrip",
    "point",
    "points",
    "mask",
)


def draw_labelme(document: Any, drawing: Drawing) -> None:
    """Draw the shapes of labelme in their order: polygons and circles filled, lines one pixel wide."""
    drawing.check_size(document["imageWidth"], document["imageHeight"])
    raster = drawing.raster
    for shape in document["shapes"]:
        kind = shape.get("shape_type") or "polygon"
        if kind not in LABELME:
            raise ValueError(f"it holds a shape of the kind {kind!r}; known are {', '.join(LABELME)}")
        number, points = drawing.number_of(shape["label"]), shape["points"]
        if kind in ("polygon", "oriented_rectangle"):
            raster.polygon(points, number)
        elif kind == "rectangle":
            (left, top), (right, bottom) = points
            raster.polygon([(left, top), (right, top), (right, bottom), (left, bottom)], number)
        elif kind == "circle":
            middle, edge = np.asarray(points, dtype=np.float64)
            raster.stroke([middle], number, 2 * float(np.hypot(*(edge - middle))))
        elif kind in ("line", "linestrip"):
            raster.stroke(points, number)
        elif kind in ("point", "points"):
            for point in points:
                raster.stroke([point], number)
        else:
            left, top = (round(float(value)) for value in points[0])
            mask = decoded_mask(b64decode(shape["mask"]), raster.classes.size)
            if mask is None:
                raise ValueError("a mask is larger than the picture")
            raster.mask(mask > 0, number, top, left)


def draw_coco(document: Any, drawing: Drawing) -> None:
    """Draw the annotations of one picture of a COCO file: polygons, or runs of pixels."""
    pictures = document["images"]
    if len(pictures) != 1:  # the only one may have any name
        name = drawing.picture
        found = [picture for picture in pictures if PurePosixPath(picture["file_name"]).name == name]
        if len(found) != 1:
            raise ValueError(f"it holds {len(pictures)} pictures, {len(found)} of them with the name {name}")
        pictures = found
    picture = pictures[0]
    drawing.check_size(picture["width"], picture["height"])
    names = {category["id"]: category["name"] for category in document["categories"]}
    for annotation in document["annotations"]:
        if annotation["image_id"] != picture["id"]:
            continue
        marked, number = annotation["segmentation"], drawing.number_of(names[annotation["category_id"]])
        if isinstance(marked, dict):
            drawing.raster.mask(_mask_of_runs(marked, drawing.raster.classes.shape), number)
        elif marked:
            for ring in marked:
                drawing.raster.polygon(np.asarray(ring, dtype=np.float64).reshape(-1, 2), number)
        else:
            raise ValueError("an annotation has no segmentation; a box alone marks no pixels")


def _mask_of_runs(runs: Any, shape: tuple[int, ...]) -> BoolArray:
    """The mask of runs down the columns, unmarked and marked by turns."""
    if tuple(runs["size"]) != tuple(shape):
        raise ValueError(f"a mask has the size {runs['size']}, the image {list(shape)}")
    counts = runs["counts"]
    lengths = np.array(_run_lengths(counts) if isinstance(counts, str) else counts, dtype=np.int64)
    if (lengths < 0).any() or lengths.sum() != shape[0] * shape[1]:
        raise ValueError(f"the runs of a mask are {lengths.sum()} pixels long, not {shape[0] * shape[1]}")
    marked = np.repeat(np.arange(len(lengths)) % 2 == 1, lengths)
    return marked.reshape(shape[1], shape[0]).T


def _run_lengths(text: str) -> list[int]:
    """Lengths of runs from text: five bits a character; from the third on, differences of two before."""
    lengths: list[int] = []
    value, shift = 0, 0
    for character in text:
        bits = ord(character) - ord("0")
        value |= (bits & 0x1F) << shift
        shift += 5
        if bits & 0x20:  # more bits follow
            continue
        if bits & 0x10:  # negative
            value -= 1 << shift
        lengths.append(value + (lengths[-2] if len(lengths) > 2 else 0))
        value, shift = 0, 0
    return lengths


def draw_napari(document: Any, drawing: Drawing) -> None:
    """Draw a layer of shapes of napari: areas filled, lines and paths as wide as their edges.

    ``json.dumps(layer.as_layer_data_tuple(), default=...)`` writes a list of the data, the settings and the
    word "shapes"; an object with "data" among the settings will do. Points are (row, column), and whole
    numbers mean the middle of a pixel.
    """
    data, settings = document[:2] if isinstance(document, list) else (document["data"], document)

    def each(value: Any) -> list[Any]:
        return list(value) if isinstance(value, list) else [value] * len(data)

    table = settings.get("features") or settings.get("properties") or {}
    columns = [name for name in COLUMNS if name in table] or list(table)
    if len(columns) == 0:
        raise ValueError("its shapes have no class; give the layer a feature called 'class'")
    column = table[columns[0]]
    classes = list(column.values()) if isinstance(column, dict) else list(column)
    if len(classes) != len(data):
        raise ValueError(f"it holds {len(data)} shapes, but {len(classes)} values of {columns[0]!r}")
    kinds, widths = each(settings["shape_type"]), each(settings.get("edge_width", THINNEST))
    for points, kind, width, name in zip(data, kinds, widths, classes, strict=True):
        corners = np.asarray(points, dtype=np.float64)[:, ::-1] + 0.5
        number = drawing.number_of(name)
        if kind in ("line", "path"):
            drawing.raster.stroke(corners, number, width)
            continue
        if kind == "ellipse":  # inside a rectangle, which may be turned
            middle = corners.mean(axis=0)
            across, down = (corners[1] - corners[0]) / 2, (corners[3] - corners[0]) / 2
            angles = np.linspace(0, 2 * np.pi, ELLIPSE_CORNERS, endpoint=False)[:, None]
            corners = np.asarray(middle + np.cos(angles) * across + np.sin(angles) * down)
        drawing.raster.polygon(corners, number)


def _is_napari(document: Any) -> bool:
    if isinstance(document, list):
        return len(document) == 3 and document[2] == "shapes"
    return isinstance(document, dict) and {"data", "shape_type"} <= set(document)


PROGRAMS: dict[str, tuple[Callable[[Any], bool], Callable[[Any, Drawing], None]]] = {
    "graphwell strokes": (lambda it: isinstance(it, dict) and it.get("format") == FORMAT_NAME, draw_strokes),
    "labelme": (lambda it: isinstance(it, dict) and {"shapes", "imageHeight"} <= set(it), draw_labelme),
    "COCO": (
        lambda it: isinstance(it, dict) and {"images", "annotations", "categories"} <= set(it),
        draw_coco,
    ),
    "napari": (_is_napari, draw_napari),
}
"""By the name of a program: whether it wrote a document, and what draws it."""


def read_marks(path: Path, shape: tuple[int, int], picture: str | None = None) -> Marks:
    """Read the marked pixels of a picture; `picture` is its file name, where a drawing holds several."""
    if path.stat().st_size > MOST_BYTES:
        raise OptionError("seeds", "{field} {} is too large for a drawing; save the marks as .png.", path)
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise OptionError("seeds", "{field} {} is no JSON file, or a damaged one.", path) from error
    name, draw = next(
        ((name, draw) for name, (wrote, draw) in PROGRAMS.items() if wrote(document)), ("", None)
    )
    if draw is None:
        problem = "{field} {} is no drawing of a known kind; known are {}."
        raise OptionError("seeds", problem, path, ", ".join(PROGRAMS))
    drawing = Drawing(Raster(shape), picture)
    try:
        draw(document, drawing)
    except GARBLED as error:
        reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)[:200]
        problem = "{field} {} cannot be read as a {} drawing: {}."
        raise OptionError("seeds", problem, path, name, reason) from error
    classes = drawing.raster.classes
    marked = [number for number in range(len(drawing.names)) if (classes == number).any()]
    colors = {number: drawing.colors.get(number, palette_color(number)) for number in marked}
    return Marks(classes, {number: drawing.names[number] for number in marked}, colors)


FORMAT = ImageFormat(name="JSON", suffixes=(".json",), read_marks=read_marks, rank=7)
