"""``graphwell reproduce``: the experiments of the paper beside its figures."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from graphwell.cli._run import Exit, bars, ends_cleanly, print_grid, say

if TYPE_CHECKING:
    from graphwell.experiments.reproduce import Reproduction


@ends_cleanly
def reproduce(
    what: Annotated[
        Literal["moons", "image", "mnist", "all"], typer.Argument(help="Which experiments to run.")
    ],
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

    names = tuple(PAPER_RUNS) if what == "all" else (what,)
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
    for section in found.sections:
        say(section.title)
        lines = [
            (line.title, line.published, str(line), line.difference, "" if line.ok else "outside")
            for line in section.lines
        ]
        print_grid(("line", ">paper", ">graphwell", ">difference", ""), lines)
    say(f"Report: {out / 'report.html'}")
    for complaint in found.complaints:
        typer.echo(f"graphwell: {complaint}.", err=True)
