"""`graphwell label`: label the rows of a table in the browser."""

from pathlib import Path
from typing import Annotated

import typer

from graphwell.cli import _options
from graphwell.cli._declared import refuse_unknown
from graphwell.cli._files import refuse_missing
from graphwell.cli._help import completed
from graphwell.cli._job_options import job_options
from graphwell.cli._names import column_names
from graphwell.cli._progress import bars
from graphwell.cli._run import Exit, ends_cleanly
from graphwell.cli._serve import asked_password, serve_page
from graphwell.errors import OptionError

OF_THE_SERVER = ("host", "port", "address", "password", "browser")


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
    classes: Annotated[
        str | None, typer.Option(help="Names of the classes to begin with, as cat,dog.")
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
    id_: _options.Id = None,
    features: _options.Features = None,
    drop: _options.Drop = None,
    as_number: _options.AsNumber = None,
    as_category: _options.AsCategory = None,
    unknown: _options.Unknown = None,
    missing: _options.Missing = "fill",
    scale: _options.Scale = "auto",
    pca: _options.Components = None,
    strategy: Annotated[
        str, typer.Option(help="What to ask for: {strategies}.", autocompletion=completed(of="strategy"))
    ] = "auto",
    neighbors: Annotated[int, typer.Option(help="Neighbours of each row.", min=1)] = 10,
    seed: _options.Seed = 0,
    jobs: _options.Jobs = None,
    device: _options.Device = "cpu",
    delimiter: _options.Delimiter = None,
    encoding: _options.Encoding = None,
    decimal: _options.Decimal = None,
    safe_csv: Annotated[
        bool, typer.Option("--safe-csv", help="Put an apostrophe before text that spreadsheets would run.")
    ] = False,
    host: _options.Host = "127.0.0.1",
    port: _options.Port = 0,
    address: _options.Address = None,
    password: _options.Password = None,
    browser: _options.Browser = True,
    quiet: _options.Quiet = False,
) -> Exit:
    """Label the rows of a table in the browser: questions, a map, and a lasso.

    Every answer is written to TABLE.journal before it counts; a second start goes on from there. The table
    with all labels is written from the page. Ctrl-C ends the server. Exit codes: 0 done; 2 bad input.
    """
    flags = locals()
    refuse_missing(table)
    refuse_unknown("strategy", strategy)
    from graphwell.io.locks import held_alone
    from graphwell.jobs.labelling import LabelOptions, open_table

    flags = {name: value for name, value in flags.items() if name not in OF_THE_SERVER}
    options = job_options(LabelOptions, flags, pixels=_size(pixels), xy=_pair(xy))
    password = asked_password(host, password)
    journal = table.with_name(f"{table.name}.journal")
    with held_alone(journal, "table"):
        with bars(quiet=quiet) as progress:
            opened = open_table(options, progress=progress)
        from graphwell.serve.journal import Journal
        from graphwell.serve.labelling import LabelPage  # takes long to import

        with Journal(journal, opened.fingerprint) as kept:
            return serve_page(
                LabelPage(opened, kept), journal, host=host, port=port, address=address,
                password=password, browser=browser, quiet=quiet,
            )  # fmt: skip


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
