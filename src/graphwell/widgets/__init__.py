"""The pages of `graphwell label` and `graphwell paint` as widgets in a notebook, shown by anywidget."""

from collections.abc import Iterable
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import Any

from graphwell.errors import OptionError
from graphwell.io.files import held_alone
from graphwell.jobs.labelling import LabelOptions, open_table
from graphwell.jobs.painting import PaintOptions
from graphwell.serve.channel import Page
from graphwell.serve.files import read_part
from graphwell.serve.journal import Journal
from graphwell.serve.labelling import LabelPage
from graphwell.serve.painting import PaintPage
from graphwell.widgets.windows import Windows

__all__ = ["Label", "Paint"]
USUAL_HEIGHT = 760


class PageWidget:
    """A page in a notebook: shown where it is the last value of a cell, or by ``display``.

    Attributes
    ----------
    page : Page
        The page that is shown.
    widget : anywidget.AnyWidget
        Shows it; layouts of ipywidgets take it.
    """

    def __init__(self, page: Page, widget: Any, files: Path, held: ExitStack, height: int) -> None:
        self.page, self.widget = page, widget
        self._files, self._held = files, held
        self._windows = Windows(page, widget.send, height)
        widget.on_msg(lambda _, message, __: self._windows.take(message))
        _OPEN[files] = self

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.widget._repr_mimebundle_(**options)

    def close(self) -> None:
        """End the page; what was done is on disc, and a new widget goes on from there."""
        if _OPEN.get(self._files) is self:
            del _OPEN[self._files]
        self._windows.end()
        self._held.close()
        self.widget.close()


_OPEN: dict[Path, PageWidget] = {}
"""Widgets by the files that they hold alone: a journal, or the folder of journals."""


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
        widget, path = _make_widget(), _path_of(table, "table")
        journal = path.with_name(f"{path.name}.journal").resolve()
        _close_earlier(journal)
        with ExitStack() as held:
            held.enter_context(held_alone(journal, "table"))
            opened = open_table(LabelOptions(table=path, **_with_paths(options)))
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


class Paint(PageWidget):
    """Paint strokes on pictures in a notebook: the page of `graphwell paint`, with the same journals.

    A second widget on the same folder ends the first and goes on from its journals.

    Parameters
    ----------
    source : str or Path
        A picture, or a folder of pictures.
    classes : iterable of str
        Names of the classes to begin with.
    height : int
        Of the page, in pixels.
    **options
        Fields of `graphwell.jobs.painting.PaintOptions`: ``output``, ``max_pixels``, ``n_jobs``.
    """

    page: PaintPage

    def __init__(
        self, source: str | Path, classes: Iterable[str] = (), *, height: int = USUAL_HEIGHT, **options: Any
    ) -> None:
        widget = _make_widget()
        chosen = PaintOptions(source=_path_of(source, "source"), **_with_paths(options))
        folder = chosen.folder.resolve()
        _close_earlier(folder)
        super().__init__(PaintPage(chosen, tuple(classes)), widget, folder, ExitStack(), height)


def _make_widget() -> Any:
    try:
        from anywidget import AnyWidget
    except ImportError as error:
        needs = 'Pages in a notebook need anywidget: pip install "graphwell[notebook]"'
        raise ImportError(needs) from error
    return AnyWidget(_esm=read_part("widget.js")[0].decode())


def _close_earlier(files: Path) -> None:
    """Close the widget that holds these files: a cell that is run again begins anew."""
    if files in _OPEN:
        _OPEN[files].close()


def _with_paths(options: dict[str, Any]) -> dict[str, Any]:
    """Options whose files may be named by text."""
    text = {name for name in ("output", "images") if isinstance(options.get(name), str)}
    return {name: Path(value) if name in text else value for name, value in options.items()}


def _path_of(given: Any, field: str) -> Path:
    """The file that was named; anything else, a data frame say, is refused."""
    if isinstance(given, (str, PathLike)):
        return Path(given)
    problem = (
        "{field} must name a file, beside which answers are kept, not be a {}: write that to a file first."
    )
    raise OptionError(field, problem + "write that to a file first.", type(given).__name__)
