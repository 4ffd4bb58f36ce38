"""Fits in the background: they follow the answers as fast as they can, and no answer waits for them.

How good their labels were is noted in the journal, and read from there after a new start.
"""

import math
import threading
import time
import traceback
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import ThreadpoolController

from graphwell._types import IntArray
from graphwell.active import AccuracyEstimate, Question, Session
from graphwell.active.accuracy import Checked
from graphwell.errors import BridgedWarning, LabelWarning, UnreachableWarning
from graphwell.graph.maps import graph_map
from graphwell.jobs.labelling import FoundLabels
from graphwell.progress import CancelledError
from graphwell.serve.answers import CANNOT_TELL, NOTHING, SKIPPED
from graphwell.serve.channel import Newest

if TYPE_CHECKING:
    from graphwell.serve.labelling import LabelPage

QUESTIONS_AHEAD = 10
# Rows from which a fit takes so long that a preview comes first.
PREVIEW_FROM = 10_000
# Seconds; until then a fit is given up for a newer answer.
LONGEST_WITHOUT_A_FIT = 10.0
SECONDS_TO_END = 3.0


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Answers as they were at one moment: the number of the last action, and names of classes by number."""

    number: int
    codes: IntArray
    weights: IntArray
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Fit:
    """A fit, the answers that it knew, and the labels that they checked since the fit before."""

    snapshot: Snapshot
    found: FoundLabels | None = None
    accuracy: AccuracyEstimate | None = None
    checked: Mapping[int, Checked] = field(default_factory=dict)
    disagreeing: Mapping[int, tuple[int, float]] = field(default_factory=dict)


class BackgroundFits:
    """Two threads: one fits whenever the answers of a page have changed, and chooses the next questions.

    The other one draws a better map. Of a large table, a preview comes before the fit. A fit that is under
    way when the next answer comes is given up, unless the last one is long ago. `checked` has the labels
    that answers checked before a new start, by row.
    """

    def __init__(self, page: "LabelPage", checked: Mapping[int, Checked]) -> None:
        self._page, self._table = page, page.table
        self._fitting, self._drawing = Newest(self._follow, self._failed), Newest(self._draw, self._failed)
        self._session: Session | None = None
        self._blas = ThreadpoolController()
        self._stale = threading.Event()
        self._checked = dict(checked)
        self._fitted_at = 0.0
        n = len(page.answers.codes)
        self._last = Fit(Snapshot(-1, np.full(n, NOTHING), np.ones(n), ()))
        self._known, self._unfitted = (
            self._last.snapshot,
            False,
        )  # what the session knows, beyond the last fit
        self._previewed = np.full(n, NOTHING)

    def begin(self) -> None:
        """Begin to build the graph, then to fit."""
        self._fitting.begin()
        self._drawing.begin()
        self._fitting.request(None)

    def wake(self, *, labelled: bool) -> None:
        """Follow new answers; `labelled` if labels are among them."""
        if labelled and time.monotonic() - self._fitted_at < LONGEST_WITHOUT_A_FIT:
            self._stale.set()
        self._fitting.request(None)

    def end(self) -> None:
        """End; waits a while for the fit of the moment."""
        self._stale.set()
        self._fitting.end(SECONDS_TO_END)
        self._drawing.end(SECONDS_TO_END)

    def _failed(self, error: Exception) -> None:
        """Show an error to the user, who can go on answering."""
        if not isinstance(error, CancelledError):
            traceback.print_exception(error)
            self._page.take_stage(f"The work in the background failed: {error}")

    def _follow(self, _: None) -> None:
        """Fit to the answers of the moment, if they are new, and choose the next questions."""
        if self._session is None:
            self._page.take_stage("Looking for the neighbours of every row")
            self._session = self._table.session()
            self._page.take_stage("")
            if self._table.places is None:
                self._drawing.request(self._session)
        self._stale = threading.Event()
        session, now = self._session, self._page.snapshot()
        with self._blas.limit(limits=1, user_api="blas"):  # small systems: threads only wait
            if now.number != self._last.snapshot.number:
                self._update(session, now)
                if self._unfitted:
                    fit = refit(session, now, self._stale)
                else:  # no label came or went
                    fit = replace(self._last, snapshot=now, checked={})
                self._last, self._unfitted, self._fitted_at = fit, False, time.monotonic()
                self._page.take_fit(fit)
            self._page.take_questions(next_questions(session, now))

    def _update(self, session: Session, now: Snapshot) -> None:
        """Bring the session up to date; of a large table, preview what that changes."""
        labelled = pass_on(session, self._known, now)
        self._known, self._unfitted = now, self._unfitted or labelled
        session.add_checked(self._checked)
        self._checked = {}
        if labelled and session.n_rows >= PREVIEW_FROM:
            before, self._previewed = self._previewed, preview(session)
            rows = np.flatnonzero(self._previewed != before)
            self._page.take_preview(now, rows, self._previewed[rows])
            self._page.take_questions(next_questions(session, now))  # the fit may take long

    def _draw(self, session: Session) -> None:
        """Place the rows by their graph, better than their principal components do."""

        def watched(_: str, done: float | None) -> None:
            if self._drawing.is_over:
                raise CancelledError
            self._page.take_stage("" if done == 1 else "Drawing a better map")

        n_jobs = self._table.options.n_jobs
        self._page.take_places(graph_map(session.prepared.shown, n_jobs=n_jobs, progress=watched))


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
    if not session.answers:
        return Fit(now)
    with warnings.catch_warnings():
        for kind in (BridgedWarning, LabelWarning, UnreachableWarning):  # the page shows their doubt
            warnings.simplefilter("ignore", kind)
        session.fit(cancel=stale)
    new = {row: check for row, check in session.checked.items() if check.age == 1}
    found = FoundLabels.of(session.classifier)
    return Fit(now, found, session.accuracy(), new, disagreeing(session.prepared.shown.W, found, now))


def disagreeing(W: Any, found: FoundLabels, now: Snapshot) -> dict[int, tuple[int, float]]:
    """The class that the neighbours of an answered row have, and its share of them, where it is another."""
    rows = np.flatnonzero((now.codes >= 0) & (now.weights == 1))
    votes = W[rows] @ np.where(found.reachable[:, None], found.scores, 0.0)
    votes /= np.maximum(votes.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    best, shares = found.classes[votes.argmax(axis=1)], votes.max(axis=1)
    other = best != now.codes[rows]
    pairs = zip(best[other].tolist(), shares[other].tolist(), strict=True)
    return dict(zip(rows[other].tolist(), pairs, strict=True))


def next_questions(session: Session, now: Snapshot) -> list[Question]:
    """The next questions, best first; rows that were skipped come when nothing else is left."""
    skipped = np.flatnonzero(now.codes == SKIPPED)
    left = int((now.codes == NOTHING).sum())
    if left == 0:
        return [Question(int(row), "skipped before") for row in skipped]
    names = dict(enumerate(now.names))
    return list(session.suggest(min(QUESTIONS_AHEAD, left), exclude=skipped, names=names).questions)


class AccuracyCurve:
    """Estimates of the accuracy by the number of labels, from the notes of a journal, oldest first.

    A fit to fewer labels forgets the `points` after it; none is added where it is too early for a figure.
    `checked` has the labels that answers checked, by row, with the age that they had after the last note.

    Examples
    --------
    >>> note = {"labels": 3, "share": 0.5, "low": 0.2, "high": 0.8, "checked": [[7, 0.6, True]]}
    >>> curve = AccuracyCurve([note])
    >>> curve.points
    [{'labels': 3, 'share': 0.5, 'low': 0.2, 'high': 0.8}]
    >>> curve.checked
    {7: Checked(rank=0.6, right=True, age=0)}
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
