"""The rows of a table to label next, written as a table to fill in; and the answers, brought back into it."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from graphwell._checks import rows_left
from graphwell._types import BoolArray, IntArray
from graphwell._unknown import is_spelled
from graphwell.active import suggest as choose
from graphwell.backends.registry import check_device
from graphwell.errors import OptionError, Sentence, counted, with_sentence
from graphwell.io.cells import Table, as_numbers, as_text, is_missing, text_column
from graphwell.io.files import check_distinct, written_out
from graphwell.io.tables import open_table
from graphwell.io.text import Reading, check_text_name, write_cells
from graphwell.jobs.report import Report, to_label_grid, written
from graphwell.jobs.table import (
    TableOptions,
    TableRows,
    check_files,
    encoded_notes,
    find_column,
    notes_from_warnings,
    open_rows,
)
from graphwell.memory import limited_to
from graphwell.progress import Progress, silent

ROW, REASON = "graphwell_row", "graphwell_reason"
"""Columns of a file of questions."""
USUAL_LABEL = "label"
CANNOT_TELL = "?"
"""The answer that a label cannot be told."""
NOT_ASKED = "{} with '?' in column {!r} are not asked: here it means that nobody can tell; empty cells are."


@dataclass(frozen=True, kw_only=True)
class SuggestOptions(TableOptions):
    """Which rows of a table to label next."""

    label: str | None = None  # type: ignore[assignment]  # by default "label", if there is such a column
    output: Path | None = None  # file for the questions: text, with an empty column for the answers
    n: int = 10
    strategy: str = "auto"  # one of `graphwell.active.strategies()`
    device: str = "cpu"

    def for_table(self, table: Table) -> Self:
        """The same options with what a table settles: the column of labels, "" if there is none."""
        usual = USUAL_LABEL in table.names and USUAL_LABEL not in self.drop
        label = self.label or (USUAL_LABEL if usual else "")
        of_questions = tuple(name for name in (ROW, REASON) if name in table.names)  # of an earlier run
        unknown = (*self.unknown, CANNOT_TELL) if self.unknown else ()
        return replace(self, label=label, drop=(*self.drop, *of_questions), unknown=unknown)


def suggest(options: SuggestOptions, *, progress: Progress = silent) -> Report:
    """Choose the rows to label next, and write them down."""
    began = time.perf_counter()
    if options.output is not None:
        check_text_name(options.output, "output")
    check_files(options.table, output=options.output)
    check_device(options.device)
    if options.n < 1:
        raise OptionError("n", "{field} must be a number of rows, 1 or more; got {}.", options.n)
    with limited_to(options.max_memory), notes_from_warnings() as warned:
        rows = open_rows(options, progress, labelled=False)
        closed = cannot_tell(rows)
        left = int(((rows.given.codes < 0) & ~closed).sum())
        told = Sentence(NOT_ASKED, (counted(int(closed.sum()), "row"), rows.options.label))
        if closed.any() and not left:
            raise with_sentence(ValueError, f"No row is left to ask for. {told.template}", *told.values)
        rows_left(options.n, left)
        encoder, X = rows.encoded()
        progress("neighbours", None)
        names = np.array([*rows.classes, None], dtype=object)
        found = choose(
            X, names[rows.given.codes], n=options.n, strategy=options.strategy, random_state=options.seed,
            exclude=np.flatnonzero(closed), n_neighbors=options.n_neighbors,
            device=options.device, n_jobs=options.n_jobs,
        )  # fmt: skip
        to_label = rows.to_label(found)
        if options.output is not None:
            _write(rows, to_label, options.output)
    n, n_known = rows.table.n_rows, int((rows.given.codes >= 0).sum())
    facts = {
        "table": str(options.table),
        "rows": n,
        "features": list(encoder.encoders_),
        "labels_given": n_known,
        "classes": rows.classes,
        "strategy": found.strategy,
        "to_label": to_label,
    }
    classes = counted(len(rows.classes), "class", "classes")
    known = f"{counted(n_known, 'label')} of {classes} so far" if n_known else "no label yet"
    chosen = "" if found.strategy == "auto" else f" Rows are chosen by {found.strategy}."
    files = () if options.output is None else (options.output,)
    return Report(
        facts=facts,
        lead=[f"{counted(n, 'row')}, {known}.{chosen}", *written(files)],
        notes=(*warned(), *rows.notes, *([told] if closed.any() else []), *encoded_notes(encoder, X)),
        grids=[to_label_grid(to_label)],
        columns=rows.columns(encoder),
        seconds={"in all": time.perf_counter() - began},
        files=files,
    )


def cannot_tell(rows: TableRows) -> BoolArray:
    """Rows whose answer is that the label cannot be told."""
    if not rows.options.label:
        return np.zeros(rows.table.n_rows, dtype=bool)
    return np.asarray(np.strings.strip(rows.table.text(rows.options.label)) == CANNOT_TELL)


def _write(rows: TableRows, to_label: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write the questions, each with all cells of its row."""
    table, row_id = rows.table, rows.options.row_id
    places: IntArray = np.array([row["row"] - 1 for row in to_label])
    cells: dict[str, Any] = {ROW: text_column([str(row["row"]) for row in to_label])}
    if row_id is not None:
        cells[row_id] = rows.ids[places]
    cells[REASON] = text_column([row["reason"] for row in to_label])
    cells[rows.options.label or USUAL_LABEL] = text_column([""] * len(to_label))
    others = [name for name in table.names if name not in cells]
    cells |= {name: as_text(table.column(name))[places] for name in others}
    with written_out(path) as file:
        write_cells(cells, table, path, file)


# ------------------------------------------------------------------------------------------------ answers


def merge_answers(options: SuggestOptions, answers: Path, *, progress: Progress = silent) -> Report:
    """Write a table with the answers of a file of questions in its column of labels, a new one if need be."""
    output, label = options.output, options.label or USUAL_LABEL
    if output is None:
        raise OptionError("output", "{field} is needed: the file for the table with the answers.")
    check_text_name(output, "output")
    check_files(options.table, output=output)
    check_distinct([("answers", answers), ("output", output)])
    table = open_table(options.table, Reading(options.delimiter, options.encoding, progress=progress))
    asked = open_table(answers)
    found = np.strings.strip(as_text(asked.column(find_column(asked, label, "label"))))
    rows = _rows_of_answers(asked, table, label)
    labels = as_text(table.column(label)).copy() if label in table.names else text_column([""] * table.n_rows)
    old, empty, cannot = np.strings.strip(labels[rows]), is_missing(found), np.asarray(found == CANNOT_TELL)
    labels[rows[~empty]] = found[~empty]
    cells = {name: as_text(table.column(name)) for name in table.names} | {label: labels}
    with written_out(output) as file:
        write_cells(cells, table, output, file)
    facts: dict[str, Any] = {
        "table": str(options.table),
        "answered": int((~empty & ~cannot).sum()),
        "corrected": int((~empty & ~is_missing(old) & np.asarray(old != found)).sum()),  # of the answered
        "cannot_tell": int(cannot.sum()),
        "unanswered": int(empty.sum()),
        "labels": int((~is_spelled(labels)).sum()),
    }
    further = {"corrected": "of them corrections", "cannot_tell": "cannot be told", "unanswered": "left open"}
    parts = [f"{facts[name]:,} {what}" for name, what in further.items() if facts[name]]
    merged = ", ".join([f"{counted(facts['answered'], 'answer')} merged", *parts])
    lead = [f"{merged}; the table has {counted(facts['labels'], 'label')} now.", *written([output])]
    return Report(facts=facts, lead=lead, files=[output])


def _rows_of_answers(asked: Table, table: Table, label: str) -> IntArray:
    """Rows that the answers belong to, from 0; answers to another table, or to moved rows, are refused."""
    if ROW not in asked.names:
        problem = "{field} {}: there is no column {!r}; give a file that `suggest` wrote."
        raise OptionError("answers", problem, asked.path, ROW)
    numbers = as_numbers(asked.column(ROW))
    if numbers is None or not bool((numbers == np.rint(numbers)).all()):
        raise OptionError("answers", "{field} {}: {!r} must hold row numbers.", asked.path, ROW)
    rows = numbers.astype(np.int64) - 1
    wrong = rows[(rows < 0) | (rows >= table.n_rows)]
    if len(wrong):
        problem = "{field} {} names row {:,}, but {} has rows 1 to {:,}."
        raise OptionError("answers", problem, asked.path, int(wrong[0]) + 1, table.path, table.n_rows)
    twice = np.flatnonzero(np.bincount(rows, minlength=1) > 1)
    if len(twice):
        raise OptionError("answers", "{field} {} names row {:,} twice.", asked.path, int(twice[0]) + 1)
    for name in asked.names:
        if name in (ROW, REASON, label) or name not in table.names:
            continue
        different = np.asarray(as_text(asked.column(name)) != as_text(table.column(name))[rows])
        if different.any():
            row = int(rows[different.argmax()]) + 1
            problem = (
                "{field} {}: row {:,} has another {!r} in {}; "
                "give the table that the questions were made from."
            )
            raise OptionError("answers", problem, asked.path, row, name, table.path)
    return rows
