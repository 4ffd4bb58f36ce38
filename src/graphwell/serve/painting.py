"""The state behind the page of `graphwell paint`: pictures, classes, strokes, and what is made of them."""

import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell.io.drawings import ERASED, FORMAT_NAME, VERSION, Drawing
from graphwell.io.files import held_alone
from graphwell.jobs.painting import PaintedPicture, PaintOptions, pictures_of
from graphwell.serve.answers import COLOR, PALETTE, clean_name
from graphwell.serve.channel import Command, Event, frame
from graphwell.serve.journal import Action, Journal

# In the bytes that a picture is coloured by.
NO_CLASS = 255
# Corners of one stroke.
MOST_POINTS = 5_000
WIDEST = 200.0
MOST_STROKES = 20_000
LARGEST = 1e9
MOST_CLASSES = 64
# Actions after which a class is gone: with its strokes, or its strokes are of another.
REMOVING = ("remove class", "merge classes")
# As in `graphwell.io.drawings`: class, width, erase, points.
Stroke = dict[str, Any]
# Name and colour.
PaintClass = dict[str, str]


@dataclass(frozen=True, eq=False)
class Request:
    """A picture to segment from seeds, -1 where unknown; its number says which strokes these follow."""

    picture: PaintedPicture
    seeds: IntArray
    number: int


class PaintPage:
    """The page of `graphwell paint`; the first picture begins with classes of these names.

    Strokes are on disc before they are answered. Segmentations follow in the background: that of a small copy
    of the picture soon, that of the whole picture as soon as it can be.
    """

    name = "paint"
    folders: Mapping[str, Path] = {}
    beside = frozenset({"save"})

    def __init__(self, options: PaintOptions, class_names: tuple[str, ...] = ()) -> None:
        self.options = options
        self.commands: Mapping[str, Command] = {
            **dict.fromkeys(("stroke", "add class", "rename class", "color class", *REMOVING), self._do),
            "undo": lambda _: self._undo(),
            "redo": lambda _: self._redo(),
            "open": self._open_another,
            "save": lambda _: self._save(),
        }
        self._paths = pictures_of(options.source)
        self._send: Callable[[Event], None] = lambda event: None
        self._lock = threading.RLock()
        self._held = ExitStack()
        self._number = 0
        self._segmenting = [SegmentingThread(self.take, self._take_failure, coarse=c) for c in (True, False)]
        options.folder.mkdir(parents=True, exist_ok=True)
        self._open(0, first_classes(class_names))

    # ------------------------------------------------------------------------------ as a page of the channel

    def greeting(self) -> Iterable[Event]:
        """The picture, its classes and strokes, and the last segmentation."""
        with self._lock:
            return [event for event in (self._picture_event(), self._segmentation) if event is not None]

    def begin(self, send: Callable[[Event], None]) -> None:
        """Begin to segment."""
        self._send = send
        for thread in self._segmenting:
            thread.begin()
        self._segment()

    def end(self) -> None:
        """End the work in the background and close the journal."""
        for thread in self._segmenting:
            thread.end()
        self._held.close()

    # ------------------------------------------------------------------------------------------ pictures

    def _open(self, place: int, classes: list[PaintClass]) -> None:
        """Open a picture; one without a journal begins from these classes."""
        picture = PaintedPicture(self._paths[place], self.options)
        with ExitStack() as held:
            held.enter_context(held_alone(picture.journal, "source"))
            journal = held.enter_context(Journal(picture.journal, picture.fingerprint))
            painting = Strokes(picture.shape)
            if not journal.done:
                journal.do({"do": "classes", "classes": classes})
            journal.replay(lambda action: painting.do(checked(action, painting)))
            opened = held.pop_all()
        self._held.close()
        self._held, self._place, self._picture = opened, place, picture
        self._journal, self._painting = journal, painting
        self._segmentation: bytes | None = None
        self._shown = (0, False)  # number of the strokes, and whether of the whole picture

    def _open_another(self, message: Mapping[str, Any]) -> int:
        place = message.get("picture")
        if type(place) is not int or not 0 <= place < len(self._paths):
            raise ValueError("There is no such picture.")
        with self._lock:
            if place != self._place:
                self._open(place, self._painting.classes)
                self._send(self._picture_event())
                self._segment()
        return place

    def _picture_event(self) -> bytes:
        height, width = self._picture.shape
        about = {
            "event": "picture",
            "picture": self._place,
            "pictures": [path.name for path in self._paths],
            "width": width,
            "height": height,
            "strokes": self._painting.strokes,
            **self._state(),
        }
        return frame(about, self._picture.shown)

    def _state(self) -> dict[str, Any]:
        """The part of an event that changes with every action."""
        can_undo = len(self._journal.done) > 1  # the first gives the classes to begin with
        return {"classes": self._painting.classes, "undo": can_undo, "redo": bool(self._journal.undone)}

    # ------------------------------------------------------------------------------------------- actions

    def _do(self, message: Mapping[str, Any]) -> int:
        with self._lock:
            action = checked(message, self._painting)
            self._journal.do(action)
            self._painting.do(action)
            return self._changed(action)

    def _undo(self) -> int | None:
        with self._lock:
            if len(self._journal.done) < 2 or (action := self._journal.undo()) is None:
                return None
            self._painting.undo(action)
            return self._changed(action, event="undone")

    def _redo(self) -> int | None:
        with self._lock:
            if not self._journal.undone:
                return None
            action = checked(self._journal.undone[-1], self._painting)
            self._journal.redo()
            self._painting.do(action)
            return self._changed(action)

    def _changed(self, action: Action, event: str = "done") -> int:
        """Send a change to the windows; segment anew where the strokes changed."""
        stroke = self._painting.strokes[-1] if action["do"] == "stroke" and event == "done" else None
        more = {"strokes": self._painting.strokes} if action["do"] in REMOVING else {"stroke": stroke}
        self._send({"event": event, "what": action["do"], **more, **self._state()})
        if action["do"] in ("stroke", *REMOVING):
            self._segment()
        return self._number

    # ------------------------------------------------------------------------------------- segmentations

    def _segment(self) -> None:
        with self._lock:
            self._number += 1
            request = Request(self._picture, self._painting.seeds, self._number)
            if not (request.seeds >= 0).any():
                self._shown = (self._number, True)  # answers to strokes that are gone come too late
                self._segmentation = None
                self._send({"event": "cleared"})
        for thread in self._segmenting:
            thread.request(request)

    def take(self, request: Request, labels: IntArray, *, coarse: bool) -> None:
        """Show classes; `coarse` for those of the small copy."""
        with self._lock:
            if request.picture is not self._picture or (request.number, not coarse) <= self._shown:
                return  # another picture, or an answer that comes after a better one or twice
            self._shown = (request.number, not coarse)
            height, width = labels.shape
            about = {
                "event": "segmentation",
                "number": request.number,
                "latest": request.number == self._number,
                "coarse": coarse,
                "width": width,
                "height": height,
            }
            self._segmentation = frame(about, np.where(labels < 0, NO_CLASS, labels).astype(np.uint8))
            self._send(self._segmentation)

    def _take_failure(self, error: Exception) -> None:
        self._send({"event": "failed", "why": str(error) or repr(error)})

    def _save(self) -> dict[str, Any]:
        """Write the files; what is saved is shown first."""
        with self._lock:
            if not self._painting.strokes:
                raise ValueError("There is nothing to save yet; paint a stroke first.")
            request = Request(self._picture, self._painting.seeds, self._number)
            document = self._painting.document()
        if (request.seeds >= 0).any():
            self.take(request, request.picture.segment(request.seeds, coarse=False), coarse=False)
        report = request.picture.save(document)
        files, notes = [path.name for path in report.files], [str(note) for note in report.notes]
        return {"folder": str(self.options.folder), "files": files, "notes": notes}


class SegmentingThread:
    """A thread that answers the last request; `coarse` threads segment the small copies of pictures."""

    def __init__(
        self, found: Callable[..., None], failed: Callable[[Exception], None], *, coarse: bool
    ) -> None:
        self._found, self._failed, self._coarse = found, failed, coarse
        self._request: Request | None = None
        self._changed = threading.Condition()
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="segmenting", daemon=True)

    def begin(self) -> None:
        """Start the thread."""
        self._thread.start()

    def end(self) -> None:
        """Let the thread end after what it does now."""
        with self._changed:
            self._ended, self._request = True, None
            self._changed.notify()

    def request(self, request: Request) -> None:
        """Segment this next; an older request that has not begun is forgotten."""
        with self._changed:
            self._request = request
            self._changed.notify()

    def _run(self) -> None:
        while (request := self._next()) is not None:
            if self._coarse and not request.picture.is_large:
                continue  # the fine answer is there as soon
            try:
                request.picture.prepare(coarse=self._coarse)
                if np.any(request.seeds >= 0) and not self._overtaken():
                    labels = request.picture.segment(request.seeds, coarse=self._coarse)
                    self._found(request, labels, coarse=self._coarse)
            except Exception as error:  # shown in the windows; the next stroke may do
                self._failed(error)

    def _next(self) -> Request | None:
        with self._changed:
            self._changed.wait_for(lambda: self._ended or self._request is not None)
            request, self._request = self._request, None
            return None if self._ended else request

    def _overtaken(self) -> bool:
        with self._changed:
            return self._request is not None or self._ended


# ------------------------------------------------------------------------------------------ strokes


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
    >>> painting.undo({"do": "stroke"})
    >>> painting.seeds
    array([[-1, -1, -1, -1]])
    """

    def __init__(self, shape: tuple[int, int]) -> None:
        self.shape = shape
        self.strokes: list[Stroke] = []
        self._raster = Drawing(shape)
        self._covered: list[tuple[IntArray, IntArray]] = []  # pixels of each stroke, and their classes before
        self._classes: list[list[PaintClass]] = [[]]
        self._removed: list[tuple[Any, ...]] = []  # strokes and pixels before a class was removed

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
            self._draw({name: action[name] for name in ("class", "width", "erase", "points")})
            return
        classes = [dict(known) for known in self.classes]
        if action["do"] == "classes":
            classes = [dict(known) for known in action["classes"]]
        elif action["do"] == "add class":
            classes.append({"name": action["name"], "color": action["color"]})
        elif action["do"] in REMOVING:
            self._remove(action["class"], action.get("into"))
            del classes[action["class"]]
        else:
            classes[action["class"]].update({k: action[k] for k in ("name", "color") if k in action})
        self._classes.append(classes)

    def _draw(self, stroke: Stroke) -> None:
        before = self._raster.classes.copy()
        number = ERASED if stroke["erase"] else stroke["class"]
        self._raster.stroke(stroke["points"], number, stroke["width"])
        pixels = np.flatnonzero(self._raster.classes != before)
        self._covered.append((pixels, before.ravel()[pixels]))
        self.strokes.append(stroke)

    def _remove(self, number: int, into: int | None) -> None:
        """Draw anew without the strokes of a class, or with them as those of another; numbers close up."""
        self._removed.append((self.strokes, self._raster, self._covered))
        strokes, self.strokes, self._raster, self._covered = self.strokes, [], Drawing(self.shape), []
        for stroke in strokes:
            kept = stroke["class"] if stroke["class"] != number else 0 if stroke["erase"] else into
            if kept is not None:
                self._draw({**stroke, "class": kept - (kept > number)})

    def undo(self, action: Mapping[str, Any]) -> None:
        """Undo the action that was done last."""
        if action["do"] != "stroke":
            self._classes.pop()
            if action["do"] in REMOVING:
                self.strokes, self._raster, self._covered = self._removed.pop()
            return
        self.strokes.pop()
        pixels, before = self._covered.pop()
        self._raster.classes.ravel()[pixels] = before

    def document(self) -> dict[str, Any]:
        """Everything in the format that `graphwell segment` reads."""
        head = {"format": FORMAT_NAME, "version": VERSION, "size": [*self.shape[::-1]]}
        return {**head, "classes": self.classes, "strokes": self.strokes}


def first_classes(names: tuple[str, ...] = ()) -> list[PaintClass]:
    """Classes to begin with."""
    names = names or ("class 1", "class 2")
    return [{"name": name, "color": PALETTE[i % len(PALETTE)]} for i, name in enumerate(names)]


def checked(message: Mapping[str, Any], painting: Strokes) -> Action:
    """An action on a painting, from a window or from a journal, if it makes sense now."""
    known, number = painting.classes, message.get("class")
    if message["do"] == "stroke":
        return {"do": "stroke", **_checked_stroke(message, painting)}
    if message["do"] == "classes":
        classes: list[PaintClass] = []
        for given in message["classes"]:
            classes.append({"name": _name(given["name"], classes), "color": _color(given["color"])})
        return {"do": "classes", "classes": classes}
    if message["do"] == "add class":
        if len(known) >= MOST_CLASSES:
            raise ValueError(f"There are {MOST_CLASSES} classes already.")
        name = message.get("name") or f"class {len(known) + 1}"
        return {"do": "add class", "name": _name(name, known), "color": PALETTE[len(known) % len(PALETTE)]}
    if type(number) is not int or not 0 <= number < len(known):
        raise ValueError("There is no such class.")
    if message["do"] in REMOVING:
        into = message.get("into", 0 if number else 1)
        if type(into) is not int or not 0 <= into < len(known) or into == number:
            raise ValueError("Another class must be left; add one first.")
        return {name: message[name] for name in ("do", "class", "into") if name in message}
    if message["do"] == "color class":
        return {"do": "color class", "class": number, "color": _color(message.get("color"))}
    others = [other for place, other in enumerate(known) if place != number]
    return {"do": "rename class", "class": number, "name": _name(message.get("name"), others)}


def _checked_stroke(message: Mapping[str, Any], painting: Strokes) -> Stroke:
    number: Any = message.get("class")
    width: Any = message.get("width")
    erase, points = message.get("erase"), message.get("points")
    if len(painting.strokes) >= MOST_STROKES:
        raise ValueError(f"There are {MOST_STROKES:,} strokes already; save, and begin anew.")
    if type(erase) is not bool:
        raise ValueError("A stroke says by erase, true or false, whether it erases.")
    if type(number) is not int or not 0 <= number < max(1, len(painting.classes)):
        raise ValueError("A stroke must name one of the classes by its number.")
    if not _is_number(width) or not 1 <= width <= WIDEST:
        raise ValueError(f"A stroke must be 1 to {WIDEST:g} pixels wide.")
    if not isinstance(points, list) or not 1 <= len(points) <= MOST_POINTS:
        raise ValueError(f"A stroke must have 1 to {MOST_POINTS:,} points.")
    tall, wide = painting.shape
    for point in points:
        if not isinstance(point, list) or len(point) != 2 or not all(map(_is_number, point)):
            raise ValueError("Every point of a stroke must be a pair of numbers.")
        if not (-wide <= point[0] <= 2 * wide and -tall <= point[1] <= 2 * tall):
            raise ValueError("A point of the stroke lies far outside the picture.")
    points = [[float(x), float(y)] for x, y in points]
    return {"class": number, "width": float(width), "erase": erase, "points": points}


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and -LARGEST <= value <= LARGEST  # no NaN either


def _name(name: Any, others: list[PaintClass]) -> str:
    clean = clean_name(name)
    if any(other["name"] == clean for other in others):
        raise ValueError(f"There is a class {clean!r} already.")
    return clean


def _color(color: Any) -> str:
    if not isinstance(color, str) or not COLOR.fullmatch(color.lower()):
        raise ValueError("A colour must look like #rrggbb.")
    return color.lower()
