"""The whole job on one table: read, every row labelled, the result checked and written."""

import time
import warnings
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np

from graphwell._random import stream
from graphwell._rows import labels_that_differ
from graphwell._types import BoolArray, IntArray
from graphwell.errors import BridgedWarning, LabelWarning, OptionError, Sentence, UnreachableWarning
from graphwell.graph import Graph
from graphwell.io.cells import NewColumns, Table, is_formula, text_column
from graphwell.io.files import STANDARD, written_together, written_whole
from graphwell.io.tables import open_table, opened_output, write_table
from graphwell.jobs.methods import (
    check_class_count,
    check_settings,
    compared_by,
    fit_classifier,
    has_parameter,
    make_classifier,
    told_of_classes,
)
from graphwell.jobs.options import ClassifyOptions
from graphwell.jobs.outputs import (
    check_classify_files,
    check_cluster_options,
    notes_from_warnings,
    page_bytes,
)
from graphwell.jobs.reports import ClassifyReport, Draw, RowDetails
from graphwell.jobs.score import Holdout, hide, runs_for
from graphwell.jobs.summary import summarise
from graphwell.jobs.table import ReadyRows, TableFacts, labels_left, read_rows
from graphwell.memory import limited_to
from graphwell.progress import Progress, silent

HOW_TO_COMPARE = ("features", "drop", "n_neighbors", "scale", "pca", "tune", "evidence")
"""Options that ask for another graph than one that came with the table."""


def classify(
    options: ClassifyOptions, *, draw: Draw | None = None, progress: Progress = silent
) -> ClassifyReport:
    r"""Label every row of a table.

    Files appear whole, all of them or none.

    Parameters
    ----------
    options : ClassifyOptions
    draw : callable, optional
        Draws the page of ``options.report``: `graphwell.view.report.report_page`, say.
    progress : callable
        Told the stage and the share of it that is done.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("weight,label\n4,cat\n5,\n28,\n30,dog\n")
    ...     report = classify(ClassifyOptions(table=path, n_neighbors=1))
    >>> [(count.name, count.assigned) for count in report.classes]
    [('cat', 2), ('dog', 2)]
    """
    began = time.perf_counter()
    if options.report is not None and draw is None:
        raise OptionError("report", "{field} needs a function that draws it; give draw=report_page.")
    check_classify_files(options)
    with limited_to(options.max_memory), notes_from_warnings() as notes:
        if options.cluster is None:
            report = _classify_here(options, draw, progress)
        else:
            check_cluster_options(options)
            from graphwell.jobs.classify_on_cluster import classify_on_cluster

            report = classify_on_cluster(options, draw=draw, progress=progress)
    seconds = {**report.seconds, "in all": time.perf_counter() - began}
    return replace(report, notes=(*report.notes, *notes), seconds=seconds)


def _classify_here(options: ClassifyOptions, draw: Draw | None, progress: Progress) -> ClassifyReport:
    """Read, label and write a table that fits into memory."""
    check_settings(options)
    began = time.perf_counter()
    table = open_table(
        options.table, delimiter=options.delimiter, encoding=options.encoding, decimal=options.decimal,
        progress=progress,
    )  # fmt: skip
    read = time.perf_counter() - began
    began = time.perf_counter()
    classifier = make_classifier(options)
    facts, ready = read_rows(table, options, tunes=has_parameter(type(classifier), "tune"))
    check_class_count(options.method, len(facts.classes))
    classifier.set_params(**told_of_classes(options, facts.given))
    X, notes = _compared(table, ready, options)
    prepared = time.perf_counter() - began
    y = labels_left(facts, ready)
    holdout, seconds = fitted(classifier, X, y, ready.groups, options, progress)
    scaled, scale_notes = (ready.scaled, ready.scale_notes) if X is ready.X else (None, ())
    if compared_by(classifier, scaled) is not None:
        scale_notes = ()  # one statement will do
    differ = labels_that_differ(ready.groups, y, facts.classes, np.flatnonzero(ready.kept) + 1)
    details = row_details(classifier, facts, ready)
    report = summarise(
        facts, options.method, classifier, ready.kept, details.assigned,
        seconds={"reading": read, "columns": prepared, **seconds},
        output=options.output, report=options.report, holdout=holdout, details=details, scaled=scaled,
        notes=(*ready.notes, *scale_notes, *notes, *filter(None, [differ]), *formula_notes(facts, options)),
        ask=options.suggest,
    )  # fmt: skip
    progress("writing", None)
    new = new_columns(options.label, facts.classes, details, safe=options.safe_csv)
    write_files(table, new, report, options, draw)
    return report


def _compared(table: Table, ready: ReadyRows, options: ClassifyOptions) -> tuple[Any, tuple[Sentence, ...]]:
    """What rows are compared by: a graph that came with the table, unless another way is asked for."""
    if table.usual_affinity is None or options.changed(*HOW_TO_COMPARE):
        return ready.X, ()
    affinity = table.usual_affinity.tocsr()[ready.kept][:, ready.kept]
    told = "Rows are compared by the graph in {}; {features} names columns to compare them by instead."
    return Graph.from_affinity(affinity), (Sentence(told, (table.path.name,)),)


def new_columns(
    label: str | None, classes: tuple[str, ...], rows: RowDetails, *, safe: bool = False
) -> NewColumns:
    """What is added to each row of a table."""
    names = text_column([*classes, ""])
    bridged = rows.bridged if rows.bridged.any() else None
    given = rows.given >= 0
    return NewColumns(label, names[rows.assigned], rows.score, rows.reachable, given, bridged, safe)


def formula_notes(facts: TableFacts, options: ClassifyOptions) -> list[Sentence]:
    """Warn of labels that a spreadsheet would run, where they are written as they are."""
    found = is_formula(text_column(facts.classes))
    if options.safe_csv or not found.any():
        return []
    note = "The label {!r} begins like a formula, which a spreadsheet may run; {safe_csv=True} defuses it."
    return [Sentence(note, (facts.classes[int(found.argmax())],))]


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
