"""The state behind the page of `graphwell label`: classes, answers, what to ask next, and fits."""

from base64 import b64encode
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.active import Question
from graphwell.active.accuracy import ENOUGH_CHECKED
from graphwell.errors import OptionError
from graphwell.graph.maps import principal_map
from graphwell.io.cells import NEW_NAMES, as_numbers, as_text
from graphwell.io.files import held_alone
from graphwell.jobs.labelling import FoundLabels, LabelOptions, open_table, write_answers, write_labels
from graphwell.progress import Progress, silent
from graphwell.serve.answers import (
    CANNOT_TELL,
    LONGEST_NAME,
    NOTHING,
    PALETTE,
    SKIPPED,
    WITHOUT_CLASS,
    Annotations,
    Change,
    ClassList,
    History,
    RecordedPage,
    clean_name,
)
from graphwell.serve.channel import Event, frame
from graphwell.serve.fits import AccuracyCurve, BackgroundFits, Fit, Snapshot
from graphwell.serve.journal import Journal

# Of those asked last: another window may show them, so a window is asked others first.
ROWS_HELD_BACK = 5
# In the bytes that a map is coloured by.
NO_CLASS = 255
MOST_DOUBT = 254
STEPS_OF_DOUBT = 15
DOUBTFUL_SHOWN = ISSUES_SHOWN = 30
MOST_LISTED = 100
MOST_COLUMNS = 60
# Beyond these quantiles of a column, all rows have the colour of its end.
OUTLIERS = (0.01, 0.99)
NEIGHBOURS_SHOWN = 6
GUESSES_SHOWN = 3


class LabelPage(RecordedPage):
    """The page of `graphwell label`: a table, and the journal beside it, whose actions are done again.

    Answers are on disc before they are answered. Fits follow in the background; what changed is sent to all
    windows. Each window shows a row of its own until it asks for the next: no event replaces it.
    """

    name = "label"
    beside = frozenset({"export"})

    def __init__(self, options: LabelOptions, *, progress: Progress = silent) -> None:
        super().__init__({"label": ("rows", "class", "weight"), **dict.fromkeys(WITHOUT_CLASS, ("rows",))})
        path = journal_of(options.table)
        with ExitStack() as held:
            held.enter_context(held_alone(path, "table"))
            self.table = table = open_table(options, progress=progress)
            journal = held.enter_context(Journal(path, table.fingerprint))
            self.answers = Annotations(table.given, ClassList.named(table.read.given.names))
            self.history = History(self.answers, journal)
            self._add_named_classes()
            self._curve = journal.recall(AccuracyCurve)
            self._held = held.pop_all()
        self.folders: Mapping[str, Path] = {"pictures": table.folder}
        self.commands = {
            **self.commands,
            "next": self._next,
            "row": lambda message: self._shown(self._row(message["row"])),
            "rows": lambda message: [self._in_brief(self._row(row)) for row in message["rows"][:MOST_LISTED]],
            "search": lambda message: [self._in_brief(row) for row in table.search(str(message["text"]))],
            "column": lambda message: self._column(message["name"]),
            "export": lambda _: self._export(),
        }
        hidden = {table.read.options.label, *NEW_NAMES}
        self._columns = [name for name in table.read.table.names if name not in hidden][:MOST_COLUMNS]
        self._number = 0
        n_rows = len(self.answers.codes)
        # class and doubt of every row as windows know them: NO_CLASS where it has none, doubt in steps
        self._colors, self._doubt = np.full(n_rows, NO_CLASS, np.uint8), np.zeros(n_rows, np.uint8)
        self._found: FoundLabels | None = None
        self._expected: dict[int, tuple[int, float]] = {}  # by the model before it knew a row's answer
        self._model: dict[str, Any] = {"event": "model", "fits": 0}
        places = principal_map(table.points) if table.places is None else table.places
        # what a new window is told, too
        self._last: dict[str, Event] = {
            "positions": frame({"event": "positions"}, places),
            "model": self._model,
        }
        self._queue: list[Question] = []
        self._asked: deque[int] = deque(maxlen=ROWS_HELD_BACK)
        self._fits = BackgroundFits(self, self._curve.checked)

    # ------------------------------------------------------------------------------ as a page of the channel

    def greeting(self) -> Iterable[Event]:
        """Everything, for a new window."""
        with self.lock:
            rows = np.arange(len(self._colors))
            about = {
                "event": "about",
                "table": self.table.options.table.name,
                "output": self.table.options.labelled.name,
                "rows": len(rows),
                "columns": self._columns,
            }
            return [
                about,
                byte_frame("labels", rows, self._colors),
                byte_frame("doubt", rows, self._doubt),
                self._answers_event(self.answers.labelled),
                *self._last.values(),
                {"event": "questions"},
            ]

    def begin(self, send: Callable[[Event], None]) -> None:
        """Begin to fit in the background."""
        self.send = send
        self._fits.begin()

    def end(self) -> None:
        """End the fits, and close the journal."""
        self._fits.end()
        self._held.close()

    # ------------------------------------------------------------------------------------------ commands

    def _add_named_classes(self) -> None:
        """Add the classes of the option as a user would; a name that was ever added is left alone."""
        journal = self.history.journal
        before = [done.get("name") for done in (*journal.done, *journal.undone) if done["do"] == "add class"]
        known = [*self.table.read.given.names, *self.answers.classes.names, *before]
        for name in dict.fromkeys(map(clean_name, self.table.options.classes)):
            if name not in known:
                self.history.do({"do": "add class", "name": name})

    def changed(self, change: Change, *, back: bool = False) -> dict[str, Any]:
        """Tell every window, and have everything fitted anew."""
        row = int(change.rows[0]) if len(change.rows) == 1 else None
        before, after = change.codes
        # what the model expected, if it could: it knew no answer of the row, and its new class
        if row is not None and not back and before[0] < 0 and self._found and after[0] in self._found.classes:
            self._expected.update((row, guess) for guess in self._found.guesses(row, 1))
        self._number += 1
        self.send(self._answers_event(change.rows))
        self._fits.wake(labelled=change.labelled)
        one = None if row is None else {"row": row, "name": self.table.name(row)}
        return {"number": self._number, "back": one if back else None}

    def _answers_event(self, rows: IntArray) -> dict[str, Any]:
        """The answers for some rows, the classes, and how far one can go back and forth."""
        done, undone = self.history.journal.done, self.history.journal.undone
        return {
            "event": "answers",
            "number": self._number,
            "rows": rows.tolist(),
            "codes": self.answers.codes[rows].tolist(),
            "weights": self.answers.weights[rows].round(3).tolist(),
            "classes": [vars(entry) for entry in self.answers.classes],
            "undo": done[-1]["do"] if done else None,
            "redo": undone[-1]["do"] if undone else None,
            "steps": len(done),
        }

    def _export(self) -> str:
        with self.lock:
            found, given, names = self._found, self.answers.firm, self.answers.classes.names
        if found is None:
            raise OptionError("export", "There is nothing to write yet; label a row first.")
        write_labels(self.table, names, given, found)  # answers go on meanwhile
        write_answers(self.table, names, given)
        return str(self.table.options.labelled)

    # ---------------------------------------------------------------------------------------------- rows

    def _row(self, row: Any) -> int:
        if type(row) is not int or not 0 <= row < len(self._colors):
            raise OptionError("row", "{field} must lie between 0 and {:,}.", len(self._colors) - 1)
        return row

    def _next(self, message: dict[str, Any]) -> dict[str, Any]:
        """The next row to ask a window for: one of those that it wants first, or the best that is open."""
        with self.lock:
            first = [Question(self._row(row), "not answered yet") for row in message.get("first", [])]
            left = bool((self.answers.codes == NOTHING).any())
            is_open = self.answers.codes == (NOTHING if left else SKIPPED)
            fresh = [question for question in self._queue if question.row not in self._asked]
            for question in (*first, *fresh, *self._queue):
                if is_open[question.row]:
                    self._asked.append(question.row)
                    return {"question": {**self._shown(question.row), "reason": question.reason}}
            return {"question": None, "left": bool(is_open.any())}

    def _column(self, name: Any) -> dict[str, Any]:
        """A byte for each row by a column, and what the bytes mean: a range, or names and colours."""
        if name not in self._columns:
            raise OptionError("name", "{field}: there is no column {!r} to show.", name)
        cells = self.table.read.table.column(name)[self.table.rows]
        values = as_numbers(cells, self.table.options.decimal or ".")
        if values is not None and np.isfinite(values).any():
            low, high = np.nanquantile(np.where(np.isfinite(values), values, np.nan), OUTLIERS)
            share = np.clip((values - low) / ((high - low) or 1.0), 0, 1)
            found = np.where(np.isfinite(share), np.rint(MOST_DOUBT * share), NO_CLASS)
            meaning: dict[str, Any] = {"low": f"{low:.4g}", "high": f"{high:.4g}"}
        else:
            known, codes, counts = np.unique(as_text(cells), return_inverse=True, return_counts=True)
            best = [at for at in np.argsort(-counts, kind="stable") if known[at]][: len(PALETTE)]
            place = np.full(len(known), NO_CLASS)
            place[best] = np.arange(len(best))
            found = place[codes]
            meaning = {
                "names": [str(known[at])[:LONGEST_NAME] for at in best],
                "colors": PALETTE[: len(best)],
            }
        return {**meaning, "values": b64encode(found.astype(np.uint8).tobytes()).decode()}

    def _in_brief(self, row: int) -> dict[str, Any]:
        """A row as it is shown in a list."""
        return {
            "row": row,
            "name": self.table.name(row),
            "picture": self.table.picture(row),
            "pixels": self.table.pixels(row),
            "snippet": (self.table.text(row) or "")[:80] or None,
        }

    def _shown(self, row: int) -> dict[str, Any]:
        """All that is shown of a row."""
        with self.lock:
            codes = self.answers.codes
            near = self.table.nearest(row, self.answers.labelled, NEIGHBOURS_SHOWN)
            return {
                **self._in_brief(row),
                "cells": self.table.cells(row),
                "text": self.table.text(row),
                "given": int(codes[row]),
                "guesses": [] if self._found is None else self._found.guesses(row, GUESSES_SHOWN),
                "near": [{**self._in_brief(other), "class": int(codes[other])} for other in near],
            }

    # ------------------------------------------------------------------------------- from threads of the fits

    def snapshot(self) -> Snapshot:
        """The answers of the moment."""
        with self.lock:
            answers = self.answers
            return Snapshot(self._number, answers.codes.copy(), answers.weights.copy(), answers.classes.names)

    def take_preview(self, now: Snapshot, rows: IntArray, labels: IntArray) -> None:
        """Rows whose class changes before the fit is done, and their new classes, -1 for none."""
        with self.lock:
            self._colors[rows] = as_bytes(labels)
            self.send(byte_frame("labels", rows, self._colors[rows], number=now.number, preview=True))

    def take_fit(self, fit: Fit) -> None:
        """Labels and doubt after a fit; only what changed is sent."""
        with self.lock:
            found = self._found = fit.found
            colors, doubt = np.full_like(self._colors, NO_CLASS), np.zeros_like(self._doubt)
            if found is not None:
                colors, doubt = as_bytes(found.labels), in_steps(found.doubt)
            for name, before, after in (("labels", self._colors, colors), ("doubt", self._doubt, doubt)):
                rows = np.flatnonzero(before != after)
                before[rows] = after[rows]
                self.send(byte_frame(name, rows, after[rows], number=fit.snapshot.number))
            self._model = self._model_event(fit)
            self._tell("model", self._model)

    def take_questions(self, questions: list[Question]) -> None:
        """The next questions; windows that wait for a row may ask."""
        with self.lock:
            self._queue = questions
            self.send({"event": "questions"})

    def take_places(self, places: FloatArray) -> None:
        """A better map."""
        self._tell("positions", frame({"event": "positions"}, places))

    def take_stage(self, text: str) -> None:
        """A few words on the work in the background; empty when there is none."""
        event = {"event": "stage", "text": text}
        if event != self._last.get("stage"):
            self._tell("stage", event)

    def _tell(self, name: str, event: Event) -> None:
        """Tell every window, and those that come later."""
        with self.lock:
            self._last[name] = event
            self.send(event)

    def _model_event(self, fit: Fit) -> dict[str, Any]:
        """Numbers of a fit: sizes of the classes, accuracy, the most doubtful rows."""
        labelled, early = int((fit.snapshot.codes >= 0).sum()), too_early(fit)
        note = self._curve.add(labelled, fit, is_early=bool(early))
        if note and fit.snapshot.number:  # at a new start the fit is that of the last note
            self.history.journal.note(note)
        sizes = np.bincount(self._colors, minlength=NO_CLASS + 1)
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
            "doubtful": self._doubtful_rows(fit),
            "issues": self._issues(fit),
        }

    def _issues(self, fit: Fit) -> list[dict[str, Any]]:
        """Answers that the model did not expect, or whose neighbours disagree; none that was kept."""
        kept: set[int] = set()
        for change in self.history.changes:
            if len(change.rows) == 1:  # an answer that is given a second time is kept
                is_same = change.codes[0][0] == change.codes[1][0] and change.more[0] == change.more[1]
                (kept.add if is_same else kept.discard)(int(change.rows[0]))
        known = {**self._expected, **fit.disagreeing}
        firm = np.where(fit.snapshot.weights == 1, fit.snapshot.codes, NOTHING)
        rows = [row for row in known if row not in kept and firm[row] >= 0 and firm[row] != known[row][0]]
        rows = sorted((row for row in rows if known[row][1] > 0.5), key=lambda row: -known[row][1])
        return [{**self._in_brief(row), "guesses": [known[row]]} for row in rows[:ISSUES_SHOWN]]

    def _doubtful_rows(self, fit: Fit) -> list[dict[str, Any]]:
        """The most doubtful rows without a label, with what they may be."""
        if fit.found is None:
            return []
        doubt = np.where(fit.snapshot.codes >= 0, -1.0, fit.found.doubt)
        rows = np.argpartition(-doubt, min(DOUBTFUL_SHOWN, len(doubt) - 1))[:DOUBTFUL_SHOWN]
        rows = rows[np.argsort(-doubt[rows], kind="stable")]
        return [
            {**self._in_brief(int(row)), "guesses": fit.found.guesses(int(row), 2)}
            for row in rows
            if doubt[row] > 0
        ]


def too_early(fit: Fit) -> str:
    """Why no accuracy can be shown yet; empty if it can."""
    seen = set(fit.snapshot.codes.tolist())
    unseen = [name for number, name in enumerate(fit.snapshot.names) if name and number not in seen]
    if len(seen & set(range(len(fit.snapshot.names)))) < 2:
        return "Answer with at least two classes first."
    if unseen:
        return f"No row is labelled {unseen[0]} yet."
    n_checked = 0 if fit.accuracy is None else fit.accuracy.n_checked
    if n_checked < ENOUGH_CHECKED:
        return f"{n_checked} of {ENOUGH_CHECKED} answers that are needed have checked a label of the model."
    return ""


def byte_frame(name: str, rows: IntArray, values: IntArray, **more: Any) -> bytes:
    r"""An event with a byte for each of some rows: their numbers first, four bytes each.

    Examples
    --------
    >>> byte_frame("labels", np.array([7]), np.array([2]))[-5:]
    b'\x07\x00\x00\x00\x02'
    """
    body = np.frombuffer(rows.astype("<u4").tobytes() + values.astype(np.uint8).tobytes(), dtype=np.uint8)
    return frame({"event": name, "count": len(rows), **more}, body)


def in_steps(doubt: FloatArray) -> IntArray:
    """Doubt as a map is coloured by it: in a few steps, so that few rows change from fit to fit."""
    return np.rint(np.rint(STEPS_OF_DOUBT * doubt) * (MOST_DOUBT / STEPS_OF_DOUBT)).astype(np.uint8)


def as_bytes(labels: IntArray) -> IntArray:
    """Classes as a map is coloured by them."""
    return np.where(labels < 0, NO_CLASS, labels).astype(np.uint8)


def journal_of(table: Path) -> Path:
    """The file beside a table in which its answers are kept."""
    return table.with_name(f"{table.name}.journal")
