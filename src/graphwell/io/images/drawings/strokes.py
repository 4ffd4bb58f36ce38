"""The strokes of graphwell's own page.

{"format": "graphwell-strokes", "version": 1, "size": [width, height],
 "classes": [{"name": "leaf", "color": "#2ca02c"}, ...],
 "strokes": [{"class": 0, "width": 5, "erase": false, "points": [[x, y], ...]}, ...]}
"""

from typing import Any

from graphwell.io.images.drawings.base import Dialect, Drawing
from graphwell.io.images.raster import ERASED, THINNEST

FORMAT_NAME, VERSION = "graphwell-strokes", 1


def recognises(document: Any) -> bool:
    """Whether the file says what it is.

    Examples
    --------
    >>> recognises({"format": "graphwell-strokes"})
    True
    """
    return isinstance(document, dict) and document.get("format") == FORMAT_NAME


def draw(document: Any, drawing: Drawing) -> None:
    """Draw all strokes, in their order; erasers clear what is below them."""
    if document["version"] != VERSION:
        raise ValueError(f"its version is {document['version']!r}, and only version {VERSION} is known")
    drawing.check_size(*document["size"])
    numbers = [drawing.number_of(known["name"], known.get("color")) for known in document["classes"]]
    for stroke in document["strokes"]:
        number = ERASED if stroke.get("erase") else _number(stroke["class"], numbers)
        drawing.raster.stroke(stroke["points"], number, stroke.get("width", THINNEST))


def _number(place: Any, numbers: list[int]) -> int:
    """Number of the class at a place of the list; classes of one name are one class."""
    if not isinstance(place, int) or not 0 <= place < len(numbers):
        raise ValueError(f"a stroke has the class {place!r}, but classes count from 0 to {len(numbers) - 1}")
    return numbers[place]


DIALECT = Dialect("graphwell strokes", recognises, draw)
