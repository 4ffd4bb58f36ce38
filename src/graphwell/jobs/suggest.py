"""The rows of a table to label next, written as a table to fill in; and the answers, brought back into it."""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from graphwell._checks import rows_left
from graphwell._types import BoolArray, IntArray
from graphwell._unknown import is_spelled
from graphwell.active import suggest as choose
from graphwell.backends.registry import check_device
from graphwell.encoders.report import Treatment, column_note
from graphwell.errors import OptionError, Sentence, Words, in_python
from graphwell.io.cells import Table, as_numbers, as_text, is_missing, text_column
from graphwell.io.files import check_distinct, written_out
from graphwell.io.tables import open_table
from graphwell.io.text import check_text_name, write_cells
from graphwell.jobs.options import TableOptions
from graphwell.jobs.outputs import check_table_output, notes_from_warnings
from graphwell.jobs.reports import RowToLabel
from graphwell.jobs.summary import rows_to_label
from graphwell.jobs.table import (
    FeatureColumns,
    LabelColumn,
    ReadyRows,
    find_column,
    named_columns,
    read_label_column,
    ready_rows,
)
from graphwell.progress import Progress, silent

ROW, REASON = "graphwell_row", "graphwell_reason"
"""Columns of a file of questions."""
USUAL_LABEL = "label"
CANNOT_TELL = "?"
"""The answer that a label cannot be told."""


@dataclass(frozen=True, kw_only=True)
class SuggestOptions(TableOptions):
    """Which rows of a table to label next.

    Attributes
    ----------
    output : Path, optional
        File for the questions: text, with an empty column for the answers.
    n : int
        Number of questions.
    label : str, optional
        Column of the labels so far. By default ``label``, if there is such a column.
    strategy : str
        One of ``graphwell.active.strategies()``.
    n_neighbors, device
        As in `graphwell.suggest`.
    others
        As in `graphwell.jobs.options.TableOptions`.
    """

    label: str | None = None  # type: ignore[assignment]
    output: Path | None = None
    n: int = 10
    strategy: str = "auto"
    n_neighbors: int = 10
    device: str = "cpu"

    def for_table(self, table: Table) -> Self:
        """The same options with what a table settles: the column of labels, "" if there is none."""
        usual = USUAL_LABEL in table.names and USUAL_LABEL not in self.drop
        label = self.label or (USUAL_LABEL if usual else "")
        of_questions = tuple(name for name in (ROW, REASON) if name in table.names)  # of an earlier run
        unknown = (*self.unknown, CANNOT_TELL) if self.unknown else ()
        return replace(self, label=label, drop=(*self.drop, *of_questions), unknown=unknown)


@dataclass(frozen=True, kw_only=True)
class SuggestReport:
    """Rows to label next.

    Attributes
    ----------
    rows : int
        Of the table.
    columns : tuple of Treatment
        What became of each column.
    labels_given : int
    classes : tuple of str
        Classes that have a label.
    to_label : tuple of RowToLabel
        Best first.
    notes : tuple of Sentence
        What the user should know.
    files : tuple of Path
        Everything that was written.
    """

    table: Path
    rows: int
    features: tuple[str, ...]
    columns: tuple[Treatment, ...]
    labels_given: int
    classes: tuple[str, ...]
    strategy: str
    to_label: tuple[RowToLabel, ...]
    notes: tuple[Sentence, ...]
    seconds: Mapping[str, float]
    files: tuple[Path, ...]

    def to_json(self, words: Words = in_python) -> dict[str, Any]:
        """Return values that JSON can hold; `words` names the options in the notes."""
        return {
            "table": str(self.table),
            "rows": self.rows,
            "features": list(self.features),
            "columns": [treatment.to_json(words) for treatment in self.columns],
            "labels_given": self.labels_given,
            "classes": list(self.classes),
            "strategy": self.strategy,
            "to_label": [asdict(row) for row in self.to_label],
            "notes": [note.worded(words) for note in self.notes],
            "seconds": {stage: round(value, 3) for stage, value in self.seconds.items()},
            "files": [str(path) for path in self.files],
        }


def suggest(options: SuggestOptions, *, progress: Progress = silent) -> SuggestReport:
    r"""Choose the rows to label next, and write them down.

    Parameters
    ----------
    options : SuggestOptions
    progress : callable
        Told the stage and the share of it that is done.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("weight\n4\n5\n5.5\n28\n30\n")
    ...     report = suggest(SuggestOptions(table=path, n=2, n_neighbors=2))
    >>> [row.reason for row in report.to_label]
    ['largest group without a label, 3 rows', 'group without a label, 2 rows']
    """
    began = time.perf_counter()
    _check_files(options)
    with notes_from_warnings() as warned:
        read = read_unlabelled(options, progress, asked=options.n)
        table, given, features, ready = read.table, read.given, read.features, read.ready
        progress("neighbours", None)
        found = choose(
            ready.X, _named(given)[ready.kept], n=options.n, strategy=options.strategy,
            random_state=options.seed, exclude=np.flatnonzero(read.closed[ready.kept]),
            n_neighbors=options.n_neighbors, device=options.device, n_jobs=options.n_jobs,
        )  # fmt: skip
        rows = rows_to_label(found, ready.kept, read.ids)
        if options.output is not None:
            _write(table, read.options, rows, options.output)
    about_columns = (column_note(treatment) for treatment in features.treatments if treatment.warns)
    return SuggestReport(
        table=options.table,
        rows=table.n_rows,
        features=features.names,
        columns=features.treatments,
        labels_given=int((given.codes >= 0).sum()),
        classes=given.names,
        strategy=found.strategy,
        to_label=rows,
        notes=(*about_columns, *given.notes, *ready.notes, *ready.scale_notes, *warned),
        seconds={"in all": time.perf_counter() - began},
        files=() if options.output is None else (options.output,),
    )


@dataclass(frozen=True, eq=False)
class UnlabelledTable:
    """A table most of whose labels are missing, with its rows ready to be compared.

    Attributes
    ----------
    table : Table
    options : SuggestOptions
        With what the table settles.
    given : LabelColumn
        The labels so far.
    closed : array of bool
        Rows whose label cannot be told.
    features : FeatureColumns
    ready : ReadyRows
    ids : array of text, optional
        Names of the rows.
    """

    table: Table
    options: SuggestOptions
    given: LabelColumn
    closed: BoolArray
    features: FeatureColumns
    ready: ReadyRows
    ids: Any


def read_unlabelled(options: SuggestOptions, progress: Progress = silent, asked: int = 0) -> UnlabelledTable:
    """Read a table with some labels or none, `asked` rows without; make its rows ready to be compared."""
    table = open_table(
        options.table, delimiter=options.delimiter, encoding=options.encoding, decimal=options.decimal,
        progress=progress,
    )  # fmt: skip
    options = options.for_table(table)
    named_columns(table, options)
    if options.label:
        given = read_label_column(table, options.label, "label", options.unknown)
        closed = np.asarray(np.strings.strip(table.text(options.label)) == CANNOT_TELL)
    else:
        given, closed = LabelColumn((), np.full(table.n_rows, -1)), np.zeros(table.n_rows, dtype=bool)
    rows_left(asked, int(((given.codes < 0) & ~closed).sum()))
    features, ready = ready_rows(table, options, given if given.names else None)
    ids = None if options.row_id is None else as_text(table.column(options.row_id))
    return UnlabelledTable(table, options, given, closed, features, ready, ids)


def _named(given: LabelColumn) -> Any:
    """Class names of the rows, None where there is no label."""
    return np.array([*given.names, None], dtype=object)[given.codes]


def _check_files(options: SuggestOptions) -> None:
    if options.output is not None:
        check_text_name(options.output, "output")
        check_table_output(options.output)
    check_distinct([("table", options.table), ("output", options.output)])
    check_device(options.device)
    if options.n < 1:
        raise OptionError("n", "{field} must be a number of rows, 1 or more; got {}.", options.n)


def _write(table: Table, options: SuggestOptions, rows: tuple[RowToLabel, ...], path: Path) -> None:
    """Write the questions, each with all cells of its row."""
    places: IntArray = np.array([row.row - 1 for row in rows])
    label = options.label or USUAL_LABEL
    cells: dict[str, Any] = {ROW: text_column([str(row.row) for row in rows])}
    if options.row_id is not None:
        cells[options.row_id] = as_text(table.column(options.row_id))[places]
    cells[REASON] = text_column([row.reason for row in rows])
    cells[label] = text_column([""] * len(rows))
    others = [name for name in table.names if name not in cells]
    cells |= {name: as_text(table.column(name))[places] for name in others}
    with written_out(path) as file:
        write_cells(cells, table, path, file)


# ------------------------------------------------------------------------------------------------ answers


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
