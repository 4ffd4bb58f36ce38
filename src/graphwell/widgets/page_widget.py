"""What the widgets of all pages share. The only module that imports anywidget."""

from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import Any

from graphwell.errors import OptionError
from graphwell.serve.channel import Page
from graphwell.serve.files import read_part
from graphwell.widgets.windows import Windows

NEEDS = 'Pages in a notebook need anywidget: pip install "graphwell[notebook]"'
USUAL_HEIGHT = 760


class PageWidget:
    """A page in a notebook: shown where it is the last value of a cell, or by ``display``.

    Attributes
    ----------
    page : Page
        What stands behind it.
    widget : anywidget.AnyWidget
        What is shown; layouts of ipywidgets take it.
    """

    def __init__(self, page: Page, widget: Any, files: Path, held: ExitStack, height: int) -> None:
        self.page, self.widget = page, widget
        self._files, self._held = files, held
        self._windows = Windows(page, widget.send, height)
        widget.on_msg(lambda _, message, __: self._windows.take(message))
        OPEN[files] = self

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.widget._repr_mimebundle_(**options)

    def close(self) -> None:
        """End the page; what was done is on disc, and a new widget goes on from there."""
        if OPEN.get(self._files) is self:
            del OPEN[self._files]
        self._windows.end()
        self._held.close()
        self.widget.close()


OPEN: dict[Path, PageWidget] = {}
"""Widgets that hold their files, by these."""


def with_paths(options: dict[str, Any], *names: str) -> dict[str, Any]:
    """Options whose names of files may be text.

    Examples
    --------
    >>> with_paths({"output": "painted", "n_jobs": 1}, "output")["output"].name
    'painted'
    """
    text = {name for name in names if isinstance(options.get(name), str)}
    return {name: Path(value) if name in text else value for name, value in options.items()}


def path_of(given: Any, field: str) -> Path:
    """The file that was named; anything else, a data frame say, is refused.

    Examples
    --------
    >>> path_of("pets.csv", "table").name
    'pets.csv'
    """
    if isinstance(given, (str, PathLike)):
        return Path(given)
    problem = (
        "{field} must name a file, beside which answers are kept, not be a {}: write that to a file first."
    )
    raise OptionError(field, problem, type(given).__name__)


def end_earlier(files: Path) -> None:
    """Close the widget that holds some files: a cell that is run again begins anew.

    Parameters
    ----------
    files : Path
        What a widget holds alone: its journal, or the folder of its journals.
    """
    if files in OPEN:
        OPEN[files].close()


def make_widget() -> Any:
    """What a notebook shows; `graphwell.serve` writes what is in it."""
    try:
        from anywidget import AnyWidget
    except ImportError as error:
        raise ImportError(NEEDS) from error
    return AnyWidget(_esm=read_part("widget.js")[0].decode())
