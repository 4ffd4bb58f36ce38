"""The whole job on one table: columns chosen, features prepared, every row labelled, the result checked."""

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwell._rows import labels_that_differ
from graphwell.errors import OptionError, Sentence
from graphwell.io.tables.base import Table, open_table
from graphwell.jobs.class_sizes import told_of_classes
from graphwell.jobs.cluster_options import check_cluster_options
from graphwell.jobs.methods import check_class_count, check_settings, compared_by, make_classifier
from graphwell.jobs.options import ClassifyOptions
from graphwell.jobs.outputs import check_classify_files, notes_from_warnings
from graphwell.jobs.preprocess import ReadyRows, preprocess
from graphwell.jobs.rows import labels_left, read_columns
from graphwell.memory import limited_to
from graphwell.progress import Progress, silent

if TYPE_CHECKING:
    from graphwell.jobs.reports import ClassifyReport, Draw

HOW_TO_COMPARE = ("features", "drop", "n_neighbors", "scale", "pca", "tune", "evidence")
"""Options that ask for another graph than one that came with the table."""


def classify(
    options: ClassifyOptions, *, draw: "Draw | None" = None, progress: Progress = silent
) -> "ClassifyReport":
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


def _classify_here(options: ClassifyOptions, draw: "Draw | None", progress: Progress) -> "ClassifyReport":
    """Read, label and write a table that fits into memory."""
    roles, how = options.roles, options.preprocessing
    check_settings(options)
    began = time.perf_counter()
    table = open_table(
        options.table, delimiter=options.delimiter, encoding=options.encoding, progress=progress
    )
    read = time.perf_counter() - began
    began = time.perf_counter()
    facts, features = read_columns(table, options)
    check_class_count(options.method, len(facts.classes))
    about_classes = told_of_classes(options, facts.given)
    ready = preprocess(features.X, features.outputs, how, options.seed, features.kinds)
    classifier = make_classifier(options).set_params(**about_classes)
    X, notes = _compared(table, ready, options)
    prepared = time.perf_counter() - began
    y = labels_left(facts, ready)
    from graphwell.jobs.labelled_rows import fitted, formula_notes, new_columns, row_details, write_files
    from graphwell.jobs.summary import summarise  # both not before the input is known to be good

    holdout, seconds = fitted(classifier, X, y, ready.groups, options, progress)
    scaled, scale_notes = (ready.scaled, ready.scale_notes) if X is ready.X else (None, ())
    if compared_by(classifier, scaled) is not None:
        scale_notes = ()  # one statement will do
    differ = labels_that_differ(ready.groups, y, facts.classes, np.flatnonzero(ready.kept) + 1)
    formulas = formula_notes(facts.classes, options)
    details = row_details(classifier, facts, ready)
    report = summarise(
        facts, options.method, classifier, ready.kept, details.assigned,
        seconds={"reading": read, "columns": prepared, **seconds},
        output=options.output, report=options.report, holdout=holdout, details=details, scaled=scaled,
        notes=(*ready.notes, *scale_notes, *notes, *filter(None, [differ]), *formulas),
    )  # fmt: skip
    progress("writing", None)
    new = new_columns(roles.label, facts.classes, details, safe=options.safe_csv)
    write_files(table, new, report, options, draw)
    return report


def _compared(table: Table, ready: ReadyRows, options: ClassifyOptions) -> tuple[Any, tuple[Sentence, ...]]:
    """What rows are compared by: a graph that came with the table, unless another way is asked for."""
    if table.usual_affinity is None or options.changed(*HOW_TO_COMPARE):
        return ready.X, ()
    affinity = table.usual_affinity.tocsr()[ready.kept][:, ready.kept]
    told = "Rows are compared by the graph in {}; {features} names columns to compare them by instead."
    from graphwell.graph import Graph  # numba takes long to import

    return Graph.from_affinity(affinity), (Sentence(told, (table.path.name,)),)
