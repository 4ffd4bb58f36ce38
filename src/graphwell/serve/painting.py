"""The state behind the page of `graphwell paint`: pictures, classes, strokes, and what is made of them."""

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
from graphwell.serve.answers import OF_CLASSES, REMOVING, Change, ClassList, RecordedPage
from graphwell.serve.channel import Event, Newest, frame
from graphwell.serve.journal import Action, Journal

# In the bytes that a picture is coloured by.
NO_CLASS = 255
# Corners of one stroke.
MOST_POINTS = 5_000
WIDEST = 200.0
MOST_STROKES = 20_000
LARGEST = 1e9
# As in `graphwell.io.drawings`: class, width, erase, points.
STROKE = ("class", "width", "erase", "points")
Stroke = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Request:
    """A picture to segment from seeds, -1 where unknown; its number says which strokes these follow."""

    picture: PaintedPicture
    seeds: IntArray
    number: int


class PaintPage(RecordedPage):
    """The page of `graphwell paint`; the first picture begins with classes of these names.

    Strokes are on disc before they are answered. Segmentations follow in the background: that of a small copy
    of the picture soon, that of the whole picture as soon as it can be.
    """

    name = "paint"
    folders: Mapping[str, Path] = {}
    beside = frozenset({"save"})
    fixed = 1  # the classes to begin with

    def __init__(self, options: PaintOptions, class_names: Iterable[str] = ()) -> None:
        super().__init__({"stroke": STROKE})
        self.options = options
        self.commands = {**self.commands, "open": self._open_another, "save": lambda _: self._save()}
        self._paths = pictures_of(options.source)
        self._held = ExitStack()
        self._number = 0
        self._coarse: Newest[Request] = Newest(lambda r: self._follow(r, self._coarse), self._failed)
        self._fine: Newest[Request] = Newest(lambda r: self._follow(r, self._fine), self._failed)
        self._segmenting = (self._coarse, self._fine)
        options.folder.mkdir(parents=True, exist_ok=True)
        self._open(0, ClassList.named(tuple(class_names) or ("class 1", "class 2")))

    # ------------------------------------------------------------------------------ as a page of the channel

    def greeting(self) -> Iterable[Event]:
        """The picture, its classes and strokes, and the last segmentation."""
        with self.lock:
            return [event for event in (self._picture_event(), self._segmentation) if event is not None]

    def begin(self, send: Callable[[Event], None]) -> None:
        """Begin to segment."""
        self.send = send
        for thread in self._segmenting:
            thread.begin()
        self._segment()

    def end(self) -> None:
        """End the work in the background and close the journal."""
        for thread in self._segmenting:
            thread.end()
        self._held.close()

    # ------------------------------------------------------------------------------------------ pictures

    def _open(self, place: int, classes: ClassList) -> None:
        """Open a picture; one without a journal begins from these classes."""
        picture = PaintedPicture(self._paths[place], self.options)
        with ExitStack() as held:
            held.enter_context(held_alone(picture.journal, "source"))
            journal = held.enter_context(Journal(picture.journal, picture.fingerprint))
            if not journal.done:
                known = [{"name": entry.name, "color": entry.color} for entry in classes]
                journal.do({"do": "classes", "classes": known})
            strokes = Strokes(picture.shape)
            self.record(strokes, journal)
            opened = held.pop_all()
        self._held.close()
        self._held, self._place, self._picture = opened, place, picture
        self.strokes = strokes
        self._segmentation: bytes | None = None
        self._shown = (0, False)  # number of the strokes, and whether of the whole picture

    def _open_another(self, message: Mapping[str, Any]) -> int:
        place = message.get("picture")
        if type(place) is not int or not 0 <= place < len(self._paths):
            raise ValueError("There is no such picture.")
        with self.lock:
            if place != self._place:
                before, drawn = self.strokes, self.strokes.document()["strokes"]
                self._open(place, before.classes)
                alike = before.seeds.shape == self.strokes.seeds.shape and not self.strokes.strokes
                alike = alike and [e.name for e in before.classes] == [e.name for e in self.strokes.classes]
                for stroke in drawn if alike and message.get("along") else ():
                    self.do({"do": "stroke", **stroke})
                self.send(self._picture_event())
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
            **self._state(),
        }
        return frame({**about, "strokes": self.strokes.strokes}, self._picture.shown)

    def _state(self) -> dict[str, Any]:
        """The part of an event that changes with every action."""
        return {
            "classes": [vars(entry) for entry in self.strokes.classes],
            "undo": len(self.changes) > self.fixed,
            "redo": bool(self.journal.undone),
        }

    def changed(self, change: Change, *, back: bool = False) -> int:
        """Send a change to the windows; segment anew where the strokes changed."""
        event = {"event": "painted", "back": back, **self._state()}
        strokes = change.more[1]
        if isinstance(strokes, dict):  # a stroke more, or less: the others need not be sent
            event["stroke"] = strokes
        elif strokes is not None:
            event["strokes"] = self.strokes.strokes
        self.send(event)
        if strokes is not None:
            self._segment()
        return self._number

    # ------------------------------------------------------------------------------------- segmentations

    def _segment(self) -> None:
        with self.lock:
            self._number += 1
            request = Request(self._picture, self.strokes.seeds.copy(), self._number)
            if not (request.seeds >= 0).any():
                self._shown = (self._number, True)  # answers to strokes that are gone come too late
                self._segmentation = None
                self.send({"event": "cleared"})
        for thread in self._segmenting:
            thread.request(request)

    def _follow(self, request: Request, thread: Newest[Request]) -> None:
        """Segment; where a small copy is no smaller, the fine answer is there as soon."""
        coarse = thread is self._coarse
        if coarse and not request.picture.is_large:
            return
        request.picture.prepare(coarse=coarse)
        if (request.seeds >= 0).any() and not thread.is_overtaken:
            self.take(request, request.picture.segment(request.seeds, coarse=coarse), coarse=coarse)

    def take(self, request: Request, labels: IntArray, *, coarse: bool) -> None:
        """Show classes; `coarse` for those of the small copy."""
        with self.lock:
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
            self.send(self._segmentation)

    def _failed(self, error: Exception) -> None:
        self.send({"event": "failed", "why": str(error) or repr(error)})

    def _save(self) -> dict[str, Any]:
        """Write the files; what is saved is shown first."""
        with self.lock:
            if not self.strokes.strokes:
                raise ValueError("There is nothing to save yet; paint a stroke first.")
            request = Request(self._picture, self.strokes.seeds.copy(), self._number)
            document = self.strokes.document()
        if (request.seeds >= 0).any():
            self.take(request, request.picture.segment(request.seeds, coarse=False), coarse=False)
        report = request.picture.save(document)
        files, notes = [path.name for path in report.files], [str(note) for note in report.notes]
        return {"folder": str(self.options.folder), "files": files, "notes": notes}


# ------------------------------------------------------------------------------------------ strokes


class Strokes:
    """Classes and strokes of one picture of shape (height, width), and the pixels that they mark."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self.classes = ClassList()
        self.strokes: list[Stroke] = []
        self.seeds: IntArray = Drawing(shape).classes  # class of each pixel, -1 where none is marked

    def planned(self, action: Action) -> Change:
        """The change that an action would make; one that makes no sense is refused."""
        new: Any = None  # a stroke, or all strokes where a class is gone
        classes, drawing = self.classes, Drawing(self.seeds.shape)
        drawing.classes[:] = self.seeds
        if action["do"] == "classes":
            classes = ClassList.named([known["name"] for known in action["classes"]])
            for number, known in enumerate(action["classes"]):
                classes = classes.recolored(number, known["color"])
        elif action["do"] == "stroke":
            self._check(action)
            new = {name: action[name] for name in STROKE}
            _draw(new, drawing)
        elif action["do"] in OF_CLASSES:
            classes = classes.after(action)
        else:
            raise ValueError(f"There is nothing called {action['do']!r} to do.")
        if action["do"] in REMOVING:
            if not classes.entries:
                raise ValueError("Another class must be left; add one first.")
            number, into = action["class"], action.get("into") if "merge" in action["do"] else None
            drawing, new = Drawing(self.seeds.shape), []
            for stroke in self.strokes:
                if stroke["class"] == number and not stroke["erase"]:
                    stroke = {**stroke, "class": into}
                if stroke["class"] is not None:
                    new.append(stroke)
                    _draw(stroke, drawing)
        pixels = np.flatnonzero(drawing.classes != self.seeds)
        codes = self.seeds.ravel()[pixels], drawing.classes.ravel()[pixels]
        before = self.strokes[:] if isinstance(new, list) else None
        return Change(pixels, codes, (self.classes, classes), (before, new))

    def go(self, change: Change, *, back: bool = False) -> None:
        """Do what was planned, or take it back."""
        which = 0 if back else 1
        self.seeds.ravel()[change.rows] = change.codes[which]
        self.classes = change.classes[which]
        before, after = change.more
        if isinstance(after, list):
            self.strokes = list(before if back else after)
        elif after is not None and back:
            self.strokes.pop()
        elif after is not None:
            self.strokes.append(after)

    def document(self) -> dict[str, Any]:
        """Everything in the format that `graphwell segment` reads; classes are counted without gaps."""
        tall, wide = self.seeds.shape
        place = {entry.number: at for at, entry in enumerate(self.classes)}
        return {
            "format": FORMAT_NAME,
            "version": VERSION,
            "size": [wide, tall],
            "classes": [{"name": entry.name, "color": entry.color} for entry in self.classes],
            "strokes": [{**stroke, "class": place.get(stroke["class"], 0)} for stroke in self.strokes],
        }

    def _check(self, stroke: Mapping[str, Any]) -> None:
        """Refuse what is no stroke."""
        width: Any = stroke.get("width")
        points: Any = stroke.get("points")
        if len(self.strokes) >= MOST_STROKES:
            raise ValueError(f"There are {MOST_STROKES:,} strokes already; save, and begin anew.")
        if type(stroke.get("erase")) is not bool:
            raise ValueError("A stroke says by erase, true or false, whether it erases.")
        self.classes.check(stroke.get("class"))
        if not _is_number(width) or not 1 <= width <= WIDEST:
            raise ValueError(f"A stroke must be 1 to {WIDEST:g} pixels wide.")
        if not isinstance(points, list) or not 1 <= len(points) <= MOST_POINTS:
            raise ValueError(f"A stroke must have 1 to {MOST_POINTS:,} points.")
        if not all(isinstance(p, list) and len(p) == 2 and all(map(_is_number, p)) for p in points):
            raise ValueError("Every point of a stroke must be a pair of numbers.")
        tall, wide = self.seeds.shape
        if any(not (-wide <= x <= 2 * wide and -tall <= y <= 2 * tall) for x, y in points):
            raise ValueError("A point of the stroke lies far outside the picture.")


def _draw(stroke: Stroke, drawing: Drawing) -> None:
    drawing.stroke(stroke["points"], ERASED if stroke["erase"] else stroke["class"], stroke["width"])


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and -LARGEST <= value <= LARGEST  # no NaN either
