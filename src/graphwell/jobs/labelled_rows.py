"""The rows of a table labelled, and the files of it written: what `classify` does once the input is good."""

import time
import warnings
from contextlib import ExitStack
from typing import Any

import numpy as np

from graphwell._random import stream
from graphwell._types import BoolArray, IntArray
from graphwell.errors import BridgedWarning, LabelWarning, Sentence, UnreachableWarning
from graphwell.io.files import written_together, written_whole
from graphwell.io.standard import STANDARD
from graphwell.io.tables.base import NewColumns, Table, opened_output, write_table
from graphwell.io.tables.cells import is_formula, text_column
from graphwell.jobs.facts import TableFacts
from graphwell.jobs.methods import fit_classifier
from graphwell.jobs.options import ClassifyOptions
from graphwell.jobs.outputs import page_bytes
from graphwell.jobs.preprocess import ReadyRows
from graphwell.jobs.reports import ClassifyReport, Draw, RowDetails
from graphwell.jobs.score import Holdout, hide, runs_for
from graphwell.progress import Progress


def new_columns(
    label: str | None, classes: tuple[str, ...], rows: RowDetails, *, safe: bool = False
) -> NewColumns:
    """What is added to each row of a table."""
    names = text_column([*classes, ""])
    bridged = rows.bridged if rows.bridged.any() else None
    given = rows.given >= 0
    return NewColumns(label, names[rows.assigned], rows.score, rows.reachable, given, bridged, safe)


def formula_notes(classes: tuple[str, ...], options: ClassifyOptions) -> list[Sentence]:
    """Warn of labels that a spreadsheet would run, where they are written as they are."""
    found = is_formula(text_column(classes))
    if options.safe_csv or not found.any():
        return []
    note = "The label {!r} begins like a formula, which a spreadsheet may run; {safe_csv=True} defuses it."
    return [Sentence(note, (classes[int(found.argmax())],))]


def fitted(
    classifier: Any, X: Any, y: IntArray, groups: IntArray, options: ClassifyOptions, progress: Progress
) -> tuple[Holdout | None, dict[str, float]]:
    """Fit the classifier, after a run with hidden labels if one is asked for; accuracy there, and times."""
    held, neighbours, seconds = None, 0.0, {}
    with warnings.catch_warnings():
        for told in (BridgedWarning, LabelWarning, UnreachableWarning):  # the report says it in its words
            warnings.simplefilter("ignore", told)
        if options.holdout is not None:
            began = time.perf_counter()
            held, trial = _hold_out(classifier, X, y, groups, options.holdout, options.seed, progress)
            if not hasattr(trial, "tuning_"):  # a metric chosen without the hidden labels is not theirs
                X, neighbours = trial.graph_, trial.timings_["graph"]
            seconds["holdout"] = time.perf_counter() - began - neighbours
        fit_classifier(classifier, X, y, options.checkpoint, progress)
    stages = dict(classifier.timings_)
    return held, {"neighbours": neighbours + stages.pop("graph"), **seconds, **stages}


def _hold_out(
    classifier: Any, X: Any, y: IntArray, groups: IntArray, share: float, seed: int, progress: Progress
) -> tuple[Holdout, Any]:
    """Accuracy on hidden labels, in several runs where each hides few; and the classifier of the last run."""
    from sklearn.base import clone

    rng = stream(seed, "holdout")
    first = hide(y, share, rng, groups)
    n_runs = runs_for(len(np.unique(groups[first])))
    runs = [first, *(hide(y, share, rng, groups) for _ in range(n_runs - 1))]
    told = lambda stage, done: progress(f"{stage} (holdout)", done)  # noqa: E731
    right, asked = 0, np.zeros(len(y), dtype=np.int64)
    for hidden in runs:
        trial = fit_classifier(clone(classifier), X, np.where(hidden, -1, y), None, told)
        if not hasattr(trial, "tuning_"):  # the graph of a metric that others chose is not used again
            X = trial.graph_
        right += int(((trial.transduction_ == y) & trial.reachable_)[hidden].sum())
        asked += hidden
    return Holdout(right, int(asked.sum()), len(runs), len(np.unique(groups[asked > 0]))), trial


def row_details(classifier: Any, facts: TableFacts, ready: ReadyRows) -> RowDetails:
    """Class, score and reachability of every row; rows that were left out or not reached have none."""
    n = facts.n_rows
    assigned, score = np.full(n, -1), np.full(n, np.nan)
    reachable, bridged = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    reached: BoolArray = classifier.reachable_
    reachable[ready.kept], bridged[ready.kept] = reached, classifier.bridged_
    assigned[reachable] = classifier.transduction_[reached]
    score[reachable] = classifier.label_distributions_.max(axis=1)[reached]
    result = getattr(classifier, "result_", None)
    rows = (facts.given.codes, assigned, score, reachable, bridged, ready.kept, ready.X)
    return RowDetails(*rows, result, classifier.graph_)


def write_files(
    table: Table, new: NewColumns, report: ClassifyReport, options: ClassifyOptions, draw: Draw | None
) -> None:
    """Write the table and the page: both, or neither."""
    with ExitStack() as shown, written_together() as held:
        if options.output is not None:
            place = shown if options.output == STANDARD else held
            write_table(table, new, options.output, place.enter_context(opened_output(options.output)))
        if options.report is not None and draw is not None:
            held.enter_context(written_whole(options.report)).write(page_bytes(draw(report)))
