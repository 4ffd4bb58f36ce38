"""The state behind the page of `graphwell paint`: pictures, classes, strokes, and what is made of them."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.io.drawings import ERASED, FORMAT_NAME, VERSION, Drawing
from graphwell.io.files import held_alone
from graphwell.jobs.painting import WIDEST, PaintedPicture, PaintOptions, pictures_of
from graphwell.serve.answers import OF_CLASSES, REMOVING, Change, ClassList, RecordedPage
from graphwell.serve.channel import Event, Newest, frame
from graphwell.serve.journal import Action, Journal

# In the bytes that a picture is coloured by.
NO_CLASS = 255
# Corners of one stroke.
MOST_POINTS = 5_000
MOST_STROKES = 20_000
LARGEST = 1e9
# Of the pictures that the same strokes are not painted on.
MOST_NAMED = 5
# As in `graphwell.io.drawings`, and of volumes the slice.
STROKE = ("class", "width", "erase", "points", "slice")
# Beside classes that are uncertain: white is 1/2, where two classes are even.
EVEN = 0.5
Stroke = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Request:
    """A picture to segment from seeds, -1 where unknown; its number says which strokes these follow."""

    picture: PaintedPicture
    seeds: IntArray
    number: int


@dataclass(frozen=True, eq=False)
class Found:
    """A segmentation of the strokes of a number; how uncertain it is, unless it is that of a small copy."""

    number: int
    labels: IntArray
    doubt: FloatArray | None


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
        self.commands = {**self.commands, "open": self._open_another, "save": self._save}
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
            return [self._picture_event(), *self._segmentation_event()]

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
                found, marks = picture.start()
                named = {entry.name: entry.color for entry in classes}
                known = [{"name": name, "color": color} for name, color in (found or named).items()]
                write_start(journal, known, marks)
            strokes = Strokes(picture.shape)
            self.record(strokes, journal)
            opened = held.pop_all()
        self._held.close()
        self._held, self._place, self._picture = opened, place, picture
        self.strokes, self._slice = strokes, picture.shape[2] // 2
        self._segmentation: Found | None = None
        self._shown = (0, False)  # number of the strokes, and whether of the whole picture

    def _open_another(self, message: Mapping[str, Any]) -> int:
        """Open a picture; of a volume, another slice."""
        place, at = message.get("picture"), message.get("slice", self._slice)
        if type(place) is not int or not 0 <= place < len(self._paths):
            raise ValueError("There is no such picture.")
        with self.lock:
            if place != self._place:
                self._open(place, self.strokes.classes)
                self.send(self._picture_event())
                self._segment()
            elif at != self._slice:
                self._slice = self.strokes.check_slice(at)
                for event in self.greeting():
                    self.send(event)
        return place

    def _picture_event(self) -> bytes:
        height, width, slices = self._picture.shape
        about = {
            "event": "picture",
            "picture": self._place,
            "pictures": [path.name for path in self._paths],
            "width": width,
            "height": height,
            "slices": slices,
            "slice": self._slice,
            **self._state(),
        }
        return frame({**about, "strokes": self.strokes.strokes}, self._picture.shown(self._slice))

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
            self.take(request, *request.picture.segment(request.seeds, coarse=coarse), coarse=coarse)

    def take(self, request: Request, labels: IntArray, doubt: FloatArray | None, *, coarse: bool) -> None:
        """Show classes and how uncertain they are; `coarse` for those of the small copy."""
        with self.lock:
            if request.picture is not self._picture or (request.number, not coarse) <= self._shown:
                return  # another picture, or an answer that comes after a better one or twice
            self._shown = (request.number, not coarse)
            self._segmentation = Found(request.number, labels, doubt)
            for event in self._segmentation_event():
                self.send(event)

    def _segmentation_event(self) -> list[bytes]:
        """A byte for the class of each pixel on screen, and, where it is known, one for its uncertainty."""
        if (found := self._segmentation) is None:
            return []
        labels = found.labels[..., self._slice]
        shown = [np.where(labels < 0, NO_CLASS, labels).astype(np.uint8)]
        if found.doubt is not None:
            doubt = found.doubt[..., self._slice]
            shown.append(np.round(255 * np.clip(doubt / EVEN, 0, 1)).astype(np.uint8))
        about = {
            "event": "segmentation",
            "number": found.number,
            "latest": found.number == self._number,
            "coarse": found.doubt is None,
            "width": labels.shape[1],
            "height": labels.shape[0],
        }
        return [frame(about, np.stack(shown))]

    def _failed(self, error: Exception) -> None:
        self.send({"event": "failed", "why": str(error) or repr(error)})

    def _save(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Write the files; what is saved is shown first. With `all`, do the same for like pictures."""
        with self.lock:
            if not self.strokes.strokes:
                raise ValueError("There is nothing to save yet; paint a stroke first.")
            request = Request(self._picture, self.strokes.seeds.copy(), self._number)
            place, document = self._place, self.strokes.document()
        if (request.seeds >= 0).any():
            self.take(request, *request.picture.segment(request.seeds, coarse=False), coarse=False)
        report = request.picture.save(document, request.seeds)
        notes = [str(note) for note in report.notes]
        if message.get("all"):
            others = [path for number, path in enumerate(self._paths) if number != place]
            why = [self._paint_alike(path, request, document) for path in others]
            saved = why.count("")
            notes.append(f"{saved} of {len(others)} other pictures were painted and saved in the same way.")
            rest = [f"{path.name} {problem}" for path, problem in zip(others, why, strict=True) if problem]
            notes += ["; ".join(rest[:MOST_NAMED]) + "."] if rest else []
        files = [path.name for path in report.files]
        return {"folder": str(self.options.folder), "files": files, "notes": notes}

    def _paint_alike(self, path: Path, request: Request, document: Mapping[str, Any]) -> str:
        """Give another picture the same strokes and save it; says why not, or nothing if it was done."""
        try:
            picture = PaintedPicture(path, self.options)
            if picture.shape != request.picture.shape:
                return "has another size"
            file = picture.journal
            with held_alone(file, "source"), Journal(file, picture.fingerprint) as journal:
                if any(action["do"] == "stroke" for action in journal.done):
                    return "has strokes of its own"
                write_start(journal, document["classes"], document["strokes"])
            picture.save(document, request.seeds)
        except (OSError, ValueError) as error:
            return f"cannot be painted ({error})"
        return ""


def write_start(journal: Journal, classes: Iterable[Any], strokes: Iterable[Stroke]) -> None:
    """Let a journal begin with classes, each with its name and colour, and strokes."""
    journal.do({"do": "classes", "classes": list(classes)})
    for stroke in strokes:
        journal.do({"do": "stroke", **stroke})


# ------------------------------------------------------------------------------------------ strokes


class Strokes:
    """Classes and strokes of a picture of shape (height, width, slices), and the pixels that they mark."""

    def __init__(self, shape: tuple[int, int, int]) -> None:
        self.classes = ClassList()
        self.strokes: list[Stroke] = []
        # class of each pixel, -1 where none is marked
        self.seeds: IntArray = np.full(shape, ERASED, dtype=np.int16)

    def planned(self, action: Action) -> Change:
        """The change that an action would make; one that makes no sense is refused."""
        new: Any = None  # a stroke, or all strokes where a class is gone
        classes, planes = self.classes, dict[int, IntArray]()  # slices as they will be
        if action["do"] == "classes":
            classes = ClassList.named([known["name"] for known in action["classes"]])
            for number, known in enumerate(action["classes"]):
                classes = classes.recolored(number, known["color"])
        elif action["do"] == "stroke":
            self._check(action)
            new = {name: action[name] for name in STROKE if name in action}
            at = new.get("slice", 0)
            planes[at] = _drawn([new], self.seeds[..., at])
        elif action["do"] in OF_CLASSES:
            classes = classes.after(action)
        else:
            raise ValueError(f"There is nothing called {action['do']!r} to do.")
        if action["do"] in REMOVING:
            if not classes.entries:
                raise ValueError("Another class must be left; add one first.")
            number, into = action["class"], action.get("into") if "merge" in action["do"] else None
            new = [
                {**stroke, "class": into} if stroke["class"] == number and not stroke["erase"] else stroke
                for stroke in self.strokes
            ]
            new = [stroke for stroke in new if stroke["class"] is not None]
            empty = np.full(self.seeds.shape[:2], ERASED)
            for at in {stroke.get("slice", 0) for stroke in self.strokes}:
                planes[at] = _drawn([stroke for stroke in new if stroke.get("slice", 0) == at], empty)
        pixels, before, after = ([np.empty(0, dtype=np.int64)] for _ in range(3))
        for at, plane in planes.items():
            changed = np.flatnonzero(plane != self.seeds[..., at])
            pixels.append(changed * self.seeds.shape[2] + at)
            before.append(self.seeds[..., at].ravel()[changed])
            after.append(plane.ravel()[changed])
        codes = np.concatenate(before), np.concatenate(after)
        strokes = self.strokes[:] if isinstance(new, list) else None
        return Change(np.concatenate(pixels), codes, (self.classes, classes), (strokes, new))

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
        tall, wide = self.seeds.shape[:2]
        place = {entry.number: at for at, entry in enumerate(self.classes)}
        return {
            "format": FORMAT_NAME,
            "version": VERSION,
            "size": [wide, tall],
            "classes": [{"name": entry.name, "color": entry.color} for entry in self.classes],
            "strokes": [{**stroke, "class": place.get(stroke["class"], 0)} for stroke in self.strokes],
        }

    def check_slice(self, at: Any) -> int:
        """The number of a slice that must be there."""
        if type(at) is not int or not 0 <= at < self.seeds.shape[2]:
            raise ValueError("There is no such slice.")
        return at

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
        self.check_slice(stroke.get("slice", 0))
        tall, wide = self.seeds.shape[:2]
        if any(not (-wide <= x <= 2 * wide and -tall <= y <= 2 * tall) for x, y in points):
            raise ValueError("A point of the stroke lies far outside the picture.")


def _drawn(strokes: Iterable[Stroke], plane: IntArray) -> IntArray:
    """A copy of a plane of classes with strokes on it."""
    drawing = Drawing((plane.shape[0], plane.shape[1]))
    drawing.classes[:] = plane
    for stroke in strokes:
        drawing.stroke(stroke["points"], ERASED if stroke["erase"] else stroke["class"], stroke["width"])
    return drawing.classes


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and -LARGEST <= value <= LARGEST  # no NaN either
