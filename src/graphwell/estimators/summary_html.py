"""A fitted classifier in a notebook: how the fit ended, the classes, and a small map."""

from html import escape
from typing import Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.graph.maps import graph_map, principal_map

CLASSES_SHOWN = 12
POINTS_SHOWN = 600
ROWS_OF_A_GRAPH_MAP = 1500
"""A notebook must not wait: larger graphs are drawn by the principal components of their rows."""
WIDTH, HEIGHT, MARGIN = 260, 180, 8
GOLDEN_ANGLE = 137.508
"""Hues this far apart stay apart, however many there are."""


def summary_html(clf: Any) -> str:
    """The summary as a piece of HTML, without a script and without anything to fetch."""
    classes = np.asarray(clf.classes_)
    codes = np.where(clf.reachable_, np.searchsorted(classes, clf.transduction_), -1)
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start;margin:.5em 0">'
        f"<div><p style='max-width:22em;margin:.2em 0 .6em'>{escape(_sentences(clf, codes))}</p>"
        f"{_class_table(classes, codes, clf._given)}</div>{_map(clf, codes)}</div>"
    )


def _sentences(clf: Any, codes: IntArray) -> str:
    parts, accuracy = [], getattr(clf, "accuracy_", None)
    if accuracy is not None:
        low, high = clf.accuracy_interval_
        parts.append(
            f"About {accuracy:.0%} of the labels are correct (90 % interval: {low:.0%} to {high:.0%})."
        )
    parts.append(f"{len(codes):,} rows, {int(clf._given.sum()):,} labels given.")
    result = getattr(clf, "result_", None)
    if result is not None:
        parts.append(result.status.value)
    if hasattr(clf, "tuning_"):
        parts.append(f"Compared by: {clf.tuning_}.")
    if clf.bridged_.any():
        parts.append(f"{int(clf.bridged_.sum()):,} rows were reached over a bridge alone.")
    if (codes < 0).any():
        parts.append(f"{int((codes < 0).sum()):,} rows have no label: none reaches them.")
    parts.append("Scores are calibrated." if clf.calibrated_ else "")
    return " ".join(part for part in parts if part)


def _class_table(classes: Any, codes: IntArray, given: Any) -> str:
    counts = (np.bincount(kept[kept >= 0], minlength=len(classes)) for kept in (codes[given], codes))
    rows = [
        f"<tr><td><span style='color:{_color(number)}'>&#9679;</span> {escape(str(name))}</td>"
        f"<td style='text-align:right'>{of_given:,}</td><td style='text-align:right'>{of_all:,}</td></tr>"
        for number, (name, of_given, of_all) in enumerate(zip(classes.tolist(), *counts, strict=True))
    ]
    if len(rows) > CLASSES_SHOWN:
        rest = f"<tr><td colspan='3'>and {len(rows) - CLASSES_SHOWN:,} more</td></tr>"
        rows = [*rows[:CLASSES_SHOWN], rest]
    titles = (("class", "left"), ("given", "right"), ("assigned", "right"))
    head = "".join(f"<th style='text-align:{side}'>{title}</th>" for title, side in titles)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _map(clf: Any, codes: IntArray) -> str:
    """Points as one path a class: a few bytes each."""
    places = _places(clf.graph_)
    if places is None:
        return ""
    shown = np.unique(np.linspace(0, len(places) - 1, POINTS_SHOWN).astype(int))
    low, high = places.min(axis=0), places.max(axis=0)
    room = np.array([WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN])
    at = np.rint(MARGIN + (places[shown] - low) / np.where(high > low, high - low, 1.0) * room).astype(int)
    paths = "".join(_path(at[codes[shown] == number], _color(number)) for number in np.unique(codes[shown]))
    return (
        f'<svg role="img" aria-label="Map of the rows, coloured by class" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" fill="none" stroke-width="4" stroke-linecap="round">{paths}</svg>'
    )


def _path(points: IntArray, color: str) -> str:
    dots = "".join(f"M{x} {y}h0" for x, y in points.tolist())
    return f'<path d="{dots}" stroke="{color}"/>'


def _places(graph: Any) -> FloatArray | None:
    """Where to draw the rows; None where that would take long or the rows lie elsewhere."""
    points = getattr(getattr(getattr(graph, "origin", None), "search", None), "points", None)
    if not hasattr(graph, "n_vertices") or (points is not None and not isinstance(points, np.ndarray)):
        return None
    if graph.n_vertices <= ROWS_OF_A_GRAPH_MAP:
        return np.asarray(graph_map(graph, n_jobs=1), dtype=np.float64)
    return None if points is None else np.asarray(principal_map(points), dtype=np.float64)


def _color(number: int) -> str:
    return "#999" if number < 0 else f"hsl({round(210 + GOLDEN_ANGLE * number) % 360} 65% 48%)"
