"""A table labelled: read, fitted, checked against labels that are known, and written."""

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from graphwell._checks import one_of
from graphwell._rows import labels_that_differ, one_of_each
from graphwell._types import IntArray
from graphwell.active import Suggestions
from graphwell.active import suggest as choose
from graphwell.active.suggest import fetched
from graphwell.encoders.report import Treatment, listed
from graphwell.encoders.table import TableEncoder
from graphwell.errors import BridgedWarning, LabelWarning, OptionError, Sentence, UnreachableWarning
from graphwell.estimators.labels import Labels
from graphwell.estimators.registry import DEFAULT, methods
from graphwell.estimators.tuning.metrics import CANDIDATES
from graphwell.graph import Graph
from graphwell.io.cells import NewColumns, is_formula, text_column
from graphwell.io.files import STANDARD, folder_written_whole, written_together, written_whole
from graphwell.io.tables import format_of, opened_output, write_table
from graphwell.jobs.folder import PATH, is_folder, sort_files
from graphwell.jobs.report import (
    LIKELY_WRONG,
    Accuracy,
    ClassifyReport,
    DoubtfulRow,
    Estimate,
    Holdout,
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
    notes_from_warnings,
    open_rows,
)
from graphwell.memory import limited_to
from graphwell.model_selection import HiddenLabelsSplit
from graphwell.progress import Progress, silent

ClassSizes = str | Mapping[str, float | tuple[float, float]] | None
Draw = Callable[[ClassifyReport], str]
"""Turns a report into a page."""
HOW_TO_COMPARE = ("metric", "models", "tune", "evidence", "scale_neighbor")
"""Parameters that ask for another graph than one that came with the table."""
ROWS_NAMED = 10
"""In a note; and uncertain rows in a report."""
HELD_OUT_ENOUGH = 100
"""So many held-out labels tell the accuracy to within ten points; no further ones are hidden."""


@dataclass(frozen=True, kw_only=True)
class ClassifyOptions(TableOptions):
    """How to label the rows of a table; with `cluster`, of a folder of Parquet files."""

    output: Path | None = None  # file for the labelled table
    report: Path | None = None  # file for a page with pictures
    method: str = DEFAULT  # one of `graphwell.methods()`
    class_prior: ClassSizes = None  # "auto", "labels", or by name a share or a pair (lowest, highest)
    device: str = "cpu"
    holdout: float | None = (
        None  # share of the labels to hide in further runs, to measure the accuracy on them
    )
    checkpoint: Path | None = None  # file that the run is saved in; a killed run goes on from it
    cluster: str | None = None  # address of a Dask scheduler; "local" if memory asks for it, or "local:4"
    safe_csv: bool = False  # put an apostrophe before text that a spreadsheet would run as a formula
    sort_into: Path | None = None  # new folder that gets links to the files of a folder, by class
    suggest: int = 0  # how many rows to label next to name
    check_labels: bool = False  # say which given labels look wrong, in the report and in two more columns
    parameters: Mapping[str, Any] = field(default_factory=dict)  # further ones of the method's classifier

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.holdout is not None and not 0 < self.holdout < 1:
            raise OptionError("holdout", "{field} must lie between 0 and 1, got {:g}.", self.holdout)

    def classifier(self) -> Any:
        """The method's classifier, unfitted; what it has no parameter for is refused."""
        known = methods()
        method = known[one_of("method", self.method, known)]
        made: Any = method.classifier
        parameters, in_fit = signature(made).parameters, signature(made.fit).parameters
        given = {"n_neighbors": self.n_neighbors, "n_jobs": self.n_jobs, **self.parameters}
        given |= {} if self.device == "cpu" else {"device": self.device}
        of_classes = {"classes": self.classes, "class_prior": self.class_prior}
        refused = [name for name in given if name not in parameters]
        refused += [name for name, value in of_classes.items() if value and name not in parameters]
        refused += ["check_labels"] if self.check_labels and "models" not in parameters else []
        refused += ["checkpoint"] if self.checkpoint is not None and "checkpoint" not in in_fit else []
        for name in refused:
            close = get_close_matches(name, parameters, n=1, cutoff=0.8)
            instead = "did you mean {}?" if close else "leave it out."
            problem = "{field} means nothing to the method {!r}; " + instead
            raise OptionError(name, problem, method.name, *close)
        return method(**given, **({"random_state": self.seed} if "random_state" in parameters else {}))


def classify(
    options: ClassifyOptions, *, draw: Draw | None = None, progress: Progress = silent
) -> ClassifyReport:
    r"""Label every row of a table, as a fit of the data frame does.

    Files appear whole, all of them or none; `draw` makes the page of ``options.report``, as
    `graphwell.view.report.report_page` does.

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
    if options.cluster is None and not is_folder(options.table):
        format_of(options.table, "table")
    if options.sort_into is not None and not is_folder(options.table):
        raise OptionError("sort_into", "{field} is for a folder of files; {} is none.", options.table)
    if options.sort_into is not None and options.sort_into.exists():
        raise OptionError("sort_into", "{field} {} is there already; name a new folder.", options.sort_into)
    files = {"report": options.report, "checkpoint": options.checkpoint}
    check_files(options.table, output=options.output, draw=draw, **files)
    with limited_to(options.max_memory), notes_from_warnings() as warned:

        def page(made: ClassifyReport) -> str:
            assert draw is not None
            return draw(replace(made, notes=(*warned(), *made.notes)))

        classifier = options.classifier()
        if options.cluster is not None:
            from graphwell.jobs.cluster import classify_on_cluster  # needs Dask

            report = classify_on_cluster(options, classifier, draw=page, progress=progress)
        else:
            rows = open_rows(options, progress)
            read = time.perf_counter() - began
            report, new = label_rows(rows, classifier, progress)
            progress("writing", None)
            _write(rows, new, report, page)
            report = replace(report, seconds={"reading": read, **report.seconds})
    seconds = {**report.seconds, "in all": time.perf_counter() - began}
    return replace(report, notes=(*warned(), *report.notes), seconds=seconds)


def label_rows(rows: TableRows, classifier: Any, progress: Progress) -> tuple[ClassifyReport, NewColumns]:
    """Fit the classifier; what it found, and the new columns of the table."""
    options, labels = rows.options, rows.labels
    classifier.set_params(**class_sizes(options, rows))
    X, encoder, notes = _compared(rows, options)
    fit(classifier, X, labels, options.checkpoint, progress)
    encoder = encoder or classifier.encoder_
    points = None
    if not isinstance(X, Graph):
        points = encoder.transform(X) if X is rows.frame else X
        groups, of_copies = copies(points) if rows.labels.groups is None else (rows.labels.groups, [])
        differ = labels_that_differ(groups, labels.codes, rows.classes, rows.numbers)
        notes += [*of_copies, *([] if differ is None else [differ])]
    stages = dict(classifier.timings_)
    seconds, holdout = {"neighbours": stages.pop("graph"), **stages}, None
    if options.holdout is not None:
        began = time.perf_counter()
        holdout = _held_out(classifier, X, labels, groups if points is not None else None, options, progress)
        seconds["holdout"] = time.perf_counter() - began
    details = _details(classifier, rows, points if options.report else None)
    report = summarise(
        rows, rows.columns(encoder), tuple(encoder.encoders_), classifier, details.assigned, holdout=holdout,
        compared_by=compared_by(classifier, encoder), details=details, seconds=seconds,
        notes=[*notes, *encoder.notes_],
    )  # fmt: skip
    names = text_column([*rows.classes, ""])
    bridged = details.bridged if details.bridged.any() else None
    new = NewColumns(
        options.label, names[details.assigned], details.score, details.reachable, details.given >= 0,
        bridged, safe=options.safe_csv,
    )  # fmt: skip
    issues = classifier.label_issues_ if options.check_labels else None
    if issues is not None:
        at = rows.numbers[issues["row"]] - 1
        suggested, given_score = np.full(rows.table.n_rows, -1), np.full(rows.table.n_rows, np.nan)
        suggested[at] = np.searchsorted(rows.given.labels.classes, issues["suggested"])
        given_score[at] = issues["probability"]
        new = replace(new, suggested=names[suggested], given_score=given_score)
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
    """What is fitted: the data frame; a matrix, where the user says how to encode columns; or a graph."""
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
    encoder, _ = rows.encoded()
    return Graph.from_affinity(affinity.tocsr()[rows.kept][:, rows.kept]), encoder, [told]


def fit(classifier: Any, X: Any, y: Any, checkpoint: Path | None, progress: Progress) -> Any:
    """Fit a classifier, with a checkpoint and progress where it knows of them."""
    known = signature(classifier.fit).parameters
    given = {"checkpoint": checkpoint, "progress": progress}
    if "progress" not in known:
        progress("fitting", None)
    with _without_repeated_warnings():
        return classifier.fit(X, y, **{name: value for name, value in given.items() if name in known})


@contextmanager
def _without_repeated_warnings() -> Iterator[None]:
    """Ignore the warnings of a fit that the report words by the rows of the table."""
    with warnings.catch_warnings():
        for kind in (BridgedWarning, LabelWarning, UnreachableWarning):
            warnings.simplefilter("ignore", kind)
        yield


def _held_out(
    fitted: Any, X: Any, labels: Labels, groups: IntArray | None, options: ClassifyOptions, progress: Progress
) -> Holdout:
    """Accuracy on labels that are hidden in turn, copies together, until there are enough of them."""
    groups = np.arange(len(labels.codes)) if groups is None else groups
    alone = one_of_each(labels.codes, groups)
    counts = np.bincount(alone[alone >= 0])
    spare = int(counts[counts > 1].sum())
    if spare < 2:
        problem = "{field} needs a class with two given labels on rows that differ: one to hide, one to keep."
        raise OptionError("holdout", problem)
    n_splits = min(spare, max(2, round(1 / float(options.holdout or 1))))
    splits = HiddenLabelsSplit(n_splits, random_state=options.seed).split(None, labels.codes, groups)
    told = lambda stage, done: progress(f"{stage} (holdout)", done)  # noqa: E731
    right, asked, runs = 0, np.zeros(len(labels.codes), dtype=bool), 0
    for _, hidden in splits:
        shown = labels.codes.copy()
        shown[hidden] = -1
        trial = fit(clone(fitted), X, replace(labels, codes=shown), None, told)
        found = _codes(trial, labels.classes)
        right += int((found == labels.codes)[hidden].sum())
        asked[hidden], runs = True, runs + 1
        if len(np.unique(groups[asked])) >= HELD_OUT_ENOUGH:
            break
    return Holdout(right, int(asked.sum()), len(np.unique(groups[asked])), runs)


def _codes(classifier: Any, classes: Any) -> IntArray:
    """Class numbers of the rows that were fitted, -1 where no label reaches."""
    found = np.searchsorted(classes, fetched(classifier.transduction_))
    return np.where(fetched(classifier.reachable_), found, -1)


def _details(classifier: Any, rows: TableRows, points: Any) -> RowDetails:
    """Class, score and reachability of every row; rows that were left out or not reached have none."""
    n = rows.table.n_rows
    assigned, score = np.full(n, -1), np.full(n, np.nan)
    reachable, bridged = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    reachable[rows.kept], bridged[rows.kept] = classifier.reachable_, classifier.bridged_
    assigned[rows.kept] = _codes(classifier, rows.given.labels.classes)
    score[reachable] = classifier.label_distributions_.max(axis=1)[classifier.reachable_]
    files = None if rows.table.vectors is None else rows.table.text(PATH)
    found = (assigned, score, reachable, bridged, rows.kept, rows.ids, files, points, classifier.graph_)
    return RowDetails(rows.given.codes, *found)


def _write(rows: TableRows, new: NewColumns, report: ClassifyReport, draw: Draw) -> None:
    """Write the table and the page: both, or neither."""
    output, page = rows.options.output, rows.options.report
    with ExitStack() as shown, written_together() as held:
        if rows.options.sort_into is not None:
            sort_files(
                rows.table, new.label, held.enter_context(folder_written_whole(rows.options.sort_into))
            )
        if output is not None:
            place = shown if output == STANDARD else held
            write_table(rows.table, new, output, place.enter_context(opened_output(output)))
        if page is not None:
            held.enter_context(written_whole(page)).write(page_bytes(draw(report)))


def page_bytes(page: str) -> bytes:
    r"""A page as it is written; names of files in it need not be Unicode.

    Examples
    --------
    >>> page_bytes("caf\u00e9 \udcff")
    b'caf\xc3\xa9 \\udcff'
    """
    return page.encode("utf-8", "backslashreplace")


# --------------------------------------------------------------------------------------------- the report


def summarise(
    rows: TableRows,
    columns: tuple[Treatment, ...],
    features: tuple[str, ...],
    classifier: Any,
    assigned: IntArray,
    *,
    seconds: Mapping[str, float],
    compared_by: str | None = None,
    notes: list[Sentence] | None = None,
    holdout: Holdout | None = None,
    details: RowDetails | None = None,
) -> ClassifyReport:
    """Put the report together; arrays of the classifier may lie on a cluster."""
    options, given, truth = rows.options, rows.given.codes, rows.truth
    graph, result = classifier.graph_, getattr(classifier, "result_", None)
    reachable, bridges = fetched(classifier.reachable_), graph.bridges
    summary = methods()[options.method].summary
    ways = (_formulas(rows), _unreached(graph.components, reachable, rows), _bridged(bridges, rows))
    return ClassifyReport(
        table=rows.table.path,
        rows=rows.table.n_rows,
        rows_left_out=int((~rows.kept).sum()),
        rows_labelled=int(((assigned >= 0) & (given < 0)).sum()),
        features=features,
        columns=columns,
        labels_given=int((given >= 0).sum()),
        classes=count_classes(rows.classes, given, assigned),
        components=graph.n_components,
        components_without_labels=len(np.unique(graph.components[~reachable])),
        unreachable_rows=int((~reachable).sum()),
        bridged_rows=0 if bridges is None else int(bridges.rows.sum()),
        calibrated=bool(classifier.calibrated_),
        sweeps=int(getattr(classifier, "n_iter_", 0)),
        status=f"Method {options.method}: {summary}." if result is None else str(result.status.value),
        compared_by=compared_by,
        estimate=_estimate(classifier),
        holdout=holdout,
        truth=None if truth is None else compare_with_truth(assigned, given, truth.codes, truth.names),
        doubtful=_doubtful(rows, classifier, reachable),
        to_label=_next_rows(rows, classifier, options.suggest),
        label_issues=_label_issues(rows, classifier) if options.check_labels else None,
        notes=(*rows.notes, *(notes or ()), *(note for found in ways for note in found)),
        seconds=seconds,
        output=options.output,
        files=tuple(path for path in (options.output, options.report, options.sort_into) if path is not None),
        details=details,
    )


def _estimate(classifier: Any) -> Estimate | None:
    """The accuracy that the fit estimates, where labels could be held out."""
    share, tuning = getattr(classifier, "accuracy_", None), getattr(classifier, "tuning_", None)
    if share is None or tuning is None:
        return None
    held, n = tuning.held_out, len(classifier.classes_)
    of, right = np.bincount(held.labels, minlength=n), np.bincount(held.labels[held.correct], minlength=n)
    by_class = tuple(Accuracy(*both) for both in zip(right.tolist(), of.tolist(), strict=True))
    return Estimate(share, classifier.accuracy_interval_, by_class)


def compared_by(classifier: Any, encoder: TableEncoder | None) -> str | None:
    """How rows are compared, in words: scaled before, then as was tuned; None where nobody chose."""
    scaled, tuning = None if encoder is None else encoder.scaling_, getattr(classifier, "tuning_", None)
    if scaled is None:
        return None if tuning is None else str(tuning)
    if tuning is not None and tuning.metric == "plain":
        return str(replace(tuning, metric=scaled.name, why=scaled.why))
    before = f"{CANDIDATES[scaled.name].summary} ({scaled.why})"
    return before if tuning is None else f"{before}, then {tuning}"


def _doubtful(rows: TableRows, classifier: Any, reachable: Any) -> tuple[DoubtfulRow, ...]:
    """The labelled rows to look at first, with the two classes they lie between."""
    by_doubt = classifier.doubtful(int((~reachable).sum()) + ROWS_NAMED)
    fitted = by_doubt[reachable[by_doubt]][:ROWS_NAMED]
    scores = fetched(classifier.label_distributions_[fitted])
    ranked = np.argsort(-scores, axis=1, kind="stable")[:, :2]
    return tuple(
        DoubtfulRow(
            row=row,
            id=rows.id_of(row),
            given=bool(rows.given.codes[row - 1] >= 0),
            label=rows.classes[first],
            score=round(float(of_row[first]), 4),
            second=rows.classes[second],
            second_score=round(float(of_row[second]), 4),
        )
        for row, of_row, (first, second) in zip(rows.numbers[fitted].tolist(), scores, ranked, strict=True)
    )


def _label_issues(rows: TableRows, classifier: Any) -> tuple[LabelIssue, ...]:
    """The given labels that look wrong, worst first."""
    issues = classifier.label_issues_
    if issues is None:
        problem = (
            "{field}: no label could be held out; give two labels of each class, and leave out models=None."
        )
        raise OptionError("check_labels", problem)
    issues, named = (
        issues[issues["probability"] < LIKELY_WRONG],
        dict(zip(rows.given.labels.classes.tolist(), rows.classes, strict=True)),
    )
    numbers = rows.numbers[issues["row"]].tolist()
    return tuple(
        LabelIssue(
            row=row,
            id=rows.id_of(row),
            label=named[issue.label],
            probability=round(issue.probability, 4),
            suggested=named[issue.suggested],
            suggested_probability=round(issue.suggested_probability, 4),
        )
        for row, issue in zip(numbers, issues.itertuples(), strict=True)
    )


def _next_rows(rows: TableRows, classifier: Any, n: int) -> tuple[RowToLabel, ...]:
    """Up to `n` rows to label next after a fit, best first."""
    n = min(n, int((rows.labels.codes < 0).sum()))
    if n == 0:
        return ()
    named = dict(zip(classifier.classes_.tolist(), rows.classes, strict=True))
    return rows_to_label(choose(classifier, n=n, random_state=0, names=named), rows)


def rows_to_label(found: Suggestions, rows: TableRows) -> tuple[RowToLabel, ...]:
    """Suggestions as rows of the table."""
    numbers = rows.numbers[found.rows].tolist()
    return tuple(
        RowToLabel(row, rows.id_of(row), reason) for row, reason in zip(numbers, found.reasons, strict=True)
    )


def _formulas(rows: TableRows) -> list[Sentence]:
    """Warn of labels that a spreadsheet would run, where they are written as they are."""
    found = is_formula(text_column(rows.classes))
    if rows.options.safe_csv or not found.any():
        return []
    note = "The label {!r} begins like a formula, which a spreadsheet may run; {safe_csv=True} defuses it."
    return [Sentence(note, (rows.classes[int(found.argmax())],))]


def _unreached(components: IntArray, reachable: Any, rows: TableRows) -> list[Sentence]:
    lost = np.flatnonzero(~reachable)
    if len(lost) == 0:
        return []
    firsts = lost[np.unique(components[~reachable], return_index=True)[1]]
    where = "one part" if len(firsts) == 1 else f"{len(firsts):,} parts"
    note = (
        "{:,} rows lie in {} of the graph without any label and got none; label one of each (row {}), "
        "or link more rows with a larger {n_neighbors}."
    )
    return [Sentence(note, (len(lost), where, listed([str(row) for row in sorted(rows.numbers[firsts])])))]


def _bridged(bridges: Any, rows: TableRows) -> list[Sentence]:
    if bridges is None:
        return []
    named = rows.numbers[np.unique(bridges.near)[:ROWS_NAMED]]
    where = "one part" if bridges.n_parts == 1 else f"{bridges.n_parts:,} parts"
    note = Sentence(
        "{:,} rows lie in {} of the graph without any label; they were joined to the nearest part "
        "by their shortest distances and are the least certain. Label some of them (row {}).",
        (int(bridges.rows.sum()), where, listed([str(row) for row in named])),
    )
    return [note if bridges.cause is None else note.followed_by(bridges.cause)]
