"""Fits in the background: they follow the answers as fast as they can, and no answer waits for them."""

import threading
import time
import traceback
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from threadpoolctl import ThreadpoolController

from graphwell._types import FloatArray, IntArray
from graphwell._warnings import BridgedWarning, LabelWarning, UnreachableWarning
from graphwell.active import AccuracyEstimate, Question, Session
from graphwell.active.accuracy import Checked
from graphwell.graph.layout import graph_map
from graphwell.jobs.found_labels import FoundLabels
from graphwell.jobs.shown_rows import LabelledTable
from graphwell.progress import CancelledError
from graphwell.serve.answers import CANNOT_TELL, NOTHING, SKIPPED

QUESTIONS_AHEAD = 10
GLANCED_FROM = 10_000
"""Rows from which a fit takes so long that a glance comes first."""
LONGEST_WITHOUT_A_FIT = 10.0
"""Seconds; until then a fit is given up for a newer answer."""
SECONDS_TO_END = 3.0


@dataclass(frozen=True, eq=False)
class Said:
    """Answers as they were at one moment.

    Attributes
    ----------
    number : int
        Of the last action.
    codes, weights : arrays of shape (n_rows,)
    names : tuple of str
        Of the classes, by number.
    """

    number: int
    codes: IntArray
    weights: FloatArray
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Fit:
    """What a fit found, the answers that it knew, and what they checked since the fit before."""

    said: Said
    found: FoundLabels | None
    accuracy: AccuracyEstimate | None
    checked: Mapping[int, Checked] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Glance:
    """What a first look at the answers changes: rows, and their new classes, -1 for none."""

    said: Said
    rows: IntArray
    labels: IntArray


class Refits:
    """A thread that fits whenever answers have changed, and asks what to ask next.

    Of a large table, what an answer changes at a glance is told first. A fit that is under way when the next
    answer comes is given up, unless the last one is long ago.

    Parameters
    ----------
    table : LabelledTable
    said : callable
        Returns the answers of the moment.
    on_glance, on_fit, on_questions, on_places : callable
        Told of each first look and fit, of the questions after it, and of a map once it is ready; called in
        threads.
    on_stage : callable
        Told in a few words what is being done; an empty text when nothing is.
    checked : mapping
        What answers had checked before a new start, by row.
    """

    def __init__(
        self,
        table: LabelledTable,
        said: Callable[[], Said],
        on_glance: Callable[[Glance], None],
        on_fit: Callable[[Fit], None],
        on_questions: Callable[[list[Question]], None],
        on_places: Callable[[FloatArray], None],
        on_stage: Callable[[str], None],
        checked: Mapping[int, Checked] | None = None,
    ) -> None:
        self.table = table
        self._said = said
        self._on_glance, self._on_fit = on_glance, on_fit
        self._on_questions, self._on_places = on_questions, on_places
        self._on_stage = on_stage
        self._wake = threading.Event()
        self._ended = threading.Event()
        self._threads: list[threading.Thread] = []
        self._last = no_fit(0)
        self._told, self._unfitted = self._last.said, False
        self._seen: IntArray | None = None
        self._checked = dict(checked or {})
        self._stale, self._fitted_at = threading.Event(), 0.0

    def begin(self) -> None:
        """Begin to build the graph, then to fit."""
        self._start(self._run)

    def wake(self, *, labelled: bool) -> None:
        """Say that answers have changed, and whether labels are among them."""
        if labelled and time.monotonic() - self._fitted_at < LONGEST_WITHOUT_A_FIT:
            self._stale.set()
        self._wake.set()

    def end(self) -> None:
        """End; waits a while for the fit of the moment."""
        self._ended.set()
        self._stale.set()
        self._wake.set()
        for thread in self._threads:
            thread.join(SECONDS_TO_END)

    def _start(self, work: Callable[[], None]) -> None:
        self._threads.append(threading.Thread(target=self._guarded, args=(work,), daemon=True))
        self._threads[-1].start()

    def _guarded(self, work: Callable[[], None]) -> None:
        """Do some work; what goes wrong is told to the user, who can go on answering."""
        try:
            work()
        except StoppedError:
            return
        except Exception as error:
            traceback.print_exception(error)
            self._on_stage(f"The work in the background failed: {error}")

    def _run(self) -> None:
        self._on_stage("Looking for the neighbours of every row")
        session = self.table.session()
        self._on_stage("")
        if self.table.places is None:
            self._start(lambda: self._draw(session))
        self._last = no_fit(session.n_rows)
        self._told = self._last.said
        blas = ThreadpoolController()
        self._wake.set()
        while self._wake.wait() and not self._ended.is_set():
            self._wake.clear()
            with blas.limit(limits=1, user_api="blas"):  # systems of a hundred rows: threads only wait
                self._guarded(lambda: self._follow(session))

    def _follow(self, session: Session) -> None:
        """Fit to the answers of the moment, if they are new, and ask what to ask next."""
        self._stale = threading.Event()
        said = self._said()
        if said.number != self._last.said.number:
            self._pass_on(session, said)
            try:
                fit = self._fitted(session, said)
            except CancelledError:
                return  # a newer answer has come
            self._last, self._unfitted, self._fitted_at = fit, False, time.monotonic()
            self._on_fit(fit)
        self._on_questions(next_questions(session, said))

    def _fitted(self, session: Session, said: Said) -> Fit:
        """A fit, or the last one if no label came or went."""
        if self._unfitted:
            return refit(session, said, self._stale)
        return replace(self._last, said=said, checked={})

    def _pass_on(self, session: Session, said: Said) -> None:
        """Tell the session what it has not been told; of a large table, look what that changes."""
        labelled = tell(session, self._told, said)
        self._told, self._unfitted = said, self._unfitted or labelled
        session.add_checked(self._checked)
        self._checked = {}
        if labelled and session.n_rows >= GLANCED_FROM:
            self._look(session, said)

    def _look(self, session: Session, said: Said) -> None:
        """Tell what the answers change at a glance, and what to ask if the fit takes long."""
        before = np.full(session.n_rows, NOTHING) if self._seen is None else self._seen
        self._seen = seen(session)
        rows = np.flatnonzero(self._seen != before)
        self._on_glance(Glance(said, rows, self._seen[rows]))
        self._on_questions(next_questions(session, said))

    def _draw(self, session: Session) -> None:
        """Place the rows by their graph, better than their principal components do."""

        def watched(_: str, done: float | None) -> None:
            if self._ended.is_set():
                raise StoppedError
            self._on_stage("" if done == 1 else "Drawing a better map")

        self._on_places(graph_map(session.prepared.shown, n_jobs=self.table.options.n_jobs, progress=watched))


class StoppedError(Exception):
    """The page has ended while a thread was at work."""


def no_fit(n_rows: int) -> Fit:
    """What is known before anything is said."""
    return Fit(Said(-1, np.full(n_rows, NOTHING), np.ones(n_rows), ()), None, None)


def tell(session: Session, known: Said, said: Said) -> bool:
    """Tell a session what has changed; whether labels are among it.

    Parameters
    ----------
    session : Session
        That was told everything up to `known`.
    known, said : Said
    """
    changed = np.flatnonzero((said.codes != known.codes) | (said.weights != known.weights))
    codes, weights = said.codes[changed], said.weights[changed]
    session.take_back(changed[(codes == NOTHING) | (codes == SKIPPED)])
    session.cannot_tell(changed[codes == CANNOT_TELL])
    for weight in np.unique(weights[codes >= 0]):
        these = (codes >= 0) & (weights == weight)
        session.answer(changed[these], codes[these].tolist(), weight=float(weight))
    return bool(((codes >= 0) | (known.codes[changed] >= 0)).any())


def seen(session: Session) -> IntArray:
    """Class of each row at a glance, -1 for none."""
    if not session.answers:
        return np.full(session.n_rows, NOTHING)
    return np.array([NOTHING if label is None else label for label in session.preview()])


def refit(session: Session, said: Said, stale: threading.Event) -> Fit:
    """Fit a session that knows what was said; `CancelledError` if that is stale meanwhile."""
    if not session.answers:
        return Fit(said, None, None)
    with warnings.catch_warnings():
        for told in (BridgedWarning, LabelWarning, UnreachableWarning):  # the page shows their doubt
            warnings.simplefilter("ignore", told)
        session.fit(cancel=stale)
    new = {row: check for row, check in session.checked.items() if check.age == 1}
    return Fit(said, FoundLabels.of(session.classifier), session.accuracy(), new)


def next_questions(session: Session, said: Said) -> list[Question]:
    """What to ask next, best first; rows that were skipped come when nothing else is left."""
    skipped = np.flatnonzero(said.codes == SKIPPED)
    left = int((said.codes == NOTHING).sum())
    if left == 0:
        return [Question(int(row), "skipped before") for row in skipped]
    names = dict(enumerate(said.names))
    return list(session.suggest(min(QUESTIONS_AHEAD, left), exclude=skipped, names=names).questions)
