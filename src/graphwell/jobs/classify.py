"""A table labelled: read, fitted, compared with the truth where it is known, and written."""

import time
import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._checks import one_of
from graphwell._rows import labels_that_differ
from graphwell.encoders.table import TableEncoder
from graphwell.errors import (
    BridgedWarning,
    LabelWarning,
    OptionError,
    Sentence,
    UnreachableWarning,
    Words,
    in_python,
)
from graphwell.estimators.registry import DEFAULT, methods
from graphwell.graph import Graph
from graphwell.io.files import STANDARD, folder_written_whole, written_out, written_together, written_whole
from graphwell.io.tables import write_table
from graphwell.jobs.report import Report
from graphwell.jobs.summary import Labelled, new_columns, page_of, report_of
from graphwell.jobs.table import (
    TableOptions,
    TableRows,
    check_files,
    class_number,
    copies,
    is_folder,
    notes_from_warnings,
    open_rows,
)
from graphwell.memory import limited_to
from graphwell.progress import Progress, silent

ClassSizes = str | Mapping[str, float | tuple[float, float]] | None
HOW_TO_COMPARE = ("metric", "models", "scale_neighbor")
"""Parameters that ask for another graph than one that came with the table."""


@dataclass(frozen=True, kw_only=True)
class ClassifyOptions(TableOptions):
    """How to label the rows of a table."""

    output: Path | None = None  # file for the labelled table
    report: Path | None = None  # file for a page with pictures
    method: str = DEFAULT  # one of `graphwell.methods()`
    class_prior: ClassSizes = None  # "auto", "labels", or by name a share or a pair (lowest, highest)
    device: str = "cpu"
    safe_csv: bool = False  # put an apostrophe before text that a spreadsheet would run as a formula
    sort_into: Path | None = None  # new folder that gets links to the files of a folder, by class
    suggest: int = 0  # how many rows to label next to name
    check_labels: bool = False  # say which given labels look wrong, in the report and in two more columns
    parameters: Mapping[str, Any] = field(default_factory=dict)  # further ones of the method's classifier

    def classifier(self) -> Any:
        """The method's classifier, unfitted; what it has no parameter for is refused."""
        known = methods()
        method = known[one_of("method", self.method, known)]
        made: Any = method.classifier
        parameters = made().get_params()
        given = {"n_neighbors": self.n_neighbors, "n_jobs": self.n_jobs, **self.parameters}
        given |= {} if self.device == "cpu" else {"device": self.device}
        refused = [name for name in given if name not in parameters]
        refused += ["class_prior"] if self.class_prior and "class_prior" not in parameters else []
        refused += ["check_labels"] if self.check_labels and "models" not in parameters else []
        if "classes" in given:  # of the estimator
            problem = "{field}: classes without any label can be named in Python alone; leave it out."
            raise OptionError("classes", problem)
        for name in refused:
            if name in ("tune", "evidence", "calibrate") and "models" in parameters:
                problem = "{field} is an earlier name of {models}; {models=none} is the graph alone."
                raise OptionError(name, problem)
            close = get_close_matches(name, parameters, n=1, cutoff=0.8)
            instead = "did you mean {}?" if close else "leave it out."
            problem = "{field} means nothing to the method {!r}; " + instead
            raise OptionError(name, problem, method.name, *close)
        return method(**given, **({"random_state": self.seed} if "random_state" in parameters else {}))


def classify(options: ClassifyOptions, *, words: Words = in_python, progress: Progress = silent) -> Report:
    """Label every row of a table, as a fit of the data frame does.

    Files appear whole, all of them or none; `words` names options on the page of ``options.report``.
    """
    began = time.perf_counter()
    classifier, of_files = options.classifier(), is_folder(options.table)
    if options.sort_into is not None and not of_files:
        raise OptionError("sort_into", "{field} is for a folder of files; {} is none.", options.table)
    if options.sort_into is not None and options.sort_into.exists():
        raise OptionError("sort_into", "{field} {} is there already; name a new folder.", options.sort_into)
    check_files(options.table, output=options.output, report=options.report)
    with limited_to(options.max_memory), notes_from_warnings() as warned:
        rows = open_rows(options, progress)
        read = time.perf_counter() - began
        found, notes = fit(classifier, rows, progress)
        report, new = report_of(found), new_columns(found)
        seconds = {"reading": read, **report.seconds}
        report = replace(
            report, notes=(*warned(), *rows.notes, *notes, *report.notes), seconds=seconds, added=new
        )
        progress("writing", None)
        with ExitStack() as shown, written_together() as held:
            if options.sort_into is not None:
                from graphwell.jobs.folder import sort_files

                folder = held.enter_context(folder_written_whole(options.sort_into))
                sort_files(rows.table, new.label, folder)
            if options.output is not None:
                place = shown if options.output == STANDARD else held
                file = place.enter_context(written_out(options.output))
                write_table(rows.table, new, options.output, file)
            if options.report is not None:
                held.enter_context(written_whole(options.report)).write(page_of(found, report, words))
    return replace(report, seconds={**report.seconds, "in all": time.perf_counter() - began})


# ------------------------------------------------------------------------------------------------- the fit


def fit(classifier: Any, rows: TableRows, progress: Progress) -> tuple[Labelled, list[Sentence]]:
    """Fit a classifier to a table; what should be said of its rows."""
    options, labels = rows.options, rows.labels
    classifier.set_params(**_class_sizes(options, rows))
    X, encoder, notes = _compared(rows, options)
    told = {"progress": progress} if "progress" in signature(classifier.fit).parameters else {}
    if not told:
        progress("fitting", None)
    with warnings.catch_warnings():
        for kind in (BridgedWarning, LabelWarning, UnreachableWarning):  # the report names rows of the table
            warnings.simplefilter("ignore", kind)
        classifier.fit(X, labels, **told)
    encoder, points = encoder or classifier.encoder_, None
    if not isinstance(X, Graph):
        points = encoder.transform(X) if X is rows.frame else X
        groups, of_copies = copies(points) if labels.groups is None else (labels.groups, [])
        numbers = np.arange(rows.table.n_rows) + 1
        differ = labels_that_differ(groups, labels.codes, rows.classes, numbers)
        notes += [*of_copies, *([] if differ is None else [differ])]
    reachable = classifier.reachable_
    assigned = np.where(reachable, np.searchsorted(labels.classes, classifier.transduction_), -1)
    score = np.where(reachable, classifier.label_distributions_.max(axis=1), np.nan)
    return Labelled(rows, classifier, encoder, points, assigned, score), notes


def _class_sizes(options: ClassifyOptions, rows: TableRows) -> dict[str, Any]:
    """The parameter `class_prior` of a classifier, by the classes as they are in the labels."""
    prior, most = options.class_prior, methods()[options.method].most_classes
    if most is not None and len(rows.classes) > most:
        problem = "{field} {!r} tells at most {} classes apart, but {} are given; choose another method."
        raise OptionError("method", problem, options.method, most, len(rows.classes))
    if prior is None or prior in ("auto", "labels"):
        return {} if prior is None else {"class_prior": prior}
    if isinstance(prior, str):
        problem = "{field} must be auto, labels or sizes by class, got {!r}."
        raise OptionError("class_prior", problem, prior)
    values, sizes = rows.given.labels.classes.tolist(), {}
    for name, size in prior.items():
        number = class_number(name, rows.classes)
        if number is None:
            raise OptionError("class_prior", "{field} names the class {!r}, which no label has.", name)
        sizes[values[number]] = size
    return {"class_prior": sizes}


def _compared(rows: TableRows, options: ClassifyOptions) -> tuple[Any, TableEncoder | None, list[Sentence]]:
    """The rows to fit: the data frame; a matrix, where the user says how to encode columns; or a graph."""
    affinity = rows.table.usual_affinity
    says_how = options.features or options.drop or options.n_neighbors != TableOptions.n_neighbors
    says_how = says_how or not options.parameters.keys().isdisjoint(HOW_TO_COMPARE)
    if affinity is None or says_how or not options.leaves_columns_to_the_fit:
        if options.leaves_columns_to_the_fit:
            return rows.frame, None, []
        encoder, X = rows.encoded(scale=True)
        return X, encoder, []
    note = "Rows are compared by the graph in {}; {features} names columns to compare them by instead."
    told = Sentence(note, (rows.table.path.name,))
    return Graph.from_affinity(affinity), rows.encoded()[0], [told]
