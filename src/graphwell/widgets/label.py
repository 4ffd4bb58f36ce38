"""`graphwell label` in a notebook."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from graphwell.io.locks import held_alone
from graphwell.jobs.labelling import LabelOptions, open_table
from graphwell.serve.journal import Journal
from graphwell.serve.labelling import LabelPage
from graphwell.widgets.page_widget import (
    USUAL_HEIGHT,
    PageWidget,
    end_earlier,
    make_widget,
    path_of,
    with_paths,
)


class Label(PageWidget):
    r"""Label the rows of a table in a notebook: the page of `graphwell label`, with the same journal.

    A second widget on the same table ends the first and goes on from its journal.

    Parameters
    ----------
    table : str or Path
        File of a table.
    height : int
        Of the page, in pixels.
    **options
        Fields of `graphwell.jobs.labelling.LabelOptions`: ``label``, ``classes``, ``image_column``, ...

    Examples
    --------
    Only a notebook shows it; elsewhere it can be asked as well.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("weight,label\n4,cat\n5,\n28,dog\n30,\n")
    ...     labelling = Label(path, n_jobs=1)
    ...     labelling.labels
    ...     labelling.close()
    ['cat', None, 'dog', None]
    """

    page: LabelPage

    def __init__(self, table: str | Path, *, height: int = USUAL_HEIGHT, **options: Any) -> None:
        widget, path = make_widget(), path_of(table, "table")
        journal = path.with_name(f"{path.name}.journal").resolve()
        end_earlier(journal)
        with ExitStack() as held:
            held.enter_context(held_alone(journal, "table"))
            opened = open_table(LabelOptions(table=path, **with_paths(options, "output", "images")))
            page = LabelPage(opened, held.enter_context(Journal(journal, opened.fingerprint)))
            super().__init__(page, widget, journal, held.pop_all(), height)

    @property
    def labels(self) -> list[str | None]:
        """The class that each row was given so far, None where it has none."""
        answers = self.page.answers
        names = answers.classes.names
        return [names[code] if code >= 0 else None for code in answers.codes]

    def write(self) -> Path:
        """Write the labelled table, as the page's button does; returns its file."""
        return Path(self.page.commands["export"]({"do": "export"}))
