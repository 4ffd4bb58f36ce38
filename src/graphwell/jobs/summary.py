"""What `classify` says of a fit: columns for the table, a summary, and a page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.active import suggest
from graphwell.encoders.report import listed
from graphwell.encoders.table import TableEncoder
from graphwell.errors import OptionError, Sentence, Words, counted
from graphwell.estimators.registry import methods
from graphwell.estimators.tuning.metrics import CANDIDATES
from graphwell.graph.maps import graph_map, principal_map
from graphwell.io.cells import NewColumns, is_formula, text_column
from graphwell.jobs import report as page
from graphwell.jobs.report import (
    FROM_ONE,
    Grid,
    Report,
    Text,
    compare_with_truth,
    shown_row,
    to_label_grid,
    written,
)
from graphwell.jobs.table import TableRows

ROWS_NAMED, LOOK_AT_FIRST, ISSUES_SHOWN = 10, 5, 30
"""Uncertain rows in a report and in its lead, and given labels that look wrong."""
LIKELY_WRONG = 0.1
"""Out-of-fold probability below which a given label is said to look wrong. With a tenth of the labels
flipped in two sets of digits, MNIST and six tables, 84 to 100 % of those below it were flipped (one table had
none), and on digits 95 to 99 % of the flipped lay below it; at 0.2 the lowest share was 62 %."""


@dataclass(frozen=True, eq=False)
class Labelled:
    """A table after the fit."""

    rows: TableRows
    classifier: Any
    encoder: TableEncoder
    points: Any  # rows as they were compared; None where a graph came with them
    assigned: IntArray  # number of each row's class, -1 for none
    score: FloatArray  # of that class, NaN for none


def new_columns(found: Labelled) -> NewColumns:
    """The columns that the table gets."""
    rows, classifier = found.rows, found.classifier
    names, bridged = text_column([*rows.classes, ""]), classifier.bridged_
    new = NewColumns(
        rows.options.label, names[found.assigned], found.score, classifier.reachable_, rows.given.codes >= 0,
        bridged if bridged.any() else None, safe=rows.options.safe_csv,
    )  # fmt: skip
    if not rows.options.check_labels:
        return new
    issues, n = classifier.label_issues_, rows.table.n_rows
    suggested, given_score = np.full(n, -1), np.full(n, np.nan)
    suggested[issues["row"]] = np.searchsorted(rows.labels.classes, issues["suggested"])
    given_score[issues["row"]] = issues["probability"]
    return replace(new, suggested=names[suggested], given_score=given_score)


def report_of(found: Labelled) -> Report:
    """What the fit found, without the notes of reading the table."""
    rows, classifier, options = found.rows, found.classifier, found.rows.options
    given, truth, graph, reachable = rows.given.codes, rows.truth, classifier.graph_, classifier.reachable_
    result, n = getattr(classifier, "result_", None), rows.table.n_rows
    to_label: list[dict[str, Any]] = []
    n_asked = min(options.suggest, int((given < 0).sum()))
    if n_asked > 0:
        named = dict(zip(classifier.classes_.tolist(), rows.classes, strict=True))
        to_label = rows.to_label(suggest(classifier, n=n_asked, random_state=0, names=named))
    sizes = zip(_counts(given, rows.classes), _counts(found.assigned, rows.classes), strict=True)
    issues = _label_issues(rows, classifier) if options.check_labels else None
    summary = methods()[options.method].summary
    facts = {
        "table": str(rows.table.path),
        "rows": n,
        "rows_labelled": int(((found.assigned >= 0) & (given < 0)).sum()),
        "features": list(found.encoder.encoders_),
        "labels_given": int((given >= 0).sum()),
        "classes": [
            {"name": name, "given": known, "assigned": size}
            for name, (known, size) in zip(rows.classes, sizes, strict=True)
        ],
        "components": graph.n_components,
        "components_without_labels": len(np.unique(graph.components[~reachable])),
        "unreachable_rows": int((~reachable).sum()),
        "bridged_rows": 0 if graph.bridges is None else int(graph.bridges.rows.sum()),
        "calibrated": bool(classifier.calibrated_),
        "sweeps": int(getattr(classifier, "n_iter_", 0)),
        "status": f"Method {options.method}: {summary}." if result is None else str(result.status.value),
        "compared_by": _compared_by(classifier, found.encoder),
        "estimate": _estimate(classifier),
        "truth": truth and compare_with_truth(found.assigned, given, truth.codes, len(truth.names))[0],
        "doubtful": _doubtful(rows, classifier),
        "to_label": to_label,
        "label_issues": issues,
        "output": options.output and str(options.output),
    }
    wrong = [
        (shown_row(each), each["label"], f"{each['probability']:.3f}", each["suggested"])
        for each in (issues or ())[:ISSUES_SHOWN]
    ]
    titles = (">row", "given", ">score", "suggested")
    asked = [Grid(f"Given labels that look wrong, worst first{FROM_ONE}", titles, wrong)] if wrong else []
    stages = dict(classifier.timings_)
    files = [path for path in (options.output, options.report, options.sort_into) if path is not None]
    return Report(
        facts=facts,
        lead=_lead(facts, files),
        notes=_warnings(rows, graph, reachable),
        grids=[*asked, *([to_label_grid(to_label)] if to_label else [])],
        more=_more(facts),
        columns=rows.columns(found.encoder),
        seconds={"neighbours": stages.pop("graph"), **stages},
        files=files,
    )


def _counts(codes: IntArray, names: Sequence[str]) -> list[int]:
    found: list[int] = np.bincount(codes[codes >= 0], minlength=len(names)).tolist()
    return found


def _lead(facts: Mapping[str, Any], files: Sequence[Path]) -> list[Text]:
    """How many rows were labelled, how well, and which to look at first."""
    n, n_given, classes = facts["rows"], facts["labels_given"], facts["classes"]
    lost = n - sum(each["assigned"] for each in classes)
    labelled = f"{counted(facts['rows_labelled'], 'row')} labelled from {counted(n_given, 'label')}."
    labelled = f"Every one of the {n:,} rows has a label already." if n_given == n else labelled
    labelled += f" {counted(lost, 'row')} got none." if lost else ""
    estimate, truth, issues = facts["estimate"], facts["truth"], facts["label_issues"]
    if estimate is not None:
        low, high = (round(100 * each) for each in estimate["interval_90"])
        share = f"{100 * estimate['accuracy']:.1f} % (90 % confidence: {low} to {high} %)"
        of = counted(sum(each["of"] for each in estimate["by_class"]), "label")
        accuracy = f"Estimated accuracy: {share}, by cross-validation on {of}."
    elif n_given == n:
        accuracy = "{check_labels} lists those that look wrong."
    else:
        accuracy = (
            "Their accuracy was not estimated; the default method does that from two labels of each class "
            "on, and graphwell compare for every method."
        )
    lead: list[Text] = [Sentence(f"{labelled} {accuracy}")]
    if truth is not None:
        right, of = truth["right"], truth["of"]
        agree = f"{100 * right / of:.2f} % of the {of:,} rows without a given label agree with the truth"
        lead.append(f"{agree} ({of - right:,} do not)." if right < of else f"{agree}.")
    lead.append(f"Classes: {listed(['{name} ({assigned:,})'.format(**each) for each in classes])}.")
    lead += written(files)
    if issues is not None:
        wrong = counted(len(issues), "given label looks", "given labels look")
        least = f"{100 * LIKELY_WRONG:.0f} %"
        it = "it" if len(issues) == 1 else "each of them"
        lead.append(f"{wrong} wrong: the rest of the data gives {it} a probability below {least}.")
    first = ", ".join(shown_row(each) for each in facts["doubtful"][:LOOK_AT_FIRST])
    lead += [f"Rows to look at first, as they are the least certain: {first}."] if first else []
    return [*lead, *([f"Distances: {facts['compared_by']}."] if facts["compared_by"] else [])]


def _more(facts: Mapping[str, Any]) -> list[Text | Grid]:
    """How the run went, sizes of the classes, and the most uncertain rows."""
    parts = f"{facts['components_without_labels']:,} of {facts['components']:,} components without a label"
    bridged = f", {counted(facts['bridged_rows'], 'row')} bridged" if facts["bridged_rows"] else ""
    sweeps, estimate = facts["sweeps"], facts["estimate"]
    found: list[Text | Grid] = [f"{parts}{bridged}."]
    found.append(f"{sweeps:,} sweeps. {facts['status']}" if sweeps else facts["status"])
    found += ["The scores are calibrated on held-out labels."] if facts["calibrated"] else []
    found += [] if facts["to_label"] else [Sentence("{suggest=10} names the rows to label next.")]
    titles = ["class", ">given", ">assigned"]
    lines = [[each["name"], f"{each['given']:,}", f"{each['assigned']:,}"] for each in facts["classes"]]
    if estimate is not None:
        titles.append(">correct when held out")
        for line, held in zip(lines, estimate["by_class"], strict=True):
            line.append(f"{held['right']:,} of {held['of']:,}" if held["of"] else "")
    found.append(Grid("Classes", tuple(titles), lines))
    uncertain = [
        (
            shown_row(each), each["label"], f"{each['score']:.3f}", each["second"],
            f"{each['second_score']:.3f}", "yes" if each["given"] else "",
        )
        for each in facts["doubtful"]
    ]  # fmt: skip
    columns = (">row", "label", ">score", "second choice", ">score", "given")
    return [*found, *([Grid(f"The most uncertain rows{FROM_ONE}", columns, uncertain)] if uncertain else [])]


def _compared_by(classifier: Any, encoder: TableEncoder) -> str | None:
    """How rows are compared, in words: scaled before, then as was tuned; None where nobody chose."""
    scaled, tuning = encoder.scaling_, getattr(classifier, "tuning_", None)
    if scaled is None:
        return None if tuning is None else str(tuning)
    if tuning is not None and tuning.metric in ("plain", scaled.name):  # told once
        return str(replace(tuning, metric=scaled.name, why=scaled.why))
    before = f"{CANDIDATES[scaled.name].summary} ({scaled.why})"
    return before if tuning is None else f"{before}, then {tuning}"


def _estimate(classifier: Any) -> dict[str, Any] | None:
    """The accuracy that the fit estimates by held-out labels, and how many of them it found by class."""
    share, tuning = getattr(classifier, "accuracy_", None), getattr(classifier, "tuning_", None)
    if share is None or tuning is None:
        return None
    held, names = tuning.held_out, classifier.classes_
    of, right = _counts(held.labels, names), _counts(held.labels[held.correct], names)
    by_class = [{"right": found, "of": tried} for found, tried in zip(right, of, strict=True)]
    interval = [round(each, 4) for each in classifier.accuracy_interval_]
    return {"accuracy": round(share, 4), "interval_90": interval, "by_class": by_class}


def _doubtful(rows: TableRows, classifier: Any) -> list[dict[str, Any]]:
    """The labelled rows to look at first, with the two classes they lie between."""
    reachable = classifier.reachable_
    by_doubt = classifier.doubtful(int((~reachable).sum()) + ROWS_NAMED)
    found = []
    for row in by_doubt[reachable[by_doubt]][:ROWS_NAMED].tolist():
        scores = classifier.label_distributions_[row]
        first, second = np.argsort(-scores, kind="stable")[:2].tolist()
        found.append(
            {
                **rows.name_of(row), "given": bool(rows.given.codes[row] >= 0),
                "label": rows.classes[first], "score": round(float(scores[first]), 4),
                "second": rows.classes[second], "second_score": round(float(scores[second]), 4),
            }
        )  # fmt: skip
    return found


def _label_issues(rows: TableRows, classifier: Any) -> list[dict[str, Any]]:
    """The given labels that look wrong, worst first, with out-of-fold probabilities."""
    issues = classifier.label_issues_
    if issues is None:
        problem = (
            "{field}: no label could be held out; give two labels of each class, and leave out models=None."
        )
        raise OptionError("check_labels", problem)
    named = dict(zip(rows.given.labels.classes.tolist(), rows.classes, strict=True))
    return [
        {
            **rows.name_of(each.row), "label": named[each.label], "probability": round(each.probability, 4),
            "suggested": named[each.suggested],
            "suggested_probability": round(each.suggested_probability, 4),
        }
        for each in issues[issues["probability"] < LIKELY_WRONG].itertuples()
    ]  # fmt: skip


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
        n, n_parts = int(graph.bridges.rows.sum()), graph.bridges.n_parts
        named = np.unique(graph.bridges.near)[:ROWS_NAMED] + 1
        note = (
            "{} in {} of the graph without any label; they were connected to the nearest one "
            "by their shortest distances and are the least certain. Label some of them (row {}); if they are "
            "many, bring columns to a like scale, drop copies of rows, or raise {n_neighbors}."
        )
        where = counted(n, "row lies", "rows lie"), counted(n_parts, "component")
        found.append(Sentence(note, (*where, listed(list(map(str, named))))))
    return found


def page_of(found: Labelled, report: Report, words: Words) -> bytes:
    """The page of a labelled table, with a map of its rows and what the truth says of them."""
    rows, given = found.rows, found.rows.given.codes
    names = [*rows.classes, "no label"]
    files = None if rows.table.vectors is None else rows.table.text("path")

    def hover(row: int) -> str:
        name = f"row {row + 1 if rows.ids is None else rows.ids[row]}" if files is None else files[row]
        end = "given" if given[row] >= 0 else f"{found.score[row]:.2f}"
        return f"{name}: {names[found.assigned[row]]} ({end})"

    principal = None if found.points is None else principal_map(found.points)
    to_label = np.array([each["row"] - 1 for each in report.facts["to_label"]], dtype=int)
    photograph = None if files is None else lambda row: rows.table.path / files[row]
    plane = graph_map(found.classifier.graph_, principal)
    first = page.map_of_rows(plane, found.assigned, given, rows.classes, hover, to_label, photograph)
    last, truth = [], rows.truth
    if truth is not None:
        counts = compare_with_truth(found.assigned, given, truth.codes, len(truth.names))[1]
        last = page.truth_table(counts, truth.names, len(rows.classes))
    return page.report_page(f"Labels of {rows.table.path.name}", report, words, first, last)
