"""What a job found: sentences, notes and tables for people, facts for programs, and pages with pictures."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from graphwell import __version__
from graphwell._types import BoolArray, FloatArray, IntArray
from graphwell.encoders.report import Treatment, listed
from graphwell.errors import OptionError, Sentence, Words, in_python
from graphwell.io.cells import NewColumns
from graphwell.view import html, plots

Z_95 = 1.959964
FROM_ONE = " (row 1 is the first below the header)"
POINTS_SHOWN, POINTS_NAMED, THUMBNAILS = 20_000, 5_000, 500
"""On a map; those that tell their name under the mouse; and those that show their photograph, 2 kB each."""
Text = str | Sentence
"""Sentences name options, which each face words in its way."""


@dataclass(frozen=True)
class Grid:
    """A table in a report; titles of columns of numbers begin with >."""

    title: str
    titles: tuple[str, ...]
    rows: Sequence[Sequence[Text]]


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a job found, as `graphwell.cli` prints it and `report_page` draws it."""

    facts: Mapping[str, Any]  # values of JSON, or with sentences in them
    lead: Sequence[Text]  # the results, the most important first
    notes: Sequence[Sentence] = ()  # what to mind
    grids: Sequence[Grid] = ()
    more: Sequence[Text | Grid] = ()  # how it was found: shown where somebody asks
    columns: Sequence[Treatment] = ()  # of a table, and how each was used
    seconds: Mapping[str, float] = field(default_factory=dict)
    files: Sequence[Path] = ()  # that were written
    added: NewColumns | None = None  # the new columns of a table

    def to_json(self, words: Words = in_python) -> dict[str, Any]:
        """Return values that JSON can hold; `words` names the options in sentences."""
        columns = {"columns": self.columns} if self.columns else {}
        seconds = {stage: round(value, 3) for stage, value in self.seconds.items()}
        found = {**self.facts, **columns, "notes": self.notes, "seconds": seconds, "files": self.files}

        def plain(value: Any) -> Any:
            if isinstance(value, Sentence):
                return value.worded(words)
            return value.to_json(words) if isinstance(value, Treatment) else str(value)

        made: dict[str, Any] = json.loads(json.dumps(found, default=plain))
        return made

    def sentences(self, words: Words = in_python) -> list[str]:
        """The results in sentences."""
        return [worded(text, words) for text in self.lead]

    def details(self) -> list[Text | Grid]:
        """How it was found, and the columns; those used alike share a line."""
        if not self.columns:
            return list(self.more)
        alike: dict[tuple[str, str], list[Treatment]] = {}
        for each in self.columns:
            alike.setdefault((each.kind, str(each.became)), []).append(each)
        lines = [
            (listed([each.name or "(no name)" for each in same]), same[0].kind, same[0].became)
            for same in alike.values()
        ]
        return [*self.more, Grid("Columns", ("column", "holds", "became"), lines)]


def written(files: Sequence[Path]) -> list[str]:
    """A sentence that names the files, if there are any."""
    return [f"Written: {', '.join(map(str, files))}"] if files else []


def worded(text: Text, words: Words) -> str:
    """A text as one face says it."""
    return text.worded(words) if isinstance(text, Sentence) else text


def cells(grid: Grid, words: Words) -> Iterator[list[str]]:
    """The lines of a table as one face says them."""
    return ([worded(cell, words) for cell in row] for row in grid.rows)


def shown_row(row: Mapping[str, Any]) -> str:
    """Number and name of a row, which count from 1 below the header."""
    return f"{row['row']:,}" if row["id"] is None else f"{row['row']:,} ({row['id']})"


def to_label_grid(rows: Sequence[Mapping[str, Any]]) -> Grid:
    """The rows that are worth a label."""
    lines = [(shown_row(each), each["reason"]) for each in rows]
    return Grid(f"The rows to label next, best first{FROM_ONE}", (">row", "why"), lines)


def compare_with_truth(
    assigned: IntArray, given: IntArray, truth: IntArray, n_classes: int
) -> tuple[dict[str, Any], IntArray]:
    """Accuracy where the truth is known and the label was not given, and counts by true and assigned class.

    -1 stands for no label; the last column of the counts is for rows that got none.
    """
    asked = (truth >= 0) & (given < 0)
    if not asked.any():
        problem = "{field} says nothing on any row without a given label; there is nothing to compare."
        raise OptionError("truth", problem)
    k = n_classes
    found = np.where(assigned < 0, k, assigned)[asked]
    confusion = np.bincount(truth[asked] * (k + 1) + found, minlength=k * (k + 1)).reshape(k, k + 1)
    right, n, z = int(np.trace(confusion)), int(asked.sum()), Z_95
    p = right / n
    centre, scale = p + z * z / (2 * n), 1 + z * z / n  # Wilson's interval
    half = z * float(np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)))
    interval = [max(0.0, round((centre - half) / scale, 4)), min(1.0, round((centre + half) / scale, 4))]
    return {"accuracy": p, "right": right, "of": n, "interval_95": interval}, confusion


# -------------------------------------------------------------------------------------------------- pages


def report_page(
    title: str, report: Report, words: Words = in_python, first: Sequence[str] = (), last: Sequence[str] = ()
) -> bytes:
    """A page of a report that is complete in itself, with HTML `first` and `last` among its tables."""
    lead = [html.paragraph(text, "lead") for text in report.sentences(words)]
    notes = [html.paragraph(note.worded(words), "note") for note in report.notes]
    tables, folded = [], []
    for each in (*report.grids, *report.details()):
        if not isinstance(each, Grid):
            folded.append(html.paragraph(worded(each, words)))
        elif each.title == "Columns":
            folded += [html.subheading(each.title), html.table(each.titles, cells(each, words))]
        else:
            tables += [html.heading(each.title), html.table(each.titles, cells(each, words))]
    details = html.folded("Details", folded)
    parts = [*lead, *notes, *first, *tables, *last, details, html.footer(f"graphwell {__version__}")]
    return html.page(title, parts).encode("utf-8", "backslashreplace")  # names of files need not be Unicode


def map_of_rows(
    plane: FloatArray,
    assigned: IntArray,
    given: IntArray,
    names: Sequence[str],
    hover: Callable[[int], str],
    to_label: IntArray,
    photograph: Callable[[int], Path] | None = None,
) -> list[str]:
    """A map of all rows with a given label or to be labelled next, and of as many others as fit.

    `hover` returns the text of a row under the mouse, `photograph` the path of its picture.
    """
    marked: BoolArray = given >= 0
    marked[to_label] = True
    others = np.random.default_rng(0).permutation(np.flatnonzero(~marked))[:POINTS_SHOWN]
    rows = np.sort(np.concatenate([np.flatnonzero(marked), others]))
    figure, (panel,) = plots.new_figure(1, width=8.6, height=5.6)
    plots.projection(panel, plane[rows], assigned[rows], given[rows], names)
    plots.mark_questions(panel, plane[to_label])
    png = plots.as_png(figure)
    named = rows[:POINTS_NAMED]
    places = plots.places(panel, plane[named]).round(4).tolist()
    points: list[list[Any]] = [[*place, hover(row)] for place, row in zip(places, named, strict=True)]
    if photograph is not None:  # those with a label, and to be labelled, come first
        for place in np.argsort(~marked[named], kind="stable")[:THUMBNAILS].tolist():
            small = plots.thumbnail(photograph(named[place]))
            points[place] += [] if small is None else [html.embedded(small, "jpeg")]
    caption = "" if len(rows) == len(plane) else f"{len(rows):,} of {len(plane):,} rows."
    drawn = html.figure(png, "map of the rows, neighbours near each other", caption, points)
    return [html.heading("Map"), drawn]


def truth_table(counts: IntArray, names: Sequence[str], n_known: int) -> list[str]:
    """Counts by true and assigned class as a picture; only the first classes can be assigned."""
    columns = [*names, "no label"]
    used = counts.any(axis=0) | (np.arange(len(columns)) < n_known)
    side = 1.5 + 0.42 * len(names)
    figure, (panel,) = plots.new_figure(1, width=min(12, max(4.5, side)), height=min(12, max(4.0, side)))
    shown = [name for name, is_used in zip(columns, used, strict=True) if is_used]
    plots.confusion(panel, counts[:, used], names, shown)
    drawn = html.figure(plots.as_png(figure), "confusion matrix", "Rows without a given label.")
    return [html.heading("Compared with the truth"), drawn]
