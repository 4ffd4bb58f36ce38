"""How windows of the label page are told of rows and fits."""

from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell.active.accuracy import ENOUGH_CHECKED
from graphwell.jobs.labelling import FoundLabels, LabelledTable
from graphwell.serve.answers import Answers, Change
from graphwell.serve.channel import frame
from graphwell.serve.journal import Journal
from graphwell.serve.refits import Fit

NO_CLASS = 255
"""In the bytes that a map is coloured by."""
DOUBTFUL_SHOWN = 30
NEIGHBOURS_SHOWN = 6
GUESSES_SHOWN = 3


def byte_frame(name: str, rows: IntArray, values: IntArray, **more: Any) -> bytes:
    r"""An event with a byte for each of some rows: their numbers first, four bytes each.

    Examples
    --------
    >>> byte_frame("labels", np.array([7]), np.array([2]))[-5:]
    b'\x07\x00\x00\x00\x02'
    """
    body = np.frombuffer(rows.astype("<u4").tobytes() + values.astype(np.uint8).tobytes(), dtype=np.uint8)
    return frame({"event": name, "count": len(rows), **more}, body)


def told_table(table: LabelledTable, answers: Answers) -> dict[str, Any]:
    """The event that a new window begins with: the table, and the classes of its rows."""
    return {
        "event": "about",
        "table": table.options.table.name,
        "output": table.options.labelled.name,
        "rows": len(answers.codes),
        "classes": _told_classes(answers),
    }


def told_answers(answers: Answers, journal: Journal, rows: IntArray, number: int) -> dict[str, Any]:
    """The event of what was said of some rows, of the classes, and how far one can go back and forth."""
    done, undone = journal.done, journal.undone
    return {
        "event": "answers",
        "number": number,
        "rows": rows.tolist(),
        "codes": answers.codes[rows].tolist(),
        "weights": answers.weights[rows].round(3).tolist(),
        "classes": _told_classes(answers),
        "undo": done[-1]["do"] if done else None,
        "redo": undone[-1]["do"] if undone else None,
        "steps": len(done),
    }


def _told_classes(answers: Answers) -> list[dict[str, Any]]:
    return [vars(entry) for entry in answers.classes]


def doubtful_rows(fit: Fit, table: LabelledTable) -> list[dict[str, Any]]:
    """The most doubtful rows without a label, with what they may be."""
    if fit.found is None:
        return []
    doubt = np.where(fit.said.codes >= 0, -1.0, fit.found.doubt)
    rows = np.argpartition(-doubt, min(DOUBTFUL_SHOWN, len(doubt) - 1))[:DOUBTFUL_SHOWN]
    rows = rows[np.argsort(-doubt[rows], kind="stable")]
    return [
        {"row": int(row), "name": table.name(int(row)), "guesses": fit.found.guesses(int(row), 2)}
        for row in rows
        if doubt[row] > 0
    ]


def too_early(fit: Fit) -> str:
    """Why no accuracy can be told yet; empty if it can."""
    seen = set(fit.said.codes.tolist())
    unseen = [name for number, name in enumerate(fit.said.names) if name and number not in seen]
    if len(seen & set(range(len(fit.said.names)))) < 2:
        return "Answer with at least two classes first."
    if unseen:
        return f"No row is labelled {unseen[0]} yet."
    n_checked = 0 if fit.accuracy is None else fit.accuracy.n_checked
    if n_checked < ENOUGH_CHECKED:
        return f"{n_checked} of {ENOUGH_CHECKED} answers that are needed have checked a label of the model."
    return ""


def lasso_says(change: Change | None, colors: IntArray) -> dict[str, Any] | None:
    """What the model now thinks of rows that were labelled together; None if the last change was another."""
    if change is None or len(change.rows) < 2 or change.codes[1][0] < 0:
        return None
    sizes = np.bincount(colors[change.rows], minlength=NO_CLASS + 1)
    says = {int(number): int(sizes[number]) for number in np.flatnonzero(sizes[:NO_CLASS])}
    return {"rows": len(change.rows), "class": int(change.codes[1][0]), "says": says}


def row_in_brief(table: LabelledTable, row: int) -> dict[str, Any]:
    """What is shown of a row in a list."""
    return {
        "row": row,
        "name": table.name(row),
        "picture": table.picture(row),
        "pixels": table.pixels(row),
        "snippet": (table.text(row) or "")[:80] or None,
    }


def shown_row(table: LabelledTable, answers: Answers, found: FoundLabels | None, row: int) -> dict[str, Any]:
    """All that is shown of a row."""
    near = table.nearest(row, answers.labelled, NEIGHBOURS_SHOWN)
    return {
        **row_in_brief(table, row),
        "cells": table.cells(row),
        "text": table.text(row),
        "given": int(answers.codes[row]),
        "guesses": [] if found is None else found.guesses(row, GUESSES_SHOWN),
        "near": [{**row_in_brief(table, other), "class": int(answers.codes[other])} for other in near],
    }
