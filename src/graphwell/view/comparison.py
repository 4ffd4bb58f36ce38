"""Methods side by side as one page: a table, accuracy with its errors, who agrees, and where they differ."""

import numpy as np

from graphwell import __version__
from graphwell.comparison.compare import MethodComparison
from graphwell.errors import Words, in_python
from graphwell.jobs.compare import CompareReport
from graphwell.view import html, plots
from graphwell.view.report import POINTS_SHOWN, columns_table, map_of

HEADER = ("method", "what it does", "correct", "± standard error", "seconds", "memory")


def comparison_page(report: CompareReport, words: Words = in_python) -> str:
    """Return the page as HTML, complete in itself.

    Parameters
    ----------
    report : CompareReport
    words : callable
        How options are named in the notes.
    """
    found = report.found
    parts = [
        html.paragraph(how_judged(found), "lead"),
        html.facts(_facts(found)),
        *(html.paragraph(note.worded(words), "note") for note in report.notes),
        html.heading("Methods"),
        html.table(HEADER, [(each.method, each.summary, *each.cells) for each in found.standings], 2),
        _accuracy(found),
        *_left_out(found),
        html.heading("Who agrees"),
        _agreement(found),
        html.heading("Where they differ"),
        _differences(report),
        html.heading("Columns"),
        columns_table(report.columns, words),
        html.footer(f"graphwell {__version__}"),
    ]
    return html.page(f"Methods on {report.table.name}", parts)


def how_judged(found: MethodComparison) -> str:
    """How the methods were judged, in a sentence or two."""
    hidden = f"{found.n_splits} splits, each of which hides its share of the labels"
    if found.n_splits == 1:
        hidden = "One run with all labels"
    judged = "the hidden labels" if found.judged_on == "hidden labels" else "the truth of all rows not shown"
    return f"{hidden}. Judged on {judged}: {found.n_judged:,} different rows."


def _facts(found: MethodComparison) -> list[tuple[str, str]]:
    best = found.standings[0]
    return [
        ("rows", f"{found.n_rows:,}"),
        ("labels given", f"{found.n_labels:,}"),
        ("classes", f"{found.n_classes:,}"),
        ("methods", f"{len(found.standings):,}"),
        (f"correct: {best.method}", best.cells[0]),
    ]


def _accuracy(found: MethodComparison) -> str:
    names = [each.method for each in found.standings]
    figure, (panel,) = plots.new_figure(1, width=8.0, height=1.2 + 0.3 * len(names))
    shares = np.array([each.accuracy for each in found.standings])
    plots.with_errors(panel, names, shares, np.array([each.standard_error for each in found.standings]))
    return html.figure(plots.as_png(figure), "accuracy of each method with its standard error")


def _left_out(found: MethodComparison) -> list[str]:
    if not found.left_out:
        return []
    return [html.subheading("Left out"), html.table(["method", "why"], found.left_out, text_columns=2)]


def _agreement(found: MethodComparison) -> str:
    names = [each.method for each in found.standings]
    side = 2.2 + 0.36 * len(names)
    figure, (panel,) = plots.new_figure(1, width=side, height=side)
    plots.agreement(panel, found.agreement, names)
    return html.figure(
        plots.as_png(figure), "agreement between methods", "Share of all rows given the same class, in %."
    )


def _differences(report: CompareReport) -> str:
    shown = np.sort(np.random.default_rng(0).permutation(len(report.points))[:POINTS_SHOWN])
    figure, (panel,) = plots.new_figure(1, width=8.6, height=5.6)
    places = map_of(report.points, report.found.graph)[shown]
    plots.map_of_values(figure, panel, places, report.found.dissent[shown], "The graph; dark: methods differ")
    caption = "Share of the methods that do not give a row its most frequent class."
    if len(shown) < len(report.points):
        caption += f" {len(shown):,} of {len(report.points):,} rows."
    return html.figure(plots.as_png(figure), "where the methods differ", caption)
