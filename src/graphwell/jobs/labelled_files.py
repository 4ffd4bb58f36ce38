"""What is written of a table that was labelled by hand: all labels, and the answers alone."""

import numpy as np

from graphwell._types import IntArray
from graphwell.io.files import written_whole
from graphwell.io.tables.base import write_table
from graphwell.io.tables.cells import text_column
from graphwell.io.tables.text import write_cells
from graphwell.jobs.found_labels import FoundLabels
from graphwell.jobs.labelled_rows import new_columns
from graphwell.jobs.reports import RowDetails
from graphwell.jobs.shown_rows import LabelledTable
from graphwell.jobs.suggest import CANNOT_TELL, ROW, USUAL_LABEL


def write_labels(table: LabelledTable, classes: tuple[str, ...], given: IntArray, found: FoundLabels) -> None:
    """Write the table with all labels, as `graphwell.jobs.classify` does.

    Parameters
    ----------
    table : LabelledTable
    classes : tuple of str
        Names by the numbers of the classes.
    given : array of shape (n_rows,)
        Class that was given to each row, negative for none.
    found : FoundLabels
    """
    n, at, path = table.read.table.n_rows, table.rows, table.options.labelled
    rows = RowDetails(
        np.full(n, -1), np.full(n, -1), np.full(n, np.nan), np.zeros(n, dtype=bool),
        np.zeros(n, dtype=bool), table.read.ready.kept, table.points,
    )  # fmt: skip
    rows.given[at], rows.assigned[at] = np.maximum(given, -1), found.labels
    rows.reachable[at], rows.bridged[at] = found.reachable, found.bridged
    rows.score[at] = np.where(found.reachable, found.scores.max(axis=1), np.nan)
    met = {classes[code] for code in np.unique(rows.assigned) if code >= 0}
    like = table.read.roles.label if met <= set(table.read.given.names) else None
    new = new_columns(like or None, classes, rows, safe=table.options.safe_csv)
    with written_whole(path) as file:
        write_table(table.read.table, new, path, file)


def write_answers(table: LabelledTable, classes: tuple[str, ...], given: IntArray) -> None:
    """Write the answers as `graphwell.jobs.answers` takes them back into the table.

    Parameters
    ----------
    table : LabelledTable
    classes : tuple of str
    given : array of shape (n_rows,)
        Class that was given to each row, -1 for none, -2 where it cannot be told.
    """
    said = np.flatnonzero((given >= 0) | (given == -2))
    names = [CANNOT_TELL if given[row] < 0 else classes[given[row]] for row in said]
    label = table.read.roles.label or USUAL_LABEL
    cells = {ROW: text_column([str(row + 1) for row in table.rows[said]]), label: text_column(names)}
    with written_whole(table.options.answers) as file:
        write_cells(cells, table.read.table, table.options.answers, file, safe=table.options.safe_csv)
