"""A layer of shapes of napari, as ``json.dumps(layer.as_layer_data_tuple(), default=...)`` writes it.

That is a list of the data, the settings and the word "shapes", or an object with "data" among the settings.
The class of each shape stands in the layer's features or properties: in the column "class" or "label", or in
the only column. Points are (row, column), and whole numbers mean the middle of a pixel.
"""

from typing import Any

import numpy as np

from graphwell._types import FloatArray
from graphwell.io.images.drawings.base import Dialect, Drawing
from graphwell.io.images.raster import THINNEST

COLUMNS = ("class", "label", "name")
ELLIPSE_CORNERS = 128


def recognises(document: Any) -> bool:
    """Whether the file holds a layer of shapes.

    Examples
    --------
    >>> recognises([[], {"shape_type": []}, "shapes"]), recognises({"data": [], "shape_type": []})
    (True, True)
    """
    if isinstance(document, list):
        return len(document) == 3 and document[2] == "shapes"
    return isinstance(document, dict) and "data" in document and "shape_type" in document


def draw(document: Any, drawing: Drawing) -> None:
    """Draw all shapes in their order: areas filled, lines and paths as wide as their edges."""
    data, settings = (
        (document[0], document[1]) if isinstance(document, list) else (document["data"], document)
    )
    kinds = _each(settings["shape_type"], len(data))
    widths = _each(settings.get("edge_width", THINNEST), len(data))
    classes = _classes(settings, len(data))
    for points, kind, width, name in zip(data, kinds, widths, classes, strict=True):
        corners = np.asarray(points, dtype=np.float64)[:, ::-1] + 0.5
        number = drawing.number_of(name)
        if kind in ("line", "path"):
            drawing.raster.stroke(corners, number, width)
        else:
            drawing.raster.polygon(_ellipse(corners) if kind == "ellipse" else corners, number)


def _each(value: Any, n: int) -> list[Any]:
    return list(value) if isinstance(value, list) else [value] * n


def _classes(settings: Any, n: int) -> list[Any]:
    table = settings.get("features") or settings.get("properties") or {}
    columns = [name for name in COLUMNS if name in table] or list(table)
    if len(columns) == 0:
        raise ValueError("its shapes have no class; give the layer a feature called 'class'")
    column = table[columns[0]]
    found = list(column.values()) if isinstance(column, dict) else list(column)
    if len(found) != n:
        raise ValueError(f"it holds {n} shapes, but {len(found)} values of {columns[0]!r}")
    return found


def _ellipse(corners: FloatArray) -> FloatArray:
    """Points on the ellipse inside a rectangle, which may be turned."""
    middle = corners.mean(axis=0)
    across, down = (corners[1] - corners[0]) / 2, (corners[3] - corners[0]) / 2
    angles = np.linspace(0, 2 * np.pi, ELLIPSE_CORNERS, endpoint=False)[:, None]
    return np.asarray(middle + np.cos(angles) * across + np.sin(angles) * down)


DIALECT = Dialect("napari", recognises, draw)
