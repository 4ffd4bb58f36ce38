"""What every benchmark does with its results: print a table, write a JSON file and a picture."""

import json
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphwell import __version__
from graphwell.io.files import written_whole
from graphwell.view.plots import as_png

WIDTH_WITHOUT_TERMINAL = 160


@dataclass(frozen=True)
class Options:
    """How a benchmark is run.

    Attributes
    ----------
    quick : bool
        Fewer label sets.
    out : Path
        Folder for JSON files and pictures.
    data : sequence of str, optional
        Names of the data sets to use; all by default.
    seeds : sequence of int, optional
        Seeds, or label sets, where a benchmark lets them be chosen; its own by default.
    processes : int
        Processes that share the work, where a benchmark can divide it.
    strategies : sequence of str, optional
        Names of the strategies that `ask` compares; all by default.
    minutes : float
        How long the scripted user of `serve` goes on after its questions.
    """

    quick: bool
    out: Path
    data: Sequence[str] | None = None
    seeds: Sequence[int] | None = None
    processes: int = 1
    strategies: Sequence[str] | None = None
    minutes: float = 0.0


def show_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH_WITHOUT_TERMINAL)
    table = Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=number == 0)
    for row in rows:
        table.add_row(*row)
    console.print(table, highlight=False)


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write results with what they were obtained with."""
    made_with = {"graphwell": __version__, "python": platform.python_version()}
    with written_whole(path) as file:
        file.write(json.dumps({"made_with": made_with, **content}, indent=1).encode())
    print(f"Figures: {path}")


def write_picture(path: Path, figure: Any) -> None:
    with written_whole(path) as file:
        file.write(as_png(figure))
    print(f"Picture: {path}")
