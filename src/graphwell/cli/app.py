"""The command line: a thin face on the library."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphwell._version import __version__
from graphwell.cli._help import ListingCommand
from graphwell.cli._run import ends_cleanly
from graphwell.cli.classify import classify
from graphwell.cli.compare import compare
from graphwell.cli.doctor import doctor
from graphwell.cli.example import example
from graphwell.cli.label import label
from graphwell.cli.paint import paint
from graphwell.cli.reproduce import reproduce
from graphwell.cli.segment import segment
from graphwell.cli.suggest import suggest

if TYPE_CHECKING:
    from rich.console import Console

    from graphwell.cli.demo import Row

app = typer.Typer(
    help="Label everything from a few labels.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command(cls=ListingCommand)(classify)
app.command(cls=ListingCommand)(compare)
app.command(cls=ListingCommand)(label)
app.command(cls=ListingCommand)(segment)
app.command(cls=ListingCommand)(suggest)
app.command(cls=ListingCommand)(paint)
app.add_typer(example, name="example")
app.command(cls=ListingCommand)(doctor)
app.command(cls=ListingCommand)(reproduce)


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


@app.command(cls=ListingCommand)
@ends_cleanly
def demo(
    output: Annotated[Path, typer.Option("--output", "-o", "--out", help="Folder for the pictures.")] = Path(
        "demo"
    ),
    seed: Annotated[int, typer.Option(help="Seed of data, labels and start.")] = 0,
) -> None:
    """Label three moons from 25 labels per class, and digits from ten questions."""
    from rich.console import Console

    from graphwell.cli.demo import run_demo
    from graphwell.cli.demo_questions import run_questions

    console = Console()
    for title, run in (
        ("Three moons: 1,500 points in 100 dimensions, 25 labels per class", run_demo),
        ("1,797 digits: ten labels at random, or the ten that graphwell asks for", run_questions),
    ):
        with console.status(
            "Labelling; the first run on a machine also compiles the kernels, for half a minute"
        ):
            rows, picture = run(output, seed)
        _show(console, title, rows)
        console.print(f"Picture: {picture}", highlight=False)


def _show(console: "Console", title: str, rows: "list[Row]") -> None:
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


def main() -> None:
    """Run the program."""
    _keep_only_the_asked_command(sys.argv[1:])
    app(prog_name="graphwell")


def _keep_only_the_asked_command(arguments: list[str]) -> None:
    """Spare Typer the signatures of all other commands, which take it a tenth of a second to read."""
    asked = next(iter(arguments), "")
    kept = [
        command
        for command in app.registered_commands
        if command.callback is not None and command.callback.__name__ == asked
    ]
    if kept:
        app.registered_commands, app.registered_groups = kept, []
