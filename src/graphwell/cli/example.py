"""`graphwell example`: small real data to try the other commands on."""

from pathlib import Path
from typing import Annotated

import typer

from graphwell.cli._help import ListingCommand
from graphwell.cli._run import ends_cleanly

example = typer.Typer(help="Write an example to try the other commands on.", no_args_is_help=True)


@example.callback()
def examples() -> None:
    """Write an example to try the other commands on."""


@example.command(cls=ListingCommand)
@ends_cleanly
def digits(
    output: Annotated[Path, typer.Option("--output", "-o", help="File for the table (.csv).")] = Path(
        "digits.csv"
    ),
    per_class: Annotated[int, typer.Option(help="Labels per class.", min=1)] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the choice of labels.", min=0)] = 0,
) -> None:
    """Write 1,797 handwritten digits as CSV: 64 pixels, a few labels, and the truth in its own column."""
    from graphwell.datasets import digits_table
    from graphwell.io.files import check_output, written_whole

    check_output(output, "output")
    text = digits_table(per_class, random_state=seed)
    with written_whole(output) as file:
        file.write(text.encode("utf-8"))
    typer.echo(f"Written: {output}, 1,797 digits with {per_class} labels per class.")


@example.command(cls=ListingCommand)
@ends_cleanly
def image(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the pictures.")] = Path(
        "example"
    ),
    noise: Annotated[float, typer.Option(help="Standard deviation of the noise, of 0 to 1.", min=0)] = 0.1,
    per_class: Annotated[
        int, typer.Option(help="Marked pixels per class; 0 draws one short stroke per region.", min=0)
    ] = 0,
    seed: Annotated[int, typer.Option(help="Seed of noise and marked pixels.", min=0)] = 0,
) -> None:
    """Write a picture of five grey levels (image.png), marks in it (seeds.png) and the truth (truth.npy)."""
    from graphwell.datasets.strokes import write_example
    from graphwell.io.files import check_output_folder

    check_output_folder(output, "output")
    marked = write_example(output, noise, per_class, seed)
    typer.echo(f"Written: {output}, a picture of 191 x 196 pixels with {marked:,} of them marked.")
