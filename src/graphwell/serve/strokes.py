"""Strokes on a picture: checked as they come in, turned into marked pixels, and taken back."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell.io.drawings import ERASED, FORMAT_NAME, VERSION, Drawing
from graphwell.serve.answers import COLOR, PALETTE, clean_name
from graphwell.serve.journal import Action

MOST_POINTS = 5_000
"""Corners of one stroke."""
WIDEST = 200.0
MOST_STROKES = 20_000
LARGEST = 1e9
MOST_CLASSES = 64
Stroke = dict[str, Any]
"""As in `graphwell.io.drawings`: class, width, erase, points."""
PaintClass = dict[str, str]
"""Name and colour."""


class Strokes:
    """Classes and strokes of one picture of shape (height, width), and the pixels that they mark.

    Examples
    --------
    >>> painting = Strokes((1, 4))
    >>> painting.do({"do": "classes", "classes": [{"name": "leaf", "color": "#009e73"}]})
    >>> stroke = {"class": 0, "width": 1, "erase": False, "points": [[0.5, 0.5], [1.5, 0.5]]}
    >>> painting.do({"do": "stroke", **stroke})
    >>> painting.seeds
    array([[ 0,  0, -1, -1]])
    >>> painting.take_back({"do": "stroke"})
    >>> painting.seeds
    array([[-1, -1, -1, -1]])
    """

    def __init__(self, shape: tuple[int, int]) -> None:
        self.shape = shape
        self.strokes: list[Stroke] = []
        self._raster = Drawing(shape)
        self._covered: list[tuple[IntArray, IntArray]] = []  # pixels of each stroke, and their classes before
        self._classes: list[list[PaintClass]] = [[]]

    @property
    def classes(self) -> list[PaintClass]:
        """As they are now."""
        return self._classes[-1]

    @property
    def seeds(self) -> IntArray:
        """Class of each pixel, -1 where none is marked; a copy."""
        return self._raster.classes.copy()

    def do(self, action: Mapping[str, Any]) -> None:
        """Do an action that was `checked`."""
        if action["do"] == "stroke":
            self._stroke({name: action[name] for name in ("class", "width", "erase", "points")})
            return
        classes = [dict(known) for known in self.classes]
        if action["do"] == "classes":
            classes = [dict(known) for known in action["classes"]]
        elif action["do"] == "add class":
            classes.append({"name": action["name"], "color": action["color"]})
        else:
            classes[action["class"]].update({k: action[k] for k in ("name", "color") if k in action})
        self._classes.append(classes)

    def take_back(self, action: Mapping[str, Any]) -> None:
        """Undo the action that was done last."""
        if action["do"] != "stroke":
            self._classes.pop()
            return
        self.strokes.pop()
        pixels, before = self._covered.pop()
        self._raster.classes.ravel()[pixels] = before

    def document(self) -> dict[str, Any]:
        """Everything in the format that `graphwell segment` reads."""
        size = [*self.shape[::-1]]
        head = {"format": FORMAT_NAME, "version": VERSION, "size": size}
        return {**head, "classes": self.classes, "strokes": self.strokes}

    def _stroke(self, stroke: Stroke) -> None:
        before = self._raster.classes.copy()
        number = ERASED if stroke["erase"] else stroke["class"]
        self._raster.stroke(stroke["points"], number, stroke["width"])
        pixels = np.flatnonzero(self._raster.classes != before)
        self._covered.append((pixels, before.ravel()[pixels]))
        self.strokes.append(stroke)


def checked(message: Mapping[str, Any], painting: Strokes) -> Action:
    """An action on a painting, from a window or from a journal, if it makes sense now."""
    if message["do"] == "stroke":
        return {"do": "stroke", **checked_stroke(message, painting)}
    if message["do"] != "classes":
        return checked_class(message, painting)
    classes: list[PaintClass] = []
    for given in message["classes"]:
        classes.append({"name": _name(given["name"], classes), "color": _color(given["color"])})
    return {"do": "classes", "classes": classes}


def checked_stroke(message: Mapping[str, Any], painting: Strokes) -> Stroke:
    """A stroke from a window, if it is one on this picture."""
    number: Any = message.get("class")
    width: Any = message.get("width")
    erase = message.get("erase")
    if len(painting.strokes) >= MOST_STROKES:
        raise ValueError(f"There are {MOST_STROKES:,} strokes already; save, and begin anew.")
    if type(erase) is not bool:
        raise ValueError("A stroke says by erase, true or false, whether it erases.")
    if type(number) is not int or not 0 <= number < max(1, len(painting.classes)):
        raise ValueError("A stroke must name one of the classes by its number.")
    if not _is_number(width) or not 1 <= width <= WIDEST:
        raise ValueError(f"A stroke must be 1 to {WIDEST:g} pixels wide.")
    points = _points(message.get("points"), painting.shape)
    return {"class": number, "width": float(width), "erase": erase, "points": points}


def _points(points: Any, shape: tuple[int, int]) -> list[list[float]]:
    if not isinstance(points, list) or not 1 <= len(points) <= MOST_POINTS:
        raise ValueError(f"A stroke must have 1 to {MOST_POINTS:,} points.")
    height, width = shape
    found = []
    for point in points:
        if not isinstance(point, list) or len(point) != 2 or not all(map(_is_number, point)):
            raise ValueError("Every point of a stroke must be a pair of numbers.")
        x, y = point
        if not (-width <= x <= 2 * width and -height <= y <= 2 * height):
            raise ValueError("A point of the stroke lies far outside the picture.")
        found.append([float(x), float(y)])
    return found


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and -LARGEST <= value <= LARGEST  # no NaN either


def checked_class(message: Mapping[str, Any], painting: Strokes) -> dict[str, Any]:
    """A new class, another name, or another colour, if that makes sense now."""
    known = painting.classes
    if message["do"] == "add class":
        if len(known) >= MOST_CLASSES:
            raise ValueError(f"There are {MOST_CLASSES} classes already.")
        name = message.get("name") or f"class {len(known) + 1}"
        return {"do": "add class", "name": _name(name, known), "color": PALETTE[len(known) % len(PALETTE)]}
    number = message.get("class")
    if type(number) is not int or not 0 <= number < len(known):
        raise ValueError("There is no such class.")
    if message["do"] == "color class":
        return {"do": "color class", "class": number, "color": _color(message.get("color"))}
    others = [other for place, other in enumerate(known) if place != number]
    return {"do": "rename class", "class": number, "name": _name(message.get("name"), others)}


def _name(name: Any, others: list[PaintClass]) -> str:
    clean = clean_name(name)
    if any(other["name"] == clean for other in others):
        raise ValueError(f"There is a class {clean!r} already.")
    return clean


def _color(color: Any) -> str:
    if not isinstance(color, str) or not COLOR.fullmatch(color.lower()):
        raise ValueError("A colour must look like #rrggbb.")
    return color.lower()


def first_classes(names: tuple[str, ...] = ()) -> list[PaintClass]:
    """Classes to begin with.

    Examples
    --------
    >>> first_classes(("leaf",))
    [{'name': 'leaf', 'color': '#0072b2'}]
    """
    names = names or ("class 1", "class 2")
    return [{"name": name, "color": PALETTE[i % len(PALETTE)]} for i, name in enumerate(names)]
