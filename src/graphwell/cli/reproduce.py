"""``graphwell reproduce``: the experiments of the paper beside its figures."""

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphwell.cli._run import Exit, bars, ends_cleanly

if TYPE_CHECKING:
    from graphwell.experiments.reproduce import Reproduction

WIDTH_WITHOUT_TERMINAL = 120


class Choice(StrEnum):
    """What can be reproduced."""

    MOONS = "moons"
    IMAGE = "image"
    MNIST = "mnist"
    ALL = "all"


@ends_cleanly
def reproduce(
    what: Annotated[Choice, typer.Argument(help="Which experiments to run.")],
    runs: Annotated[
        int | None, typer.Option(min=1, help="Runs per line; the paper's number by default.")
    ] = None,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", "--out", help="Folder for the report, the results and the figures."),
    ] = Path("reproduction"),
    data: Annotated[
        Path | None, typer.Option(help="Folder that holds MNIST, or whose subfolder mnist does.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="First seed of data, labels and starts.")] = 0,
) -> Exit | None:
    """Run the experiments of the paper and set every figure beside the published one."""
    from graphwell.experiments.reproduce import PAPER_RUNS, write
    from graphwell.experiments.reproduce import reproduce as run_experiments

    names = tuple(PAPER_RUNS) if what is Choice.ALL else (what.value,)
    _check_folder(output)
    with bars() as progress:
        found = run_experiments(names, runs, seed, data, progress)
    write(found, output)
    _show(found, output)
    return Exit.NEEDS_ATTENTION if found.complaints else None


def _check_folder(out: Path) -> None:
    """Refuse a folder that could not be written, before the work is done."""
    nearest = next(folder for folder in (out, *out.resolve().parents) if folder.exists())
    if not nearest.is_dir():
        raise ValueError(f"--output {out}: {nearest} is a file; give the name of a folder.")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise ValueError(f"--output {out} cannot be written; check the permissions of {nearest}.")


def _show(found: "Reproduction", out: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH_WITHOUT_TERMINAL)
    for section in found.sections:
        table = Table(title=section.title, title_justify="left", min_width=WIDTH_WITHOUT_TERMINAL)
        table.add_column("line", ratio=1)
        for name in ("paper", "graphwell", "difference"):
            table.add_column(name, justify="right", no_wrap=True)
        for line in section.lines:
            style = None if line.ok else "bold red"
            table.add_row(line.title, line.published, str(line), line.difference, style=style)
        console.print(table)
    console.print(f"Report: {out / 'report.html'}", highlight=False)
    for complaint in found.complaints:
        typer.echo(f"graphwell: {complaint}.", err=True)
