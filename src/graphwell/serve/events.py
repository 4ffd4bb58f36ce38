"""Events of the label page: its rows, its classes, the colours of its map, and numbers of a fit."""

from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell.active.accuracy import ENOUGH_CHECKED
from graphwell.jobs.labelling import FoundLabels, LabelledTable
from graphwell.serve.answers import Annotations, Change
from graphwell.serve.channel import frame
from graphwell.serve.fits import Fit, LabelPreview
from graphwell.serve.journal import Journal

NO_CLASS = 255
"""In the bytes that a map is coloured by."""
STEPS_OF_DOUBT = 15
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


def table_event(table: LabelledTable, answers: Annotations) -> dict[str, Any]:
    """The event that a new window begins with: the table, and the classes of its rows."""
    return {
        "event": "about",
        "table": table.options.table.name,
        "output": table.options.labelled.name,
        "rows": len(answers.codes),
        "classes": [vars(entry) for entry in answers.classes],
    }


def answers_event(answers: Annotations, journal: Journal, rows: IntArray, number: int) -> dict[str, Any]:
    """The answers for some rows, the classes, and how far one can go back and forth."""
    done, undone = journal.done, journal.undone
    return {
        "event": "answers",
        "number": number,
        "rows": rows.tolist(),
        "codes": answers.codes[rows].tolist(),
        "weights": answers.weights[rows].round(3).tolist(),
        "classes": [vars(entry) for entry in answers.classes],
        "undo": done[-1]["do"] if done else None,
        "redo": undone[-1]["do"] if undone else None,
        "steps": len(done),
    }


def doubtful_rows(fit: Fit, table: LabelledTable) -> list[dict[str, Any]]:
    """The most doubtful rows without a label, with what they may be."""
    if fit.found is None:
        return []
    doubt = np.where(fit.snapshot.codes >= 0, -1.0, fit.found.doubt)
    rows = np.argpartition(-doubt, min(DOUBTFUL_SHOWN, len(doubt) - 1))[:DOUBTFUL_SHOWN]
    rows = rows[np.argsort(-doubt[rows], kind="stable")]
    return [
        {"row": int(row), "name": table.name(int(row)), "guesses": fit.found.guesses(int(row), 2)}
        for row in rows
        if doubt[row] > 0
    ]


def too_early(fit: Fit) -> str:
    """Why no accuracy can be told yet; empty if it can."""
    seen = set(fit.snapshot.codes.tolist())
    unseen = [name for number, name in enumerate(fit.snapshot.names) if name and number not in seen]
    if len(seen & set(range(len(fit.snapshot.names)))) < 2:
        return "Answer with at least two classes first."
    if unseen:
        return f"No row is labelled {unseen[0]} yet."
    n_checked = 0 if fit.accuracy is None else fit.accuracy.n_checked
    if n_checked < ENOUGH_CHECKED:
        return f"{n_checked} of {ENOUGH_CHECKED} answers that are needed have checked a label of the model."
    return ""


def lasso_counts(change: Change | None, colors: IntArray) -> dict[str, Any] | None:
    """The classes that the model gives rows labelled together; None if the last change was another."""
    if change is None or len(change.rows) < 2 or change.codes[1][0] < 0:
        return None
    sizes = np.bincount(colors[change.rows], minlength=NO_CLASS + 1)
    counts = {int(number): int(sizes[number]) for number in np.flatnonzero(sizes[:NO_CLASS])}
    return {"rows": len(change.rows), "class": int(change.codes[1][0]), "says": counts}


def row_in_brief(table: LabelledTable, row: int) -> dict[str, Any]:
    """A row as it is shown in a list."""
    return {
        "row": row,
        "name": table.name(row),
        "picture": table.picture(row),
        "pixels": table.pixels(row),
        "snippet": (table.text(row) or "")[:80] or None,
    }


def shown_row(
    table: LabelledTable, answers: Annotations, found: FoundLabels | None, row: int
) -> dict[str, Any]:
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


class Coloring:
    """Class and doubt of every row as windows know them: bytes, `NO_CLASS` where it has none, doubt in steps.

    Examples
    --------
    >>> coloring = Coloring(3)
    >>> coloring.classes
    array([255, 255, 255], dtype=uint8)
    >>> len(coloring.everything()), coloring.sizes()[255]
    (2, np.int64(3))
    """

    def __init__(self, n_rows: int) -> None:
        self.classes = np.full(n_rows, NO_CLASS, dtype=np.uint8)
        self.doubt = np.zeros(n_rows, dtype=np.uint8)

    def __len__(self) -> int:
        return len(self.classes)

    def sizes(self) -> IntArray:
        """How many rows have each class, by number."""
        return np.bincount(self.classes, minlength=NO_CLASS + 1)

    def everything(self) -> list[bytes]:
        """Frames for a new window."""
        rows: IntArray = np.arange(len(self))
        return [byte_frame("labels", rows, self.classes), byte_frame("doubt", rows, self.doubt)]

    def take_preview(self, preview: LabelPreview) -> bytes:
        """Paint the labels of a preview; returns the frame for the windows."""
        classes = _as_bytes(preview.labels)
        self.classes[preview.rows] = classes
        return byte_frame("labels", preview.rows, classes, number=preview.snapshot.number, preview=True)

    def take_fit(self, found: FoundLabels | None, number: int) -> list[bytes]:
        """Paint the labels of a fit that knew the answers up to a number; returns frames of what changed."""
        classes, doubt = np.full_like(self.classes, NO_CLASS), np.zeros_like(self.doubt)
        if found is not None:
            classes, doubt = _as_bytes(found.labels), np.rint(STEPS_OF_DOUBT * found.doubt).astype(np.uint8)
        frames = []
        for name, before, after in (("labels", self.classes, classes), ("doubt", self.doubt, doubt)):
            rows = np.flatnonzero(before != after)
            before[rows] = after[rows]
            frames.append(byte_frame(name, rows, after[rows], number=number))
        return frames


def _as_bytes(labels: IntArray) -> IntArray:
    return np.where(labels < 0, NO_CLASS, labels).astype(np.uint8)
