"""Answers to questions, brought back into the table that they were asked about."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._types import IntArray
from graphwell._unknown import is_spelled
from graphwell.errors import OptionError, Sentence, Words, in_python
from graphwell.io.files import check_distinct
from graphwell.io.standard import written_out
from graphwell.io.tables.base import Table, open_table
from graphwell.io.tables.cells import as_numbers, as_text, is_missing, text_column
from graphwell.io.tables.text import check_text_name, write_cells
from graphwell.jobs.columns import find_column
from graphwell.jobs.outputs import check_table_output
from graphwell.jobs.suggest import CANNOT_TELL, REASON, ROW, USUAL_LABEL
from graphwell.progress import Progress, silent


@dataclass(frozen=True, kw_only=True)
class MergeOptions:
    """Which answers to bring back into which table.

    Attributes
    ----------
    table : Path
        The table that was asked about.
    answers : Path
        The file of questions, with labels filled in; ? where a label cannot be told.
    output : Path
        File for the table with the answers in its column of labels: text.
    label : str
        That column, in both files; a new one if the table has none.
    delimiter, encoding : str, optional
        Of a text table; found by default.
    """

    table: Path
    answers: Path
    output: Path
    label: str = USUAL_LABEL
    delimiter: str | None = None
    encoding: str | None = None


@dataclass(frozen=True, kw_only=True)
class MergeReport:
    """What the answers brought.

    Attributes
    ----------
    answered, corrected, cannot_tell, unanswered : int
        Questions with a label, those of them whose row had another label before, those whose label cannot
        be told, and those left empty.
    labels : int
        Labels in the table now.
    """

    table: Path
    answered: int
    corrected: int
    cannot_tell: int
    unanswered: int
    labels: int
    notes: tuple[Sentence, ...]
    files: tuple[Path, ...]

    def to_json(self, words: Words = in_python) -> dict[str, Any]:
        """Return values that JSON can hold; `words` names the options in the notes."""
        return {
            "table": str(self.table),
            "answered": self.answered,
            "corrected": self.corrected,
            "cannot_tell": self.cannot_tell,
            "unanswered": self.unanswered,
            "labels": self.labels,
            "notes": [note.worded(words) for note in self.notes],
            "files": [str(path) for path in self.files],
        }


def merge_answers(options: MergeOptions, *, progress: Progress = silent) -> MergeReport:
    r"""Write the table with the answers in its column of labels.

    Parameters
    ----------
    options : MergeOptions
    progress : callable
        Told the stage and the share of it that is done.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table, ask, out = (Path(folder) / name for name in ("pets.csv", "ask.csv", "out.csv"))
    ...     _ = table.write_text("weight\n4\n30\n")
    ...     _ = ask.write_text("graphwell_row,graphwell_reason,label,weight\n2,largest group,dog,30\n")
    ...     report = merge_answers(MergeOptions(table=table, answers=ask, output=out))
    ...     out.read_text()
    'weight,label\n4,\n30,dog\n'
    >>> report.answered
    1
    """
    check_text_name(options.output, "output")
    check_table_output(options.output)
    check_distinct([("table", options.table), ("answers", options.answers), ("output", options.output)])
    table = open_table(
        options.table, delimiter=options.delimiter, encoding=options.encoding, progress=progress
    )
    asked = open_table(options.answers)
    rows = _rows(asked, table)
    said = np.strings.strip(as_text(asked.column(find_column(asked, options.label, "label"))))
    _check_cells(asked, table, rows, options.label)
    labels, corrected = _merged(table, options.label, rows, said)
    cells = {name: as_text(table.column(name)) for name in table.names} | {options.label: labels}
    with written_out(options.output) as file:
        write_cells(cells, table, options.output, file)
    empty, cannot = is_missing(said), np.asarray(said == CANNOT_TELL)
    return MergeReport(
        table=options.table,
        answered=int((~empty & ~cannot).sum()),
        corrected=corrected,
        cannot_tell=int(cannot.sum()),
        unanswered=int(empty.sum()),
        labels=int((~is_spelled(labels)).sum()),
        notes=(),
        files=(options.output,),
    )


def _rows(asked: Table, table: Table) -> IntArray:
    """Rows that the answers belong to, from 0."""
    if ROW not in asked.names:
        problem = "{field} {}: there is no column {!r}; give a file that `suggest` wrote."
        raise OptionError("answers", problem, asked.path, ROW)
    numbers = as_numbers(asked.column(ROW))
    whole = numbers is not None and bool((numbers == np.rint(numbers)).all())
    if numbers is None or not whole:
        raise OptionError("answers", "{field} {}: {!r} must hold row numbers.", asked.path, ROW)
    rows = numbers.astype(np.int64) - 1
    wrong = rows[(rows < 0) | (rows >= table.n_rows)]
    if len(wrong):
        problem = "{field} {} names row {:,}, but {} has rows 1 to {:,}."
        raise OptionError("answers", problem, asked.path, int(wrong[0]) + 1, table.path, table.n_rows)
    twice = np.flatnonzero(np.bincount(rows, minlength=1) > 1)
    if len(twice):
        raise OptionError("answers", "{field} {} names row {:,} twice.", asked.path, int(twice[0]) + 1)
    return rows


def _check_cells(asked: Table, table: Table, rows: IntArray, label: str) -> None:
    """Refuse answers to another table, or to one whose rows were moved."""
    for name in asked.names:
        if name in (ROW, REASON, label) or name not in table.names:
            continue
        different = np.asarray(as_text(asked.column(name)) != as_text(table.column(name))[rows])
        if different.any():
            at = int(different.argmax())
            problem = (
                "{field} {}: row {:,} has another {!r} in {}; "
                "give the table that the questions were made from."
            )
            raise OptionError("answers", problem, asked.path, int(rows[at]) + 1, name, table.path)


def _merged(table: Table, label: str, rows: IntArray, said: Any) -> tuple[Any, int]:
    """The column of labels with the answers, and how many labels they corrected."""
    before = as_text(table.column(label)) if label in table.names else text_column([""] * table.n_rows)
    old, answered = np.strings.strip(before[rows]), ~is_missing(said)
    corrected = answered & ~is_missing(old) & np.asarray(old != said)
    labels = before.copy()
    labels[rows[answered]] = said[answered]
    return labels, int(corrected.sum())
