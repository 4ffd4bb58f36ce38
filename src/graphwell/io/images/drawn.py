"""Marks drawn as strokes, polygons and masks, in the JSON of several programs."""

import json
from pathlib import Path
from typing import Any

from graphwell.errors import OptionError
from graphwell.io.images.base import ImageFormat, Marks, check_not_empty
from graphwell.io.images.colors import palette_color
from graphwell.io.images.drawings import coco, labelme, napari, strokes
from graphwell.io.images.drawings.base import Dialect, Drawing
from graphwell.io.images.raster import Raster

DIALECTS: tuple[Dialect, ...] = (strokes.DIALECT, labelme.DIALECT, coco.DIALECT, napari.DIALECT)
MOST_BYTES = 500_000_000
GARBLED = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError)
"""What reading a file raises in which a part is missing or of another kind."""


def read_marks(path: Path, shape: tuple[int, int], picture: str | None = None) -> Marks:
    """Read the marked pixels of a picture, with the names and colours of their classes.

    Parameters
    ----------
    path : Path
    shape : (height, width)
        Of the picture.
    picture : str, optional
        Name of its file, where the drawing holds the shapes of several pictures.

    Examples
    --------
    >>> import tempfile
    >>> shapes = [{"label": "cat", "points": [[1.5, 0.5]], "shape_type": "point"}]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "picture.json"
    ...     _ = path.write_text(json.dumps({"shapes": shapes, "imageHeight": 1, "imageWidth": 3}))
    ...     marks = read_marks(path, (1, 3))
    >>> marks.classes, marks.names
    (array([[-1,  0, -1]]), {0: 'cat'})
    """
    document = _document(path)
    dialect = next((known for known in DIALECTS if known.recognises(document)), None)
    if dialect is None:
        names = ", ".join(known.name for known in DIALECTS)
        problem = "{field} {} is no drawing of a known kind; known are {}."
        raise OptionError("seeds", problem, path, names)
    drawing = Drawing(Raster(shape), picture)
    try:
        dialect.draw(document, drawing)
    except GARBLED as error:
        reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)[:200]
        problem = "{field} {} cannot be read as a {} drawing: {}."
        raise OptionError("seeds", problem, path, dialect.name, reason) from error
    return _marks(drawing)


def _document(path: Path) -> Any:
    check_not_empty(path)
    if path.is_file() and path.stat().st_size > MOST_BYTES:
        raise OptionError("seeds", "{field} {} is too large for a drawing; save the marks as .png.", path)
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise OptionError("seeds", "{field} {} is no JSON file, or a damaged one.", path) from error


def _marks(drawing: Drawing) -> Marks:
    """Only classes that marked a pixel count; a colour for those that came without."""
    classes = drawing.raster.classes
    marked = [number for number in range(len(drawing.names)) if (classes == number).any()]
    colors = {number: drawing.colors.get(number, palette_color(number)) for number in marked}
    return Marks(classes, {number: drawing.names[number] for number in marked}, colors)


FORMAT = ImageFormat(name="JSON", suffixes=(".json",), read_marks=read_marks, rank=7)
