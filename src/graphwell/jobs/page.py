"""Reports as pages: their sentences, notes and tables, with pictures between them."""

from collections.abc import Container
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwell import __version__
from graphwell.errors import Words, in_python
from graphwell.graph.maps import graph_map, principal_map
from graphwell.jobs.report import FROM_ONE, ClassifyReport, Comparison, Report, RowDetails
from graphwell.view import html, plots

if TYPE_CHECKING:
    from graphwell.jobs.compare import CompareReport

POINTS_SHOWN, POINTS_NAMED, THUMBNAILS = 20_000, 5_000, 500
"""On a map; those that tell their name under the mouse; and those that show their photograph, 2 kB each."""


def report_page(report: ClassifyReport, words: Words = in_python) -> bytes:
    """The page of a labelled table as HTML, complete in itself, with pictures where it has details."""
    parts = []
    if report.details is not None:
        parts += [html.heading("Map"), _map_of_rows(report, report.details)]
    shown = [*(report.grids(words) or report.uncertain()), report.sizes()]
    for grid in shown:
        title = grid.title.removesuffix(FROM_ONE)
        parts += [html.heading(title), html.table(grid.titles, grid.rows)]
        if title != grid.title:
            hint = "" if report.to_label else f" {words('suggest', '10')} names the rows to label next."
            parts.append(html.paragraph(f"Row 1 is the first below the header.{hint}", "soft"))
    if report.truth is not None:
        parts += [html.heading("Compared with the truth"), _truth(report, report.truth)]
    return _page(f"Labels of {report.table.name}", report, parts, words, {grid.title for grid in shown})


def comparison_page(report: "CompareReport", words: Words = in_python) -> bytes:
    """The page of a comparison: a table, and a picture of accuracy with its errors."""
    standings = report.found.standings
    shares = np.array([(each.accuracy, each.standard_error) for each in standings])
    figure, (panel,) = plots.new_figure(1, width=8.0, height=1.2 + 0.3 * len(standings))
    plots.with_errors(panel, [each.method for each in standings], *shares.T)
    (methods,) = report.grids(words)
    parts = [html.heading(methods.title), html.table(methods.titles, methods.rows)]
    parts.append(html.figure(plots.as_png(figure), "accuracy of each method with its standard error"))
    return _page(f"Methods on {report.table.name}", report, parts, words)


def _page(title: str, report: Report, parts: list[str], words: Words, shown: Container[str] = ()) -> bytes:
    """A page of a report: what was found, what to mind, the `parts`, and details that were not `shown`."""
    lead = [html.paragraph(text, "lead") for text in report.sentences(words)]
    notes = [html.paragraph(note.worded(words), "note") for note in report.notes]
    folded = []
    for each in report.more(words):
        if isinstance(each, str):
            folded.append(html.paragraph(each))
        elif each.title not in shown:
            folded += [html.subheading(each.title), html.table(each.titles, each.rows)]
    last = html.footer(f"graphwell {__version__}")
    page = html.page(title, [*lead, *notes, *parts, html.folded("Details", folded), last])
    return page.encode("utf-8", "backslashreplace")  # names of files in it need not be Unicode


def _map_of_rows(report: ClassifyReport, details: RowDetails) -> str:
    """All rows with a given label or to be labelled next, and as many others as can be told apart."""
    to_label = np.array([row.row - 1 for row in report.to_label], dtype=int)
    marked = details.given >= 0
    marked[to_label] = True
    others = np.random.default_rng(0).permutation(np.flatnonzero(~marked))[:POINTS_SHOWN]
    rows = np.sort(np.concatenate([np.flatnonzero(marked), others]))
    # The layout of the graph begins with the principal components; on a cluster they alone are there.
    principal = None if details.points is None else principal_map(details.points)
    whole: Any = principal if details.graph is None else graph_map(details.graph, principal)
    plane = whole[rows]
    figure, (panel,) = plots.new_figure(1, width=8.6, height=5.6)
    names = [count.name for count in report.classes]
    plots.projection(panel, plane, details.assigned[rows], details.given[rows], names)
    plots.mark_questions(panel, whole[to_label])
    png = plots.as_png(figure)
    # What is shown under the mouse: name, class and score, and for some rows their photograph.
    hover = rows[:POINTS_NAMED]
    called = [f"row {row}" for row in (hover + 1 if details.ids is None else details.ids[hover])]
    called = called if details.files is None else details.files[hover]
    labels = np.array([*names, "no label"], dtype=object)[details.assigned[hover]]
    ends = np.where(details.given[hover] >= 0, "given", [f"{score:.2f}" for score in details.score[hover]])
    texts = [f"{row}: {label} ({end})" for row, label, end in zip(called, labels, ends, strict=True)]
    places = plots.places(panel, plane[:POINTS_NAMED]).round(4).tolist()
    points: list[list[Any]] = [[*place, text] for place, text in zip(places, texts, strict=True)]
    if details.files is not None:  # those with a label, and to be labelled, come first
        for place in np.argsort(~marked[hover], kind="stable")[:THUMBNAILS].tolist():
            small = plots.thumbnail(report.table / details.files[hover[place]])
            points[place] += [] if small is None else [html.embedded(small, "jpeg")]
    caption = "" if len(rows) == report.rows else f"{len(rows):,} of {report.rows:,} rows."
    return html.figure(png, "map of the rows, neighbours near each other", caption, points)


def _truth(report: ClassifyReport, comparison: Comparison) -> str:
    counts, columns = comparison.confusion, [*comparison.names, "no label"]
    used = counts.any(axis=0) | (np.arange(len(columns)) < len(report.classes))
    side = 1.5 + 0.42 * len(comparison.names)
    figure, (panel,) = plots.new_figure(1, width=min(12, max(4.5, side)), height=min(12, max(4.0, side)))
    names = [name for name, is_used in zip(columns, used, strict=True) if is_used]
    plots.confusion(panel, counts[:, used], comparison.names, names)
    return html.figure(plots.as_png(figure), "confusion matrix", "Rows without a given label.")
