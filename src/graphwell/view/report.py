"""A labelled table as one page to look at: sizes, descent, map, uncertain rows, and the truth."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwell import __version__
from graphwell._types import FloatArray
from graphwell.encoders.report import Treatment, grouped, listed
from graphwell.errors import Words, in_python
from graphwell.graph.layout import graph_map, principal_map
from graphwell.jobs.reports import ClassifyReport, DoubtfulRow, RowDetails, RowToLabel
from graphwell.jobs.score import Comparison
from graphwell.view import html, plots

if TYPE_CHECKING:
    from graphwell.solve.descent import Result

POINTS_SHOWN = 20_000


def report_page(report: ClassifyReport, words: Words = in_python) -> str:
    """Return the page as HTML, complete in itself.

    Parameters
    ----------
    report : ClassifyReport
        Pictures of the rows are drawn where it has their details.
    words : callable
        How options are named in the notes.
    """
    details = report.details
    parts = [
        *([] if report.holdout is None else [html.paragraph(report.holdout.in_words, "lead")]),
        html.paragraph(report.status, "lead"),
        html.facts(_facts(report)),
        *([] if report.compared_by is None else [html.paragraph(f"Compared by: {report.compared_by}.")]),
        *(html.paragraph(note.worded(words), "note") for note in report.notes),
        html.heading("Columns"),
        columns_table(report.columns, words),
        html.heading("Classes"),
        _classes(report),
    ]
    if details is not None:
        parts += [html.heading("Where the classes lie"), _projection(report, details)]
    if report.comparison is not None:
        parts += [html.heading("Compared with the truth"), *_truth(report, report.comparison)]
    parts += [
        html.heading("Most uncertain rows"),
        html.paragraph("Look at these first. Rows are numbered from 1, the first below the header."),
        doubtful_table(report.doubtful),
    ]
    if report.to_label:
        parts += [html.heading("Rows to label next"), to_label_table(report.to_label)]
    if details is not None and details.result is not None:
        parts += [html.heading("The descent"), _descent(details.result)]
    parts += [html.footer(f"graphwell {__version__}")]  # no times: equal runs have equal pages
    return html.page(f"Labels of {report.table.name}", parts)


def columns_table(columns: Sequence[Treatment], words: Words = in_python) -> str:
    """The columns and how each is used; those used alike share a line."""
    groups = grouped(columns, words).items()
    lines = [(listed(names), kind, became) for (kind, became), names in groups]
    return html.table(["column", "holds", "became"], lines, text_columns=3)


def doubtful_table(rows: Sequence[DoubtfulRow]) -> str:
    """The rows to look at first."""
    lines = [
        (
            f"{row.row:,}" if row.id is None else f"{row.row:,} ({row.id})",
            row.label,
            row.second,
            "yes" if row.given else "",
            f"{row.score:.3f}",
            f"{row.second_score:.3f}",
        )
        for row in rows
    ]
    return html.table(
        ["row", "label", "second choice", "given", "score", "second score"], lines, text_columns=4
    )


def to_label_table(rows: Sequence[RowToLabel]) -> str:
    """The rows that are worth a label, best first."""
    lines = [(f"{row.row:,}" if row.id is None else f"{row.row:,} ({row.id})", row.reason) for row in rows]
    return html.table(["row", "why"], lines, text_columns=2)


def _facts(report: ClassifyReport) -> list[tuple[str, str]]:
    facts = [
        ("rows", f"{report.rows:,}"),
        ("labels given", f"{report.labels_given:,}"),
        ("classes", f"{len(report.classes):,}"),
        ("features", f"{len(report.features):,}"),
        ("rows no label reaches", f"{report.unreachable_rows:,}"),
    ]
    if report.bridged_rows:
        facts.append(("rows in parts without a label, joined to the nearest", f"{report.bridged_rows:,}"))
    facts.append(("scores", "calibrated on held-out labels" if report.calibrated else "rank rows"))
    if report.sweeps:
        facts.append(("sweeps", f"{report.sweeps:,}"))
    if report.holdout is not None:
        facts.append(("accuracy on held-out labels", f"{100 * report.holdout.share:.1f} %"))
    if report.comparison is not None:
        share = report.comparison.accuracy.share
        facts.append(("accuracy on rows without a label", f"{100 * share:.1f} %"))
    return facts


def _classes(report: ClassifyReport) -> str:
    names = [count.name for count in report.classes]
    given = np.array([count.given for count in report.classes])
    assigned = np.array([count.assigned for count in report.classes])
    figure, (sizes, *others) = plots.new_figure(
        1 if report.details is None else 2, width=4.8, height=max(3.2, 0.26 * len(names))
    )
    plots.class_sizes(sizes, names, given, assigned)
    caption = "Rows of each class."
    if report.details is not None:
        scores = report.details.score
        plots.score_histogram(others[0], scores[~np.isnan(scores)])
        of = "all" if len(scores) == report.rows else f"{len(scores):,}"
        caption = f"Left: rows of each class. Right: scores of {of} rows; low ones are uncertain."
    return html.figure(plots.as_png(figure), "class sizes and scores", caption)


def _projection(report: ClassifyReport, details: RowDetails) -> str:
    points = details.points
    shown = _some_points(details, report.to_label)
    rows = np.flatnonzero(details.kept)[shown]
    figure, (panel,) = plots.new_figure(1, width=8.6, height=5.6)
    names = [count.name for count in report.classes]
    plane = map_of(points, details.graph)[shown]
    plots.projection(panel, plane, details.assigned[rows], details.given[rows], names)
    plots.mark_questions(panel, plane[np.searchsorted(rows, [row.row - 1 for row in report.to_label])])
    n_fitted = report.rows - report.rows_left_out
    caption = "" if len(shown) == n_fitted else f"{len(shown):,} of {n_fitted:,} rows."
    return html.figure(plots.as_png(figure), "map of the rows, neighbours near each other", caption)


def _some_points(details: RowDetails, to_label: Sequence[RowToLabel]) -> Any:
    """All points with a given label or to be labelled next, and as many others as can be told apart."""
    given = details.given[details.kept] >= 0
    given |= np.isin(np.flatnonzero(details.kept), [row.row - 1 for row in to_label])
    others = np.random.default_rng(0).permutation(np.flatnonzero(~given))[:POINTS_SHOWN]
    return np.sort(np.concatenate([np.flatnonzero(given), others]))


def map_of(points: FloatArray, graph: Any) -> FloatArray:
    """The map of the graph, from the principal components on; these alone where there is no graph."""
    principal = principal_map(points)
    return principal if graph is None else graph_map(graph, principal)


def _truth(report: ClassifyReport, comparison: Comparison) -> list[str]:
    truth = comparison.accuracy
    sentence = (
        f"{truth.right:,} of {truth.of:,} rows without a given label are correct: {100 * truth.share:.2f} %."
    )
    counts, columns = comparison.confusion, [*comparison.names, "no label"]
    used = counts.any(axis=0) | (np.arange(len(columns)) < len(report.classes))
    side = 1.5 + 0.42 * len(comparison.names)
    figure, (panel,) = plots.new_figure(1, width=min(12, max(4.5, side)), height=min(12, max(4.0, side)))
    names = [name for name, seen in zip(columns, used, strict=True) if seen]
    plots.confusion(panel, counts[:, used], comparison.names, names)
    return [
        html.paragraph(sentence),
        html.figure(plots.as_png(figure), "confusion matrix", "Rows without a given label."),
    ]


def _descent(result: "Result") -> str:
    figure, (energy, changes) = plots.new_figure(2, width=4.8, height=3.2)
    plots.per_step(energy, result.energies, "Energy")
    plots.per_step(changes, result.label_changes, "Label changes")
    caption = (
        f"Epsilon falls from {result.epsilons[0]:.3g} to {result.epsilons[-1]:.3g}."
        if result.epsilons
        else ""
    )
    return html.figure(plots.as_png(figure), "energy and label changes per step", caption)
