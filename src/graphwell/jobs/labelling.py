"""A table that is opened to be labelled by hand."""

from pathlib import Path

from graphwell.errors import OptionError
from graphwell.io.files import check_distinct, check_output
from graphwell.io.tables.base import FORMATS
from graphwell.jobs.columns import find_column
from graphwell.jobs.label_options import LabelOptions
from graphwell.jobs.shown_rows import LabelledTable
from graphwell.jobs.suggest import read_unlabelled
from graphwell.progress import Progress, silent

__all__ = ["LabelOptions", "LabelledTable", "open_table"]
PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp")


def open_table(options: LabelOptions, *, progress: Progress = silent) -> LabelledTable:
    r"""Read a table to be labelled by hand; whatever is wrong with the options is told before.

    Parameters
    ----------
    options : LabelOptions
    progress : callable
        Told the stage and the share of it that is done.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("weight,name,label\n4,Tom,cat\n5,Kit,\n28,Rex,\n")
    ...     table = open_table(LabelOptions(table=path, row_id="name"))
    >>> table.given.tolist(), table.name(2), table.cells(2), table.search("kI")
    ([0, -1, -1], 'Rex', [('weight', '28'), ('name', 'Rex')], [1])
    """
    FORMATS.of(options.labelled, "output", lambda declared: not declared.is_folder)
    for path in (options.labelled, options.answers):
        check_output(path, "output")
        check_distinct([("table", options.table), ("output", path)])
    read = read_unlabelled(options, progress)
    table = LabelledTable(options, read)
    for name in ("image_column", "text_column"):
        if getattr(options, name) is not None:
            find_column(read.table, getattr(options, name), name)
    if options.images is not None and not options.images.is_dir():
        raise OptionError("images", "{field} {} is no folder.", options.images)
    if options.images is not None and options.image_column is None:
        table.names = _pictures(table)
    width, height = options.pixels or (0, 0)
    if options.pixels is not None and width * height != len(table.numbers):
        problem = "{field} {} x {}: the table has {:,} columns of numbers, not {:,}."
        raise OptionError("pixels", problem, width, height, len(table.numbers), width * height)
    _ = table.places
    return table


def _pictures(table: LabelledTable) -> list[str]:
    """A picture of the folder for each row."""
    found = sorted(path.name for path in table.folder.iterdir() if path.suffix.lower() in PICTURE_SUFFIXES)
    if table.read.ids is not None:
        by_stem = {Path(name).stem: name for name in found} | {name: name for name in found}
        names = [by_stem.get(str(name)) for name in table.read.ids[table.rows].tolist()]
        if None in names:
            problem = "{field} {} has no picture named like row {:,}, {!r}."
            first = names.index(None)
            raise OptionError("images", problem, table.folder, table.rows[first] + 1, table.name(first))
        return [name for name in names if name is not None]
    if len(found) != table.read.table.n_rows:
        problem = "{field} {} holds {:,} pictures for {:,} rows; name them by {image_column} or {row_id}."
        raise OptionError("images", problem, table.folder, len(found), table.read.table.n_rows)
    return [found[row] for row in table.rows]
