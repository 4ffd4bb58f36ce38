"""The stages of a run as bars on standard error, with the time left."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as RichBars

from graphwell.progress import Progress, silent


@contextmanager
def bars(*, quiet: bool = False) -> Iterator[Progress]:
    """Show one bar per stage while the block runs; nothing when quiet or when nobody watches a terminal."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield silent
        return
    columns = (
        TextColumn("{task.description:<12}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with RichBars(*columns, console=console) as shown:
        stages = _Stages(shown)
        yield stages
        stages.finish()


class _Stages:
    """One bar per stage: a new stage completes the one before, until that one is heard of again."""

    def __init__(self, shown: RichBars) -> None:
        self.shown = shown
        self.stage = ""
        self.bars: dict[str, TaskID] = {}

    def __call__(self, stage: str, share: float | None) -> None:
        if stage != self.stage:
            self.finish()
            self.stage = stage
            if stage not in self.bars:
                self.bars[stage] = self.shown.add_task(stage, total=None)
        if share is not None:
            self.shown.update(self.bars[stage], total=1.0, completed=share)

    def finish(self) -> None:
        if self.stage:
            self.shown.update(self.bars[self.stage], total=1.0, completed=1.0)
