"""The program: its commands, and those that need few words: demo, example, doctor."""

import json
from collections.abc import Callable
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphwell import __version__
from graphwell.cli._options import FILES, PRINTED, Command, option
from graphwell.cli._run import Exit, ends_cleanly
from graphwell.cli.classify import classify, suggest
from graphwell.cli.compare import compare
from graphwell.cli.pages import label, paint
from graphwell.cli.reproduce import reproduce
from graphwell.cli.segment import segment

if TYPE_CHECKING:
    from graphwell.cli.demo import Row
    from graphwell.jobs.doctor import DoctorReport

app = typer.Typer(
    help="Label everything from a few labels.", no_args_is_help=True, pretty_exceptions_enable=False
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
def demo(output: Folder = Path("demo"), seed: Annotated[int, option("Seed of everything.")] = 0) -> None:
    """Label three moons from 25 labels per class, and digits from ten questions."""
    from rich.console import Console

    from graphwell.cli.demo import run_demo, run_questions

    console = Console()
    for title, run in (
        ("Three moons: 1,500 points in 100 dimensions, 25 labels per class", run_demo),
        ("1,797 digits: ten labels at random, or the ten that graphwell asks for", run_questions),
    ):
        with console.status(
            "Labelling; the first run on a machine also compiles the kernels, for half a minute"
        ):
            rows, picture = run(output, seed)
        _show_demo(console, title, rows)
        console.print(f"Picture: {picture}", highlight=False)


def _show_demo(console: Any, title: str, rows: "list[Row]") -> None:
    """Print a table of the demo; figures of the paper where there are some."""
    from rich.table import Table

    table = Table(title=title)
    table.add_column("method")
    paper = any(row.paper for row in rows)
    for name in ("error", *(["paper"] if paper else []), "seconds"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            row.method, f"{100 * row.error:.2f} %", *([row.paper] if paper else []), f"{row.seconds:.2f}"
        )
    console.print(table)


@example.command(cls=Command, epilog="Example: graphwell example digits -o digits.csv --per-class 3")
@ends_cleanly
def digits(
    output: Annotated[Path, option("File for the table (.csv).", "--output", "-o", panel=FILES)] = Path(
        "digits.csv"
    ),
    per_class: Annotated[int, option("Labels per class.", min=1)] = 5,
    seed: Annotated[int, option("Seed of the choice of labels.", min=0)] = 0,
) -> None:
    """Write 1,797 handwritten digits as CSV: 64 pixels, a few labels, and the truth in its own column."""
    from graphwell.datasets import digits_table
    from graphwell.io.files import check_output, written_whole

    check_output(output, "output")
    text = digits_table(per_class, random_state=seed)
    with written_whole(output) as file:
        file.write(text.encode("utf-8"))
    typer.echo(f"Written: {output}, 1,797 digits with {per_class} labels per class.")


@example.command(cls=Command, epilog="Example: graphwell example image -o pictures --noise 0.2")
@ends_cleanly
def image(
    output: Folder = Path("example"),
    noise: Annotated[float, option("Standard deviation of the noise, of 0 to 1.", min=0)] = 0.1,
    per_class: Annotated[
        int, option("Marked pixels per class; 0 draws one short stroke per region.", min=0)
    ] = 0,
    seed: Annotated[int, option("Seed of noise and marked pixels.", min=0)] = 0,
) -> None:
    """Write a picture of five grey levels (image.png), marks in it (seeds.png) and the truth (truth.npy)."""
    from graphwell.datasets.strokes import write_example
    from graphwell.io.files import check_output_folder

    check_output_folder(output, "output")
    marked = write_example(output, noise, per_class, seed)
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
        _show_installation(found)
    return Exit.NEEDS_ATTENTION if found.troubles else Exit.DONE


def _show_installation(found: "DoctorReport") -> None:
    from rich.table import Table
    from rich.text import Text

    from graphwell.cli._summary import console_for
    from graphwell.memory import in_words

    facts = {
        "graphwell": found.version,
        "Python": f"{found.python}, {found.system}",
        "threads": f"{found.threads}",
        "free memory": in_words(found.free_memory),
        "GPU": found.gpu,
        "compiled loops": "kept nowhere" if found.cache is None else f"kept in {found.cache}",
        **{library.name: library.version or library.trouble for library in found.libraries},
    }
    table = Table(show_header=False)
    for name, fact in facts.items():
        table.add_row(name, Text(fact))
    for library in found.extras:
        missing = f"{library.trouble}: {library.install}"
        table.add_row(f"for {library.what_for}", Text(f"{library.name} {library.version or missing}"))
    console_for(on_stderr=False).print(table)
    for trouble in found.troubles:
        typer.echo(f"graphwell: {trouble}.", err=True)


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
    app.command(cls=Command, help=_help, epilog="\n".join(("Examples", *_lines)))(_command)
app.add_typer(example, name="example")


def main() -> None:
    """Run the program."""
    app(prog_name="graphwell")
