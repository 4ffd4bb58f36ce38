"""The program: its commands with examples of them, and those that need few words: demo, example, doctor."""

import json
from collections.abc import Callable
from inspect import cleandoc
from pathlib import Path
from typing import Annotated

import typer

from graphwell import __version__
from graphwell.cli._options import FILES, PRINTED, option
from graphwell.cli._run import Exit, ends_cleanly, print_grid, say
from graphwell.cli.classify import classify
from graphwell.cli.compare import compare
from graphwell.cli.pages import label, paint
from graphwell.cli.reproduce import reproduce
from graphwell.cli.segment import segment
from graphwell.cli.suggest import suggest

app = typer.Typer(
    help="Label everything from a few labels.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
example = typer.Typer(help="Write an example to try the other commands on.", no_args_is_help=True)
Folder = Annotated[Path, option("Folder for the pictures.", "--output", "-o", "--out", panel=FILES)]


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"graphwell {__version__}")
        raise typer.Exit


@app.callback()
def graphwell(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Label everything from a few labels."""


@ends_cleanly
def demo(output: Folder = Path("demo")) -> None:
    """Label three moons from 25 labels per class, and digits from ten questions."""
    from rich.console import Console

    from graphwell.cli.demo import run_demo, run_questions

    wait = "Labelling; the first run on a machine also compiles the kernels, for half a minute"
    for title, run in (
        ("Three moons: 1,500 points in 100 dimensions, 25 labels per class", run_demo),
        ("1,797 digits: ten labels at random, or the ten that graphwell asks for", run_questions),
    ):
        with Console().status(wait):
            rows, picture = run(output)
        say(title)
        lines = [(row.method, f"{100 * row.error:.2f} %", row.paper, f"{row.seconds:.2f}") for row in rows]
        print_grid(("method", ">error", ">paper", ">seconds"), lines)
        say(f"Picture: {picture}")


@example.command(epilog="Example: graphwell example digits -o digits.csv --per-class 3")
@ends_cleanly
def digits(
    output: Annotated[Path, option("File for the table (.csv).", "--output", "-o", panel=FILES)] = Path(
        "digits.csv"
    ),
    per_class: Annotated[int, option("Labels per class.", min=1)] = 5,
) -> None:
    """Write 1,797 handwritten digits as CSV: 64 pixels, a few labels, and the truth in its own column."""
    from graphwell.datasets import digits_table
    from graphwell.io.files import check_output, written_whole

    check_output(output, "output")
    text = digits_table(per_class, random_state=0)
    with written_whole(output) as file:
        file.write(text.encode("utf-8"))
    typer.echo(f"Written: {output}, 1,797 digits with {per_class} labels per class.")


@example.command(epilog="Example: graphwell example image -o pictures --noise 0.2")
@ends_cleanly
def image(
    output: Folder = Path("example"),
    noise: Annotated[float, option("Standard deviation of the noise, of 0 to 1.", min=0)] = 0.1,
    per_class: Annotated[
        int, option("Marked pixels per class; 0 draws one short stroke per region.", min=0)
    ] = 0,
) -> None:
    """Write a picture of five grey levels (image.png), marks in it (seeds.png) and the truth (truth.npy)."""
    from graphwell.datasets.strokes import write_example
    from graphwell.io.files import check_output_folder

    check_output_folder(output, "output")
    marked = write_example(output, noise, per_class, 0)
    typer.echo(f"Written: {output}, a picture of 191 x 196 pixels with {marked:,} of them marked.")


@ends_cleanly
def doctor(
    json_: Annotated[bool, option("What was found, as JSON.", "--json", panel=PRINTED)] = False,
) -> Exit:
    """Look at this installation: versions, threads, memory, GPU, and what is missing for what.

    Exit codes: 0 all is well; 1 something must be put right.
    """
    from graphwell.jobs.doctor import examine

    found = examine()
    if json_:
        typer.echo(json.dumps(found.to_json(), indent=2))
    else:
        print_grid(("part", "found"), found.lines())
        for trouble in found.troubles:
            typer.echo(f"graphwell: {trouble}.", err=True)
    return Exit.NEEDS_ATTENTION if found.troubles else Exit.DONE


COMMANDS: dict[Callable[..., None], tuple[str, ...]] = {
    classify: (
        "graphwell classify pets.csv -o labelled.csv",
        "graphwell classify pets.csv -o labelled.csv --label species --report page.html",
        "graphwell classify cells.parquet -o labelled.parquet --set n_neighbors=15",
    ),
    suggest: (
        "graphwell suggest pets.csv -n 20 -o ask.csv",
        "graphwell suggest pets.csv --answers ask.csv -o answered.csv",
    ),
    compare: (
        "graphwell compare pets.csv --label species --report methods.html",
        "graphwell compare pets.csv --truth species --methods nearest,laplace --json",
    ),
    label: (
        "graphwell label pets.csv --label species --image-column photo",
        "graphwell label digits.csv --pixels 8x8 --drop truth",
    ),
    segment: (
        "graphwell segment photo.png --seeds marks.png -o regions.png",
        "graphwell segment photo.jpg --seeds marks.csv -o regions.npy --masks masks",
    ),
    paint: (
        "graphwell paint photo.jpg --classes leaf,stem,ground",
        "graphwell paint photos --output painted",
    ),
    demo: ("graphwell demo --output pictures",),
    doctor: ("graphwell doctor --json",),
    reproduce: (
        "graphwell reproduce moons --runs 10",
        "graphwell reproduce all --data data --output figures",
    ),
}
"""The commands with examples of them, lines to copy."""
for _command, _lines in COMMANDS.items():
    _paragraphs = cleandoc(_command.__doc__ or "").split("\n\n")  # rich would keep the ends of their lines
    _help = "\n\n".join(" ".join(each.split()) for each in _paragraphs)
    app.command(help=_help, epilog="\n".join(("Examples", *_lines)))(_command)
app.add_typer(example, name="example")


def main() -> None:
    """Run the program."""
    app(prog_name="graphwell")
