"""`graphwell label`: label the rows of a table in the browser."""

from pathlib import Path
from typing import Annotated

import typer

from graphwell.cli._names import column_names
from graphwell.cli._progress import bars
from graphwell.cli._run import Exit, ends_cleanly
from graphwell.errors import OptionError


@ends_cleanly
def label(
    table: Annotated[Path, typer.Argument(help="File that ends in {tables}.", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File for the labelled table; TABLE.labelled by default."),
    ] = None,
    label: Annotated[
        str | None, typer.Option(help="Column of the labels so far; by default label, if there is one.")
    ] = None,
    image_column: Annotated[
        str | None, typer.Option(help="Column with the file of each row's picture.")
    ] = None,
    images: Annotated[
        Path | None, typer.Option(help="Folder of the pictures; by default that of the table.")
    ] = None,
    text_column: Annotated[str | None, typer.Option(help="Column with the text of each row.")] = None,
    pixels: Annotated[
        str | None, typer.Option(help="Width and height, as 28x28, where the numbers of a row are a picture.")
    ] = None,
    xy: Annotated[
        str | None, typer.Option(help="Columns with the place of each row on the map, as a,b.")
    ] = None,
    id_: Annotated[str | None, typer.Option("--id", help="Column that names the rows.")] = None,
    features: Annotated[
        str | None,
        typer.Option(help="Columns to compare rows by, as a,b,c; by default all that say something."),
    ] = None,
    drop: Annotated[str | None, typer.Option(help="Columns that are no features, as a,b,c.")] = None,
    as_number: Annotated[str | None, typer.Option(help="Features that are numbers, as a,b,c.")] = None,
    as_category: Annotated[
        str | None, typer.Option(help="Features whose cells are names of categories, as a,b,c.")
    ] = None,
    unknown: Annotated[
        list[str] | None, typer.Option(help="Label that means unknown, besides empty and NA cells.")
    ] = None,
    missing: Annotated[str, typer.Option(help="Missing feature values: fill, error, drop or mean.")] = "fill",
    scale: Annotated[
        str, typer.Option(help="Scale of the features: auto, none, standard or robust.")
    ] = "auto",
    pca: Annotated[
        int | None,
        typer.Option(help="Principal components, 0 for none; 50 by default above 100 features.", min=0),
    ] = None,
    strategy: Annotated[str, typer.Option(help="What to ask for: {strategies}.")] = "auto",
    neighbors: Annotated[int, typer.Option(help="Neighbours of each row.", min=1)] = 10,
    seed: Annotated[int, typer.Option(help="Seed of everything random.", min=0)] = 0,
    jobs: Annotated[int | None, typer.Option(help="Threads; all cores by default.")] = None,
    device: Annotated[str, typer.Option(help="Where to compute: {devices}.")] = "cpu",
    delimiter: Annotated[
        str | None, typer.Option(help="Delimiter of a text table, or tab; found by default.")
    ] = None,
    encoding: Annotated[str | None, typer.Option(help="Encoding of a text table; found by default.")] = None,
    decimal: Annotated[
        str | None, typer.Option(help="Decimal mark of a text table; found by default.")
    ] = None,
    safe_csv: Annotated[
        bool, typer.Option("--safe-csv", help="Put an apostrophe before text that spreadsheets would run.")
    ] = False,
    host: Annotated[
        str, typer.Option(help="Where to listen; others than this machine need a password then.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port, or 0 for one that is free.", min=0, max=65_535)] = 0,
    address: Annotated[
        str | None, typer.Option(help="Address that browsers use, https://… behind a proxy.")
    ] = None,
    password: Annotated[
        str | None,
        typer.Option(help="Asked for where --host lets others in.", envvar="GRAPHWELL_PASSWORD"),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser.")] = True,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the address and errors only.")] = False,
) -> Exit:
    """Label the rows of a table in the browser: questions, a map, and a lasso.

    Every answer is written to TABLE.journal before it counts; a second start goes on from there. The table
    with all labels is written from the page. Ctrl-C ends the server. Exit codes: 0 done; 2 bad input.
    """
    from graphwell.io.locks import held_alone
    from graphwell.jobs.labelling import LabelOptions, open_table
    from graphwell.serve.journal import Journal
    from graphwell.serve.labelling import LabelPage
    from graphwell.serve.launch import launch

    password = _password(host, password)
    options = LabelOptions(
        table=table, output=output, label=label, image_column=image_column, images=images,
        text_column=text_column, pixels=_size(pixels), xy=_pair(xy), row_id=id_,
        features=column_names(features), drop=column_names(drop) or (),
        as_number=column_names(as_number) or (), as_category=column_names(as_category) or (),
        unknown=tuple(unknown or ()), missing=missing, scale=scale, pca=pca, strategy=strategy,
        n_neighbors=neighbors, seed=seed, n_jobs=jobs, device=device, delimiter=delimiter,
        encoding=encoding, decimal=decimal, safe_csv=safe_csv,
    )  # fmt: skip
    journal = table.with_name(f"{table.name}.journal")
    with held_alone(journal, "table"):
        with bars(quiet=quiet) as progress:
            opened = open_table(options, progress=progress)
        with Journal(journal, opened.fingerprint) as kept:
            page = LabelPage(opened, kept)
            try:
                launch(
                    page, host=host, port=port, address=address, password=password, open_browser=browser,
                    told=lambda where: typer.echo(f"Open {where}"),
                )  # fmt: skip
            except KeyboardInterrupt:
                if not quiet:
                    typer.echo(f"Every answer is in {journal}; the same command goes on from there.")
    return Exit.DONE


def _password(host: str, given: str | None) -> str | None:
    """The password, asked for where others can reach the server."""
    from graphwell.serve.security import is_loopback

    if is_loopback(host):
        return None
    typer.echo("Others can reach this server. It speaks plain HTTP: put a proxy with TLS before it.", err=True)
    return given or typer.prompt("Password for the page", hide_input=True, confirmation_prompt=True)


def _size(text: str | None) -> tuple[int, int] | None:
    """Width and height as a user writes them: 28x28."""
    if text is None:
        return None
    width, _, height = text.lower().partition("x")
    if not width.isdecimal() or not height.isdecimal() or not int(width) * int(height):
        raise OptionError("pixels", "{field} {}: write width and height as 28x28.", text)
    return int(width), int(height)


def _pair(text: str | None) -> tuple[str, str] | None:
    """Two columns as a user writes them: a,b."""
    names = column_names(text)
    if names is None:
        return None
    if len(names) != 2:
        raise OptionError("xy", "{field} {}: name two columns, as a,b.", text)
    return names[0], names[1]
