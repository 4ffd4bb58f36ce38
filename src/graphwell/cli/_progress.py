"""The stages of a run as bars on standard error, with the time left."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from graphwell.progress import COMPILING, Progress, silent

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as RichBars
    from rich.progress import TaskID


@contextmanager
def bars(*, quiet: bool = False, console: "Console | None" = None) -> Iterator[Progress]:
    """Show one bar per stage while the block runs; nothing when quiet or when nobody watches a terminal."""
    if quiet or (console is None and not _watched()):
        yield silent  # rich is not even imported
        return
    with _bars_of_rich(console) as shown:
        stages = _Stages(shown)
        yield stages
        stages.finish()


def _watched() -> bool:
    """Whether standard error is a terminal; it may be closed."""
    return sys.stderr is not None and sys.stderr.isatty()


def _bars_of_rich(console: "Console | None") -> "RichBars":
    from rich import progress
    from rich.console import Console

    columns = (
        progress.TextColumn("{task.description:<12}"),
        progress.BarColumn(),
        progress.TaskProgressColumn(),
        progress.TimeElapsedColumn(),
        progress.TimeRemainingColumn(),
        progress.TextColumn("left"),
    )
    return progress.Progress(*columns, console=console or Console(stderr=True))


class _Stages:
    """One bar per stage: a new stage completes the one before, until that one is heard of again."""

    def __init__(self, shown: "RichBars") -> None:
        self.shown = shown
        self.stage = ""
        self.bars: dict[str, TaskID] = {}

    def __call__(self, stage: str, share: float | None) -> None:
        if stage != self.stage:
            self.finish()
            self.stage = stage
            if stage not in self.bars:
                if stage == "compiling":
                    self.shown.console.print(f"Graphwell is {COMPILING}.")
                self.bars[stage] = self.shown.add_task(stage, total=None)
        if share is not None:
            self.shown.update(self.bars[stage], total=1.0, completed=share)

    def finish(self) -> None:
        if self.stage:
            self.shown.update(self.bars[self.stage], total=1.0, completed=1.0)
