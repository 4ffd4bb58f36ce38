"""The state behind the page of `graphwell label`: classes, answers, what to ask next, and fits."""

import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from graphwell._types import FloatArray, IntArray
from graphwell.active import Question
from graphwell.errors import OptionError
from graphwell.graph.layout import principal_map
from graphwell.jobs.labelling import FoundLabels, LabelledTable, write_answers, write_labels
from graphwell.serve.answers import CANNOT_TELL, NOTHING, SKIPPED, Annotations, Change, ClassList, clean_name
from graphwell.serve.channel import Command, Event, frame
from graphwell.serve.events import (
    Coloring,
    answers_event,
    doubtful_rows,
    lasso_counts,
    row_in_brief,
    shown_row,
    table_event,
    too_early,
)
from graphwell.serve.fits import AccuracyCurve, BackgroundFits, Fit, LabelPreview, Snapshot
from graphwell.serve.journal import Action, Journal

USED_BY = {
    "label": ("rows", "class", "weight"),
    **dict.fromkeys(("cannot tell", "skip", "clear"), ("rows",)),
    "add class": ("name",),
    "rename class": ("class", "name"),
    "merge classes": ("class", "into"),
    "remove class": ("class",),
    "color class": ("class", "color"),
}
"""The fields of each action; the rest of a message is not kept."""
ROWS_HELD_BACK = 5
"""Of those asked last: another window may show them, so a window is asked others first."""


class LabelPage:
    """The page of `graphwell label`.

    Answers are on disc before they are answered. Fits follow in the background; windows are told what
    changed. Each window shows a row of its own until it asks for the next: no event replaces it.

    Parameters
    ----------
    table : LabelledTable
    journal : Journal
        Of this table; what it holds is done again.
    """

    name = "label"
    beside = frozenset({"export"})

    def __init__(self, table: LabelledTable, journal: Journal) -> None:
        self.table = table
        self.journal = journal
        self.folders = {"pictures": table.folder}
        self.commands: dict[str, Command] = {
            **dict.fromkeys(USED_BY, self._act),
            "undo": lambda _: self._step_back(),
            "redo": lambda _: self._step_forth(),
            "next": self._next,
            "row": lambda message: self._shown(self._row(message["row"])),
            "search": lambda message: self._search(str(message["text"])),
            "export": lambda _: self._export(),
        }
        self._lock, self._exporting = threading.RLock(), threading.Lock()
        self._tell: Callable[[Event], None] = lambda event: None
        self.answers = Annotations(table.given, ClassList.named(table.read.given.names))
        self._changes: list[Change] = []
        journal.replay(self._do_again)
        self._add_named_classes()
        self._number = 0
        self._places = principal_map(table.points) if table.places is None else table.places
        self._coloring = Coloring(len(self.answers.codes))
        self._found: FoundLabels | None = None
        self._model: dict[str, Any] = {"event": "model", "fits": 0}
        self._curve = journal.recall(AccuracyCurve)
        self._queue: list[Question] = []
        self._asked: deque[int] = deque(maxlen=ROWS_HELD_BACK)
        self._stage = ""
        self._fits = BackgroundFits(
            table, self._snapshot, self._take_preview, self._take_fit, self._take_questions,
            self._take_places, self._take_stage, self._curve.checked,
        )  # fmt: skip

    # ------------------------------------------------------------------------------ as a page of the channel

    def greeting(self) -> Iterable[Event]:
        """Everything, for a new window."""
        with self._lock:
            return [
                table_event(self.table, self.answers),
                frame({"event": "positions"}, self._places),
                *self._coloring.everything(),
                self._answers_event(self.answers.labelled),
                self._model,
                {"event": "stage", "text": self._stage},
                {"event": "questions"},
            ]

    def begin(self, tell: Callable[[Event], None]) -> None:
        """Begin to fit in the background."""
        self._tell = tell
        self._fits.begin()

    def end(self) -> None:
        """End the fits."""
        self._fits.end()

    # ------------------------------------------------------------------------------------------ commands

    def _act(self, message: dict[str, Any]) -> dict[str, int]:
        """Plan an action, write it down, do it: an action that makes no sense is not written."""
        known = ("do", *USED_BY[message["do"]])
        action: Action = {key: message[key] for key in known if key in message}
        with self._lock:
            change = self.answers.planned(action)
            self.journal.do(action)
            self._changes.append(change)
            return self._changed(change)

    def _do_again(self, action: Action) -> None:
        self._changes.append(self.answers.planned(action))
        self.answers.go(self._changes[-1])

    def _add_named_classes(self) -> None:
        """Add the classes of the option as a user would; a name that was ever added is left alone."""
        before = [*self.journal.done, *self.journal.undone]
        added = [done.get("name") for done in before if done.get("do") == "add class"]
        known = [*self.table.read.given.names, *self.answers.classes.names, *added]
        for name in dict.fromkeys(map(clean_name, self.table.options.classes)):
            if name not in known:
                action = {"do": "add class", "name": name}
                self._do_again(action)
                self.journal.do(action)

    def _step_back(self) -> dict[str, Any] | None:
        with self._lock:
            if self.journal.undo() is None:
                return None
            change = self._changes.pop()
            row = int(change.rows[0]) if len(change.rows) == 1 else None
            back = None if row is None else {"row": row, "name": self.table.name(row)}
            return {**self._changed(change, back=True), "back": back}

    def _step_forth(self) -> dict[str, int] | None:
        with self._lock:
            if not self.journal.undone:
                return None
            change = self.answers.planned(self.journal.undone[-1])
            self.journal.redo()
            self._changes.append(change)
            return self._changed(change)

    def _changed(self, change: Change, *, back: bool = False) -> dict[str, int]:
        """Do a change, tell every window, and have everything fitted anew."""
        self.answers.go(change, back=back)
        self._number += 1
        self._tell(self._answers_event(change.rows))
        self._fits.wake(labelled=change.labelled)
        return {"number": self._number}

    def _search(self, text: str) -> list[dict[str, Any]]:
        return [row_in_brief(self.table, row) for row in self.table.search(text)]

    def _export(self) -> str:
        """Write the files, one export at a time; answers go on meanwhile."""
        with self._exporting:
            with self._lock:
                found, given, names = self._found, self.answers.firm, self.answers.classes.names
            if found is None:
                raise OptionError("export", "There is nothing to write yet; label a row first.")
            write_labels(self.table, names, given, found)
            write_answers(self.table, names, given)
            return str(self.table.options.labelled)

    def _row(self, row: Any) -> int:
        if isinstance(row, bool) or not isinstance(row, int) or not 0 <= row < len(self._coloring):
            raise OptionError("row", "{field} must lie between 0 and {:,}.", len(self._coloring) - 1)
        return row

    # ----------------------------------------------------------------------------------------- questions

    def _next(self, message: dict[str, Any]) -> dict[str, Any]:
        """The next row to ask a window for: one of those that it wants first, or the best that is open."""
        with self._lock:
            first = [Question(self._row(row), "not answered yet") for row in message.get("first", [])]
            left = bool((self.answers.codes == NOTHING).any())
            is_open = self.answers.codes == (NOTHING if left else SKIPPED)
            fresh = [question for question in self._queue if question.row not in self._asked]
            for question in (*first, *fresh, *self._queue):
                if is_open[question.row]:
                    self._asked.append(question.row)
                    return {"question": {**self._shown(question.row), "reason": question.reason}}
            return {"question": None, "left": bool(is_open.any())}

    def _shown(self, row: int) -> dict[str, Any]:
        with self._lock:
            return shown_row(self.table, self.answers, self._found, row)

    # --------------------------------------------------------------------------------------- from threads

    def _snapshot(self) -> Snapshot:
        with self._lock:
            answers = self.answers
            return Snapshot(self._number, answers.codes.copy(), answers.weights.copy(), answers.classes.names)

    def _take_preview(self, preview: LabelPreview) -> None:
        with self._lock:
            self._tell(self._coloring.take_preview(preview))

    def _take_fit(self, fit: Fit) -> None:
        with self._lock:
            self._found = fit.found
            for event in self._coloring.take_fit(fit.found, fit.snapshot.number):
                self._tell(event)
            self._model = self._model_event(fit)
            self._tell(self._model)

    def _take_questions(self, questions: list[Question]) -> None:
        """Keep the next questions; windows that wait for a row may ask."""
        with self._lock:
            self._queue = questions
            self._tell({"event": "questions"})

    def _take_places(self, places: FloatArray) -> None:
        with self._lock:
            self._places = places
            self._tell(frame({"event": "positions"}, places))

    def _take_stage(self, text: str) -> None:
        with self._lock:
            if text != self._stage:
                self._stage = text
                self._tell({"event": "stage", "text": text})

    # ---------------------------------------------------------------------------------------------- events

    def _answers_event(self, rows: IntArray) -> dict[str, Any]:
        return answers_event(self.answers, self.journal, rows, self._number)

    def _model_event(self, fit: Fit) -> dict[str, Any]:
        """Numbers of a fit: sizes of the classes, accuracy, the most doubtful rows, the last lasso."""
        labelled, early = int((fit.snapshot.codes >= 0).sum()), too_early(fit)
        if fit.accuracy is not None:
            note = self._curve.add(labelled, fit.accuracy, fit.checked, is_early=bool(early))
            if note and fit.snapshot.number:  # at a new start the fit is that of the last note
                self.journal.note(note)
        sizes = self._coloring.sizes()
        return {
            "event": "model",
            "fits": self._model["fits"] + 1,
            "number": fit.snapshot.number,
            "labels": labelled,
            "cannot_tell": int((fit.snapshot.codes == CANNOT_TELL).sum()),
            "sizes": {entry.number: int(sizes[entry.number]) for entry in self.answers.classes},
            "curve": self._curve.points,
            "checked": 0 if fit.accuracy is None else fit.accuracy.n_checked,
            "early": early,
            "doubtful": doubtful_rows(fit, self.table),
            "lasso": lasso_counts(self._changes[-1] if self._changes else None, self._coloring.classes),
        }
