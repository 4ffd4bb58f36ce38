"""Progress of a fit as a bar in a notebook. The only module that imports IPython."""

import time
from typing import Any

from graphwell.progress import COMPILING, Progress

SECONDS_BETWEEN = 0.1  # from step to step within a stage; a change of stage is shown at once


def progress_bar() -> Progress:
    """Return a bar for a notebook: ``clf.fit(X, y, progress=gw.progress_bar())``.

    It appears with the first stage of the fit and names the stage that is under way.

    Returns
    -------
    callable
        Takes the name of a stage, and the share of it that is done or None.
    """
    try:
        import IPython.display
    except ImportError as error:
        raise ImportError("progress_bar is for notebooks, which bring IPython; none is running.") from error
    display: Any = IPython.display  # which has no types
    handle: Any = None
    shown, shown_at = "", 0.0

    def show(stage: str, share: float | None) -> None:
        nonlocal handle, shown, shown_at
        now = time.monotonic()
        if stage == shown and share != 1.0 and now - shown_at < SECONDS_BETWEEN:
            return
        shown, shown_at = stage, now
        words = COMPILING if stage == "compiling" else stage
        piece = f'<progress max="1"></progress> {words}'  # runs to and fro where the share is not known
        if share is not None:
            piece = f'<progress max="1" value="{share:.2f}"></progress> {words} {100 * share:.0f} %'
        if handle is None:
            handle = display.display(display.HTML(piece), display_id=True)
        else:
            handle.update(display.HTML(piece))

    return show
