"""A table labelled: read, fitted, compared with the truth where it is known, and written."""

import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._checks import one_of
from graphwell._rows import fetched, labels_that_differ
from graphwell._types import IntArray
from graphwell.active import Suggestions
from graphwell.active import suggest as choose
from graphwell.encoders.report import Treatment, listed
from graphwell.encoders.table import TableEncoder
from graphwell.errors import (
    BridgedWarning,
    LabelWarning,
    OptionError,
    Sentence,
    UnreachableWarning,
    Words,
    counted,
    in_python,
)
from graphwell.estimators.registry import DEFAULT, methods
from graphwell.estimators.tuning.metrics import CANDIDATES
from graphwell.graph import Graph
from graphwell.io.cells import NewColumns, is_formula, text_column
from graphwell.io.files import STANDARD, folder_written_whole, written_together, written_whole
from graphwell.io.tables import format_of, opened_output, write_table
from graphwell.jobs.report import (
    LIKELY_WRONG,
    ClassifyReport,
    DoubtfulRow,
    Estimate,
    Found,
    LabelIssue,
    RowDetails,
    RowToLabel,
    compare_with_truth,
    count_classes,
)
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
ROWS_NAMED = 10
"""In a note; and uncertain rows in a report."""


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
        of_classes = {"classes": self.classes, "class_prior": self.class_prior}
        refused = [name for name in given if name not in parameters]
        refused += [name for name, value in of_classes.items() if value and name not in parameters]
        refused += ["check_labels"] if self.check_labels and "models" not in parameters else []
        for name in refused:
            close = get_close_matches(name, parameters, n=1, cutoff=0.8)
            instead = "did you mean {}?" if close else "leave it out."
            problem = "{field} means nothing to the method {!r}; " + instead
            raise OptionError(name, problem, method.name, *close)
        return method(**given, **({"random_state": self.seed} if "random_state" in parameters else {}))


def classify(
    options: ClassifyOptions, *, words: Words = in_python, progress: Progress = silent
) -> ClassifyReport:
    r"""Label every row of a table, as a fit of the data frame does.

    Files appear whole, all of them or none; `words` names options on the page of ``options.report``.

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
    of_files = is_folder(options.table)
    if not of_files:
        format_of(options.table, "table")
    if options.sort_into is not None and not of_files:
        raise OptionError("sort_into", "{field} is for a folder of files; {} is none.", options.table)
    if options.sort_into is not None and options.sort_into.exists():
        raise OptionError("sort_into", "{field} {} is there already; name a new folder.", options.sort_into)
    check_files(options.table, output=options.output, report=options.report)
    with limited_to(options.max_memory), notes_from_warnings() as warned:
        classifier = options.classifier()
        rows = open_rows(options, progress)
        read = time.perf_counter() - began
        report, new = label_rows(rows, classifier, progress)
        report = replace(report, seconds={"reading": read, **report.seconds})
        progress("writing", None)
        report = replace(report, notes=(*warned(), *report.notes))
        with ExitStack() as shown, written_together() as held:
            if options.sort_into is not None:
                from graphwell.jobs.folder import sort_files

                sort_files(rows.table, new.label, held.enter_context(folder_written_whole(options.sort_into)))
            if options.output is not None:
                place = shown if options.output == STANDARD else held
                write_table(
                    rows.table, new, options.output, place.enter_context(opened_output(options.output))
                )
            if options.report is not None:
                from graphwell.jobs.page import report_page

                held.enter_context(written_whole(options.report)).write(report_page(report, words))
    return replace(report, seconds={**report.seconds, "in all": time.perf_counter() - began})


def label_rows(rows: TableRows, classifier: Any, progress: Progress) -> tuple[ClassifyReport, NewColumns]:
    """Fit the classifier; what it found, and the new columns of the table."""
    options, labels, n = rows.options, rows.labels, rows.table.n_rows
    classifier.set_params(**class_sizes(options, rows))
    X, encoder, notes = _compared(rows, options)
    fit(classifier, X, labels, progress)
    encoder, points = encoder or classifier.encoder_, None
    if not isinstance(X, Graph):
        points = encoder.transform(X) if X is rows.frame else X
        groups, of_copies = copies(points) if labels.groups is None else (labels.groups, [])
        differ = labels_that_differ(groups, labels.codes, rows.classes, np.arange(n) + 1)
        notes += [*of_copies, *([] if differ is None else [differ])]

    # The new columns: class, score and reachability of every row.
    reachable, bridged = classifier.reachable_, classifier.bridged_
    assigned = np.where(reachable, np.searchsorted(labels.classes, classifier.transduction_), -1)
    score = np.where(reachable, classifier.label_distributions_.max(axis=1), np.nan)
    names = text_column([*rows.classes, ""])
    new = NewColumns(
        options.label, names[assigned], score, reachable, labels.codes >= 0,
        bridged if bridged.any() else None, safe=options.safe_csv,
    )  # fmt: skip
    if options.check_labels and classifier.label_issues_ is not None:
        issues, suggested, given_score = classifier.label_issues_, np.full(n, -1), np.full(n, np.nan)
        suggested[issues["row"]] = np.searchsorted(labels.classes, issues["suggested"])
        given_score[issues["row"]] = issues["probability"]
        new = replace(new, suggested=names[suggested], given_score=given_score)

    files = None if rows.table.vectors is None else rows.table.text("path")
    shown = points if options.report else None
    details = RowDetails(
        labels.codes, assigned, score, reachable, bridged, rows.ids, files, shown, classifier.graph_
    )
    stages = dict(classifier.timings_)
    report = summarise(
        rows, classifier, assigned, columns=rows.columns(encoder), features=tuple(encoder.encoders_),
        seconds={"neighbours": stages.pop("graph"), **stages}, encoder=encoder,
        notes=[*notes, *encoder.notes_], details=details,
    )  # fmt: skip
    return report, new


def class_sizes(options: ClassifyOptions, rows: TableRows) -> dict[str, Any]:
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
            problem = (
                "{field} names the class {!r}, which no label has; correct it, or name it in {classes} too."
            )
            raise OptionError("class_prior", problem, name)
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


def fit(classifier: Any, X: Any, y: Any, progress: Progress) -> Any:
    """Fit a classifier, which tells its progress where it can."""
    told = {"progress": progress} if "progress" in signature(classifier.fit).parameters else {}
    if not told:
        progress("fitting", None)
    with warnings.catch_warnings():
        for kind in (BridgedWarning, LabelWarning, UnreachableWarning):  # the report names rows of the table
            warnings.simplefilter("ignore", kind)
        return classifier.fit(X, y, **told)


# --------------------------------------------------------------------------------------------- the report


def summarise(
    rows: TableRows,
    classifier: Any,
    assigned: IntArray,
    *,
    columns: tuple[Treatment, ...],
    features: tuple[str, ...],
    seconds: Mapping[str, float],
    encoder: TableEncoder | None = None,
    notes: Sequence[Sentence] = (),
    details: RowDetails | None = None,
) -> ClassifyReport:
    """Put the report together."""
    options, given, truth = rows.options, rows.given.codes, rows.truth
    graph, result = classifier.graph_, getattr(classifier, "result_", None)
    reachable = fetched(classifier.reachable_)
    summary = methods()[options.method].summary
    to_label: tuple[RowToLabel, ...] = ()  # best first
    n = min(options.suggest, int((given < 0).sum()))
    if n > 0:
        named = dict(zip(classifier.classes_.tolist(), rows.classes, strict=True))
        to_label = rows_to_label(choose(classifier, n=n, random_state=0, names=named), rows)
    return ClassifyReport(
        table=rows.table.path,
        rows=rows.table.n_rows,
        rows_labelled=int(((assigned >= 0) & (given < 0)).sum()),
        features=features,
        columns=columns,
        labels_given=int((given >= 0).sum()),
        classes=count_classes(rows.classes, given, assigned),
        components=graph.n_components,
        components_without_labels=len(np.unique(graph.components[~reachable])),
        unreachable_rows=int((~reachable).sum()),
        bridged_rows=0 if graph.bridges is None else int(graph.bridges.rows.sum()),
        calibrated=bool(classifier.calibrated_),
        sweeps=int(getattr(classifier, "n_iter_", 0)),
        status=f"Method {options.method}: {summary}." if result is None else str(result.status.value),
        compared_by=_compared_by(classifier, encoder),
        estimate=_estimate(classifier),
        truth=None if truth is None else compare_with_truth(assigned, given, truth.codes, truth.names),
        doubtful=_doubtful(rows, classifier, reachable),
        to_label=to_label,
        label_issues=_label_issues(rows, classifier) if options.check_labels else None,
        notes=(*rows.notes, *notes, *_warnings(rows, graph, reachable)),
        seconds=seconds,
        output=options.output,
        files=tuple(path for path in (options.output, options.report, options.sort_into) if path is not None),
        details=details,
    )


def _compared_by(classifier: Any, encoder: TableEncoder | None) -> str | None:
    """How rows are compared, in words: scaled before, then as was tuned; None where nobody chose."""
    scaled, tuning = None if encoder is None else encoder.scaling_, getattr(classifier, "tuning_", None)
    if scaled is None:
        return None if tuning is None else str(tuning)
    if tuning is not None and tuning.metric == "plain":
        return str(replace(tuning, metric=scaled.name, why=scaled.why))
    before = f"{CANDIDATES[scaled.name].summary} ({scaled.why})"
    return before if tuning is None else f"{before}, then {tuning}"


def _estimate(classifier: Any) -> Estimate | None:
    """The accuracy that the fit estimates, where labels could be held out."""
    share, tuning = getattr(classifier, "accuracy_", None), getattr(classifier, "tuning_", None)
    if share is None or tuning is None:
        return None
    held, n = tuning.held_out, len(classifier.classes_)
    of, right = np.bincount(held.labels, minlength=n), np.bincount(held.labels[held.correct], minlength=n)
    low, high = classifier.accuracy_interval_
    by_class = tuple(map(Found, right.tolist(), of.tolist()))
    return Estimate(round(share, 4), (round(low, 4), round(high, 4)), by_class)


def _doubtful(rows: TableRows, classifier: Any, reachable: Any) -> tuple[DoubtfulRow, ...]:
    """The labelled rows to look at first, with the two classes they lie between."""
    by_doubt = classifier.doubtful(int((~reachable).sum()) + ROWS_NAMED)
    fitted = by_doubt[reachable[by_doubt]][:ROWS_NAMED]
    found = []
    for row, scores in zip(fitted.tolist(), fetched(classifier.label_distributions_[fitted]), strict=True):
        first, second = np.argsort(-scores, kind="stable")[:2].tolist()
        likeliest = rows.classes[first], round(float(scores[first]), 4)
        other = rows.classes[second], round(float(scores[second]), 4)
        found.append(DoubtfulRow(*rows.name_of(row), bool(rows.given.codes[row] >= 0), *likeliest, *other))
    return tuple(found)


def _label_issues(rows: TableRows, classifier: Any) -> tuple[LabelIssue, ...]:
    """The given labels that look wrong, worst first."""
    issues = classifier.label_issues_
    if issues is None:
        problem = (
            "{field}: no label could be held out; give two labels of each class, and leave out models=None."
        )
        raise OptionError("check_labels", problem)
    named = dict(zip(rows.given.labels.classes.tolist(), rows.classes, strict=True))
    return tuple(
        LabelIssue(
            *rows.name_of(each.row), named[each.label], round(each.probability, 4),
            named[each.suggested], round(each.suggested_probability, 4),
        )
        for each in issues[issues["probability"] < LIKELY_WRONG].itertuples()
    )  # fmt: skip


def rows_to_label(found: Suggestions, rows: TableRows) -> tuple[RowToLabel, ...]:
    """Suggestions as rows of the table."""
    return tuple(RowToLabel(*rows.name_of(row), why) for row, why in zip(found, found.reasons, strict=True))


def _warnings(rows: TableRows, graph: Any, reachable: Any) -> list[Sentence]:
    """Sentences on labels that a spreadsheet would run, and on components of the graph without any label."""
    found = []
    formulas = is_formula(text_column(rows.classes))
    if formulas.any() and not rows.options.safe_csv:
        note = (
            "The label {!r} begins like a formula, which a spreadsheet may run; {safe_csv=True} defuses it."
        )
        found.append(Sentence(note, (rows.classes[int(formulas.argmax())],)))
    lost = np.flatnonzero(~reachable)
    if len(lost):
        firsts = np.sort(lost[np.unique(graph.components[lost], return_index=True)[1]]) + 1
        note = (
            "{} in {} of the graph without any label and got none; label one of each (row {}), "
            "or link more rows with a larger {n_neighbors}."
        )
        where = counted(len(lost), "row lies", "rows lie"), counted(len(firsts), "component")
        found.append(Sentence(note, (*where, listed(list(map(str, firsts))))))
    if graph.bridges is not None:
        n, n_parts, cause = int(graph.bridges.rows.sum()), graph.bridges.n_parts, graph.bridges.cause
        named = np.unique(graph.bridges.near)[:ROWS_NAMED] + 1
        note = (
            "{} in {} of the graph without any label; they were connected to the nearest one "
            "by their shortest distances and are the least certain. Label some of them (row {})."
        )
        where = counted(n, "row lies", "rows lie"), counted(n_parts, "component")
        told = Sentence(note, (*where, listed(list(map(str, named)))))
        found.append(told if cause is None else told.followed_by(cause))
    return found
