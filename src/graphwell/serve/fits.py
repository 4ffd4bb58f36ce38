"""A page whose answers are followed by fits in the background, as fast as they can; no answer waits for them.

How good their labels were is noted in the journal, and read from there after a new start.
"""

import math
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from graphwell._types import IntArray
from graphwell.active import AccuracyEstimate, Question, Session
from graphwell.active.accuracy import ENOUGH_CHECKED, Checked
from graphwell.errors import BridgedWarning, LabelWarning, UnreachableWarning
from graphwell.graph.maps import graph_map, principal_map
from graphwell.jobs.labelling import FoundLabels, LabelledTable
from graphwell.progress import CancelledError
from graphwell.serve.answers import (
    CANNOT_TELL,
    NOTHING,
    REMOVING,
    SKIPPED,
    WITHOUT_CLASS,
    Annotations,
    Change,
    ClassList,
    RecordedPage,
    clean_name,
)
from graphwell.serve.channel import Event, Newest, frame
from graphwell.serve.journal import Journal

QUESTIONS_AHEAD = 10
# Rows from which a fit takes so long that a preview comes first.
PREVIEW_FROM = 10_000
# Seconds; until then a fit is given up for a newer answer.
LONGEST_WITHOUT_A_FIT = 10.0
SECONDS_TO_END = 3.0
# In the bytes that a map is coloured by: a class, or doubt in a few steps, so that few rows change in a fit.
NO_CLASS, MOST, STEPS_OF_DOUBT = 255, 254, 15
DOUBTFUL_SHOWN = ISSUES_SHOWN = 30


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Answers as they were at one moment: the number of the last action, and names of classes by number."""

    number: int
    codes: IntArray
    weights: IntArray
    names: tuple[str, ...]
    guessed: IntArray | None = None  # class of each row's guess, -1 for none


@dataclass(frozen=True, eq=False)
class Fit:
    """A fit, what answers checked since the one before, and answers that neighbours disagree with."""

    found: FoundLabels | None = None
    accuracy: AccuracyEstimate | None = None
    checked: Mapping[int, Checked] = field(default_factory=dict)
    disagreeing: Mapping[int, tuple[int, float]] = field(default_factory=dict)


class FittedPage(RecordedPage):
    """Answers for the rows of a table, what a model makes of them, and what windows are told of both.

    One thread fits whenever the answers have changed, and chooses the next questions; another one draws a
    better map. Of a large table, a preview comes before the fit. A fit that is under way when the next answer
    comes is given up, unless the last one is long ago.
    """

    def __init__(self, table: LabelledTable, journal: Journal) -> None:
        super().__init__({"label": ("rows", "class", "weight"), **dict.fromkeys(WITHOUT_CLASS, ("rows",))})
        self.table = table
        self.answers = Annotations(table.given, ClassList.named(table.read.given.names))
        self.record(self.answers, journal)
        self._curve = journal.recall(AccuracyCurve)
        self._number = 0
        n = len(self.answers.codes)
        # class and doubt of every row as windows know them
        self._shown = {"labels": np.full(n, NO_CLASS, np.uint8), "doubt": np.zeros(n, np.uint8)}
        places = principal_map(table.points) if table.places is None else table.places
        # what a new window is told, beside the answers
        self.last: dict[str, Event] = {
            "positions": frame({"event": "positions"}, places),
            "model": {"event": "model"},
            "questions": {"event": "questions"},
        }
        self.queue: list[Question] = []
        self.fit = Fit()
        self._fitting, self._drawing = Newest(self._follow, self._failed), Newest(self._draw, self._failed)
        self._blas = ThreadpoolController()
        self._session: Session | None = None
        self._checked = self._curve.checked  # before a new start
        # what the session knows, and whether that is more than the last fit does
        self._known, self._is_new = Snapshot(-1, np.full(n, NOTHING), np.ones(n), ()), False
        self._previewed = np.full(n, NOTHING)
        self._stale, self._fitted_at = threading.Event(), 0.0

    def begin(self, send: Callable[[Event], None]) -> None:
        """Begin to build the graph, then to fit."""
        self.send = send
        self._fitting.begin()
        self._drawing.begin()
        self._fitting.request(None)

    def end(self) -> None:
        """End; waits a while for the fit of the moment."""
        self._stale.set()
        self._fitting.end(SECONDS_TO_END)
        self._drawing.end(SECONDS_TO_END)

    def changed(self, change: Change, *, back: bool = False) -> dict[str, Any]:
        """Tell every window, and have everything fitted anew."""
        self._number += 1
        self.send(self.answers_event(change.rows))
        if change.labelled and time.monotonic() - self._fitted_at < LONGEST_WITHOUT_A_FIT:
            self._stale.set()
        self._fitting.request(None)
        row = int(change.rows[0]) if back and len(change.rows) == 1 else None
        return {"number": self._number, "back": None if row is None else self.in_brief(row)}

    def answers_event(self, rows: IntArray) -> dict[str, Any]:
        """The answers for some rows, the classes, and how far one can go back and forth."""
        done, undone = self.journal.done, self.journal.undone
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

    def colors_events(self) -> list[Event]:
        """Class and doubt of every row."""
        return [byte_frame(name, np.arange(len(shown)), shown) for name, shown in self._shown.items()]

    def in_brief(self, row: int) -> dict[str, Any]:
        """A row as it is shown in a list."""
        return {
            "row": row,
            "name": self.table.name(row),
            "picture": self.table.picture(row),
            "pixels": self.table.pixels(row),
            "snippet": (self.table.text(row) or "")[:80] or None,
        }

    # ------------------------------------------------------------------------------------- in the background

    def _failed(self, error: Exception) -> None:
        """Show an error to the user, who can go on answering; a fit that was given up is none."""
        if not isinstance(error, CancelledError):
            traceback.print_exception(error)
            self._stage(f"The work in the background failed: {error}")

    def _stage(self, text: str) -> None:
        """Tell in a few words what is being done; nothing when there is nothing."""
        self._tell("stage", {"event": "stage", "text": text})

    def _tell(self, name: str, event: Event) -> None:
        """Tell every window, and those that come later."""
        with self.lock:
            if self.last.get(name) != event or name == "questions":
                self.last[name] = event
                self.send(event)

    def _draw(self, session: Session) -> None:
        """Place the rows by their graph, better than their principal components do."""

        def watched(_: str, done: float | None) -> None:
            if self._drawing.is_over:
                raise CancelledError
            self._stage("" if done == 1 else "Drawing a better map")

        places = graph_map(session.prepared.shown, n_jobs=self.table.options.n_jobs, progress=watched)
        self._tell("positions", frame({"event": "positions"}, places))

    def _follow(self, _: None) -> None:
        """Fit to the answers of the moment, if they are new, and choose the next questions."""
        if self._session is None:
            self._stage("Looking for the neighbours of every row")
            self._session = self.table.session()
            self._stage("")
            if self.table.places is None:
                self._drawing.request(self._session)
        session, self._stale = self._session, threading.Event()
        with self.lock:
            answers = self.answers
            names, guessed = answers.classes.names, self._guessed()
            now = Snapshot(self._number, answers.codes.copy(), answers.weights.copy(), names, guessed)
        with self._blas.limit(limits=1, user_api="blas"):  # systems of a hundred rows: threads only wait
            if now.number != self._known.number or self._is_new:
                is_new = pass_on(session, self._known, now)
                is_new |= not np.array_equal(self._known.guessed, now.guessed)  # type: ignore[arg-type]
                session.add_checked(self._checked)  # of rows that have an answer now
                self._checked = {}
                self._known, self._is_new = now, self._is_new or is_new
                if is_new and session.n_rows >= PREVIEW_FROM and guessed is None:
                    before, self._previewed = self._previewed, preview(session)
                    self._show("labels", self._previewed, now, np.flatnonzero(self._previewed != before))
                    self._ask(session, now)  # the fit may take long
                # where no label came or went, the fit is that of before
                fit = refit(session, now, self._stale) if self._is_new else replace(self.fit, checked={})
                self._is_new, self._fitted_at = False, time.monotonic()
                self._tell_fit(fit, now)
            self._ask(session, now)

    def _guessed(self) -> IntArray | None:
        """Class of each row's guess by its number; guesses go with a class that is renamed or merged."""
        if (guesses := self.table.guesses) is None:
            return None
        numbers = {name: number for number, name in enumerate(self.table.read.given.names)}
        last = len(numbers)
        for action in self.journal.done:
            if action["do"] == "add class":
                numbers[clean_name(action["name"])] = last
                last += 1
            elif action["do"] in REMOVING:
                into = action.get("into", NOTHING) if "merge" in action["do"] else NOTHING
                numbers = {name: into if n == action["class"] else n for name, n in numbers.items()}
        found = [numbers.get(clean_name(name), NOTHING) for name in guesses.names]
        return np.array([*found, NOTHING])[guesses.codes]

    def _ask(self, session: Session, now: Snapshot) -> None:
        """Choose the next questions, best first; rows that were skipped come when nothing else is left."""
        skipped = np.flatnonzero(now.codes == SKIPPED)
        if (left := int((now.codes == NOTHING).sum())) > 0:
            names = dict(enumerate(now.names))
            asked = session.suggest(min(QUESTIONS_AHEAD, left), exclude=skipped, names=names)
            self.queue = list(asked.questions)
        else:
            self.queue = [Question(int(row), "skipped before") for row in skipped]
        self._tell("questions", {"event": "questions"})  # windows that wait for a row may ask

    def _show(self, name: str, values: IntArray, now: Snapshot, rows: IntArray | None = None) -> None:
        """Send classes or doubt of the rows where they changed, or a preview of those of some rows."""
        values, shown = np.where(values < 0, NO_CLASS, values).astype(np.uint8), self._shown[name]
        more = {"number": now.number} if rows is None else {"number": now.number, "preview": True}
        with self.lock:
            rows = np.flatnonzero(shown != values) if rows is None else rows
            shown[rows] = values[rows]
            self.send(byte_frame(name, rows, values[rows], **more))

    def _tell_fit(self, fit: Fit, now: Snapshot) -> None:
        """Tell labels, doubt and numbers of a fit."""
        with self.lock:
            self.fit, n = fit, len(now.codes)
            labels, doubt = np.full(n, NOTHING), np.zeros(n)
            if fit.found is not None:
                labels, doubt = fit.found.labels, np.rint(STEPS_OF_DOUBT * fit.found.doubt)
            self._show("labels", labels, now)
            self._show("doubt", np.rint(doubt * (MOST / STEPS_OF_DOUBT)), now)
            labelled, early = int((now.codes >= 0).sum()), too_early(fit, now)
            note = self._curve.add(labelled, fit, is_early=bool(early))
            if note and now.number:  # at a new start the fit is that of the last note
                self.journal.note(note)
            sizes = np.bincount(self._shown["labels"], minlength=NO_CLASS + 1)
            event = {
                "event": "model",
                "number": now.number,
                "labels": labelled,
                "cannot_tell": int((now.codes == CANNOT_TELL).sum()),
                "sizes": {entry.number: int(sizes[entry.number]) for entry in self.answers.classes},
                "curve": self._curve.points,
                "checked": 0 if fit.accuracy is None else fit.accuracy.n_checked,
                "early": early,
                "doubtful": self._doubtful_rows(fit, now),
                "issues": self._issues(fit),
            }
            self._tell("model", event)

    def _issues(self, fit: Fit) -> list[dict[str, Any]]:
        """Answers whose neighbours disagree, the surest first; none that was kept."""
        kept: set[int] = set()
        for change in self.changes:
            if len(change.rows) == 1:  # an answer that is given a second time is kept
                is_same = change.codes[0] == change.codes[1] and change.more[0] == change.more[1]
                (kept.add if is_same else kept.discard)(int(change.rows[0]))
        rows = [row for row, (_, share) in fit.disagreeing.items() if share > 0.5 and row not in kept]
        rows = sorted(rows, key=lambda row: -fit.disagreeing[row][1])[:ISSUES_SHOWN]
        return [{**self.in_brief(row), "guesses": [fit.disagreeing[row]]} for row in rows]

    def _doubtful_rows(self, fit: Fit, now: Snapshot) -> list[dict[str, Any]]:
        """The most doubtful rows without a label, with what they may be."""
        if fit.found is None:
            return []
        doubt = np.where(now.codes >= 0, 0.0, fit.found.doubt)
        rows = np.argsort(-doubt, kind="stable")[:DOUBTFUL_SHOWN]
        rows = rows[doubt[rows] > 0].tolist()
        return [{**self.in_brief(row), "guesses": fit.found.guesses(row, 2)} for row in rows]


def pass_on(session: Session, known: Snapshot, now: Snapshot) -> bool:
    """Give a session the answers since those it knows; whether labels are among them."""
    changed = np.flatnonzero((now.codes != known.codes) | (now.weights != known.weights))
    codes, weights = now.codes[changed], now.weights[changed]
    session.take_back(changed[(codes == NOTHING) | (codes == SKIPPED)])
    session.cannot_tell(changed[codes == CANNOT_TELL])
    for weight in np.unique(weights[codes >= 0]):
        these = (codes >= 0) & (weights == weight)
        session.answer(changed[these], codes[these].tolist(), weight=float(weight))
    return bool(((codes >= 0) | (known.codes[changed] >= 0)).any())


def preview(session: Session) -> IntArray:
    """Class of each row before the fit, -1 for none."""
    if not session.answers:
        return np.full(session.n_rows, NOTHING)
    return np.array([NOTHING if label is None else label for label in session.preview()])


def refit(session: Session, now: Snapshot, stale: threading.Event) -> Fit:
    """Fit a session that knows the answers; `CancelledError` if these are stale meanwhile."""
    if now.guessed is not None:
        session.classifier.guessed = now.guessed
    elif not session.answers:
        return Fit()
    with warnings.catch_warnings():
        for kind in (BridgedWarning, LabelWarning, UnreachableWarning):  # the page shows their doubt
            warnings.simplefilter("ignore", kind)
        session.fit(cancel=stale)
    new = {row: check for row, check in session.checked.items() if check.age == 1}
    found = FoundLabels.of(session.classifier)
    return Fit(found, session.accuracy(), new, disagreeing(session.prepared.shown.W, found, now))


def disagreeing(W: Any, found: FoundLabels, now: Snapshot) -> dict[int, tuple[int, float]]:
    """The class that the neighbours of an answered row have, and its share of them, where it is another."""
    rows = np.flatnonzero((now.codes >= 0) & (now.weights == 1))
    votes = W[rows] @ np.where(found.reachable[:, None], found.scores, 0.0)
    votes /= np.maximum(votes.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    best, shares = found.classes[votes.argmax(axis=1)], votes.max(axis=1)
    other = best != now.codes[rows]
    pairs = zip(best[other].tolist(), shares[other].tolist(), strict=True)
    return dict(zip(rows[other].tolist(), pairs, strict=True))


def too_early(fit: Fit, now: Snapshot) -> str:
    """Why no accuracy can be shown yet; empty if it can."""
    seen = set(now.codes.tolist())
    unseen = [name for number, name in enumerate(now.names) if name and number not in seen]
    if len(seen & set(range(len(now.names)))) < 2:
        return "Answer with at least two classes first."
    if unseen:
        return f"No row is labelled {unseen[0]} yet."
    n_checked = 0 if fit.accuracy is None else fit.accuracy.n_checked
    if n_checked < ENOUGH_CHECKED:
        return f"{n_checked} of {ENOUGH_CHECKED} answers that are needed have checked a label of the model."
    return ""


def byte_frame(name: str, rows: IntArray, values: IntArray, **more: Any) -> bytes:
    """An event with a byte for each of some rows: their numbers first, four bytes each."""
    body = np.frombuffer(rows.astype("<u4").tobytes() + values.astype(np.uint8).tobytes(), dtype=np.uint8)
    return frame({"event": name, "count": len(rows), **more}, body)


class AccuracyCurve:
    """Estimates of the accuracy by the number of labels, from the notes of a journal, oldest first.

    A fit to fewer labels forgets the `points` after it; none is added where it is too early for a figure.
    `checked` has the labels that answers checked, by row, with the age that they had after the last note.
    """

    def __init__(self, notes: Sequence[Mapping[str, Any]] = ()) -> None:
        self.points: list[dict[str, float]] = []
        self.checked: dict[int, Checked] = {}
        for fits_since, note in zip(range(len(notes) - 1, -1, -1), notes, strict=True):
            point = {name: _number(note[name]) for name in ("labels", "share", "low", "high")}
            self._add(point, is_early=bool(note.get("early")))
            if note.get("anew"):
                self.checked = {}
            for row, rank, right in note["checked"]:
                self.checked[int(_number(row))] = Checked(_number(rank), bool(right), fits_since)

    def add(self, labels: int, fit: Fit, *, is_early: bool) -> dict[str, Any] | None:
        """Add the estimate after a fit; returns the note for the journal, None if nothing is new."""
        if fit.accuracy is None:
            return None
        low, high = fit.accuracy.interval
        point = {"labels": labels, "share": float(fit.accuracy.share), "low": float(low), "high": float(high)}
        if self.points and point == self.points[-1] and not fit.checked:
            return None
        self._add(point, is_early)
        anew = fit.accuracy.n_checked == len(fit.checked)  # what was checked before no longer counts
        new = [[int(row), float(check.rank), check.right] for row, check in fit.checked.items()]
        return {**point, "checked": new, "early": is_early, "anew": anew}

    def _add(self, point: dict[str, float], is_early: bool) -> None:
        before = [other for other in self.points if other["labels"] < point["labels"]]
        self.points = before if is_early else [*before, point]


def _number(value: Any) -> float:
    """A number as a note must hold it."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is no number")
    return value
