"""A labelled table as one page to look at: sizes, descent, projection, doubtful rows, and the truth."""

from typing import Any

import numpy as np

from graphwell._types import FloatArray
from graphwell._version import __version__
from graphwell.jobs.classify import Labelled
from graphwell.view import html, plots

POINTS_SHOWN = 20_000


def report_page(labelled: Labelled, summary: dict[str, Any]) -> str:
    """Return the page as HTML, complete in itself.

    Parameters
    ----------
    labelled : Labelled
    summary : dict
        Of the same table, from `graphwell.jobs.summary`.
    """
    parts = [
        html.paragraph(summary["status"], "lead"),
        html.facts(_facts(summary)),
        *(html.paragraph(note, "note") for note in summary["notes"]),
        html.heading("Classes"),
        *_classes(labelled, summary),
        html.heading("Where the classes lie"),
        _projection(labelled),
    ]
    if labelled.comparison is not None:
        parts += [html.heading("Compared with the truth"), *_truth(labelled, summary)]
    parts += [
        html.heading("Most doubtful rows"),
        html.paragraph("Look at these first. Rows are numbered from 1, the first below the header."),
        doubtful_table(summary),
        html.heading("The descent"),
        _descent(labelled),
        html.table(["stage", "seconds"], [(k, f"{v:.2f}") for k, v in summary["seconds"].items()]),
        html.footer(f"graphwell {__version__}"),
    ]
    return html.page(f"Labels of {labelled.table.path.name}", parts)


def doubtful_table(summary: dict[str, Any]) -> str:
    """The rows to look at first."""
    rows = [
        (
            f"{row['row']:,}" if row["id"] is None else f"{row['row']:,} ({row['id']})",
            row["label"],
            row["second"],
            "yes" if row["given"] else "",
            f"{row['score']:.3f}",
            f"{row['second_score']:.3f}",
        )
        for row in summary["doubtful"]
    ]
    return html.table(
        ["row", "label", "second choice", "given", "score", "second score"], rows, text_columns=4
    )


def _facts(summary: dict[str, Any]) -> list[tuple[str, str]]:
    facts = [
        ("rows", f"{summary['rows']:,}"),
        ("labels given", f"{summary['labels_given']:,}"),
        ("classes", f"{len(summary['classes']):,}"),
        ("features", f"{len(summary['features']):,}"),
        ("rows no label reaches", f"{summary['unreachable_rows']:,}"),
        ("sweeps", f"{summary['sweeps']:,}"),
    ]
    for key, name in (("holdout", "right on hidden labels"), ("truth", "right on rows without a label")):
        if summary[key]:
            facts.append((name, f"{100 * summary[key]['accuracy']:.1f} %"))
    return facts


def _classes(labelled: Labelled, summary: dict[str, Any]) -> list[str]:
    classes = summary["classes"]
    given = np.array([c["given"] for c in classes])
    assigned = np.array([c["assigned"] for c in classes])
    figure, (sizes, scores) = plots.new_figure(2, width=4.8, height=max(3.2, 0.26 * len(classes)))
    plots.class_sizes(sizes, labelled.classes, given, assigned)
    plots.score_histogram(scores, labelled.score[~np.isnan(labelled.score)])
    caption = "Left: rows of each class. Right: scores of all rows; low ones are doubtful."
    parts = [html.figure(plots.as_png(figure), "class sizes and scores", caption)]
    if summary["holdout"]:
        parts.append(html.paragraph(holdout_sentence(summary["holdout"])))
    return parts


def holdout_sentence(holdout: dict[str, Any]) -> str:
    """What the run with hidden labels found.

    Examples
    --------
    >>> holdout_sentence({"accuracy": 0.9, "right": 9, "of": 10, "interval_95": [0.6, 0.98]})
    'A run without 10 of the given labels got 9 of them right: 90.0 % (95 % confidence: 60 to 98 %).'
    """
    low, high = holdout["interval_95"]
    return (
        f"A run without {holdout['of']:,} of the given labels got {holdout['right']:,} of them right: "
        f"{100 * holdout['accuracy']:.1f} % (95 % confidence: {100 * low:.0f} to {100 * high:.0f} %)."
    )


def _projection(labelled: Labelled) -> str:
    shown = _some_points(labelled)
    rows = np.flatnonzero(labelled.kept)[shown]
    figure, (panel,) = plots.new_figure(1, width=8.6, height=5.6)
    plane = _plane(labelled.points)[shown]
    plots.projection(panel, plane, labelled.assigned[rows], labelled.given[rows], labelled.classes)
    caption = (
        "" if len(shown) == len(labelled.points) else f"{len(shown):,} of {len(labelled.points):,} rows."
    )
    return html.figure(plots.as_png(figure), "projection onto two principal components", caption)


def _some_points(labelled: Labelled) -> Any:
    """All points with a given label, and as many others as can be told apart."""
    given = labelled.given[labelled.kept] >= 0
    others = np.random.default_rng(0).permutation(np.flatnonzero(~given))[:POINTS_SHOWN]
    return np.sort(np.concatenate([np.flatnonzero(given), others]))


def _plane(points: FloatArray) -> FloatArray:
    from sklearn.decomposition import PCA

    if points.shape[1] == 1:
        return np.column_stack([points[:, 0], np.zeros(len(points))])
    return np.asarray(PCA(2, random_state=0).fit_transform(points))


def _truth(labelled: Labelled, summary: dict[str, Any]) -> list[str]:
    comparison, truth = labelled.comparison, summary["truth"]
    assert comparison is not None
    sentence = (
        f"{truth['right']:,} of {truth['of']:,} rows without a given label are right: "
        f"{100 * truth['accuracy']:.2f} %."
    )
    counts, columns = comparison.confusion, [*comparison.names, "no label"]
    used = counts.any(axis=0) | (np.arange(len(columns)) < len(labelled.classes))
    side = 1.5 + 0.42 * len(comparison.names)
    figure, (panel,) = plots.new_figure(1, width=min(12, max(4.5, side)), height=min(12, max(4.0, side)))
    names = [name for name, seen in zip(columns, used, strict=True) if seen]
    plots.confusion(panel, counts[:, used], comparison.names, names)
    return [
        html.paragraph(sentence),
        html.figure(plots.as_png(figure), "confusion matrix", "Rows without a given label."),
    ]


def _descent(labelled: Labelled) -> str:
    result = labelled.classifier.result_
    figure, (energy, changes) = plots.new_figure(2, width=4.8, height=3.2)
    plots.per_step(energy, result.energies, "Energy")
    plots.per_step(changes, result.label_changes, "Label changes")
    caption = (
        f"Epsilon falls from {result.epsilons[0]:.3g} to {result.epsilons[-1]:.3g}."
        if result.epsilons
        else ""
    )
    return html.figure(plots.as_png(figure), "energy and label changes per step", caption)
