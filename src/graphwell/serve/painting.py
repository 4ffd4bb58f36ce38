"""The state behind the page of `graphwell paint`: pictures, classes, strokes, and what is made of them."""

import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell.io.files import held_alone
from graphwell.jobs.painting import PaintedPicture, PaintOptions, pictures_of
from graphwell.serve.channel import Command, Event, frame
from graphwell.serve.journal import Action, Journal
from graphwell.serve.strokes import Strokes, checked, first_classes

NO_CLASS = 255
"""In the bytes that a picture is coloured by."""


@dataclass(frozen=True, eq=False)
class Request:
    """A picture to segment from seeds, -1 where unknown; its number says which strokes these follow."""

    picture: PaintedPicture
    seeds: IntArray
    number: int


Found = Callable[[Request, IntArray, bool], None]
"""Called with the classes, and whether they are those of the small copy."""
Failed = Callable[[Request, Exception], None]


class PaintPage:
    """The page of `graphwell paint`; the first picture begins with classes of these names.

    Strokes are on disc before they are answered. Segmentations follow in the background.
    """

    name = "paint"
    beside: frozenset[str] = frozenset()

    def __init__(self, options: PaintOptions, class_names: tuple[str, ...] = ()) -> None:
        self.options = options
        self.folders: Mapping[str, Path] = {}
        self.commands: Mapping[str, Command] = {
            **dict.fromkeys(("stroke", "add class", "rename class", "color class"), self._do),
            "undo": lambda _: self._undo(),
            "redo": lambda _: self._redo(),
            "open": self._open_another,
            "save": lambda _: self._save(),
        }
        self._paths = pictures_of(options.source)
        self._tell: Callable[[Event], None] = lambda event: None
        self._lock = threading.RLock()
        self._held = ExitStack()
        self._number = 0
        self._saving = False
        self._segmenting = [
            SegmentingThread(self._take, self._take_failure, coarse=coarse) for coarse in (True, False)
        ]
        options.folder.mkdir(parents=True, exist_ok=True)
        self._open(0, first_classes(class_names))

    # ------------------------------------------------------------------------------ as a page of the channel

    def greeting(self) -> Iterable[Event]:
        """The picture, its classes and strokes, and the last segmentation."""
        with self._lock:
            return [event for event in (self._picture_event(), self._segmentation) if event is not None]

    def begin(self, tell: Callable[[Event], None]) -> None:
        """Begin to segment."""
        self._tell = tell
        for thread in self._segmenting:
            thread.begin()
        self._segment()

    def end(self) -> None:
        """End the work in the background and close the journal."""
        for thread in self._segmenting:
            thread.end()
        self._held.close()

    # ------------------------------------------------------------------------------------------ pictures

    def _open(self, place: int, classes: list[dict[str, str]]) -> None:
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
        self._shown = (0, False)

    def _open_another(self, message: Mapping[str, Any]) -> int:
        place = message.get("picture")
        if type(place) is not int or not 0 <= place < len(self._paths):
            raise ValueError("There is no such picture.")
        with self._lock:
            if place != self._place:
                self._open(place, self._painting.classes)
                self._tell(self._picture_event())
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
        can_undo = len(self._journal.done) > 1
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
            if len(self._journal.done) < 2:  # the first gives the classes to begin with
                return None
            action = self._journal.undo()
            assert action is not None
            self._painting.take_back(action)
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
        """Tell the windows; segment anew where the strokes changed."""
        stroke = self._painting.strokes[-1] if action["do"] == "stroke" and event == "done" else None
        self._tell({"event": event, "what": action["do"], "stroke": stroke, **self._state()})
        if action["do"] == "stroke":
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
                self._tell({"event": "cleared"})
        for thread in self._segmenting:
            thread.request(request)

    def _take(self, request: Request, labels: IntArray, coarse: bool) -> None:
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
            self._tell(self._segmentation)

    def _take_failure(self, request: Request, error: Exception) -> None:
        self._tell({"event": "failed", "why": str(error) or repr(error)})

    def _save(self) -> str:
        """Write the files in the background; windows are told when they are there."""
        with self._lock:
            if self._saving:
                raise ValueError("The files are being written already.")
            if not self._painting.strokes:
                raise ValueError("There is nothing to save yet; paint a stroke first.")
            self._saving = True
            request = Request(self._picture, self._painting.seeds, self._number)
            document = self._painting.document()
        threading.Thread(target=self._write, args=(request, document), daemon=True).start()
        return str(self.options.folder)

    def _write(self, request: Request, document: dict[str, Any]) -> None:
        try:
            if (request.seeds >= 0).any():  # shown first, then written
                self._take(request, request.picture.segment(request.seeds, coarse=False), False)
            report = request.picture.save(document)
            files, notes = [path.name for path in report.files], [str(note) for note in report.notes]
            folder = str(self.options.folder)
            self._tell({"event": "saved", "folder": folder, "files": files, "notes": notes})
        except Exception as error:
            self._tell({"event": "failed", "why": str(error) or repr(error)})
        finally:
            self._saving = False


class SegmentingThread:
    """A thread that answers the last request; `coarse` threads segment the small copies of pictures."""

    def __init__(self, found: Found, failed: Failed, *, coarse: bool) -> None:
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
            try:
                self._answer(request)
            except Exception as error:  # shown in the windows; the next stroke may do
                self._failed(request, error)

    def _next(self) -> Request | None:
        with self._changed:
            self._changed.wait_for(lambda: self._ended or self._request is not None)
            request, self._request = self._request, None
            return None if self._ended else request

    def _answer(self, request: Request) -> None:
        if self._coarse and not request.picture.is_large:
            return  # the fine answer is there as soon
        request.picture.prepare(coarse=self._coarse)
        if np.any(request.seeds >= 0) and not self._overtaken():
            self._found(request, request.picture.segment(request.seeds, coarse=self._coarse), self._coarse)

    def _overtaken(self) -> bool:
        with self._changed:
            return self._request is not None or self._ended
