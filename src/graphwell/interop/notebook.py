"""Progress of a fit as a bar in a notebook. The only module that imports IPython."""

import time
from typing import Any

from graphwell.progress import COMPILING, Progress

SECONDS_BETWEEN = 0.1


def progress_bar() -> Progress:
    """Return a bar for a notebook: ``clf.fit(X, y, progress=gw.progress_bar())``.

    It appears with the first stage of the fit and names the stage that is under way.

    Returns
    -------
    callable
        Takes the name of a stage, and the share of it that is done or None.

    Examples
    --------
    >>> bar_of("descent", 0.5)
    '<progress max="1" value="0.50"></progress> descent 50 %'
    """
    return _Bar(_displayed())


def bar_of(stage: str, share: float | None) -> str:
    """A bar as HTML; it runs to and fro where the share is not known.

    Examples
    --------
    >>> bar_of("reading", None)
    '<progress max="1"></progress> reading'
    """
    if share is None:
        return f'<progress max="1"></progress> {stage}'
    return f'<progress max="1" value="{share:.2f}"></progress> {stage} {share:.0%}'.replace("%", " %")


class _Bar:
    """Shows a change of stage at once, and steps within a stage a few times a second."""

    def __init__(self, displayed: Any) -> None:
        self.displayed = displayed
        self.handle: Any = None
        self.stage, self.shown_at = "", 0.0

    def __call__(self, stage: str, share: float | None) -> None:
        now = time.monotonic()
        if stage == self.stage and share != 1.0 and now - self.shown_at < SECONDS_BETWEEN:
            return
        self.stage, self.shown_at = stage, now
        told = COMPILING if stage == "compiling" else stage
        piece = self.displayed.HTML(bar_of(told, share))
        if self.handle is None:
            self.handle = self.displayed.display(piece, display_id=True)
        else:
            self.handle.update(piece)


def _displayed() -> Any:
    try:
        from IPython import display
    except ImportError as error:
        raise ImportError("progress_bar is for notebooks, which bring IPython; none is running.") from error
    return display
