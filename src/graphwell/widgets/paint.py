"""`graphwell paint` in a notebook."""

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from graphwell.jobs.painting import PaintOptions
from graphwell.serve.painting import PaintPage
from graphwell.widgets.page_widget import (
    USUAL_HEIGHT,
    PageWidget,
    end_earlier,
    make_widget,
    path_of,
    with_paths,
)


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
        self,
        source: str | Path,
        classes: Iterable[str] = (),
        *,
        height: int = USUAL_HEIGHT,
        **options: Any,
    ) -> None:
        widget = make_widget()
        chosen = PaintOptions(source=path_of(source, "source"), **with_paths(options, "output"))
        folder = chosen.folder.resolve()
        end_earlier(folder)
        super().__init__(PaintPage(chosen, tuple(classes)), widget, folder, ExitStack(), height)
