"""The state behind the page of `graphwell label`: classes, answers, the question of the moment, and fits."""

import threading
from collections.abc import Callable, Iterable
from typing import Any

from graphwell._types import FloatArray, IntArray
from graphwell.active import Question
from graphwell.errors import OptionError
from graphwell.jobs.found_labels import FoundLabels
from graphwell.jobs.labelled_files import write_answers, write_labels
from graphwell.jobs.shown_rows import LabelledTable
from graphwell.layout import principal_map
from graphwell.serve.answers import NOTHING, Answers, Change
from graphwell.serve.channel import Command, Event, frame
from graphwell.serve.classes import ClassList
from graphwell.serve.coloring import Coloring
from graphwell.serve.journal import Action, Journal
from graphwell.serve.learning_curve import LearningCurve
from graphwell.serve.refits import Fit, Glance, Refits, Said
from graphwell.serve.told import (
    doubtful_rows,
    lasso_says,
    row_in_brief,
    shown_row,
    told_answers,
    told_table,
)

USED_BY = {
    "label": ("rows", "class", "weight"),
    **dict.fromkeys(("cannot tell", "skip", "clear"), ("rows",)),
    "add class": ("name",),
    "rename class": ("class", "name"),
    "merge classes": ("class", "into"),
    "remove class": ("class",),
    "color class": ("class", "color"),
}
"""What each action is told; the rest of a message is not kept."""


class LabelPage:
    """The page of `graphwell label`.

    Answers are on disc before they are answered. Fits follow in the background; windows are told what
    changed.

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
            "ask": lambda message: self._ask(self._row(message)),
            "row": lambda message: self._shown(self._row(message)),
            "search": lambda message: self._search(str(message["text"])),
            "export": lambda _: self._export(),
        }
        self._lock, self._exporting = threading.RLock(), threading.Lock()
        self._tell: Callable[[Event], None] = lambda event: None
        self.answers = Answers(table.given, ClassList.named(table.read.given.names))
        self._changes: list[Change] = []
        journal.replay(self._do_again)
        self._number = 0
        self._places = principal_map(table.points) if table.places is None else table.places
        self._coloring = Coloring(len(self.answers.codes))
        self._found: FoundLabels | None = None
        self._model: dict[str, Any] = {"event": "model", "fits": 0}
        self._curve = journal.recall(LearningCurve)
        self._queue: list[Question] = []
        self._question: Question | None = None
        self._stage = ""
        self._refits = Refits(
            table, self._said, self._take_glance, self._take_fit, self._take_questions, self._take_places,
            self._take_stage, self._curve.checked,
        )  # fmt: skip

    # ------------------------------------------------------------------------------ as a page of the channel

    def greeting(self) -> Iterable[Event]:
        """What a new window is told: everything."""
        with self._lock:
            return [
                told_table(self.table, self.answers),
                frame({"event": "positions"}, self._places),
                *self._coloring.everything(),
                self._told_answers(self.answers.labelled),
                self._model,
                self._told_question(),
                {"event": "stage", "text": self._stage},
            ]

    def begin(self, tell: Callable[[Event], None]) -> None:
        """Begin to fit in the background."""
        self._tell = tell
        self._refits.begin()

    def end(self) -> None:
        """End the fits."""
        self._refits.end()

    # ---------------------------------------------------------------------------------- what windows ask for

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

    def _step_back(self) -> dict[str, int] | None:
        with self._lock:
            if self.journal.undo() is None:
                return None
            change = self._changes.pop()
            told = self._changed(change, back=True)
            if len(change.rows) == 1:
                self._put(Question(int(change.rows[0]), "taken back"))
            return told

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
        self._tell(self._told_answers(change.rows))
        if self._question is None or self._question.row in change.rows:
            self._next()
        self._refits.wake(labelled=change.labelled)
        return {"number": self._number}

    def _ask(self, row: int) -> None:
        with self._lock:
            self._put(Question(row, "chosen by you"))

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

    def _row(self, message: dict[str, Any]) -> int:
        row = message["row"]
        if isinstance(row, bool) or not isinstance(row, int) or not 0 <= row < len(self._coloring):
            raise OptionError("row", "{field} must lie between 0 and {:,}.", len(self._coloring) - 1)
        return row

    # ---------------------------------------------------------------------------- the question of the moment

    def _next(self) -> None:
        """Ask the next question that is still open."""
        is_open = (question for question in self._queue if self.answers.codes[question.row] == NOTHING)
        self._put(next(is_open, None))

    def _put(self, question: Question | None) -> None:
        if question == self._question:
            return
        self._question = question
        self._tell(self._told_question())

    def _told_question(self) -> dict[str, Any]:
        if self._question is None:
            left = bool((self.answers.codes == NOTHING).any())
            return {"event": "question", "question": None, "left": left}
        shown = self._shown(self._question.row)
        return {"event": "question", "question": {**shown, "reason": self._question.reason}, "left": True}

    def _shown(self, row: int) -> dict[str, Any]:
        with self._lock:
            return shown_row(self.table, self.answers, self._found, row)

    # ------------------------------------------------------------------------------------- what threads bring

    def _said(self) -> Said:
        with self._lock:
            answers = self.answers
            return Said(self._number, answers.codes.copy(), answers.weights.copy(), answers.classes.names)

    def _take_glance(self, glance: Glance) -> None:
        """Show at once what an answer changes, as far as that can be seen without a fit."""
        with self._lock:
            self._tell(self._coloring.take_glance(glance))

    def _take_fit(self, fit: Fit) -> None:
        with self._lock:
            self._found = fit.found
            for event in self._coloring.take_fit(fit.found, fit.said.number):
                self._tell(event)
            self._model = self._told_fit(fit)
            self._tell(self._model)

    def _take_questions(self, questions: list[Question]) -> None:
        """Keep what to ask next; the question that is being looked at stays, with new guesses."""
        with self._lock:
            self._queue = questions
            if self._question is None or self.answers.codes[self._question.row] != NOTHING:
                self._next()
            else:
                self._tell(self._told_question())

    def _take_places(self, places: FloatArray) -> None:
        with self._lock:
            self._places = places
            self._tell(frame({"event": "positions"}, places))

    def _take_stage(self, text: str) -> None:
        with self._lock:
            if text != self._stage:
                self._stage = text
                self._tell({"event": "stage", "text": text})

    # -------------------------------------------------------------------------------- what windows are told

    def _told_answers(self, rows: IntArray) -> dict[str, Any]:
        return told_answers(self.answers, self.journal, rows, self._number)

    def _told_fit(self, fit: Fit) -> dict[str, Any]:
        """Numbers of a fit: sizes of the classes, accuracy, the most doubtful rows, the last lasso."""
        labelled = int((fit.said.codes >= 0).sum())
        if fit.accuracy is not None:
            note = self._curve.add(labelled, fit.accuracy, fit.checked)
            if note and fit.said.number:  # at a new start the fit is that of the last note
                self.journal.note(note)
        sizes = self._coloring.sizes()
        return {
            "event": "model",
            "fits": self._model["fits"] + 1,
            "number": fit.said.number,
            "labels": labelled,
            "cannot_tell": int((fit.said.codes == -2).sum()),
            "sizes": {entry.number: int(sizes[entry.number]) for entry in self.answers.classes},
            "curve": self._curve.points,
            "checked": 0 if fit.accuracy is None else fit.accuracy.n_checked,
            "doubtful": doubtful_rows(fit, self.table),
            "lasso": lasso_says(self._changes[-1] if self._changes else None, self._coloring.classes),
        }
