"""`graphwell paint`: segment pictures with strokes, in the browser."""

from pathlib import Path
from typing import Annotated

import typer

from graphwell.cli import _options
from graphwell.cli._files import refuse_missing
from graphwell.cli._names import column_names
from graphwell.cli._run import Exit, ends_cleanly
from graphwell.cli._serve import asked_password, serve_page


@ends_cleanly
def paint(
    source: Annotated[
        Path, typer.Argument(help="Picture, or folder of pictures; {images}.", show_default=False)
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for all files; by default painted, beside the pictures."),
    ] = None,
    classes: Annotated[
        str | None, typer.Option(help="Names of the classes to begin with, as leaf,stem.")
    ] = None,
    max_pixels: Annotated[
        int, typer.Option(help="Larger pictures are refused before they are read.", min=1)
    ] = 100_000_000,
    jobs: _options.Jobs = None,
    host: _options.Host = "127.0.0.1",
    port: _options.Port = 0,
    address: _options.Address = None,
    password: _options.Password = None,
    browser: _options.Browser = True,
    quiet: _options.Quiet = False,
) -> Exit:
    """Paint strokes on pictures in the browser; everything else gets its class at once.

    Every stroke is written to a journal in the output folder before it counts; a second start goes on from
    there. The page saves labels, overlay, masks and strokes as `graphwell segment` writes and reads them.
    Ctrl-C ends the server. Exit codes: 0 done; 2 bad input.
    """
    refuse_missing(source)
    from graphwell.jobs.painting import PaintOptions
    from graphwell.serve.painting import PaintPage

    options = PaintOptions(source=source, output=output, max_pixels=max_pixels, n_jobs=jobs)
    password = asked_password(host, password)
    page = PaintPage(options, column_names(classes) or ())
    return serve_page(
        page, options.folder, host=host, port=port, address=address, password=password,
        browser=browser, quiet=quiet,
    )  # fmt: skip
