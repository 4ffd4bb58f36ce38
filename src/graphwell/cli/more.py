"""Commands that need few words: `demo`, `example`, `doctor` and `reproduce`."""

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from graphwell.cli._run import Exit, bars, ends_cleanly, print_grid, say
from graphwell.cli.options import FILES, PRINTED, option

example = typer.Typer(help="Write an example to try the other commands on.", no_args_is_help=True)
Folder = Annotated[Path, option("Folder for what is written.", "--output", "-o", "--out", panel=FILES)]


@ends_cleanly
def demo(output: Folder = Path("demo")) -> None:
    """Label 1,797 digits from ten labels: at random, and the ten that graphwell asks for."""
    from rich.console import Console

    from graphwell.cli.demo import run_questions

    with Console().status("Labelling; the first run on a machine also compiles the kernels"):
        rows, picture = run_questions(output)
    lines = [(name, f"{100 * error:.2f} %", f"{seconds:.2f}") for name, error, seconds in rows]
    print_grid(("1,797 digits", ">wrong", ">seconds"), lines)
    say(f"Picture: {picture}")


@example.command(epilog="Example: graphwell example digits -o digits.csv")
@ends_cleanly
def digits(
    output: Annotated[Path, option("File for the table (.csv).", "--output", "-o", panel=FILES)] = Path(
        "digits.csv"
    ),
) -> None:
    """Write 1,797 handwritten digits as CSV: 64 pixels, five labels per class, and the truth beside them."""
    from graphwell.datasets import digits_table
    from graphwell.io.files import check_output, written_whole

    check_output(output, "output")
    with written_whole(output) as file:
        file.write(digits_table(random_state=0).encode("utf-8"))
    typer.echo(f"Written: {output}, 1,797 digits with 5 labels per class.")


@example.command(epilog="Example: graphwell example image -o pictures")
@ends_cleanly
def image(output: Folder = Path("example")) -> None:
    """Write a picture of five grey levels (image.png), strokes (seeds.png) and the truth (truth.npy)."""
    from graphwell.datasets.strokes import write_example
    from graphwell.io.files import check_output_folder

    check_output_folder(output, "output")
    marked = write_example(output)
    typer.echo(f"Written: {output}, a picture of 191 x 196 pixels with {marked:,} of them marked.")


@ends_cleanly
def doctor(
    json_: Annotated[bool, option("What was found, as JSON.", "--json", panel=PRINTED)] = False,
) -> Exit:
    """Look at this installation: versions, threads, memory, GPU, and what is missing for what.

    Exit codes: 0 all is well; 1 something must be put right.
    """
    from graphwell.jobs.doctor import examine

    found, troubles = examine()
    if json_:
        typer.echo(json.dumps({**found, "troubles": troubles}, indent=2))
    else:
        print_grid(("part", "found"), list(found.items()))
        for trouble in troubles:
            typer.echo(f"graphwell: {trouble}.", err=True)
    return Exit.NEEDS_ATTENTION if troubles else Exit.DONE


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
        typer.Option("--output", "-o", "--out", help="Folder for the report and the results."),
    ] = Path("reproduction"),
    data: Annotated[
        Path | None, typer.Option(help="Folder that holds MNIST, or whose subfolder mnist does.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="First seed of data, labels and starts.")] = 0,
) -> Exit:
    """Run the experiments of the paper and set every figure beside the published one."""
    from graphwell.experiments.reproduce import PAPER_RUNS, write
    from graphwell.experiments.reproduce import reproduce as run_experiments

    names = tuple(PAPER_RUNS) if what == "all" else (what,)
    try:
        output.mkdir(parents=True, exist_ok=True)  # before the work is done
    except (FileExistsError, NotADirectoryError):
        raise ValueError(f"--output {output} is a file; give the name of a folder.") from None
    with bars() as progress:
        found = run_experiments(names, runs, seed, data, progress)
    write(found, output)
    for section in found.sections:
        say(section.title)
        lines = [
            (line.title, line.published, str(line), line.difference, "" if line.ok else "outside")
            for line in section.lines
        ]
        print_grid(("line", ">paper", ">graphwell", ">difference", ""), lines)
    say(f"Report: {output / 'report.html'}")
    for complaint in found.complaints:
        typer.echo(f"graphwell: {complaint}.", err=True)
    return Exit.NEEDS_ATTENTION if found.complaints else Exit.DONE
