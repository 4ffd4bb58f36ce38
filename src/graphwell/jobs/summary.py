"""The report on a labelled table, built in one way wherever the rows lie."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwell._types import BoolArray, IntArray
from graphwell.encoders.report import listed
from graphwell.encoders.table import Scaling
from graphwell.errors import Sentence
from graphwell.jobs.methods import compared_by, status_of, sweeps_of
from graphwell.jobs.reports import ClassCount, ClassifyReport, DoubtfulRow, RowDetails, RowToLabel
from graphwell.jobs.score import ROWS_AT_ONCE, Holdout, compare
from graphwell.jobs.table import TableFacts

if TYPE_CHECKING:
    from graphwell.active import Suggestions

MOST_DOUBTFUL = 10
ROWS_NAMED = 10


def summarise(
    facts: TableFacts,
    method: str,
    classifier: Any,
    kept: BoolArray,
    assigned: IntArray,
    *,
    seconds: Mapping[str, float],
    output: Path | None,
    report: Path | None = None,
    notes: Sequence[Sentence] = (),
    holdout: Holdout | None = None,
    details: RowDetails | None = None,
    scaled: Scaling | None = None,
    ask: int = 0,
) -> ClassifyReport:
    """Return the report on a labelled table.

    Parameters
    ----------
    facts : TableFacts
    method : str
        Name of the method.
    classifier : fitted classifier
        Its arrays may lie on a cluster.
    kept : array of shape (n_rows,)
        Which rows were fitted.
    assigned : array of shape (n_rows,)
        Class found for each row, -1 for none.
    seconds, output, holdout, details
        As in `ClassifyReport`.
    scaled : Scaling, optional
        The scale that the rows were given before the fit, and why.
    report : Path, optional
        File for the page.
    notes : sequence of Sentence
        Further ones, after those of the table.
    ask : int
        How many rows to label next to choose.
    """
    reachable = in_memory(classifier.reachable_)
    components = classifier.graph_.components
    given, truth, bridges = facts.given.codes, facts.truth, classifier.graph_.bridges
    return ClassifyReport(
        table=facts.path,
        rows=facts.n_rows,
        rows_left_out=int((~kept).sum()),
        features=facts.features,
        columns=facts.treatments,
        labels_given=int((given >= 0).sum()),
        classes=count_classes(facts.classes, given, assigned),
        components=classifier.graph_.n_components,
        components_without_labels=len(np.unique(components[~reachable])),
        unreachable_rows=int((~reachable).sum()),
        bridged_rows=0 if bridges is None else int(bridges.rows.sum()),
        calibrated=bool(classifier.calibrated_),
        sweeps=sweeps_of(classifier),
        status=status_of(classifier, method),
        compared_by=compared_by(classifier, scaled),
        holdout=holdout,
        comparison=None if truth is None else compare(assigned, given, truth.codes, truth.names),
        doubtful=doubtful_rows(facts, classifier, kept, reachable),
        to_label=next_rows(classifier, facts.classes, given, kept, facts.ids, ask),
        notes=(*facts.notes, *notes, *_unreached(components, reachable, kept), *_bridged(bridges, kept)),
        seconds=seconds,
        output=output,
        files=tuple(path for path in (output, report) if path is not None),
        details=details,
    )


def count_classes(names: Sequence[str], given: IntArray, assigned: IntArray) -> tuple[ClassCount, ...]:
    """How many rows have each class, given and assigned; -1 stands for none.

    Examples
    --------
    >>> count_classes(["a", "b"], np.array([0, -1, -1]), np.array([0, 1, -1]))
    (ClassCount(name='a', given=1, assigned=1), ClassCount(name='b', given=0, assigned=1))
    """
    counts = (_counts(codes, len(names)).tolist() for codes in (given, assigned))
    return tuple(ClassCount(*of_class) for of_class in zip(names, *counts, strict=True))


def _counts(codes: IntArray, n: int) -> IntArray:
    """How often each number occurs, some rows at a time."""
    found = np.zeros(n, dtype=np.int64)
    for first in range(0, len(codes), ROWS_AT_ONCE):
        part = codes[first : first + ROWS_AT_ONCE]
        found += np.bincount(part[part >= 0], minlength=n)
    return found


def doubtful_rows(
    facts: TableFacts, classifier: Any, kept: BoolArray, reachable: BoolArray
) -> tuple[DoubtfulRow, ...]:
    """The labelled rows to look at first, with the two classes they lie between."""
    by_doubt = classifier.doubtful(int((~reachable).sum()) + MOST_DOUBTFUL)
    fitted = by_doubt[reachable[by_doubt]][:MOST_DOUBTFUL]
    rows = np.flatnonzero(kept)[fitted]
    scores = in_memory(classifier.label_distributions_[fitted])
    ranked = np.argsort(-scores, axis=1, kind="stable")[:, :2]
    return tuple(
        DoubtfulRow(
            row=int(row) + 1,
            id=None if facts.ids is None else str(facts.ids[row]),
            given=bool(facts.given.codes[row] >= 0),
            label=facts.classes[first],
            score=round(float(of_row[first]), 4),
            second=facts.classes[second],
            second_score=round(float(of_row[second]), 4),
        )
        for row, of_row, (first, second) in zip(rows, scores, ranked, strict=True)
    )


def in_memory(array: Any) -> Any:
    """An array that may lie on a cluster, here.

    Examples
    --------
    >>> in_memory(np.arange(2))
    array([0, 1])
    """
    return array.compute() if hasattr(array, "compute") else array


def _unreached(components: IntArray, reachable: BoolArray, kept: BoolArray) -> list[Sentence]:
    lost = np.flatnonzero(~reachable)
    if len(lost) == 0:
        return []
    firsts = lost[np.unique(components[~reachable], return_index=True)[1]]
    rows = sorted(np.flatnonzero(kept)[firsts] + 1)
    where = "one part" if len(rows) == 1 else f"{len(rows):,} parts"
    note = (
        "{:,} rows lie in {} of the graph without any label and got none; label one of each (row {}), "
        "or link more rows with a larger {n_neighbors}."
    )
    return [Sentence(note, (len(lost), where, listed([str(row) for row in rows])))]


def _bridged(bridges: Any, kept: BoolArray) -> list[Sentence]:
    if bridges is None:
        return []
    rows = np.flatnonzero(kept)[np.unique(bridges.near)[:ROWS_NAMED]] + 1
    where = "one part" if bridges.n_parts == 1 else f"{bridges.n_parts:,} parts"
    note = Sentence(
        "{:,} rows lie in {} of the graph without any label; they were joined to the nearest part "
        "by their shortest distances and are the least certain. Label some of them (row {}).",
        (int(bridges.rows.sum()), where, listed([str(row) for row in rows])),
    )
    return [note if bridges.cause is None else note.followed_by(bridges.cause)]


def rows_to_label(found: "Suggestions", kept: BoolArray, ids: Any = None) -> tuple[RowToLabel, ...]:
    """Suggestions as rows of a table of which only some were compared.

    Examples
    --------
    >>> from graphwell.active import Question, Suggestions
    >>> found = Suggestions((Question(1, "border"),), "margin")
    >>> rows_to_label(found, np.array([True, False, True]))
    (RowToLabel(row=3, id=None, reason='border'),)
    """
    rows = np.flatnonzero(kept)[found.rows]
    return tuple(
        RowToLabel(int(row) + 1, None if ids is None else str(ids[row]), reason)
        for row, reason in zip(rows, found.reasons, strict=True)
    )


def next_rows(
    classifier: Any,
    classes: Sequence[str],
    given: IntArray,
    kept: BoolArray,
    ids: Any = None,
    n: int = 10,
) -> tuple[RowToLabel, ...]:
    """Up to `n` rows to label next after a fit on class numbers, best first."""
    from graphwell.active import suggest

    n = min(n, int((given[kept] < 0).sum()))
    if n == 0:
        return ()
    found = suggest(classifier, n=n, random_state=0, names=dict(enumerate(classes)))
    return rows_to_label(found, kept, ids)
