"""Shapes that labelme saves beside a picture."""

from base64 import b64decode
from collections.abc import Callable
from typing import Any

import numpy as np

from graphwell.io.images.drawings.base import Dialect, Drawing
from graphwell.io.images.pillow import decoded
from graphwell.io.images.raster import Raster


def recognises(document: Any) -> bool:
    """Whether the file holds shapes with labels.

    Examples
    --------
    >>> recognises({"shapes": [], "imageHeight": 5})
    True
    """
    return isinstance(document, dict) and "shapes" in document and "imageHeight" in document


def draw(document: Any, drawing: Drawing) -> None:
    """Draw all shapes in their order: polygons and circles filled, lines one pixel wide."""
    drawing.check_size(document["imageWidth"], document["imageHeight"])
    for shape in document["shapes"]:
        kind = shape.get("shape_type") or "polygon"
        if kind not in KINDS:
            raise ValueError(f"it holds a shape of the kind {kind!r}; known are {', '.join(KINDS)}")
        KINDS[kind](shape, drawing.raster, drawing.number_of(shape["label"]))


def _polygon(shape: Any, raster: Raster, number: int) -> None:
    raster.polygon(shape["points"], number)


def _rectangle(shape: Any, raster: Raster, number: int) -> None:
    (left, top), (right, bottom) = shape["points"]
    raster.polygon([(left, top), (right, top), (right, bottom), (left, bottom)], number)


def _circle(shape: Any, raster: Raster, number: int) -> None:
    middle, edge = np.asarray(shape["points"], dtype=np.float64)
    raster.stroke([middle], number, 2 * float(np.hypot(*(edge - middle))))


def _line(shape: Any, raster: Raster, number: int) -> None:
    raster.stroke(shape["points"], number)


def _points(shape: Any, raster: Raster, number: int) -> None:
    for point in shape["points"]:
        raster.stroke([point], number)


def _mask(shape: Any, raster: Raster, number: int) -> None:
    left, top = (round(float(value)) for value in shape["points"][0])
    mask = decoded(b64decode(shape["mask"]), raster.classes.size)
    if mask is None:
        raise ValueError("a mask is larger than the picture")
    raster.mask(mask > 0, number, top, left)


KINDS: dict[str, Callable[[Any, Raster, int], None]] = {
    "polygon": _polygon,
    "oriented_rectangle": _polygon,
    "rectangle": _rectangle,
    "circle": _circle,
    "line": _line,
    "linestrip": _line,
    "point": _points,
    "points": _points,
    "mask": _mask,
}

DIALECT = Dialect("labelme", recognises, draw)
