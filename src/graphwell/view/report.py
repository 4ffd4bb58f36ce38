"""Reports as pages: their sentences, notes and tables, with pictures between them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwell import __version__
from graphwell._types import FloatArray
from graphwell.errors import Words, in_python
from graphwell.graph.layout import graph_map, principal_map
from graphwell.jobs.compare import CompareReport
from graphwell.jobs.report import ClassifyReport, Comparison, RowDetails
from graphwell.view import html, plots

if TYPE_CHECKING:
    from graphwell.solve.descent import Result

POINTS_SHOWN = 20_000


def report_page(report: ClassifyReport, words: Words = in_python) -> str:
    """Return the page of a labelled table as HTML, complete in itself.

    Parameters
    ----------
    report : ClassifyReport
        Pictures of the rows are drawn where it has their details.
    words : callable
        How options are named in the notes.
    """
    details, pictures = report.details, {"Classes": [_classes(report)]}
    if details is not None:
        pictures["Classes"] += [html.heading("Where the classes lie"), _projection(report, details)]
    if report.truth is not None:
        pictures["Classes"] += [html.heading("Compared with the truth"), _truth(report, report.truth)]
    last = []
    if details is not None and details.result is not None:
        last = [html.heading("The descent"), _descent(details.result)]
    return _page(f"Labels of {report.table.name}", report, pictures, last, words)


def comparison_page(report: CompareReport, words: Words = in_python) -> str:
    """Return the page of a comparison: a table, accuracy with its errors, who agrees, where they differ."""
    found = report.found
    names = [each.method for each in found.standings]
    shares, errors = (
        np.array([getattr(each, name) for each in found.standings]) for name in ("accuracy", "standard_error")
    )
    accuracy, (panel,) = plots.new_figure(1, width=8.0, height=1.2 + 0.3 * len(names))
    plots.with_errors(panel, names, shares, errors)
    side = 2.2 + 0.36 * len(names)
    agreement, (panel,) = plots.new_figure(1, width=side, height=side)
    plots.agreement(panel, found.agreement, names)
    shown = np.sort(np.random.default_rng(0).permutation(len(report.points))[:POINTS_SHOWN])
    differences, (panel,) = plots.new_figure(1, width=8.6, height=5.6)
    places = graph_map(found.graph, principal_map(report.points))[shown]
    plots.map_of_values(differences, panel, places, found.dissent[shown], "The graph; dark: methods differ")
    caption = "Share of the methods that do not give a row its most frequent class."
    pictures = [
        html.figure(plots.as_png(accuracy), "accuracy of each method with its standard error"),
        html.heading("Who agrees"),
        html.figure(
            plots.as_png(agreement), "agreement between methods", "Share of rows given one class, in %."
        ),
        html.heading("Where they differ"),
        html.figure(plots.as_png(differences), "where the methods differ", caption),
    ]
    return _page(f"Methods on {report.table.name}", report, {"Methods": pictures}, [], words)


def _page(title: str, report: Any, pictures: Mapping[str, list[str]], last: list[str], words: Words) -> str:
    """A page of a report; `pictures` follow the tables that they are named by."""
    parts = [html.paragraph(text, "lead") for text in report.sentences()]
    parts += [html.paragraph(note.worded(words), "note") for note in report.notes]
    for grid in report.grids(words):
        parts += [html.heading(grid.title), html.table(grid.titles, grid.rows)]
        parts += pictures.get(grid.title, [])
    return html.page(
        title, [*parts, *last, html.footer(f"graphwell {__version__}")]
    )  # equal runs, equal pages


def _classes(report: ClassifyReport) -> str:
    names = [count.name for count in report.classes]
    given, assigned = (np.array([getattr(c, n) for c in report.classes]) for n in ("given", "assigned"))
    columns = 1 if report.details is None else 2
    figure, (sizes, *others) = plots.new_figure(columns, width=4.8, height=max(3.2, 0.26 * len(names)))
    plots.class_sizes(sizes, names, given, assigned)
    caption = "Rows of each class."
    if report.details is not None:
        scores = report.details.score
        plots.score_histogram(others[0], scores[~np.isnan(scores)])
        of = "all" if len(scores) == report.rows else f"{len(scores):,}"
        caption = f"Left: rows of each class. Right: scores of {of} rows; low ones are uncertain."
    return html.figure(plots.as_png(figure), "class sizes and scores", caption)


def _projection(report: ClassifyReport, details: RowDetails) -> str:
    """All rows with a given label or to be labelled next, and as many others as can be told apart."""
    marked = details.given[details.kept] >= 0
    to_label = [row.row - 1 for row in report.to_label]
    marked |= np.isin(np.flatnonzero(details.kept), to_label)
    others = np.random.default_rng(0).permutation(np.flatnonzero(~marked))[:POINTS_SHOWN]
    shown = np.sort(np.concatenate([np.flatnonzero(marked), others]))
    rows = np.flatnonzero(details.kept)[shown]
    figure, (panel,) = plots.new_figure(1, width=8.6, height=5.6)
    plane = _map(details.points, details.graph)[shown]
    names = [count.name for count in report.classes]
    plots.projection(panel, plane, details.assigned[rows], details.given[rows], names)
    plots.mark_questions(panel, plane[np.searchsorted(rows, to_label)])
    n_fitted = report.rows - report.rows_left_out
    caption = "" if len(shown) == n_fitted else f"{len(shown):,} of {n_fitted:,} rows."
    return html.figure(plots.as_png(figure), "map of the rows, neighbours near each other", caption)


def _map(points: FloatArray | None, graph: Any) -> FloatArray:
    """The map of the graph, from the principal components of the rows on; what is not there is left out."""
    principal = None if points is None else principal_map(points)
    return principal if graph is None and principal is not None else graph_map(graph, principal)


def _truth(report: ClassifyReport, comparison: Comparison) -> str:
    counts, columns = comparison.confusion, [*comparison.names, "no label"]
    used = counts.any(axis=0) | (np.arange(len(columns)) < len(report.classes))
    side = 1.5 + 0.42 * len(comparison.names)
    figure, (panel,) = plots.new_figure(1, width=min(12, max(4.5, side)), height=min(12, max(4.0, side)))
    names = [name for name, is_used in zip(columns, used, strict=True) if is_used]
    plots.confusion(panel, counts[:, used], comparison.names, names)
    return html.figure(plots.as_png(figure), "confusion matrix", "Rows without a given label.")


def _descent(result: "Result") -> str:
    figure, (energy, changes) = plots.new_figure(2, width=4.8, height=3.2)
    plots.per_step(energy, result.energies, "Energy")
    plots.per_step(changes, result.label_changes, "Label changes")
    ends = (
        f"Epsilon falls from {result.epsilons[0]:.3g} to {result.epsilons[-1]:.3g}."
        if result.epsilons
        else ""
    )
    return html.figure(plots.as_png(figure), "energy and label changes per step", ends)
