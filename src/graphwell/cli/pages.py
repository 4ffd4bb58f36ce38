"""`graphwell label` and `graphwell paint`: a table labelled, or pictures painted on, in the browser."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphwell.cli import options as opt
from graphwell.cli._run import Exit, bars, ends_cleanly, job_options
from graphwell.cli.options import column_names, option
from graphwell.errors import OptionError

if TYPE_CHECKING:
    from graphwell.serve.channel import Page


@ends_cleanly
def label(
    table: Annotated[Path, opt.argument("TABLE", f"{opt.TABLE}.")],
    output: Annotated[
        Path | None, opt.output("File for the labelled table; TABLE.labelled by default.")
    ] = None,
    label: opt.LabelSoFar = None,
    labels: opt.Labels = None,
    classes: opt.Classes = None,
    features: opt.Features = None,
    drop: opt.Drop = None,
    row_id: opt.Id = None,
    image_column: Annotated[
        str | None, option("Column with the file of each row's picture.", panel=opt.SHOWN, metavar="COLUMN")
    ] = None,
    images: Annotated[
        Path | None,
        option("Folder of the pictures; by default that of the table.", panel=opt.SHOWN, metavar="FOLDER"),
    ] = None,
    text_column: Annotated[
        str | None, option("Column with the text of each row.", panel=opt.SHOWN, metavar="COLUMN")
    ] = None,
    pixels: Annotated[
        str | None, option("Size, where a row's numbers are a picture.", panel=opt.SHOWN, metavar="28x28")
    ] = None,
    xy: Annotated[
        str | None, option("Columns with the place of each row on the map.", panel=opt.SHOWN, metavar="A,B")
    ] = None,
    guesses: Annotated[
        str | None,
        option("Column of guesses to start from, those of an older model, say.", metavar="COLUMN"),
    ] = None,
    set_: Annotated[
        list[str] | None,
        opt.settings(
            f"unknown, trust (0.8), strategy, seed, device, truth, {opt.OF_FOLDERS}, safe_csv (true)"
        ),
    ] = None,
    n_jobs: opt.Jobs = None,
    host: opt.Host = "127.0.0.1",
    port: opt.Port = 0,
    address: opt.Address = None,
    password: opt.Password = None,
    browser: opt.Browser = True,
    quiet: opt.Quiet = False,
) -> Exit:
    """Label the rows of a table in the browser: questions, a map, and a lasso.

    Every answer is written to TABLE.journal before it counts; a second start goes on from there. The table
    with all labels is written from the page. Ctrl-C ends the server. Exit codes: 0 done; 2 bad input.
    """
    table = opt.with_a_name(table)
    flags, server = _of_the_server(locals())
    from graphwell.jobs.labelling import LabelOptions
    from graphwell.serve.labelling import LabelPage, journal_of

    options = job_options(LabelOptions, flags, pixels=_size(pixels), xy=_pair(xy))
    with bars(quiet=quiet) as progress:
        page = LabelPage(options, progress=progress)
    return _serve(page, journal_of(table), server, quiet=quiet)


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


@ends_cleanly
def paint(
    source: Annotated[Path, opt.argument("SOURCE", f"{opt.PICTURE}; or a folder of them.")],
    output: Annotated[
        Path | None, opt.output("Folder for all files; by default painted, beside the pictures.", "FOLDER")
    ] = None,
    classes: opt.Classes = None,
    set_: Annotated[list[str] | None, opt.settings("labels, max_pixels, channel_axis, slice_axis")] = None,
    n_jobs: opt.Jobs = None,
    host: opt.Host = "127.0.0.1",
    port: opt.Port = 0,
    address: opt.Address = None,
    password: opt.Password = None,
    browser: opt.Browser = True,
    quiet: opt.Quiet = False,
) -> Exit:
    """Paint strokes on pictures in the browser; everything else gets its class at once.

    Every stroke is written to a journal in the output folder before it counts; a second start goes on from
    there. The page saves labels, overlay, masks and strokes as `graphwell segment` writes and reads them.
    Ctrl-C ends the server. Exit codes: 0 done; 2 bad input.
    """
    flags, server = _of_the_server(locals())
    from graphwell.jobs.painting import PaintOptions
    from graphwell.serve.painting import PaintPage

    del flags["classes"]
    options = job_options(PaintOptions, flags)
    page = PaintPage(options, column_names(classes) or ())
    return _serve(page, options.folder, server, quiet=quiet)


def _of_the_server(parameters: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters of a command: of its job, and of the server; a password is asked for if others get in."""
    from graphwell.serve.security import is_loopback

    server = {name: parameters.pop(name) for name in ("host", "port", "address", "password")}
    server["open_browser"] = parameters.pop("browser")
    if is_loopback(server["host"]):
        server["password"] = None
    else:
        warning = "Others can reach this server, and it speaks plain HTTP; put a proxy with TLS before it."
        typer.echo(warning, err=True)
        server["password"] = server["password"] or str(
            typer.prompt("Password for the page", hide_input=True, confirmation_prompt=True)
        )
    return parameters, server


def _serve(page: "Page", journal: Path, server: dict[str, Any], *, quiet: bool) -> Exit:
    """Serve a page until Ctrl-C, and say how to go on."""
    from graphwell.serve.launch import launch

    remembered = journal.with_name(f".{journal.name}.address")
    try:
        launch(page, **server, on_ready=lambda where: typer.echo(f"Open {where}"), remembered=remembered)
    except KeyboardInterrupt:
        if not quiet:
            typer.echo(f"Everything is in {journal}; the same command goes on from there.")
    finally:
        page.end()
    return Exit.DONE
