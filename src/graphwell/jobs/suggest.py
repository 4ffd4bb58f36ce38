"""The rows of a table to label next, written as a table to fill in."""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphwell._checks import rows_left
from graphwell._types import BoolArray, IntArray
from graphwell.backends.registry import check_device
from graphwell.columns.fate import Fate
from graphwell.errors import OptionError, Sentence, Words, in_python
from graphwell.io.files import check_distinct
from graphwell.io.standard import written_out
from graphwell.io.tables.base import Table, open_table
from graphwell.io.tables.cells import as_text, text_column
from graphwell.io.tables.text import check_text_name, write_cells
from graphwell.jobs.columns import FeatureColumns, Roles, named_columns, read_features
from graphwell.jobs.label_column import LabelColumn, read_label_column
from graphwell.jobs.outputs import check_table_output, notes_from_warnings
from graphwell.jobs.preprocess import Preprocessing, ReadyRows, preprocess
from graphwell.jobs.questions import RowToLabel, rows_to_label
from graphwell.progress import Progress, silent

ROW, REASON = "graphwell_row", "graphwell_reason"
"""Columns of a file of questions."""
USUAL_LABEL = "label"
CANNOT_TELL = "?"
"""The answer that a label cannot be told."""


@dataclass(frozen=True, kw_only=True)
class SuggestOptions:
    """Which rows of a table to label next.

    Attributes
    ----------
    table : Path
        File to read.
    output : Path, optional
        File for the questions: text, with an empty column for the answers.
    n : int
        Number of questions.
    label : str, optional
        Column of the labels so far. By default ``label``, if there is such a column.
    strategy : str
        One of ``graphwell.active.strategies()``.
    features, drop, as_number, as_category, row_id, unknown, decimal
        As in `graphwell.jobs.columns.Roles`.
    scale, pca, missing
        As in `graphwell.jobs.preprocess.Preprocessing`.
    n_neighbors, device, n_jobs
        As in `graphwell.suggest`.
    seed : int
        Of everything random.
    delimiter, encoding : str, optional
        Of a text table; found by default.
    """

    table: Path
    output: Path | None = None
    n: int = 10
    label: str | None = None
    strategy: str = "auto"
    features: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    as_number: tuple[str, ...] = ()
    as_category: tuple[str, ...] = ()
    row_id: str | None = None
    unknown: tuple[str, ...] = ()
    decimal: str | None = None
    scale: str = Preprocessing.scale
    pca: int | None = None
    missing: str = Preprocessing.missing
    n_neighbors: int = 10
    device: str = "cpu"
    n_jobs: int | None = None
    seed: int = 0
    delimiter: str | None = None
    encoding: str | None = None

    def roles(self, table: Table) -> Roles:
        """What the columns are for; the label is empty where there is no such column."""
        usual = USUAL_LABEL in table.names and USUAL_LABEL not in self.drop
        label = self.label or (USUAL_LABEL if usual else "")
        return Roles(
            label, self.features, (*self.drop, *_of_questions(table)), self.row_id,
            unknown=(*self.unknown, CANNOT_TELL) if self.unknown else (), decimal=self.decimal,
            as_number=self.as_number, as_category=self.as_category,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class SuggestReport:
    """Rows to label next.

    Attributes
    ----------
    rows : int
        Of the table.
    columns : tuple of Fate
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
    columns: tuple[Fate, ...]
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
            "columns": [fate.to_json(words) for fate in self.columns],
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
        table, roles, given, features, ready = read.table, read.roles, read.given, read.features, read.ready
        progress("neighbours", None)
        from graphwell.active import suggest as choose

        found = choose(
            ready.X, _named(given)[ready.kept], n=options.n, strategy=options.strategy,
            random_state=options.seed, exclude=np.flatnonzero(read.closed[ready.kept]),
            n_neighbors=options.n_neighbors, device=options.device, n_jobs=options.n_jobs,
        )  # fmt: skip
        rows = rows_to_label(found, ready.kept, read.ids)
        if options.output is not None:
            _write(table, roles, rows, options.output)
    return SuggestReport(
        table=options.table,
        rows=table.n_rows,
        features=features.names,
        columns=features.fates,
        labels_given=int((given.codes >= 0).sum()),
        classes=given.names,
        strategy=found.strategy,
        to_label=rows,
        notes=(*features.notes, *given.notes, *ready.notes, *ready.scale_notes, *warned),
        seconds={"in all": time.perf_counter() - began},
        files=() if options.output is None else (options.output,),
    )


@dataclass(frozen=True, eq=False)
class UnlabelledTable:
    """A table most of whose labels are missing, with its rows ready to be compared.

    Attributes
    ----------
    table : Table
    roles : Roles
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
    roles: Roles
    given: LabelColumn
    closed: BoolArray
    features: FeatureColumns
    ready: ReadyRows
    ids: Any


def read_unlabelled(options: SuggestOptions, progress: Progress = silent, asked: int = 0) -> UnlabelledTable:
    """Read a table with some labels or none, `asked` rows without; make its rows ready to be compared."""
    table = open_table(
        options.table, delimiter=options.delimiter, encoding=options.encoding, progress=progress
    )
    roles = options.roles(table)
    given, closed = labels_so_far(table, roles)
    named_columns(table, roles)
    rows_left(asked, int(((given.codes < 0) & ~closed).sum()))
    known = given if given.names else None
    features = read_features(table, roles, known, fill=options.missing == "fill")
    how = Preprocessing(options.scale, options.pca, options.missing)
    ready = preprocess(features.X, features.outputs, how, options.seed, features.kinds)
    ids = None if roles.row_id is None else as_text(table.column(roles.row_id))
    return UnlabelledTable(table, roles, given, closed, features, ready, ids)


def labels_so_far(table: Table, roles: Roles) -> tuple[LabelColumn, BoolArray]:
    """Labels of a table, and the rows whose label cannot be told; none at all without such a column."""
    if not roles.label:
        return LabelColumn((), np.full(table.n_rows, -1)), np.zeros(table.n_rows, dtype=bool)
    named_columns(table, Roles(roles.label))
    cells = np.strings.strip(as_text(table.column(roles.label)))
    return read_label_column(table, roles.label, roles.unknown), np.asarray(cells == CANNOT_TELL)


def _named(given: LabelColumn) -> Any:
    """Class names of the rows, None where there is no label."""
    return np.array([*given.names, None], dtype=object)[given.codes]


def _of_questions(table: Table) -> tuple[str, ...]:
    """Columns of an earlier file of questions, which are no features."""
    return tuple(name for name in (ROW, REASON) if name in table.names)


def _check_files(options: SuggestOptions) -> None:
    if options.output is not None:
        check_text_name(options.output, "output")
        check_table_output(options.output)
    check_distinct([("table", options.table), ("output", options.output)])
    check_device(options.device)
    if options.n < 1:
        raise OptionError("n", "{field} must be a number of rows, 1 or more; got {}.", options.n)


def _write(table: Table, roles: Roles, rows: tuple[RowToLabel, ...], path: Path) -> None:
    """Write the questions, each with all cells of its row."""
    places: IntArray = np.array([row.row - 1 for row in rows])
    label = roles.label or USUAL_LABEL
    cells: dict[str, Any] = {ROW: text_column([str(row.row) for row in rows])}
    if roles.row_id is not None:
        cells[roles.row_id] = as_text(table.column(roles.row_id))[places]
    cells[REASON] = text_column([row.reason for row in rows])
    cells[label] = text_column([""] * len(rows))
    others = [name for name in table.names if name not in cells]
    cells |= {name: as_text(table.column(name))[places] for name in others}
    with written_out(path) as file:
        write_cells(cells, table, path, file)
